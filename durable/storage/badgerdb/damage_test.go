package badgerdb

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// allFiles makes a database with every kind of file, as a death leaves it: tables, logs of
// commits and of large values.
func allFiles(t *testing.T) string {
	t.Helper()
	dir := closedWith(t, 12)
	db := opened(t, dir)
	large := bytes.Repeat([]byte("large"), storage.Inline)
	for n := 13; n <= 15; n++ {
		writes := append(nth(n), storage.Write{Key: []byte{'v', byte(n)}, Value: large})
		if err := db.Commit(t.Context(), writes); err != nil {
			t.Fatal(err)
		}
	}
	crashed := copied(t, dir)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return crashed
}

// damage is something that happens to a file.
type damage struct {
	cut bool  // it ends at a place, or else one bit there is another
	at  int64 // of what is written of the file
}

func (d damage) to(t *testing.T, path string) {
	t.Helper()
	if d.cut {
		shorten(t, path, d.at)
		return
	}
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	one := make([]byte, 1)
	if _, err := file.ReadAt(one, d.at); err != nil {
		t.Fatal(err)
	}
	one[0] ^= 0x40
	if _, err := file.WriteAt(one, d.at); err != nil {
		t.Fatal(err)
	}
}

// damages are at the beginning of what a file has written, at its end, and between.
func damages(written, size int64) (found []damage) {
	places := []int64{0, 7, 25, written / 2, written - 9, written - 1}
	if *soak {
		places = append(places, 1, 3, 4, 5, 8, 12, 17, 19, 20, 24, written/3, written-40, written-5, written-2)
	}
	slices.Sort(places)
	for _, at := range slices.Compact(places) {
		if at >= 0 && at < size {
			found = append(found, damage{cut: true, at: at}, damage{at: at})
		}
	}
	return found
}

// TestNoDamageOfAnyFileGoesWithoutSayingWhere damages each file of a database at many places.
// Opening, verifying and reading it goes well or says which file is damaged, or which
// value, and what to do.
func TestNoDamageOfAnyFileGoesWithoutSayingWhere(t *testing.T) {
	dir := allFiles(t)
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	kinds := make(map[string]bool)
	for _, entry := range entries {
		name := entry.Name()
		kinds[strings.TrimLeft(name, "0123456789")] = true
		content, size := written(t, filepath.Join(dir, name))
		for _, damage := range damages(int64(len(content)), size) {
			crashed := copied(t, dir)
			damage.to(t, filepath.Join(crashed, name))
			if err := usedOnce(t, crashed); err != nil && !saysWhere(err) {
				t.Errorf("%s, %+v: %T %v", name, damage, err, err)
			}
			if err := os.RemoveAll(crashed); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, kind := range []string{".mem", ".sst", ".vlog", "DISCARD", "KEYREGISTRY", "MANIFEST", "format", "owner"} {
		if !kinds[kind] {
			t.Errorf("the database has no %s, only %v", kind, kinds)
		}
	}
}

// usedOnce opens, verifies, reads and closes a database, and returns the first error.
func usedOnce(t *testing.T, dir string) error {
	t.Helper()
	db, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	if err = db.Verify(); err == nil {
		err = readThrough(db)
	}
	if closed := db.Close(); closed != nil {
		t.Errorf("closed with %v", closed)
	}
	return err
}

func readThrough(db *DB) error {
	at, err := db.Snapshot()
	if err != nil {
		return err
	}
	defer at.Close()
	for _, err := range at.Scan(storage.Range{}) {
		if err != nil {
			return err
		}
	}
	return nil
}

// saysWhere says that an error names a file or value that is damaged, and what to do.
func saysWhere(err error) bool {
	var damaged *DamagedError
	var unreadable *unreadableError
	var foreign *FormatError
	switch {
	case errors.As(err, &damaged):
		return damaged.File != "" && strings.Contains(err.Error(), "restore a backup")
	case errors.As(err, &unreadable):
		return strings.Contains(err.Error(), "restore a backup")
	}
	return errors.As(err, &foreign)
}

// TestEveryByteOfATableIsVerified flips a bit of every tenth byte of a table.
func TestEveryByteOfATableIsVerified(t *testing.T) {
	dir := closedWith(t, 20)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	db := opened(t, dir)
	if err := db.Verify(); err != nil {
		t.Error(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	spoilt := filepath.Join(t.TempDir(), filepath.Base(tables[0]))
	whole, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	for at := 0; at < len(whole); at += max(1, len(whole)/300) {
		content := bytes.Clone(whole)
		content[at] ^= 0x10
		if err := os.WriteFile(spoilt, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := verifyTable(spoilt); err == nil {
			t.Errorf("byte %d of %d is another, and nothing is wrong", at, len(whole))
		}
	}
}

// TestStatisticsOfValuesThatMakeNoSenseAreMadeAnew has badger find what it would look for
// without an end.
func TestStatisticsOfValuesThatMakeNoSenseAreMadeAnew(t *testing.T) {
	dir := closedWith(t, 3)
	stats := func(slots ...uint64) []byte {
		content := make([]byte, discardSize)
		for i, number := range slots {
			binary.BigEndian.PutUint64(content[8*i:], number)
		}
		return content
	}
	full := bytes.Repeat([]byte{1}, discardSize)
	for name, c := range map[string]struct {
		content []byte
		keeps   bool
	}{
		"nothing":          {stats(), true},
		"a log":            {stats(1, 1000), true},
		"no such log":      {stats(77, 1000), true},
		"a number too big": {stats(1<<40+1, 1000), false},
		"a log twice":      {stats(77, 1000, 77, 2000), false},
		"a count too big":  {stats(1, math.MaxUint64), false},
		"no end":           {full, false},
		"cut off":          {stats(1, 1000)[:100], false},
		"longer":           {append(stats(1, 1000), 1), false},
	} {
		t.Run(name, func(t *testing.T) {
			crashed := copied(t, dir)
			path := filepath.Join(crashed, discardFile)
			if err := os.WriteFile(path, c.content, 0o600); err != nil {
				t.Fatal(err)
			}
			if got := sensible(c.content); got != c.keeps {
				t.Errorf("sensible: %t", got)
			}
			if err := usedOnce(t, crashed); err != nil {
				t.Error(err)
			}
		})
	}
}
