package main

import (
	"bytes"
	"errors"
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

func TestLogThatCannotBePutAsideLosesNoLine(t *testing.T) {
	long := append(bytes.Repeat([]byte("x"), logSize-1), '\n')
	// What keeps the log from being put aside, or a new one from being made.
	obstacles := map[string]func(dir string) error{
		"something is where the old one goes": func(dir string) error { return os.MkdirAll(filepath.Join(dir, "log.1/full"), 0o700) },
		"the folder is gone":                  os.RemoveAll,
	}
	for name, obstruct := range obstacles {
		t.Run(name, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "state")
			if err := os.Mkdir(dir, 0o700); err != nil {
				t.Fatal(err)
			}
			log, err := openLog(filepath.Join(dir, "log"))
			if err != nil {
				t.Fatal(err)
			}
			defer log.Close()
			if _, err := log.Write(long); err != nil {
				t.Fatal(err)
			}
			old := log.file
			if err := obstruct(dir); err != nil {
				t.Fatal(err)
			}
			for range 2 {
				if n, err := log.Write([]byte("line\n")); n != 5 || err == nil {
					t.Errorf("%d bytes written, error %v; want all, and the reason", n, err)
				}
			}
			if info, err := old.Stat(); err != nil || info.Size() != logSize+10 {
				t.Errorf("the old log has %d bytes (%v)", info.Size(), err)
			}
			// Without the obstacle a new one is begun.
			if err := errors.Join(os.RemoveAll(filepath.Join(dir, "log.1")), os.MkdirAll(dir, 0o700)); err != nil {
				t.Fatal(err)
			}
			if _, err := log.Write([]byte("last\n")); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(filepath.Join(dir, "log")); err != nil || string(text) != "last\n" {
				t.Errorf("the new log holds %d bytes (%v)", len(text), err)
			}
		})
	}
}
