package durable_test

import (
	"context"
	"runtime"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestCodeThatEndsItsGoroutineFaultsItsTask has a phase, and an abort, end its goroutine,
// as a test's Fatal does: each is a fault like a panic.
func TestCodeThatEndsItsGoroutineFaultsItsTask(t *testing.T) {
	gone := func(context.Context, *work) error { runtime.Goexit(); return nil }
	begun := make(chan bool, 1)
	task := durable.DefineTask(durable.TaskSpec[bool, stage, int]{
		Name: "gone", Version: 1,
		Initial: func(waits bool) stage {
			if waits {
				return stage{Phase: "wait"}
			}
			return stage{Phase: "go"}
		},
		Phases: map[string]func(context.Context, *durable.Run[bool, stage, int]) error{
			"go": func(ctx context.Context, _ *durable.Run[bool, stage, int]) error { return gone(ctx, nil) },
			"wait": func(ctx context.Context, _ *durable.Run[bool, stage, int]) error {
				begun <- true
				<-ctx.Done()
				return context.Cause(ctx)
			},
		},
		Abort: func(ctx context.Context, _ *durable.Run[bool, stage, int]) error { return gone(ctx, nil) },
	})
	s := open(t, durable.Options{Definitions: durable.FixedDefinitions(task.Definition)})
	in := s.conversation()
	for _, waits := range []bool{false, true} {
		var id record.TaskID
		s.commit(func(tx *durable.Tx) (err error) {
			id, err = task.Create(tx, waits, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in})
			return err
		})
		if err := s.Resume(); err != nil {
			t.Fatal(err)
		}
		if waits {
			<-begun
			if _, err := s.AbortTask(within(t), id); err != nil {
				t.Fatal(err)
			}
		}
		ended, err := s.WaitForTask(within(t), id)
		if err != nil || ended.State.Outcome.Status != record.Faulted {
			t.Errorf("waits %v: %+v %v", waits, ended.State.Outcome, err)
		}
	}
}
