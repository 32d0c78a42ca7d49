package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestASecondProcessIsTold opens a database that a child has, and the other way
// round.
func TestASecondProcessIsTold(t *testing.T) {
	dir := t.TempDir()
	c := child(t, "open", dir)
	if said := c.line(); said != "open" {
		t.Fatalf("the child says %s", said)
	}
	_, err := Open(dir, Options{})
	var used *InUseError
	if !errors.As(err, &used) || used.Dir != dir || used.Process != c.Process.Pid {
		t.Errorf("opened beside process %d: %v", c.Process.Pid, err)
	}
	if text := fmt.Sprint(err); !strings.Contains(text, dir) || !strings.Contains(text, "stop that, or ask it instead") {
		t.Errorf("the error does not say what to do: %s", text)
	}
	if said, err := c.wait(); err != nil {
		t.Fatalf("the child could not go on: %v %s", err, said)
	}

	db := opened(t, dir)
	said, err := child(t, "open", dir).wait()
	if err == nil || !strings.HasPrefix(said, "*badgerdb.InUseError") || !strings.Contains(said, fmt.Sprint("process ", os.Getpid())) {
		t.Errorf("a child beside this process: %v %s", err, said)
	}
	if _, err := Open(dir, Options{}); !errors.As(err, &used) || used.Process != os.Getpid() {
		t.Errorf("opened twice in one process: %v", err)
	}
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Errorf("the owner could not go on: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	c = child(t, "open", dir)
	if said := c.line(); said != "open" {
		t.Fatalf("a child after this process: %s", said)
	}
	_ = c.Process.Kill()
	_, _ = c.wait()
	db = opened(t, dir)
	newHistory().whole(t, db, 1, 1)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}

// names lists what is in a folder.
func names(t *testing.T, dir string) string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return strings.Join(names, " ")
}

func TestFoldersThatAreNotOursAreLeftAlone(t *testing.T) {
	for _, c := range []struct {
		name  string
		files map[string]string
		want  FormatError
	}{
		{"letters", map[string]string{"letter.txt": "Dear reader"}, FormatError{}},
		{"another database", map[string]string{"MANIFEST": "Bdgr", "000001.vlog": "x"}, FormatError{}},
		{"another format file", map[string]string{"format": "mp3"}, FormatError{}},
		{"an empty format file", map[string]string{"format": ""}, FormatError{}},
		{"version 0", map[string]string{"format": "harness-database 0\n"}, FormatError{}},
		{"a newer version", map[string]string{"format": "harness-database 2\n", "something": "new"}, FormatError{Version: 2}},
		{"a much newer version", map[string]string{"format": "harness-database 17\n"}, FormatError{Version: 17}},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, content := range c.files {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			before := names(t, dir)
			_, err := Open(dir, Options{})
			c.want.Dir = dir
			var found *FormatError
			if !errors.As(err, &found) || *found != c.want {
				t.Errorf("opened: %v", err)
			}
			if after := names(t, dir); after != before {
				t.Errorf("the folder had %s and has %s", before, after)
			}
		})
	}
}

func TestFormatErrorsSayWhatToDo(t *testing.T) {
	for _, c := range []struct {
		err  error
		says string
	}{
		{&FormatError{Dir: "/d"}, "folder /d holds something that is not a database of this program: use another folder, or an empty one"},
		{&FormatError{Dir: "/d", Version: 9}, "database /d has format 9, and this program knows 1: use a newer program"},
		{&InUseError{Dir: "/d"}, "database /d is in use by another process: stop that, or ask it instead"},
		{&DamagedError{Dir: "/d", File: "f", Reason: "it is missing"}, "database /d is damaged, f: it is missing; restore a backup into another folder"},
	} {
		if c.err.Error() != c.says {
			t.Errorf("%s", c.err)
		}
	}
}

// TestADatabaseIsMadeOfWhatADeathLeaves opens folders as a process leaves them that
// dies while it makes a database.
func TestADatabaseIsMadeOfWhatADeathLeaves(t *testing.T) {
	for _, files := range [][]string{{}, {"owner"}, {"owner", "format.new"}, {"lost+found"}} {
		dir := filepath.Join(t.TempDir(), "not", "there")
		if len(files) > 0 {
			if err := os.MkdirAll(dir, 0o700); err != nil {
				t.Fatal(err)
			}
		}
		for _, name := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte("harness-data"), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		for n := 1; n <= 2; n++ {
			db := opened(t, dir)
			if err := db.Commit(t.Context(), nth(n)); err != nil {
				t.Error(err)
			}
			newHistory().whole(t, db, n, n)
			if err := db.Close(); err != nil {
				t.Error(err)
			}
		}
		format, err := os.ReadFile(filepath.Join(dir, "format"))
		if err != nil || string(format) != "harness-database 1\n" {
			t.Errorf("the format file has %q (%v)", format, err)
		}
	}
}

// TestAFolderThatCannotBeReadIsAnError opens what is no folder.
func TestAFolderThatCannotBeReadIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, dir := range []string{file, filepath.Join(file, "below")} {
		if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(), file) {
			t.Errorf("opened %s: %v", dir, err)
		}
	}
}

// TestALostFormatFileIsDamage takes the format file of a database away, and spoils it.
func TestALostFormatFileIsDamage(t *testing.T) {
	dir := closedWith(t, 1)
	for _, damage := range []func(path string) error{
		os.Remove,
		func(path string) error { return os.Truncate(path, 0) },
		func(path string) error { return os.Truncate(path, 9) },
		func(path string) error { return os.WriteFile(path, []byte("harness-databasE 1\n"), 0o600) },
	} {
		crashed := copied(t, dir)
		if err := damage(filepath.Join(crashed, "format")); err != nil {
			t.Fatal(err)
		}
		isDamaged(t, crashed, "format")
	}
}
