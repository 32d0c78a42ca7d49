package main

import (
	"bytes"
	"os"
	"path/filepath"
	"testing"
)

func TestLogIsAppendedToAndBounded(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	if err := os.WriteFile(path, []byte("before\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := openLog(path)
	if err != nil {
		t.Fatal(err)
	}
	line := append(bytes.Repeat([]byte("x"), 1<<20-1), '\n')
	const lines = 3 * logSize / (1 << 20)
	for range lines {
		if _, err := log.Write(line); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := log.Write([]byte("last\n")); err != nil {
		t.Fatal(err)
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(filepath.Dir(path))
	if err != nil || len(entries) != 2 {
		t.Fatalf("%d files, want 2 (%v)", len(entries), err)
	}
	for _, entry := range entries {
		info, err := entry.Info()
		if err != nil || info.Size() > logSize || info.Mode().Perm() != 0o600 {
			t.Errorf("%s has %d bytes, mode %v (%v)", entry.Name(), info.Size(), info.Mode(), err)
		}
	}
	text, err := os.ReadFile(path)
	if err != nil || !bytes.HasSuffix(text, []byte("last\n")) {
		t.Errorf("the newest line is not in the log (%v)", err)
	}
}

func TestLogKeepsWhatWasThere(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	for _, line := range []string{"one\n", "two\n"} {
		log, err := openLog(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := log.Write([]byte(line)); err != nil {
			t.Fatal(err)
		}
		if err := log.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if text, err := os.ReadFile(path); err != nil || string(text) != "one\ntwo\n" {
		t.Errorf("the log holds %q (%v)", text, err)
	}
}
