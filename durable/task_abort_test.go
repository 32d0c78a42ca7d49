package durable_test

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// order is a list that goroutines add to.
type order struct {
	mu   sync.Mutex
	list []int
}

func (o *order) add(n int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.list = append(o.list, n)
}

func (o *order) take() []int {
	o.mu.Lock()
	defer o.mu.Unlock()
	taken := o.list
	o.list = nil
	return taken
}

// tells is an abort handler that notes its task's input.
func (o *order) tells(ctx context.Context, run *work) error {
	o.add(run.Input)
	return once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort("asked"), nil })(ctx, run)
}

// abort requests an abort that must be possible.
func (s *opened) abort(id record.TaskID) durable.AbortResult {
	s.t.Helper()
	result, err := s.AbortTask(within(s.t), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return result
}

// ownedBy makes a conversation that a task owns.
func (s *opened) ownedBy(owner record.TaskID) (id record.ConversationID) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		created, err := tx.CreateConversation(durable.OwnedBy(owner))
		id = created.ID
		return err
	})
	return id
}

func TestAbortTaskTellsWhatItFound(t *testing.T) {
	returned := make(chan bool, 1)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		<-ctx.Done()
		if !errors.Is(context.Cause(ctx), durable.ErrTaskAborted) {
			t.Errorf("signalled because of %v", context.Cause(ctx))
		}
		returned <- true
		return nil
	}})
	s := openWith(t, one)
	in := s.conversation()
	running, pending := s.create(one, 0, own(in)), s.create(one, 0, own(in))
	if got := s.abort(pending); got != durable.AbortMarked || !s.stored(pending).AbortRequested {
		t.Errorf("of a pending one: %s", got)
	}
	if now, err := s.Inspect(within(t)); err != nil || now.Scheduling != durable.Paused {
		t.Errorf("an abort has the session schedule: %v %v", now.Scheduling, err)
	}
	s.resume()
	eventually(t, func() bool { return s.inspected(running).State == durable.TaskRunning })
	if got := s.abort(running); got != durable.AbortMarked || len(returned) != 1 {
		t.Errorf("of a running one: %s, its phase has returned: %v", got, len(returned) == 1)
	}
	for _, id := range []record.TaskID{running, pending} {
		if got := s.outcome(id); got.Status != record.Aborted || got.Reason != "asked" {
			t.Errorf("it is %+v", got)
		}
		if got := s.abort(id); got != durable.AbortTerminal {
			t.Errorf("of an ended one: %s", got)
		}
	}
	var missing *durable.NotFoundError
	if _, err := s.AbortTask(within(t), 4711); !errors.As(err, &missing) {
		t.Errorf("of an unknown one: %v", err)
	}
}

func TestAnAbortHandlerMustDecide(t *testing.T) {
	leaf := task("leaf", phases{"begin": completes()})
	for name, c := range map[string]struct {
		abort func(context.Context, *work) error
		want  record.OutcomeStatus
	}{
		"nothing":   {func(context.Context, *work) error { return nil }, record.Faulted},
		"an error":  {func(context.Context, *work) error { return errors.New("no") }, record.Faulted},
		"progress":  {once(func(run *work, _ *durable.Tx) (next, error) { return run.Continue(stage{"begin", 1}), nil }), record.Faulted},
		"a result":  {completes(), record.Completed},
		"a failure": {once(func(run *work, _ *durable.Tx) (next, error) { return run.Fail(errors.New("no")), nil }), record.Failed},
		"background": {once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := leaf.Create(tx, 1, background(run.Conversation()))
			return run.Abort(""), err
		}), record.Aborted},
		"a wait": {func(ctx context.Context, run *work) error {
			var refused *durable.InvalidError
			err := once(func(run *work, _ *durable.Tx) (next, error) {
				return run.Wait(stage{"begin", 1}, record.AllSettled), nil
			})(ctx, run)
			if !errors.As(err, &refused) {
				return errors.Join(errors.New("not refused"), err)
			}
			return completes()(ctx, run)
		}, record.Completed},
		"a child": {func(ctx context.Context, run *work) error {
			var refused *durable.OwnerError
			err := once(func(run *work, tx *durable.Tx) (next, error) {
				_, err := leaf.Create(tx, 1, child(run.TaskID()))
				return run.Unchanged(), err
			})(ctx, run)
			if !errors.As(err, &refused) {
				return errors.Join(errors.New("not refused"), err)
			}
			return completes()(ctx, run)
		}, record.Completed},
	} {
		t.Run(name, func(t *testing.T) {
			one := task("one", phases{"begin": hangs, "abort": c.abort})
			s := openWith(t, one, leaf)
			id := s.create(one, 0, own(s.conversation()))
			s.abort(id)
			if got := s.outcome(id); got.Status != c.want {
				t.Errorf("got %+v %+v", got, got.Error)
			}
		})
	}
}

