package durable_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// TestFollowersMissNothingAndRepeatNothing has followers begin and lag at random
// while several goroutines emit.
func TestFollowersMissNothingAndRepeatNothing(t *testing.T) {
	const emitters, each = 8, 60
	s := open(t, durable.Options{})
	var wait sync.WaitGroup
	for emitter := range emitters {
		wait.Go(func() {
			for n := range each {
				s.emit(durable.EventDraft{Type: fmt.Sprint(emitter % 3), Payload: fmt.Appendf(nil, "[%d,%d]", emitter, n)})
			}
		})
	}
	queries := []durable.EventQuery{{}, {Types: []string{"1"}}, {Types: []string{"0", "2"}}, {Types: []string{"0", "1", "2"}}}
	followed := make([][]record.Event, len(queries))
	for i, q := range queries {
		most := each * 8
		switch i {
		case 1:
			most = each * 3 // emitters 1, 4 and 7
		case 2:
			most = each * 5
		}
		wait.Go(func() {
			for event, err := range s.FollowEvents(within(t), q) {
				if err != nil {
					t.Error(err)
					return
				}
				followed[i] = append(followed[i], event)
				if len(followed[i])%50 == 0 { // the others get ahead
					s.emit(durable.EventDraft{Type: "unasked", Payload: []byte("[]")})
				}
				if unasked := event.Type == "unasked"; unasked {
					followed[i] = followed[i][:len(followed[i])-1]
				}
				if len(followed[i]) == most {
					return
				}
			}
		})
	}
	wait.Wait()
	for i, q := range queries {
		want := slices.DeleteFunc(s.emitted(q), func(e record.Event) bool { return e.Type == "unasked" })
		if diff := cmp.Diff(eventIDs(want), eventIDs(followed[i])); diff != "" {
			t.Errorf("%+v:\n%s", q, diff)
		}
	}
}

func TestAFollowerGoesOnAfterAnEvent(t *testing.T) {
	s := open(t, durable.Options{})
	var all []record.Event
	for range 5 {
		all = append(all, s.emit(durable.EventDraft{Type: "a"}))
	}
	var got []record.EventID
	for event, err := range s.FollowEvents(within(t), durable.EventQuery{After: all[2].ID}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, event.ID)
		if len(got) == 2 {
			s.emit(durable.EventDraft{Type: "b"})
		}
		if event.Type == "b" {
			break
		}
	}
	if len(got) != 3 || got[0] != all[3].ID || got[1] != all[4].ID {
		t.Errorf("after %d came %v", all[2].ID, got)
	}
}

// TestAFollowerThatLagsHoldsNothingUp emits much more than is read at once while the
// follower stands.
func TestAFollowerThatLagsHoldsNothingUp(t *testing.T) {
	s := open(t, durable.Options{})
	large := slices.Repeat([]byte("1"), 300_000)
	s.emit(durable.EventDraft{Type: "a"})
	read := 0
	for event, err := range s.FollowEvents(within(t), durable.EventQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if read++; read == 1 {
			for range 10 {
				s.emit(durable.EventDraft{Type: "large", Payload: large})
			}
			s.commit(func(tx *durable.Tx) error {
				for range 1000 {
					if _, err := tx.Emit(durable.EventDraft{Type: "b"}); err != nil {
						return err
					}
				}
				_, err := tx.Emit(durable.EventDraft{Type: "last"})
				return err
			})
		}
		if event.Type == "last" {
			break
		}
	}
	if read != 1012 {
		t.Errorf("%d events were read, not 1012", read)
	}
}

