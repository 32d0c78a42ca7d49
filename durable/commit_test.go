package durable_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// kinds returns the kinds of a conversation's entries, oldest first.
func kinds(t testing.TB, s *opened, conversation record.ConversationID) (found []string) {
	t.Helper()
	for entry, err := range s.Entries(within(t), durable.EntryQuery{Conversation: conversation, Order: durable.Ascending}) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, entry.Kind)
	}
	return found
}

func TestCommitsRunOneAtATime(t *testing.T) {
	s := open(t, durable.Options{})
	inside := 0
	var wait sync.WaitGroup
	for range 50 {
		wait.Go(func() {
			err := s.Commit(within(t), func(context.Context, *durable.Tx) error {
				inside++
				defer func() { inside-- }()
				if inside != 1 {
					t.Errorf("%d callbacks run at once", inside)
				}
				return nil
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
}

func TestAFailedCallbackChangesNothing(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	heard := 0
	defer s.SubscribeCommits(func(*durable.Publication) { heard++ })()
	wrong := errors.New("wrong")
	err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "a"}); err != nil {
			return err
		}
		return wrong
	})
	if err != wrong {
		t.Errorf("got %v, want the callback's own error", err)
	}
	var panicked *durable.PanicError
	err = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "a"}); err != nil {
			return err
		}
		panic("gone")
	})
	if !errors.As(err, &panicked) {
		t.Errorf("got %v, want a PanicError", err)
	}
	if got := kinds(t, s, id); len(got) > 0 || heard > 0 {
		t.Errorf("entries %v are there, %d publications were heard", got, heard)
	}
}

func TestACallbackThatEndsItsGoroutineChangesNothing(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var wait sync.WaitGroup
	wait.Go(func() {
		_ = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "gone"}); err != nil {
				t.Error(err)
			}
			runtime.Goexit()
			return nil
		})
	})
	wait.Wait()
	s.append(id, "next")
	if diff := cmp.Diff([]string{"next"}, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
}

func TestListenersHearInOrderBeforeCommitReturns(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var mu sync.Mutex
	var heard []record.Seq
	seen := make(map[record.EntryID]bool)
	defer s.SubscribeCommits(func(p *durable.Publication) {
		mu.Lock()
		defer mu.Unlock()
		heard = append(heard, p.Seq)
		for _, entry := range p.Entries {
			seen[entry.ID] = true
		}
	})()
	var wait sync.WaitGroup
	for i := range 64 {
		wait.Go(func() {
			var appended record.Entry
			err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) (err error) {
				appended, err = tx.AppendEntry(id, durable.EntryDraft{Kind: fmt.Sprint(i)})
				return err
			})
			mu.Lock()
			defer mu.Unlock()
			if err != nil || !seen[appended.ID] {
				t.Errorf("commit %d returned %v, heard of: %v", i, err, seen[appended.ID])
			}
		})
	}
	wait.Wait()
	if len(heard) != 64 {
		t.Errorf("%d commits were heard of, not 64", len(heard))
	}
	for i := 1; i < len(heard); i++ {
		if heard[i] <= heard[i-1] {
			t.Fatalf("commit %d was heard of after %d", heard[i], heard[i-1])
		}
	}
}

func TestATransactionEndsWithItsCallback(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var escaped *durable.Tx
	s.commit(func(tx *durable.Tx) error { escaped = tx; return nil })
	if _, err := escaped.AppendEntry(id, durable.EntryDraft{Kind: "late"}); !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("got %v", err)
	}
	if _, err := counter().Edit(escaped, durable.InConversation(id)); !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("got %v", err)
	}
}

