package durable_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestTheCleanUpOfATaskHasTheBudgetOfACommit has Options.Settled take for ever: the line
// goes on without it.
func TestTheCleanUpOfATaskHasTheBudgetOfACommit(t *testing.T) {
	clock := &manual{now: time.UnixMilli(0)}
	task := durable.DefineTask(durable.TaskSpec[int, stage, int]{
		Name: "broken", Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases:  phases{"begin": func(context.Context, *work) error { return errors.New("broken") }},
	})
	begun, finish := make(chan bool), make(chan bool)
	s := open(t, durable.Options{
		Clock: clock, Definitions: durable.FixedDefinitions(task.Definition),
		Settled: func(ctx context.Context, _ *durable.Tx, _ record.Task) error {
			begun <- true
			<-ctx.Done()
			<-finish
			return nil
		},
	})
	in := s.conversation()
	s.commit(func(tx *durable.Tx) error {
		_, err := task.Create(tx, 0, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in})
		return err
	})
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	<-begun
	clock.pass(2 * time.Second)
	s.append(in, "next")
	finish <- true
}
