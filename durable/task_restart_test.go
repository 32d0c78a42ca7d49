package durable_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestAResultThatWasCommittedIsNotComputedAgain(t *testing.T) {
	var runs atomic.Int32
	reached := make(chan bool, 1)
	one := task("one", phases{
		"begin": func(ctx context.Context, run *work) error {
			runs.Add(1)
			return once(func(run *work, _ *durable.Tx) (next, error) { return run.Continue(stage{"end", 1}), nil })(ctx, run)
		},
		"end": func(ctx context.Context, run *work) error {
			reached <- true
			return hangs(ctx, run)
		},
	})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	for range 3 {
		s.resume()
		<-reached
		s.crash()
	}
	if got := runs.Load(); got != 1 {
		t.Errorf("the first phase ran %d times", got)
	}
	if got := s.stored(id); string(got.State.Checkpoint) != `{"phase":"end","n":1}` {
		t.Errorf("after a crash it is %+v", got)
	}
}

func TestARestartAbandonsWhatOnlyMemoryWaitedFor(t *testing.T) {
	told := &order{}
	var ran atomic.Int32
	one := task("one", phases{
		"begin": func(ctx context.Context, run *work) error {
			ran.Add(1)
			return hangs(ctx, run)
		},
		"abort": told.tells,
	})
	known := defined(one)
	s := open(t, durable.Options{Definitions: known})
	in := s.conversation()
	top := s.create(one, 1, own(in))
	abandoned := child(top)
	abandoned.AbandonOnRestart = true
	caller := s.create(one, 2, abandoned)
	below := s.create(one, 3, child(caller))
	asked := s.create(one, 4, abandoned)
	missing := s.create(task("missing", phases{"begin": hangs}), 5, abandoned)
	s.resume()
	eventually(t, func() bool { return ran.Load() == 4 })
	s.reopen()
	s.abort(asked)
	ran.Store(0)
	if got := s.stored(caller); got.AbortRequested {
		t.Error("opening alone aborts it")
	}
	s.resume()
	for _, id := range []record.TaskID{caller, below} {
		if got := s.end(id); got.AbortReason != durable.AbortedByRestart || got.State.Outcome.Status != record.Aborted {
			t.Errorf("task %d is %+v", id, got)
		}
	}
	if got := s.end(asked); got.AbortReason != "" {
		t.Errorf("aborted for its own sake it says %q", got.AbortReason)
	}
	eventually(t, func() bool { return ran.Load() == 1 })
	got := told.take()
	if slices.Sort(got); !cmp.Equal(got, []int{2, 3, 4}) {
		t.Errorf("aborted were %v", got)
	}
	if why := s.blocked(missing); why.Reason != durable.MissingTask || s.stored(missing).State.Status == record.Terminal {
		t.Errorf("the one without a definition is %+v", why)
	}
	s.abort(missing) // for its own sake
	if got := s.outcome(missing); got.Status != record.Orphaned {
		t.Errorf("it is %+v", got)
	}
	if got := s.stored(top); got.AbortRequested {
		t.Error("the owner is aborted too")
	}
}

func TestATaskThatIsCutOffAgainAndAgainIsParked(t *testing.T) {
	told := &reports{}
	started, finish := make(chan bool, 10), make(chan bool, 10)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		started <- true
		select {
		case <-finish:
			return completes()(ctx, run)
		case <-ctx.Done():
			return nil
		}
	}})
	s := open(t, durable.Options{Definitions: defined(one), Report: told.add, RestartLimit: 3})
	in := s.conversation()
	retried, aborted := s.create(one, 0, own(in)), s.create(one, 0, own(in))
	for range 3 {
		s.resume()
		<-started
		<-started
		s.reopen() // closing in peace is not counted
		s.resume()
		<-started
		<-started
		s.crash()
	}
	s.resume()
	for _, id := range []record.TaskID{retried, aborted} {
		if why := s.blocked(id); why.Reason != durable.RestartLimit {
			t.Errorf("blocked because of %v", why)
		}
		eventually(t, func() bool { return s.stored(id).Restarts == 3 })
	}
	eventually(t, func() bool { return len(told.all()) == 2 })
	s.abort(aborted)
	if got := s.outcome(aborted); got.Status != record.Orphaned || got.Reason != string(durable.RestartLimit) {
		t.Errorf("aborted it is %+v", got)
	}
	if err := s.RetryTask(within(t), retried); err != nil {
		t.Fatal(err)
	}
	<-started
	finish <- true
	s.end(retried)
	var invalid *durable.InvalidError
	if err := s.RetryTask(within(t), retried); !errors.As(err, &invalid) {
		t.Errorf("retrying what has ended: %v", err)
	}
	var missing *durable.NotFoundError
	if err := s.RetryTask(within(t), 4711); !errors.As(err, &missing) {
		t.Errorf("retrying nothing: %v", err)
	}
	if said := told.all(); len(said) != 2 {
		t.Errorf("reported %v", said)
	}
}

