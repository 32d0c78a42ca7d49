package durable_test

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// stage is the state of the tests' tasks.
type stage struct {
	Phase string `json:"phase"`
	N     int    `json:"n,omitempty"`
}

// work is what the tests' tasks run.
type work = durable.Run[int, stage, int]

// next is what becomes of the tests' tasks.
type next = durable.Next[stage, int]

type phases = map[string]func(context.Context, *work) error

// task defines a task that begins with the phase "begin", and is aborted without
// further ado.
func task(name string, phases phases) durable.Task[int, stage, int] {
	return durable.DefineTask(durable.TaskSpec[int, stage, int]{
		Name: name, Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases:  phases,
		Abort:   abortAt,
	})
}

func abortAt(ctx context.Context, run *work) error {
	return run.Commit(ctx, func(context.Context, *durable.Tx) (next, error) { return run.Abort("asked"), nil })
}

// once makes a phase of what it commits.
func once(change func(run *work, tx *durable.Tx) (next, error)) func(context.Context, *work) error {
	return func(ctx context.Context, run *work) error {
		return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) { return change(run, tx) })
	}
}

// create makes a task in a conversation.
func (s *opened) create(of durable.Task[int, stage, int], in int, options durable.TaskOptions) (id record.TaskID) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) (err error) {
		id, err = of.Create(tx, in, options)
		return err
	})
	return id
}

// own are the options of a conversation's own task.
func own(conversation record.ConversationID) durable.TaskOptions {
	return durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation}
}

// end waits for a task and returns its receipt.
func (s *opened) end(id record.TaskID) record.Task {
	s.t.Helper()
	ended, err := s.WaitForTask(within(s.t), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return ended
}

// stored returns a task as it is stored.
func (s *opened) stored(id record.TaskID) record.Task {
	s.t.Helper()
	found, there, err := s.Task(within(s.t), id)
	if err != nil || !there {
		s.t.Fatal("task", id, there, err)
	}
	return found
}

func TestATaskRunsItsPhasesToItsOutcome(t *testing.T) {
	double := task("double", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "begun"})
			return run.Continue(stage{"end", 2 * run.Input}), err
		}),
		"end": once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "ended"})
			return run.Complete(run.State.N), err
		}),
	})
	s := open(t, durable.Options{Definitions: durable.FixedDefinitions(double.Definition)})
	in := s.conversation()
	id := s.create(double, 21, own(in))
	if got := s.stored(id).State.Status; got != record.Pending {
		t.Errorf("before the session schedules the task is %s", got)
	}
	ended := s.end(id)
	result, err := double.Result(ended)
	if err != nil || result != 42 {
		t.Errorf("got %d, %v", result, err)
	}
	if ended.State.Checkpoint != nil || ended.StartedAt == 0 || ended.EndedAt < ended.StartedAt {
		t.Errorf("the receipt is %+v", ended)
	}
	if diff := cmp.Diff([]string{"begun", "ended"}, kinds(t, s, in)); diff != "" {
		t.Error(diff)
	}
	for entry, err := range s.Entries(within(t), durable.EntryQuery{Conversation: in}) {
		if err != nil || entry.Task != id {
			t.Errorf("entry %d is of task %d, %v", entry.ID, entry.Task, err)
		}
	}
	var missing *durable.NotFoundError
	if _, err := s.WaitForTask(within(t), 4711); !errors.As(err, &missing) {
		t.Errorf("waiting for no task: %v", err)
	}
}
