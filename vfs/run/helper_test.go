package run_test

import (
	"context"
	"errors"
	"os"
	"syscall"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/vfs/run"
)

// signalHelper signals the helper of a runner, its only child, and returns for KILL
// when it is dead.
func signalHelper(t *testing.T, signal syscall.Signal) {
	t.Helper()
	for end := time.Now().Add(patience); ; {
		helpers := children(t)
		for _, helper := range helpers {
			if err := helper.Signal(signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
				t.Fatal(err)
			}
		}
		if len(helpers) == 0 || signal != syscall.SIGKILL {
			return
		}
		if time.Now().After(end) {
			t.Fatal("the helper does not die")
		}
	}
}

type outcome struct {
	result run.Result
	err    error
}

// running starts a command and returns at once.
func running(ctx context.Context, f *fixture, command run.Command) <-chan outcome {
	over := make(chan outcome, 1)
	go func() {
		result, err := f.runner.Run(ctx, command)
		over <- outcome{result, err}
	}()
	return over
}

func ends(t *testing.T, over <-chan outcome) outcome {
	t.Helper()
	select {
	case got := <-over:
		return got
	case <-time.After(patience):
		t.Fatal("Run does not return")
		return outcome{}
	}
}

func TestADeadHelperIsReplaced(t *testing.T) {
	f := open(t, run.UserNS, nil)
	for range 3 {
		signalHelper(t, syscall.SIGKILL)
		if got := f.shell(t, "echo again"); got.Stdout != "again\n" {
			t.Fatalf("%+v", got)
		}
	}
	if found := zombies(t); len(found) > 0 {
		t.Errorf("zombies: %v", found)
	}
}

func TestAHelperThatDiesEndsItsCommandsOnly(t *testing.T) {
	f := open(t, run.UserNS, nil)
	seconds, up := lasting(), make(chan struct{})
	over := running(t.Context(), f, run.Command{
		Shell:    "echo up; sleep " + seconds,
		OnOutput: func(string, run.Stream) { close(up) },
	})
	<-up
	signalHelper(t, syscall.SIGKILL)
	if got := ends(t, over); got.err == nil {
		t.Errorf("a command that was cut off reports no error: %+v", got.result)
	}
	if alive(t, seconds) {
		t.Error("the command is still there")
	}
	if got := f.shell(t, "echo again"); got.Stdout != "again\n" {
		t.Fatalf("%+v", got)
	}
}

// The command may be with the helper already or not: it fails or another helper runs it.
func TestAHelperThatDiesWhileItStartsACommandDoesNotHangRun(t *testing.T) {
	f := open(t, run.UserNS, nil)
	for range 10 {
		signalHelper(t, syscall.SIGSTOP)
		over := running(context.Background(), f, run.Command{Shell: "echo done"})
		signalHelper(t, syscall.SIGKILL)
		if got := ends(t, over); got.err == nil && got.result.Stdout != "done\n" {
			t.Errorf("%+v", got)
		}
		if got := f.shell(t, "echo again"); got.Stdout != "again\n" {
			t.Fatalf("%+v", got)
		}
	}
}

func TestAHelperThatDoesNotAnswerDoesNotHoldRunPastItsContext(t *testing.T) {
	f := open(t, run.UserNS, nil)
	signalHelper(t, syscall.SIGSTOP)
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	// Two, so that one may wait for the other.
	first, second := running(ctx, f, run.Command{Shell: "true"}), running(ctx, f, run.Command{Shell: "true"})
	for _, over := range []<-chan outcome{first, second} {
		if got := ends(t, over); !errors.Is(got.err, context.DeadlineExceeded) {
			t.Errorf("%+v", got)
		}
	}
	signalHelper(t, syscall.SIGCONT)
	if got := f.shell(t, "echo again"); got.Stdout != "again\n" {
		t.Errorf("%+v", got)
	}
}

func TestAHelperThatDoesNotAnswerDoesNotHoldClose(t *testing.T) {
	f := open(t, run.UserNS, nil)
	signalHelper(t, syscall.SIGSTOP)
	over := running(context.Background(), f, run.Command{Shell: "true"})
	if err := f.runner.Close(); err != nil {
		t.Error(err)
	}
	if got := ends(t, over); got.err == nil {
		t.Errorf("%+v", got)
	}
}
