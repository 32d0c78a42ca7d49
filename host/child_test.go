package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// Variables of the environment say what the test binary does as a child process,
// instead of running tests.
const (
	childVariable = "HARNESS_TEST_CHILD"
	childWorld    = "HARNESS_TEST_WORLD"
	childDeath    = "HARNESS_TEST_DEATH"  // step#n: where the child kills itself
	childCommit   = "HARNESS_TEST_COMMIT" // what it tries
)

// child runs what a test wants done in a process of its own, and ends that.
func child(what string) {
	if what == "" {
		return
	}
	t := &childTest{}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer t.cleanUp()
		switch what {
		case "serve":
			serve(t)
		case "try":
			options, _ := (&testWorld{TB: t, dir: os.Getenv(childWorld)}).options()
			if err := TryCommit(context.Background(), options, os.Getenv(childCommit)); err != nil {
				t.Fatal(err)
			}
		case "without git":
			serveWithoutGit(t)
		}
	}()
	<-done
	if t.failed {
		os.Exit(1)
	}
	os.Exit(0)
}

// serve opens a world, says so, and closes it when its input ends, unless it dies
// at a step before.
func serve(t *childTest) {
	w := &testWorld{TB: t, dir: os.Getenv(childWorld)}
	w.open(func(o *Options) { o.step, o.Try = dyingAt(os.Getenv(childDeath)), w.try })
	fmt.Println("ready")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// dyingAt kills the process when a step is reached for the nth time.
func dyingAt(death string) func(string) {
	step, count, _ := strings.Cut(death, "#")
	left, _ := strconv.Atoi(count)
	return func(reached string) {
		if reached != step {
			return
		}
		if left--; left == 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	}
}

// child prepares a child process over the world.
func (w *testWorld) child(what string, edits ...func(*exec.Cmd)) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Env = append(os.Environ(), childVariable+"="+what, childWorld+"="+w.dir)
	for _, edit := range edits {
		edit(c)
	}
	return c
}

// try is Options.Try with a real child process.
func (w *testWorld) try(_ context.Context, commit string) error {
	output, err := w.child("try", func(c *exec.Cmd) { c.Env = append(c.Env, childCommit+"="+commit) }).CombinedOutput()
	if err == nil {
		return nil
	}
	first, _, _ := strings.Cut(string(output), "\n")
	// The Go runtime dies with 2; a signal gives -1.
	var exit *exec.ExitError
	if errors.As(err, &exit) && (exit.ExitCode() == 2 || exit.ExitCode() < 0) {
		return &DiedError{Reason: fmt.Sprintf("%v: %s", err, first)}
	}
	return fmt.Errorf("%w: %s", err, first)
}

// childTest is what a child process has of a test: failures go to its output.
type childTest struct {
	testing.TB
	failed   bool
	cleanups []func()
}

func (t *childTest) Helper() {}

func (t *childTest) Errorf(format string, args ...any) {
	t.failed = true
	fmt.Printf(format+"\n", args...)
}

func (t *childTest) Error(args ...any) { t.Errorf("%s", fmt.Sprint(args...)) }

func (t *childTest) Fatalf(format string, args ...any) {
	t.Errorf(format, args...)
	runtime.Goexit()
}

func (t *childTest) Fatal(args ...any) { t.Fatalf("%s", fmt.Sprint(args...)) }

func (t *childTest) Cleanup(f func()) { t.cleanups = append(t.cleanups, f) }

func (t *childTest) cleanUp() {
	for i := len(t.cleanups) - 1; i >= 0; i-- {
		t.cleanups[i]()
	}
}