func TestProgressEndsTheCountOfRestarts(t *testing.T) {
	reached := make(chan bool, 1)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		n := run.State.N + 1
		err := run.Commit(ctx, func(context.Context, *durable.Tx) (next, error) { return run.Continue(stage{"begin", n}), nil })
		reached <- true
		return errors.Join(err, hangs(ctx, run))
	}})
	s := open(t, durable.Options{Definitions: defined(one), RestartLimit: 2})
	id := s.create(one, 0, own(s.conversation()))
	for range 5 {
		s.resume()
		<-reached
		if got := s.stored(id).Restarts; got != 0 {
			t.Fatalf("once it has got on it was cut off %d times", got)
		}
		s.crash()
	}
}

// slumber sleeps until the time of its state.
func slumber(ctx context.Context, run *work) error {
	if err := run.Sleep(ctx, time.UnixMilli(int64(run.State.N))); err != nil {
		return err
	}
	return once(func(run *work, _ *durable.Tx) (next, error) {
		return run.Complete(int(run.Now().UnixMilli())), nil
	})(ctx, run)
}

func TestASleepSurvivesARestart(t *testing.T) {
	clock := &manual{now: time.UnixMilli(1000)}
	slept := make(chan error, 4)
	sleeper := task("sleeper", phases{
		"begin": once(func(run *work, _ *durable.Tx) (next, error) {
			return run.Continue(stage{"asleep", int(run.Now().UnixMilli()) + run.Input}), nil
		}),
		"asleep": func(ctx context.Context, run *work) error {
			err := slumber(ctx, run)
			slept <- err
			return err
		},
	})
	s := open(t, durable.Options{Clock: clock, Definitions: defined(sleeper), CommitBudget: -1}) // so that sleeps alone set the clock
	in := s.conversation()
	sleeps, wakes := s.create(sleeper, 5000, own(in)), s.create(sleeper, 6000, own(in))
	s.resume()
	eventually(t, func() bool { return clock.set() == 2 })
	clock.pass(3 * time.Second)
	s.reopen()
	<-slept
	<-slept
	s.resume()
	eventually(t, func() bool { return clock.set() == 2 })
	clock.pass(1999 * time.Millisecond)
	if got := s.stored(sleeps).State.Status; got != record.Running {
		t.Errorf("it woke early and is %s", got)
	}
	clock.pass(time.Millisecond)
	if got := s.outcome(sleeps); string(got.Result) != "6000" {
		t.Errorf("it is %+v", got)
	}
	<-slept
	s.abort(wakes)
	if err := <-slept; !errors.Is(err, durable.ErrTaskAborted) {
		t.Errorf("the sleep ended with %v", err)
	}
}

// set returns how many calls are still to come.
func (m *manual) set() (count int) {
	m.mu.Lock()
	defer m.mu.Unlock()
	for _, one := range m.calls {
		if one.call != nil {
			count++
		}
	}
	return count
}

func TestCloseWaitsForEveryInvocationAndAbortsNothing(t *testing.T) {
	started, signalled, release := make(chan bool), make(chan error, 2), make(chan bool)
	stubborn := task("stubborn", phases{"begin": func(ctx context.Context, run *work) error {
		started <- true
		<-ctx.Done()
		signalled <- context.Cause(ctx)
		<-release
		return errors.New("that nobody minds")
	}})
	s := open(t, durable.Options{Definitions: defined(stubborn)})
	id := s.create(stubborn, 0, own(s.conversation()))
	s.resume()
	<-started
	waits := make(chan error)
	go func() {
		_, err := s.WaitForTask(within(t), id)
		waits <- err
	}()
	closing, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(closing); !errors.Is(err, context.Canceled) {
		t.Errorf("a close that nobody waits for: %v", err)
	}
	if err := <-signalled; !errors.Is(err, durable.ErrClosed) {
		t.Errorf("signalled because of %v", err)
	}
	if err := <-waits; !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a wait says %v", err)
	}
	if err := s.Resume(); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("Resume says %v", err)
	}
	again := make(chan error, 1)
	go func() { again <- s.Close(context.Background()) }()
	select {
	case err := <-again:
		t.Errorf("Close has not waited: %v", err)
	case <-time.After(10 * time.Millisecond):
	}
	close(release)
	if err := <-again; err != nil {
		t.Error(err)
	}
	s.memory = s.memory.Clone()
	s.start()
	if got := s.stored(id); got.State.Status != record.Pending || got.AbortRequested || got.Restarts != 0 {
		t.Errorf("afterwards the task is %+v", got)
	}
}

