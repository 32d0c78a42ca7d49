package run_test

import (
	"context"
	"errors"
	"os"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs/run"
)

// alive tells whether a host process whose command line holds the word still runs.
func alive(t *testing.T, word string) bool {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		line, err := os.ReadFile("/proc/" + entry.Name() + "/cmdline")
		if err == nil && strings.Contains(string(line), word) {
			return true
		}
	}
	return false
}

// lasting is a number of seconds, longer than any test, that no other sleep has.
func lasting() string {
	return "9000." + strconv.Itoa(os.Getpid()) + strconv.FormatUint(sleeps.Add(1), 10)
}

var sleeps atomic.Uint64

func TestTimeoutEndsTheWholeTree(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		for _, c := range []struct{ name, line, signal string }{
			{"a program", "exec sleep @", "SIGTERM"},
			{"children", "sleep @ & sleep @", ""},
			{"children of another session", "setsid sleep @ & sleep @", ""},
			{"a child whose parent is gone", "(setsid sleep @ &) ; sleep @", ""},
		} {
			t.Run(c.name, func(t *testing.T) {
				before, seconds := time.Now(), lasting()
				got := f.run(t, run.Command{Shell: strings.ReplaceAll(c.line, "@", seconds), Timeout: 300 * time.Millisecond})
				if !got.TimedOut || got.Code == 0 {
					t.Errorf("%+v", got)
				}
				if c.signal != "" && got.Signal != c.signal {
					t.Errorf("signal %q, want %q", got.Signal, c.signal)
				}
				if took := time.Since(before); took > patience {
					t.Errorf("took %v", took)
				}
				if alive(t, seconds) {
					t.Error("a process of the command is still there")
				}
			})
		}
	})
}

// once runs a command and ends it as soon as it has said that it is up.
func (f *fixture) once(t *testing.T, shell string) run.Result {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	got, err := f.runner.Run(ctx, run.Command{Shell: shell, OnOutput: func(string, run.Stream) { cancel() }})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("%+v %v", got, err)
	}
	return got
}

func TestWhatIgnoresTermIsKilled(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		for name, line := range map[string]string{
			"one": "trap '' TERM; echo up; while :; do sleep @; done",
			"all": "trap '' TERM; (setsid sleep @ &); echo up; exec sleep @",
		} {
			t.Run(name, func(t *testing.T) {
				seconds := lasting()
				if got := f.once(t, strings.ReplaceAll(line, "@", seconds)); got.Signal != "SIGKILL" {
					t.Errorf("%+v", got)
				}
				if alive(t, seconds) {
					t.Error("a process of the command is still there")
				}
			})
		}
	})
}

func TestTermIsHeardBeforeKill(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		got := f.once(t, "trap 'echo bye; exit 9' TERM; echo up; sleep 9000 & wait")
		if got.Code != 9 || got.Stdout != "up\nbye\n" {
			t.Errorf("%+v", got)
		}
	})
}

func TestCancellingEndsTheTreeAndSaysWhy(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		seconds := lasting()
		reason := errors.New("not wanted any more")
		ctx, cancel := context.WithCancelCause(t.Context())
		defer cancel(nil)
		got, err := f.runner.Run(ctx, run.Command{
			Shell:    "(setsid sleep " + seconds + " &); echo up; sleep " + seconds,
			OnOutput: func(string, run.Stream) { cancel(reason) },
		})
		if !errors.Is(err, reason) || got.Stdout != "up\n" || got.TimedOut {
			t.Errorf("%+v %v", got, err)
		}
		if alive(t, seconds) {
			t.Error("a process of the command is still there")
		}
	})
}

func TestBackgroundChildThatHoldsThePipeDoesNotHangRun(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		for _, line := range []string{"sleep @ & echo done", "setsid sleep @ & echo done", "(setsid sh -c 'trap \"\" TERM; sleep @' &) ; echo done"} {
			before, seconds := time.Now(), lasting()
			line = strings.ReplaceAll(line, "@", seconds)
			if got := f.shell(t, line); got.Code != 0 || got.Stdout != "done\n" {
				t.Errorf("%q: %+v", line, got)
			}
			if took := time.Since(before); took > patience {
				t.Errorf("%q took %v", line, took)
			}
			if alive(t, seconds) {
				t.Errorf("%q: the child is still there", line)
			}
		}
	})
}

func TestNoZombiesAndNoDescriptorsStay(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		count := func() int {
			entries, err := os.ReadDir("/proc/self/fd")
			if err != nil {
				t.Fatal(err)
			}
			return len(entries)
		}
		f.shell(t, "true")
		before := count()
		for range 20 {
			f.shell(t, "sleep 9000 & true")
			f.shell(t, "true")
			_, _ = f.runner.Run(t.Context(), run.Command{Argv: []string{"no-such-program"}})
		}
		if after := count(); after > before {
			t.Errorf("%d descriptors, %d before", after, before)
		}
		if found := zombies(t); len(found) > 0 {
			t.Errorf("zombies: %v", found)
		}
	})
}

// zombies lists the dead children of this process that nobody waited for.
func zombies(t *testing.T) []string {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parent := "PPid:\t" + itoa(os.Getpid()) + "\n"
	var found []string
	for _, entry := range entries {
		status, err := os.ReadFile("/proc/" + entry.Name() + "/status")
		if err == nil && strings.Contains(string(status), parent) && strings.Contains(string(status), "State:\tZ") {
			found = append(found, entry.Name())
		}
	}
	return found
}

func TestCommandsRunBesideEachOther(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		const many = 12
		results := make(chan string, many)
		for i := range many {
			go func() {
				got, err := f.runner.Run(context.Background(), run.Command{Shell: "sleep 0.1; echo " + itoa(i)})
				if err != nil {
					results <- err.Error()
					return
				}
				if got.Stdout != itoa(i)+"\n" {
					results <- "got " + got.Stdout + got.Stderr
					return
				}
				results <- ""
			}()
		}
		for range many {
			if failed := <-results; failed != "" {
				t.Error(failed)
			}
		}
	})
}

func TestCloseEndsWhatRuns(t *testing.T) {
	eachWay(t, func(t *testing.T, f *fixture) {
		seconds := lasting()
		up := make(chan struct{})
		over := make(chan error, 1)
		go func() {
			_, err := f.runner.Run(context.Background(), run.Command{
				Shell:    "echo up; sleep " + seconds,
				OnOutput: func(string, run.Stream) { close(up) },
			})
			over <- err
		}()
		<-up
		if err := f.runner.Close(); err != nil {
			t.Error(err)
		}
		if err := <-over; err == nil {
			t.Error("a command that was cut off reports no error")
		}
		if alive(t, seconds) {
			t.Error("the command is still there")
		}
		if _, err := f.runner.Run(context.Background(), run.Command{Shell: "true"}); err == nil {
			t.Error("a closed runner runs commands")
		}
	})
}

func itoa(n int) string { return strconv.Itoa(n) }

// children finds the children of this process that are not dead.
func children(t *testing.T) []*os.Process {
	t.Helper()
	entries, err := os.ReadDir("/proc")
	if err != nil {
		t.Fatal(err)
	}
	parent := "PPid:\t" + itoa(os.Getpid()) + "\n"
	var found []*os.Process
	for _, entry := range entries {
		status, err := os.ReadFile("/proc/" + entry.Name() + "/status")
		if err != nil || !strings.Contains(string(status), parent) || strings.Contains(string(status), "State:\tZ") {
			continue
		}
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue // self and thread-self
		}
		child, err := os.FindProcess(pid)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, child)
	}
	return found
}
