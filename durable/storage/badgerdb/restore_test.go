package badgerdb

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// backup returns a backup of the first commits of the history.
func backup(t *testing.T, commits int) []byte {
	t.Helper()
	s := new(memory.Storage)
	for n := 1; n <= commits; n++ {
		if err := s.Commit(t.Context(), nth(n)); err != nil {
			t.Fatal(err)
		}
	}
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	var stream bytes.Buffer
	if _, err := storage.Backup(t.Context(), at, &stream); err != nil {
		t.Fatal(err)
	}
	return stream.Bytes()
}

func TestRestoreMakesADatabase(t *testing.T) {
	stream := backup(t, 60)
	parent := t.TempDir()
	for _, dir := range []string{filepath.Join(parent, "new"), filepath.Join(parent, "deep", "er"), filepath.Join(parent, "empty")} {
		if filepath.Base(dir) == "empty" {
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		copied, err := Restore(t.Context(), bytes.NewReader(stream), dir, Options{})
		if err != nil {
			t.Fatal(err)
		}
		db := opened(t, dir)
		model := newHistory()
		model.whole(t, db, 60, 60)
		if copied.Pairs != len(model.pairs) {
			t.Errorf("%+v was restored, and there are %d keys", copied, len(model.pairs))
		}
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if left := names(t, parent); left != "deep empty new" {
		t.Errorf("the folder has %s", left)
	}
}

func TestRestoreLeavesNothingOfADamagedBackup(t *testing.T) {
	stream := backup(t, 30)
	changed := bytes.Clone(stream)
	changed[len(changed)/2] ^= 4
	for name, damaged := range map[string][]byte{"nothing": nil, "cut": stream[:len(stream)-40], "changed": changed} {
		parent := t.TempDir()
		_, err := Restore(t.Context(), bytes.NewReader(damaged), filepath.Join(parent, "db"), Options{})
		var refused *storage.BackupError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
		if left := names(t, parent); left != "" {
			t.Errorf("%s: %s is left", name, left)
		}
	}
}

func TestRestoreDoesNotTouchWhatIsThere(t *testing.T) {
	stream := backup(t, 3)
	parent := t.TempDir()
	used, files := filepath.Join(parent, "db"), filepath.Join(parent, "files")
	db := opened(t, used)
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(files, "letters"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{used, files} {
		before := names(t, dir)
		if _, err := Restore(t.Context(), bytes.NewReader(stream), dir, Options{}); !errors.Is(err, storage.ErrNotEmpty) {
			t.Errorf("restored over %s: %v", dir, err)
		}
		if after := names(t, dir); after != before {
			t.Errorf("%s had %s and has %s", dir, before, after)
		}
	}
	newHistory().whole(t, db, 1, 1)
}
