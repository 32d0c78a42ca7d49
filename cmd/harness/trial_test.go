package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/seed-d579e5eb/harness/host"
)

// child makes a program that plays a child process of a trial.
func child(t *testing.T, script string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "child")
	if err := os.WriteFile(file, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return file
}

func TestOnlyADeathOfTheChildIsADeath(t *testing.T) {
	tests := []struct {
		name, script string
		died         bool
		want         string
	}{
		{"a signal", "kill -KILL $$", true, "signal: killed"},
		{"the runtime", "echo 'fatal error: out of memory' >&2; echo 'goroutine 1' >&2; exit 2", true, "exit status 2: fatal error: out of memory"},
		{"a world that cannot be opened", "echo 'harness: open world: no' >&2; exit 1", false, "open world: no"},
		{"wrong usage", "echo 'harness: unknown flag' >&2; exit 2", false, "unknown flag"},
		{"a failure without words", "exit 1", false, "exit status 1"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			err := (&program{}).try(context.Background(), child(t, test.script), "commit")
			var died *host.DiedError
			if err == nil || errors.As(err, &died) != test.died || err.Error() != test.want {
				t.Errorf("error %#v, want %q", err, test.want)
			}
		})
	}
}

func TestChildThatCannotBeStartedIsNoDeath(t *testing.T) {
	err := (&program{}).try(context.Background(), filepath.Join(t.TempDir(), "none"), "commit")
	var died *host.DiedError
	var missing *exec.Error
	if errors.As(err, &died) || !errors.Is(err, os.ErrNotExist) && !errors.As(err, &missing) {
		t.Errorf("error %#v", err)
	}
}

func TestTrialThatIsInterruptedIsNoDeath(t *testing.T) {
	reason := errors.New("interrupted")
	ctx, cancel := context.WithCancelCause(context.Background())
	started := filepath.Join(t.TempDir(), "started")
	if err := syscall.Mkfifo(started, 0o600); err != nil {
		t.Fatal(err)
	}
	go func() {
		_, _ = os.ReadFile(started) // returns when the child has written
		cancel(reason)
	}()
	if err := (&program{}).try(ctx, child(t, "echo > "+started+"; exec sleep 1000"), "commit"); !errors.Is(err, reason) {
		t.Errorf("error %v", err)
	}
}