func TestCommitInsideCommitIsRefused(t *testing.T) {
	s := open(t, durable.Options{})
	var kept context.Context
	err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error {
		kept = ctx
		var refused *durable.CommitInsideCommitError
		if err := s.Commit(ctx, nil); !errors.As(err, &refused) {
			t.Errorf("got %v", err)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Commit(context.WithoutCancel(kept), func(context.Context, *durable.Tx) error { return nil }); err != nil {
		t.Errorf("after the callback: %v", err)
	}
}

// manual is a clock that goes when it is told to.
type manual struct {
	mu    sync.Mutex
	now   time.Time
	calls []*call
}

type call struct {
	at   time.Time
	call func()
}

func (m *manual) Now() time.Time {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.now
}

func (m *manual) AfterFunc(d time.Duration, f func()) func() bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	one := &call{m.now.Add(d), f}
	m.calls = append(m.calls, one)
	return func() bool {
		m.mu.Lock()
		defer m.mu.Unlock()
		stopped := one.call != nil
		one.call = nil
		return stopped
	}
}

// pass lets time pass, and calls what is due, in order.
func (m *manual) pass(d time.Duration) {
	m.mu.Lock()
	m.now = m.now.Add(d)
	var due []func()
	var later []*call
	for _, one := range m.calls {
		switch {
		case one.call == nil:
		case one.at.After(m.now):
			later = append(later, one)
		default:
			due = append(due, one.call)
			one.call = nil
		}
	}
	m.calls = later
	m.mu.Unlock()
	for _, f := range due {
		f()
	}
}

func TestACommitThatTakesTooLongIsRolledBack(t *testing.T) {
	clock := &manual{now: time.UnixMilli(0)}
	s := open(t, durable.Options{Clock: clock})
	id := s.conversation()
	started, finish, result := make(chan *durable.Tx), make(chan bool), make(chan error)
	go func() {
		result <- s.Commit(within(t), func(ctx context.Context, tx *durable.Tx) error {
			if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "slow"}); err != nil {
				return err
			}
			started <- tx
			<-ctx.Done()
			<-finish
			return nil
		})
	}()
	tx := <-started
	clock.pass(2 * time.Second)
	// The line has been passed on, although the callback still runs.
	s.append(id, "next")
	var late *durable.CommitTimeoutError
	if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "late"}); !errors.As(err, &late) {
		t.Errorf("the transaction says %v", err)
	}
	finish <- true
	if err := <-result; !errors.As(err, &late) {
		t.Errorf("the commit says %v", err)
	}
	if diff := cmp.Diff([]string{"next"}, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
}

func TestCancellingBeforeTheTurnHasNoEffect(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	holding, release := make(chan bool), make(chan bool)
	go func() {
		_ = s.Commit(within(t), func(context.Context, *durable.Tx) error {
			holding <- true
			<-release
			return nil
		})
	}()
	<-holding
	ctx, cancel := context.WithCancelCause(context.Background())
	result := make(chan error)
	go func() {
		result <- s.Commit(ctx, func(context.Context, *durable.Tx) error {
			t.Error("the callback was called")
			return nil
		})
	}()
	gone := errors.New("gone")
	cancel(gone)
	if err := <-result; err != gone {
		t.Errorf("got %v, want the cause", err)
	}
	close(release)
	admitted, cancel2 := context.WithCancel(context.Background())
	err := s.Commit(admitted, func(_ context.Context, tx *durable.Tx) error {
		cancel2()
		_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "a"})
		return err
	})
	if err != nil {
		t.Errorf("a commit that was admitted: %v", err)
	}
	if got := kinds(t, s, id); len(got) != 1 {
		t.Errorf("entries %v", got)
	}
}

func TestCloseServesWhoStandsInLine(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	holding, release, results := make(chan bool), make(chan bool), make(chan error)
	go func() {
		results <- s.Commit(within(t), func(context.Context, *durable.Tx) error {
			holding <- true
			<-release
			return nil
		})
	}()
	<-holding
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("a close that nobody waits for: %v", err)
	}
	if err := s.Commit(within(t), nil); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a commit after Close: %v", err)
	}
	if _, _, err := s.ConversationRecord(within(t), id); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("a read after Close: %v", err)
	}
	close(release)
	if err := <-results; err != nil {
		t.Errorf("the commit that was admitted: %v", err)
	}
	if err := s.Close(within(t)); err != nil {
		t.Error(err)
	}
}
