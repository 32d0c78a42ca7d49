package badgerdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// flip changes one bit of a file.
func flip(t testing.TB, path string, at int64) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	content[at] ^= 0x40
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
}

// shorten cuts a file off.
func shorten(t testing.TB, path string, size int64) {
	t.Helper()
	if err := os.Truncate(path, size); err != nil {
		t.Fatal(err)
	}
}

// closedWith makes a database with a table for each of some sessions.
func closedWith(t *testing.T, commits ...int) string {
	t.Helper()
	dir, n := t.TempDir(), 0
	for _, more := range commits {
		db := opened(t, dir)
		for range more {
			n++
			if err := db.Commit(t.Context(), nth(n)); err != nil {
				t.Fatal(err)
			}
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// isDamaged opens a database, which must say that a file of it is damaged, and leave
// all of its tables.
func isDamaged(t *testing.T, dir, file string) {
	t.Helper()
	before, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil {
		t.Fatal(err)
	}
	db, err := Open(dir, Options{})
	if err == nil {
		_ = db.Close()
	}
	var damaged *DamagedError
	if !errors.As(err, &damaged) || damaged.File != file || !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("opened with %s damaged: %v", file, err)
	}
	after, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(after) != len(before) {
		t.Errorf("there were tables %v and are %v (%v)", before, after, err)
	}
}

// TestAListOfTablesThatIsCutOffDeletesNone cuts the list off at every byte.
func TestAListOfTablesThatIsCutOffDeletesNone(t *testing.T) {
	dir := closedWith(t, 3, 3)
	list, err := os.ReadFile(filepath.Join(dir, "MANIFEST"))
	if err != nil {
		t.Fatal(err)
	}
	for size := range len(list) {
		crashed := copied(t, dir)
		shorten(t, filepath.Join(crashed, "MANIFEST"), int64(size))
		if tables, err := filepath.Glob(filepath.Join(crashed, "*.sst")); err != nil || len(tables) != 1 {
			t.Fatalf("tables: %v (%v)", tables, err)
		}
		_, err := Open(crashed, Options{})
		var damaged *DamagedError
		if !errors.As(err, &damaged) {
			t.Fatalf("opened with %d of %d bytes of its list: %v", size, len(list), err)
		}
		if tables, err := filepath.Glob(filepath.Join(crashed, "*.sst")); err != nil || len(tables) != 1 {
			t.Errorf("after that: %v (%v)", tables, err)
		}
	}
}

// TestATableThatTheLogsStillHaveNeedsNoList leaves what a death does between the
// making of a table and its listing, and one in the making.
func TestATableThatTheLogsStillHaveNeedsNoList(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	for n := 1; n <= 3; n++ {
		if err := db.Commit(t.Context(), nth(n)); err != nil {
			t.Fatal(err)
		}
	}
	crashed := copied(t, dir)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	table, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	for _, content := range [][]byte{table, table[:100], make([]byte, 1000), {}} {
		again := copied(t, crashed)
		if err := os.WriteFile(filepath.Join(again, "000001.sst"), content, 0o600); err != nil {
			t.Fatal(err)
		}
		after := opened(t, again)
		newHistory().whole(t, after, 3, 3)
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestATableThatIsCutOffOrSpoiledIsNotOpened damages what badger reads of a table
// when it opens it.
func TestATableThatIsCutOffOrSpoiledIsNotOpened(t *testing.T) {
	dir := closedWith(t, 20)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	name := filepath.Base(tables[0])
	whole, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	size := int64(len(whole))
	for _, to := range []int64{0, 1, 3, 4, 12, 300, size / 2, size - 1} {
		crashed := copied(t, dir)
		shorten(t, filepath.Join(crashed, name), to)
		isDamaged(t, crashed, name)
	}
	for _, at := range []int64{size - 1, size - 4, size - 6, size - 40} {
		crashed := copied(t, dir)
		flip(t, filepath.Join(crashed, name), at)
		isDamaged(t, crashed, name)
	}
	crashed := copied(t, dir)
	longer := binary.BigEndian.AppendUint32(bytes.Clone(whole[:size-4]), 1<<31)
	if err := os.WriteFile(filepath.Join(crashed, name), longer, 0o600); err != nil {
		t.Fatal(err)
	}
	isDamaged(t, crashed, name)
}
