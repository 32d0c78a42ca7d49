package badgerdb

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

// logEnd returns the newest log with an extension, and how much of it is written:
// behind that it has zeros.
func logEnd(t *testing.T, dir, extension string) (name string, end int) {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*"+extension))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s has no %s (%v)", dir, extension, err)
	}
	name = names[len(names)-1]
	written, _ := written(t, name)
	return filepath.Base(name), len(written)
}

// written returns what is written of a log, and how long its file is with the zeros
// behind that. Logs are written from their beginning on, and the rest is a hole.
func written(t *testing.T, path string) (content []byte, size int64) {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var st syscall.Stat_t
	if err := syscall.Fstat(int(file.Fd()), &st); err != nil {
		t.Fatal(err)
	}
	content, err = io.ReadAll(io.LimitReader(file, st.Blocks*512))
	if err != nil {
		t.Fatal(err)
	}
	return bytes.TrimRight(content, "\x00"), st.Size
}

// copied copies a database as a crash would leave it, holes included.
func copied(t *testing.T, dir string) string {
	t.Helper()
	to := t.TempDir()
	names, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		content, size := written(t, filepath.Join(dir, name.Name()))
		at := filepath.Join(to, name.Name())
		if err := os.WriteFile(at, content, 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Truncate(at, size); err != nil {
			t.Fatal(err)
		}
	}
	return to
}

// tear damages the end of a log: what is behind an offset is cut off, or has never
// reached the disk and is zero, or is noise.
func tear(t *testing.T, path string, from, end int, how string) {
	t.Helper()
	file, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	gone := make([]byte, end-from)
	switch how {
	case "cut":
		err = file.Truncate(int64(from))
	case "noise":
		random := rand.NewChaCha8([32]byte{byte(from)})
		if _, err := io.ReadFull(random, gone); err != nil {
			t.Fatal(err)
		}
		fallthrough
	case "zero":
		_, err = file.WriteAt(gone, int64(from))
	}
	if err != nil {
		t.Fatal(err)
	}
}

// TestATornLogOpensWithEverythingBeforeTheTear damages the log of commits behind
// each of some offsets. What was written whole before it is there; of the rest
// nothing is.
func TestATornLogOpensWithEverythingBeforeTheTear(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	defer db.Close()
	var ends []int // of each commit
	var log string
	for n := 1; n <= 30; n++ {
		if err := db.Commit(t.Context(), nth(n)); err != nil {
			t.Fatal(err)
		}
		var end int
		log, end = logEnd(t, dir, ".mem")
		ends = append(ends, end)
	}
	last := ends[len(ends)-1]
	random := rand.New(rand.NewPCG(1, 2))
	for round := range rounds(12, 200) {
		how := []string{"cut", "zero", "noise"}[round%3]
		from := last - random.IntN(min(last, 100+20*round*round))
		crashed := copied(t, dir)
		tear(t, filepath.Join(crashed, log), from, last, how)
		whole := 0
		for whole < len(ends) && ends[whole] <= from {
			whole++
		}
		after := opened(t, crashed)
		// The last bytes of a commit may be zeros that nobody misses.
		n := newHistory().whole(t, after, whole, min(whole+1, len(ends)))
		if err := after.Commit(t.Context(), nth(n+1)); err != nil {
			t.Error(err)
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestATornValueIsAnErrorAndNoOther damages the newest log of large values, which a
// crash does not: it is synced before anything points into it.
func TestATornValueIsAnErrorAndNoOther(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	defer db.Close()
	large := bytes.Repeat([]byte("large"), storage.Inline)
	write := func(key string, value []byte) {
		if err := db.Commit(t.Context(), []storage.Write{{Key: []byte(key), Value: value}}); err != nil {
			t.Fatal(err)
		}
	}
	write("a", large)
	write("b", large)
	write("c", []byte("small"))
	log, end := logEnd(t, dir, ".vlog")
	for _, how := range []string{"cut", "zero", "noise"} {
		crashed := copied(t, dir)
		tear(t, filepath.Join(crashed, log), end-1000, end, how)
		after := opened(t, crashed)
		at, err := after.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		if value, found, err := at.Get([]byte("b")); value != nil || found || err == nil || !strings.Contains(err.Error(), `the value of key "b" cannot be read`) {
			t.Errorf("%s: the torn value has %d bytes, %t (%v)", how, len(value), found, err)
		}
		var keys string
		var last error
		for pair, err := range at.Scan(storage.Range{}) {
			keys, last = keys+string(pair.Key), err
		}
		if keys != "a" || last == nil {
			t.Errorf("%s: a scan gives %s and then %v", how, keys, last)
		}
		at.Close()
		if err := after.Commit(t.Context(), []storage.Write{{Key: []byte("b"), Value: large}}); err != nil {
			t.Error(err)
		}
		if found := storagetest.Contents(t, after); len(found) != 3 || !bytes.Equal(found[1].Value, large) {
			t.Errorf("%s: written again there are %d keys", how, len(found))
		}
		if err := after.Close(); err != nil {
			t.Error(err)
		}
	}
}

// TestLogsWithoutAByteAreNoHindrance leaves what a process does that dies while
// badger makes or removes a log.
func TestLogsWithoutAByteAreNoHindrance(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	for n := 1; n <= 12; n++ {
		if err := db.Commit(t.Context(), nth(n)); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"00000.mem", "00007.mem", "000009.vlog"} {
		crashed := copied(t, dir)
		if err := os.WriteFile(filepath.Join(crashed, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			after := opened(t, crashed)
			newHistory().whole(t, after, 12, 12)
			if err := after.Close(); err != nil {
				t.Error(err)
			}
		}
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
}

// TestADatabaseThatLacksSomethingIsNotOpened removes the list of tables, without
// which badger alone would open an empty database and delete the tables; spoils it;
// and removes a table. The database opens once everything is back.
func TestADatabaseThatLacksSomethingIsNotOpened(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	table := filepath.Base(tables[0])
	for _, c := range []struct {
		file   string
		damage func(path string) error
		says   string
	}{
		{"MANIFEST", os.Remove, "MANIFEST: it is missing"},
		{"MANIFEST", func(path string) error { return os.WriteFile(path, []byte("Bdgr and then nonsense"), 0o600) }, "MANIFEST: manifest has unsupported version"},
		{"MANIFEST", func(path string) error { return os.Truncate(path, 0) }, "MANIFEST: manifest has bad magic"},
		{table, os.Remove, table + ": it is missing"},
	} {
		path := filepath.Join(dir, c.file)
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := c.damage(path); err != nil {
			t.Fatal(err)
		}
		_, err = Open(dir, Options{})
		var damaged *DamagedError
		if !errors.As(err, &damaged) || damaged.File != c.file || !strings.Contains(err.Error(), c.says) || !strings.Contains(err.Error(), "restore a backup") {
			t.Errorf("opened with %s damaged: %v", c.file, err)
		}
		if err := os.WriteFile(path, content, 0o600); err != nil {
			t.Fatal(err)
		}
		db = opened(t, dir)
		newHistory().whole(t, db, 1, 1)
		if err := db.Close(); err != nil {
			t.Error(err)
		}
	}
}
