package badgerdb

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"
)

// Variables of the environment say what the test binary does as a child process,
// instead of running tests.
const (
	childVariable = "HARNESS_TEST_CHILD"
	childDir      = "HARNESS_TEST_DIR"
	childUnsynced = "HARNESS_TEST_UNSYNCED"
)

func TestMain(m *testing.M) {
	if what := os.Getenv(childVariable); what != "" {
		if err := children()[what](os.Getenv(childDir)); err != nil {
			fmt.Printf("%T %v\n", err, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	goleak.VerifyTestMain(m)
}

// children are what child processes do with a folder.
func children() map[string]func(dir string) error {
	return map[string]func(string) error{
		"open":    openAndClose,
		"commit":  commitForEver,
		"reopen":  reopenForEver,
		"fill up": fillUp,
	}
}

// openAndClose says that it has the database, and closes it when its input ends.
func openAndClose(dir string) error {
	db, err := Open(dir, Options{})
	if err != nil {
		return err
	}
	fmt.Println("open")
	_, _ = io.Copy(io.Discard, os.Stdin)
	return db.Close()
}

// commitForEver goes on with the history of a database.
func commitForEver(dir string) error {
	db, err := Open(dir, Options{unsynced: os.Getenv(childUnsynced) != ""})
	if err != nil {
		return err
	}
	for {
		if err := commitNext(db); err != nil {
			return err
		}
	}
}

// reopenForEver does so too, and closes the database after every few commits.
func reopenForEver(dir string) error {
	for {
		db, err := Open(dir, Options{})
		if err != nil {
			return err
		}
		for range 10 {
			if err := commitNext(db); err != nil {
				return err
			}
		}
		if err := db.Close(); err != nil {
			return err
		}
	}
}

// commitNext commits what comes next in the history, and says its number once it
// was acknowledged.
func commitNext(db *DB) error {
	n, err := newest(db)
	if err == nil {
		err = db.Commit(context.Background(), nth(n+1))
	}
	if err == nil {
		fmt.Println(n + 1)
	}
	return err
}

// childProcess runs what is said with a folder.
type childProcess struct {
	*exec.Cmd
	testing.TB
	input  io.WriteCloser
	output *bufio.Reader
}

func child(t testing.TB, what, dir string, environment ...string) *childProcess {
	t.Helper()
	c := &childProcess{Cmd: exec.Command(os.Args[0]), TB: t}
	c.Cmd.Env = append(os.Environ(), append(environment, childVariable+"="+what, childDir+"="+dir)...)
	c.Cmd.Stderr = os.Stderr
	input, err := c.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	output, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	c.input, c.output = input, bufio.NewReader(output)
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Process.Kill() })
	return c
}

// line returns what the child says next, or "" when it has ended.
func (c *childProcess) line() string {
	line, _ := c.output.ReadString('\n')
	return strings.TrimSpace(line)
}

// number returns the next number that the child says, or false when it has ended.
func (c *childProcess) number() (int, bool) {
	c.Helper()
	line, err := c.output.ReadString('\n')
	if err != nil {
		return 0, false // and half a line counts for nothing
	}
	n, err := strconv.Atoi(strings.TrimSpace(line))
	if err != nil {
		c.Fatalf("the child says: %s", line)
	}
	return n, true
}

// wait has the child's input end, and returns what it said since and how it ended.
func (c *childProcess) wait() (string, error) {
	_ = c.input.Close()
	rest, _ := io.ReadAll(c.output)
	return strings.TrimSpace(string(rest)), c.Wait()
}

// sourceOf returns a source file of a package, as it is built with.
func sourceOf(t *testing.T, path, file string) string {
	t.Helper()
	output, err := exec.Command("go", "list", "-f", "{{.Dir}}", path).Output()
	if err != nil {
		t.Skipf("SKIPPED: the source of %s is not found: %v", path, err)
	}
	text, err := os.ReadFile(filepath.Join(strings.TrimSpace(string(output)), file))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