func TestFollowingEndsWithTheSession(t *testing.T) {
	// ended follows a session, ends it once all was read, and returns by what following
	// ended.
	ended := func(s *durable.Session, end func()) (last error) {
		var wait sync.WaitGroup
		defer wait.Wait()
		for event, err := range s.FollowEvents(within(t), durable.EventQuery{}) {
			if last = err; err == nil && event.Type == "last" {
				wait.Go(end)
			}
		}
		return last
	}
	closing := open(t, durable.Options{})
	closing.emit(durable.EventDraft{Type: "last"})
	if err := ended(closing.Session, closing.stop); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("closed: %v", err)
	}
	if err := ended(closing.Session, nil); !errors.Is(err, durable.ErrClosed) {
		t.Errorf("closed before: %v", err)
	}
	var broken atomic.Bool
	below := faulty.Around(new(memory.Storage), faulty.Faults{Before: func(int, []storage.Write) error {
		if broken.Load() {
			return errors.New("it is broken")
		}
		return nil
	}})
	session, err := durable.Open(within(t), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	failing := &opened{Session: session, t: t}
	failing.emit(durable.EventDraft{Type: "last"})
	reaction := failing.react(durable.Consumer{Name: "idle", Types: []string{"other"}}, noting(1))
	var failed *durable.FailedError
	err = ended(session, func() {
		broken.Store(true)
		_, err := session.Emit(within(t), durable.EventDraft{Type: "more"})
		if _, failed := errors.AsType[*durable.FailedError](err); !failed {
			t.Errorf("the commit that fails: %v", err)
		}
	})
	if !errors.As(err, &failed) {
		t.Errorf("failed: %v", err)
	}
	<-reaction.Done()
	if !errors.As(reaction.Err(), &failed) {
		t.Errorf("the reaction of a failed session: %v", reaction.Err())
	}
	if err := session.Close(within(t)); !errors.As(err, &failed) {
		t.Errorf("Close: %v", err)
	}
}

func TestFollowingEndsWithItsContext(t *testing.T) {
	s := open(t, durable.Options{})
	s.emit(durable.EventDraft{Type: "a"})
	s.emit(durable.EventDraft{Type: "b"})
	enough := errors.New("enough")
	ctx, cancel := context.WithCancelCause(context.Background())
	defer cancel(nil)
	seen := 0
	for _, err := range s.FollowEvents(ctx, durable.EventQuery{}) {
		if err == nil {
			seen++
			cancel(enough)
		} else if err != enough || seen != 1 {
			t.Errorf("after %d events: %v", seen, err)
		}
	}
}

func TestFollowingHasNoEnd(t *testing.T) {
	s := open(t, durable.Options{})
	s.emit(durable.EventDraft{Type: "a"})
	var invalid *durable.InvalidError
	for _, q := range []durable.EventQuery{{Before: 9}, {Order: durable.Descending}} {
		for _, err := range s.FollowEvents(within(t), q) {
			if !errors.As(err, &invalid) {
				t.Errorf("%+v: %v", q, err)
			}
		}
	}
	var inside *durable.CommitInsideCommitError
	err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error {
		for _, err := range s.FollowEvents(ctx, durable.EventQuery{}) {
			return err
		}
		return nil
	})
	if !errors.As(err, &inside) {
		t.Errorf("following in a commit: %v", err)
	}
}

// TestALogThatCannotBeReadEndsWhatReadsIt fails reads after the session has opened.
func TestALogThatCannotBeReadEndsWhatReadsIt(t *testing.T) {
	unreadable := errors.New("it cannot be read")
	var broken atomic.Bool
	below := faulty.Around(new(memory.Storage), faulty.Faults{Read: func() error {
		if broken.Load() {
			return unreadable
		}
		return nil
	}})
	session, err := durable.Open(within(t), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	s.emit(durable.EventDraft{Type: "a"})
	s.emit(durable.EventDraft{Type: "b"})
	reaction := s.react(durable.Consumer{Name: "noter"}, func(context.Context, record.Event, *durable.Tx) error {
		broken.Store(true)
		return nil
	})
	<-reaction.Done()
	if !errors.Is(reaction.Err(), unreadable) {
		t.Errorf("the reaction ended by %v", reaction.Err())
	}
	for _, err := range s.FollowEvents(within(t), durable.EventQuery{}) {
		if !errors.Is(err, unreadable) {
			t.Errorf("following ended by %v", err)
		}
	}
	broken.Store(false)
	if err := session.Close(within(t)); err != nil && !errors.Is(err, unreadable) {
		t.Error(err)
	}
}