func TestNothingIsCommittedAfterTheMark(t *testing.T) {
	late := make(chan error, 1)
	started := make(chan bool)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		started <- true
		<-ctx.Done()
		late <- completes()(context.WithoutCancel(ctx), run)
		return nil
	}})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	s.resume()
	<-started
	s.abort(id)
	var ended *durable.InvocationEndedError
	if err := <-late; !errors.As(err, &ended) && !errors.Is(err, durable.ErrTaskAborted) {
		t.Errorf("the commit after the mark: %v", err)
	}
	if got := s.outcome(id); got.Status != record.Aborted {
		t.Errorf("it is %+v", got)
	}
}

func TestAbortsRunBottomUp(t *testing.T) {
	for _, restart := range []bool{false, true} {
		told := &order{}
		one := task("one", phases{"begin": hangs, "abort": told.tells})
		s := openWith(t, one)
		in := s.conversation()
		top := s.create(one, 1, own(in))
		middle := s.create(one, 2, child(top))
		s.create(one, 3, child(middle))
		below := s.ownedBy(middle)
		s.create(one, 4, own(below))
		s.create(one, 5, background(below))
		s.create(one, 6, own(in))
		s.resume()
		eventually(t, func() bool {
			now, _ := s.Inspect(within(t))
			return !slices.ContainsFunc(now.Tasks, func(one durable.TaskInspection) bool { return one.State != durable.TaskRunning })
		})
		if restart {
			s.crash()
			s.abort(top)
			s.crash() // the mark is there, what follows from it is not
			s.resume()
		} else {
			s.abort(top)
		}
		s.end(top)
		got := told.take()
		slices.Sort(got[:2])
		if diff := cmp.Diff([]int{3, 4, 2, 1}, got); diff != "" {
			t.Error(diff)
		}
	}
}

func TestBackgroundWorkIsABoundary(t *testing.T) {
	told := &order{}
	one := task("one", phases{"begin": hangs, "abort": told.tells})
	s := openWith(t, one)
	in := s.conversation()
	front, back := s.create(one, 1, own(in)), s.create(one, 2, background(in))
	below := s.create(one, 3, child(back))
	inside := s.ownedBy(back)
	s.create(one, 4, background(inside))
	deep := s.create(one, 5, own(inside))
	conversation, err := s.Conversation(within(t), in)
	if err != nil {
		t.Fatal(err)
	}
	if err := conversation.Abort(within(t), false); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1}, told.take()); diff != "" {
		t.Errorf("an ordinary abort: %s", diff)
	}
	s.end(front)
	if err := conversation.WaitForIdle(within(t)); err != nil {
		t.Errorf("with background work left: %v", err)
	}
	if err := s.WaitForIdle(within(t)); err != nil {
		t.Errorf("the session, with background work left: %v", err)
	}
	inner, err := s.Conversation(within(t), inside)
	if err != nil {
		t.Fatal(err)
	}
	if err := inner.Abort(within(t), false); err != nil { // starts inside, whoever owns it
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{5}, told.take()); diff != "" {
		t.Errorf("an abort below: %s", diff)
	}
	s.end(deep)
	s.abort(back) // includes the task itself and its ordinary work, but no other background task
	s.end(back)
	if diff := cmp.Diff([]int{3, 2}, told.take()); diff != "" {
		t.Errorf("a direct abort: %s", diff)
	}
	s.end(below)
	if err := conversation.Abort(within(t), true); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{4}, told.take()); diff != "" {
		t.Errorf("an abort of background work too: %s", diff)
	}
}

