package durable

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// TestWhatStandsInLineWhenTheSessionClosesIsStored has the outcome of an effect wait
// in line when the session is closed: it is not lost, although its phase was told to
// end.
func TestWhatStandsInLineWhenTheSessionClosesIsStored(t *testing.T) {
	ctx := context.Background()
	hold, phase, release := make(chan bool), make(chan bool), make(chan bool)
	result := make(chan error, 1)
	definition := &TaskDefinition{
		Name: "one", Version: 1,
		Initial: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"phase":"begin"}`), nil },
		Phases: map[string]func(context.Context, *Runtime) error{"begin": func(ctx context.Context, run *Runtime) error {
			phase <- true
			<-hold
			err := run.Commit(ctx, func(context.Context, *Tx, record.Task) (*record.TaskState, error) {
				return &record.TaskState{Status: record.Terminal, Outcome: &record.Outcome{Status: record.Completed}}, nil
			})
			result <- err
			return err
		}},
		Abort: func(context.Context, *Runtime) error { return nil },
	}
	below := new(memory.Storage)
	s, err := Open(ctx, below, Options{Definitions: FixedDefinitions(definition)})
	if err != nil {
		t.Fatal(err)
	}
	var id record.TaskID
	err = s.Commit(ctx, func(_ context.Context, tx *Tx) error {
		in, err := tx.CreateConversation(Ownerless())
		if err != nil {
			return err
		}
		task, err := tx.CreateTask(definition, nil, TaskOptions{Ownership: OfConversation(), Conversation: in.ID})
		id = task.ID
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	<-phase
	held := make(chan error)
	go func() {
		held <- s.Commit(ctx, func(context.Context, *Tx) error {
			hold <- true
			<-release
			return nil
		})
	}()
	for end := time.Now().Add(time.Minute); s.line.queued() == 0; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the phase does not stand in line")
		}
	}
	impatient, cancel := context.WithCancel(ctx)
	cancel()
	if err := s.Close(impatient); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	close(release)
	if err := errors.Join(<-held, <-result, s.Close(ctx)); err != nil {
		t.Error(err)
	}
	if s, err = Open(ctx, below.Clone(), Options{}); err != nil {
		t.Fatal(err)
	}
	if task, _, err := s.Task(ctx, id); err != nil || task.State.Status != record.Terminal {
		t.Errorf("afterwards it is %+v, %v", task, err)
	}
	if err := s.Close(ctx); err != nil {
		t.Error(err)
	}
}