func TestAnAbortHandlerThatIsCutOffRunsAgain(t *testing.T) {
	asked := make(chan bool, 1)
	var calm atomic.Bool
	one := task("one", phases{"begin": hangs, "abort": func(ctx context.Context, run *work) error {
		asked <- true
		if !calm.Load() {
			return hangs(ctx, run)
		}
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort("in the end"), nil })(ctx, run)
	}})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	s.abort(id)
	s.resume()
	<-asked
	s.reopen()
	calm.Store(true)
	if got := s.outcome(id); got.Status != record.Aborted || got.Reason != "in the end" {
		t.Errorf("it is %+v", got)
	}
	<-asked
}

func TestManyTasksOpenAndEnd(t *testing.T) {
	const many = 3000
	one := task("one", phases{
		"begin": once(func(run *work, _ *durable.Tx) (next, error) {
			return run.Wait(stage{Phase: "end"}, record.AllSettled, record.TaskID(run.Input)), nil
		}),
		"end": completes(),
	})
	gate := task("gate", phases{"begin": hangs, "abort": completes()})
	s := openWith(t, one, gate)
	in := s.conversation()
	first := s.create(gate, 0, own(in))
	for range many / 1000 {
		s.commit(func(tx *durable.Tx) error {
			for range 1000 {
				if _, err := one.Create(tx, int(first), own(in)); err != nil {
					return err
				}
			}
			return nil
		})
	}
	var waiting atomic.Int32
	defer s.SubscribeCommits(func(p *durable.Publication) {
		for _, one := range p.Tasks {
			if one.State.Status == record.Waiting {
				waiting.Add(1)
			}
		}
	})()
	s.resume()
	eventually(t, func() bool { return waiting.Load() == many })
	s.crash()
	s.resume()
	s.abort(first)
	if err := s.WaitForIdle(within(t)); err != nil {
		t.Fatal(err)
	}
	completed := 0
	for one, err := range s.Tasks(within(t), durable.TaskQuery{Status: record.Terminal}) {
		if err != nil || one.State.Outcome.Status != record.Completed {
			t.Fatal(one, err)
		}
		completed++
	}
	if completed != many+1 {
		t.Errorf("%d tasks have completed", completed)
	}
}

func TestAFailedStorageEndsInvocationsAndWaits(t *testing.T) {
	started, ended := make(chan bool), make(chan error, 1)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		started <- true
		<-ctx.Done()
		ended <- context.Cause(ctx)
		return nil
	}})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	waits := make(chan error)
	go func() {
		_, err := s.WaitForTask(within(t), id)
		waits <- err
	}()
	<-started
	if err := s.memory.Close(); err != nil {
		t.Fatal(err)
	}
	var failed *durable.FailedError
	err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		_, err := tx.CreateConversation(durable.Ownerless())
		return err
	})
	if !errors.As(err, &failed) {
		t.Fatal(err)
	}
	for name, got := range map[string]error{"the phase": <-ended, "the wait": <-waits, "Resume": s.Resume()} {
		if !errors.As(got, &failed) {
			t.Errorf("%s ended with %v", name, got)
		}
	}
	if err := s.Close(context.Background()); !errors.As(err, &failed) {
		t.Error(fmt.Errorf("close: %w", err))
	}
	s.memory = s.memory.Clone()
	s.start()
}

func TestAnAbortFromAboveIsMoreThanARestart(t *testing.T) {
	one := task("one", phases{"begin": hangs})
	missing := task("missing", phases{"begin": hangs})
	for name, abort := range map[string]func(s *opened, in record.ConversationID, top, middle record.TaskID){
		"of the owner's owner": func(s *opened, _ record.ConversationID, top, _ record.TaskID) { s.abort(top) },
		"of the owner":         func(s *opened, _ record.ConversationID, _, middle record.TaskID) { s.abort(middle) },
		"of the conversation": func(s *opened, in record.ConversationID, _, _ record.TaskID) {
			conversation, err := s.Conversation(within(t), in)
			if err == nil {
				err = conversation.Abort(within(t), false)
			}
			if err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := openWith(t, one)
			in := s.conversation()
			top := s.create(one, 0, own(in))
			abandoned := child(top)
			abandoned.AbandonOnRestart = true
			middle := s.create(one, 0, abandoned)
			below := s.create(missing, 0, child(middle))
			s.reopen()
			s.resume()
			s.blocked(below)
			eventually(t, func() bool { return s.stored(below).AbortRequested })
			abort(s, in, top, middle)
			if got := s.outcome(below); got.Status != record.Orphaned {
				t.Errorf("below it is %+v", got)
			}
			s.end(middle)
		})
	}
}
