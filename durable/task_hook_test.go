package durable_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// asked are hooks by name.
type asked map[string]func() error

func (a asked) Hook(name string) (any, bool) {
	hook, found := a[name]
	return hook, found
}

// source gives the same hooks for every task.
type source struct {
	hooks []durable.Hooks
	calls int
	fails error
}

func (s *source) TaskHooks(_ context.Context, from durable.DefinitionSnapshot, in record.ConversationID, task string) ([]durable.Hooks, error) {
	s.calls++
	if _, found := from.Task(task); !found || in == 0 {
		return nil, errors.New("hooks are asked for what is not there")
	}
	return s.hooks, s.fails
}

func TestHooksAreAskedInOrderAndTheirErrorsReported(t *testing.T) {
	var order []int
	says := func(n int, err error) asked {
		return asked{"ask": func() error { order = append(order, n); return err }}
	}
	wrong := errors.New("wrong")
	from, told := &source{hooks: []durable.Hooks{says(1, nil), asked{"other": nil}, says(2, wrong), says(3, nil)}}, &reports{}
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		for range 2 {
			err := run.EachHook(ctx, "ask", func(_ context.Context, handler any) error { return handler.(func() error)() })
			if err != nil {
				return err
			}
		}
		return completes()(ctx, run)
	}})
	s := open(t, durable.Options{Definitions: defined(one), Hooks: from, Report: told.add})
	in := s.conversation()
	if got := s.outcome(s.create(one, 0, own(in))); got.Status != record.Completed {
		t.Errorf("got %+v %+v", got, got.Error)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 1, 2, 3}, order); diff != "" || from.calls != 1 {
		t.Errorf("%d searches: %s", from.calls, diff)
	}
	if said := told.all(); len(said) != 2 || !errors.Is(said[0], wrong) {
		t.Errorf("reported %v", said)
	}
	from.fails = errors.New("no hooks")
	if got := s.outcome(s.create(one, 0, own(in))); got.Status != record.Faulted {
		t.Errorf("without hooks it is %+v", got)
	}
}

func TestAHookOfASignalledPhaseEndsIt(t *testing.T) {
	wrong := errors.New("wrong")
	ended := make(chan error, 1)
	hooked := make(chan bool)
	from, told := &source{hooks: []durable.Hooks{asked{"ask": nil}, asked{"ask": nil}}}, &reports{}
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		err := run.EachHook(ctx, "ask", func(ctx context.Context, _ any) error {
			hooked <- true
			<-ctx.Done()
			return fmt.Errorf("%w: %w", wrong, context.Cause(ctx))
		})
		ended <- err
		return err
	}})
	s := open(t, durable.Options{Definitions: defined(one), Hooks: from, Report: told.add})
	id := s.create(one, 0, own(s.conversation()))
	s.resume()
	<-hooked
	s.abort(id)
	if err := <-ended; !errors.Is(err, wrong) || !errors.Is(err, durable.ErrTaskAborted) || len(told.all()) > 0 {
		t.Errorf("it ended with %v, reported %v", err, told.all())
	}
	s.end(id)
}

func TestSettledCleansUpInTheCommitThatEndsTheTask(t *testing.T) {
	leaf := task("leaf", phases{"begin": hangs})
	made := map[int]record.TaskID{}
	held := task("held", phases{"begin": spawn(leaf, made, 1), "end": func(context.Context, *work) error { return errors.New("broken") }})
	faults := task("faults", phases{"begin": func(context.Context, *work) error { return errors.New("broken") }})
	decides := task("decides", phases{"begin": completes()})
	absent := task("absent", phases{"begin": completes()})
	doc := counter()
	s := open(t, durable.Options{Definitions: defined(leaf, held, faults, decides), Settled: func(_ context.Context, tx *durable.Tx, task record.Task) error {
		edit, err := doc.Edit(tx, durable.InConversation(task.Conversation))
		if err == nil {
			edit.N++
			_, err = tx.AppendEntry(task.Conversation, durable.EntryDraft{Kind: task.Kind + " " + string(task.State.Outcome.Status)})
		}
		return err
	}})
	var mu sync.Mutex
	ends := make(map[record.TaskID][]string)
	defer s.SubscribeCommits(func(p *durable.Publication) {
		mu.Lock()
		defer mu.Unlock()
		for _, task := range p.Tasks {
			if task.State.Status != record.Terminal {
				continue
			}
			ends[task.ID] = []string{}
			for _, entry := range p.Entries {
				ends[task.ID] = append(ends[task.ID], entry.Kind)
			}
		}
	})()
	in := s.conversation()
	want := map[record.TaskID][]string{
		s.create(held, 0, own(in)):    {"held faulted"},
		s.create(faults, 0, own(in)):  {"faults faulted"},
		s.create(decides, 0, own(in)): {},
		s.create(absent, 0, own(in)):  {"absent orphaned"},
	}
	absentLater := s.create(absent, 0, own(in))
	for id := range want {
		if s.stored(id).Kind == "absent" {
			s.abort(id) // in the commit of the abort
			s.resume()
			s.blocked(absentLater)
			s.abort(absentLater) // and by the scheduler
		}
	}
	want[absentLater] = []string{"absent orphaned"}
	for id, kinds := range want {
		s.end(id) // which may be seen before it is told
		eventually(t, func() bool {
			mu.Lock()
			defer mu.Unlock()
			return ends[id] != nil
		})
		mu.Lock()
		diff := cmp.Diff(kinds, ends[id])
		mu.Unlock()
		if diff != "" {
			t.Errorf("task %d: %s", id, diff)
		}
	}
	if read, _, err := doc.Read(within(t), s, durable.InConversation(in)); read.N != 4 || err != nil {
		t.Errorf("cleaned up %d times, %v", read.N, err)
	}
}

func TestATaskWhoseEndCannotBeStoredIsLeftAlone(t *testing.T) {
	told := &reports{}
	wrong := errors.New("no cleanup")
	runs := 0
	one := task("one", phases{"begin": func(context.Context, *work) error { runs++; return errors.New("broken") }})
	s := open(t, durable.Options{Definitions: defined(one), Report: told.add, Settled: func(context.Context, *durable.Tx, record.Task) error { return wrong }})
	id := s.create(one, 0, own(s.conversation()))
	s.resume()
	if why := s.blocked(id); why.Reason != durable.EndFailed {
		t.Errorf("blocked because of %s", why.Reason)
	}
	eventually(t, func() bool { return len(told.all()) == 1 })
	if said := told.all(); !errors.Is(said[0], wrong) || runs != 1 {
		t.Errorf("reported %v, ran %d times", said, runs)
	}
	s.abort(id) // its own handler decides
	if got := s.outcome(id); got.Status != record.Aborted {
		t.Errorf("aborted it is %+v", got)
	}
}