func TestAWaitForIdlenessEndsWithTheLastTask(t *testing.T) {
	g := gated(1, 2)
	one := task("one", phases{"begin": g.phase})
	s := openWith(t, one)
	in, other := s.conversation(), s.conversation()
	s.create(one, 1, own(in))
	s.create(one, 2, own(other))
	idle := make(chan error)
	conversation, err := s.Conversation(within(t), in)
	if err != nil {
		t.Fatal(err)
	}
	go func() { idle <- conversation.WaitForIdle(within(t)) }()
	g.await(2)
	ctx, cancel := context.WithCancelCause(within(t))
	gone := errors.New("gone")
	cancel(gone)
	if err := s.WaitForIdle(ctx); !errors.Is(err, gone) {
		t.Errorf("a wait that is cancelled: %v", err)
	}
	everything := make(chan error)
	go func() { everything <- s.WaitForIdle(within(t)) }()
	g.open[1] <- true
	if err := <-idle; err != nil {
		t.Error(err)
	}
	select {
	case err := <-everything:
		t.Errorf("the session is idle with a task: %v", err)
	default:
	}
	g.open[2] <- true
	if err := <-everything; err != nil {
		t.Error(err)
	}
	if err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error {
		var refused *durable.CommitInsideCommitError
		if err := s.WaitForIdle(ctx); !errors.As(err, &refused) {
			t.Errorf("a wait for idleness inside a commit: %v", err)
		}
		if _, err := s.WaitForTask(ctx, 3); !errors.As(err, &refused) {
			t.Errorf("a wait for a task inside a commit: %v", err)
		}
		if _, err := s.AbortTask(ctx, 3); !errors.As(err, &refused) {
			t.Errorf("an abort inside a commit: %v", err)
		}
		return nil
	}); err != nil {
		t.Fatal(err)
	}
}

func TestACascadeWithdrawsTheInputsItReaches(t *testing.T) {
	owner := task("owner", phases{"begin": hangs})
	s := open(t, durable.Options{Definitions: defined(owner), Runs: &hand{}})
	in := s.conversation()
	id := s.create(owner, 0, own(in))
	var queued []*durable.Submission
	for _, where := range []record.ConversationID{in, s.ownedBy(id)} {
		conversation, err := s.Conversation(within(t), where)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"runs", "waits"} {
			one, err := conversation.Submit(within(t), durable.Input{Content: message.Content{Text: text}})
			if err != nil {
				t.Fatal(err)
			}
			if text == "waits" {
				queued = append(queued, one)
			}
		}
		if _, err := conversation.Submit(within(t), durable.Write{Entry: durable.EntryDraft{Kind: "kept"}}); err != nil {
			t.Fatal(err)
		}
	}
	s.abort(id)
	withdrawn, err := queued[1].Wait(within(t))
	if err != nil || withdrawn.Status != record.Unanswered || withdrawn.Reason != durable.ReasonAborted {
		t.Errorf("below, the input is %+v, %v", withdrawn, err)
	}
	s.end(id)
	if kept, err := queued[0].Status(within(t)); err != nil || kept.Status != record.Queued {
		t.Errorf("in the task's own conversation, the input is %+v, %v", kept, err)
	}
	writes := 0
	for one, err := range s.Submissions(within(t), durable.SubmissionQuery{Status: record.Queued}) {
		if err != nil {
			t.Fatal(err)
		}
		if one.Type == record.WriteEntry {
			writes++
		}
	}
	if writes != 2 {
		t.Errorf("%d writes are left of 2", writes)
	}
}
