package durable_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// asking is a context that says when somebody waits for its end.
type asking struct {
	context.Context
	asked chan bool
}

func (c asking) Done() <-chan struct{} {
	select {
	case c.asked <- true:
	default:
	}
	return c.Context.Done()
}

// TestAWaitFindsWhatIsStoredWhenTheSessionEnds closes the session after the end of a
// task, and of the input that it answers, is stored, and before anybody is told.
func TestAWaitFindsWhatIsStoredWhenTheSessionEnds(t *testing.T) {
	holds, stored, release := false, make(chan bool), make(chan bool)
	below := faulty.Around(new(memory.Storage), faulty.Faults{After: func(int, []storage.Write) error {
		if holds {
			stored <- true
			<-release
		}
		return nil
	}})
	e := newEcho()
	e.gate = make(chan bool)
	session, err := durable.Open(within(t), below, durable.Options{Runs: e, Definitions: durable.FixedDefinitions(e.task.Definition)})
	if err != nil {
		t.Fatal(err)
	}
	s := &talk{opened: &opened{Session: session, t: t}}
	t.Cleanup(s.stop)
	s.root()
	input := s.submit(says("hello"))
	task := s.live().Run.Task
	waits := make(chan error, 2)
	for _, wait := range []func(context.Context) error{
		func(ctx context.Context) error { _, err := input.Wait(ctx); return err },
		func(ctx context.Context) error { _, err := s.WaitForTask(ctx, task); return err },
	} {
		ctx := asking{within(t), make(chan bool, 1)}
		go func() { waits <- wait(ctx) }()
		<-ctx.asked
	}
	eventually(t, func() bool { return s.inspected(task).State == durable.TaskRunning })
	holds = true // before the task ends, and nothing else is stored meanwhile
	e.gate <- true
	<-stored
	closing, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(closing); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	for range 2 {
		if err := <-waits; err != nil {
			t.Errorf("a wait says %v", err)
		}
	}
	close(release)
}

// TestATaskThatHasEndedNeedsNoOpenSession waits for tasks while the session is closing.
func TestATaskThatHasEndedNeedsNoOpenSession(t *testing.T) {
	one, other := task("one", phases{"begin": completes()}), task("other", phases{"begin": hangs})
	s := openWith(t, one, other)
	in := s.conversation()
	ended, live := s.create(one, 3, own(in)), s.create(other, 0, own(in))
	s.end(ended)
	holding, release := make(chan bool), make(chan bool)
	go func() {
		_ = s.Session.Commit(within(t), func(context.Context, *durable.Tx) error {
			holding <- true
			<-release
			return nil
		})
	}()
	<-holding // the commit keeps the session closing
	closing, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(closing); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := s.outcome(ended); string(got.Result) != "3" {
		t.Errorf("while it closes: %+v", got)
	}
	if _, err := s.WaitForTask(within(t), live); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("one that is live: %v", err)
	}
	close(release)
	if err := s.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.WaitForTask(within(t), ended); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("once the storage is closed: %v", err)
	}
}
