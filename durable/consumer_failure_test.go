package durable_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

func TestAConsumerThatFailsIsPaused(t *testing.T) {
	clock := newTicking()
	s := open(t, durable.Options{Clock: clock, CommitBudget: -1})
	id := s.conversation()
	working := true
	calls := 0
	handler := func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		calls++
		if err := noting(id)(ctx, event, tx); err != nil || working {
			return err
		}
		if calls%2 == 0 {
			panic("at the disco")
		}
		return errors.New("no luck")
	}
	consumer := durable.Consumer{Name: "noter", MaxFailures: 4}
	s.react(consumer, handler)
	good := s.emit(durable.EventDraft{Type: "good"})
	s.until(func() bool { return s.consumer("noter").After == good.ID })
	working, calls = false, 0
	bad := s.emit(durable.EventDraft{Type: "bad"})
	for i, want := range []time.Duration{100, 200} {
		if got := <-clock.begun; got != want*time.Millisecond {
			t.Errorf("wait %d is of %s", i, got)
		}
		clock.pass(want*time.Millisecond - 1)
		if got := s.consumer("noter"); got.Failures != i+1 || got.Paused != "" || calls != i+1 {
			t.Errorf("after failure %d: %+v, %d calls", i+1, got, calls)
		}
		clock.pass(1)
	}
	<-clock.begun
	s.reopen() // failures count on, without waiting for the first
	s.react(consumer, handler)
	s.until(func() bool { return s.consumer("noter").Paused != "" })
	want := record.Consumer{
		Name: "noter", After: good.ID, Failures: 4, Paused: fmt.Sprintf(`event %d of type "bad": panic: at the disco`, bad.ID),
	}
	if diff := cmp.Diff(want, s.consumer("noter")); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"good"}, kinds(t, s, id)); diff != "" {
		t.Errorf("what is there of the failures:\n%s", diff)
	}
	s.emit(durable.EventDraft{Type: "ugly"})
	s.reopen() // a restart does not resume it
	s.react(consumer, handler)
	s.emit(durable.EventDraft{Type: "last"})
	if calls != 4 {
		t.Errorf("the handler was called %d times, not 4", calls)
	}
	working = true
	if err := s.ResumeConsumer(within(t), "", "noter"); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return len(kinds(t, s, id)) == 4 })
	if diff := cmp.Diff([]string{"good", "bad", "ugly", "last"}, kinds(t, s, id)); diff != "" {
		t.Error(diff)
	}
	if got := s.consumer("noter"); got.Failures != 0 || got.Paused != "" {
		t.Errorf("after a success: %+v", got)
	}
}

func TestAPausedConsumerIsResumedBeforeItReacts(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	consumer := durable.Consumer{Name: "noter", MaxFailures: 1}
	s.react(consumer, func(context.Context, record.Event, *durable.Tx) error {
		return errors.New(strings.Repeat("long", 9999))
	})
	s.emit(durable.EventDraft{Type: "a"})
	s.until(func() bool { return s.consumer("noter").Paused != "" })
	if got := len(s.consumer("noter").Paused); got != 4096 {
		t.Errorf("%d bytes of the error are kept", got)
	}
	s.reopen()
	if err := s.ResumeConsumer(within(t), "", "noter"); err != nil {
		t.Fatal(err)
	}
	s.react(consumer, noting(id))
	s.until(func() bool { return len(kinds(t, s, id)) == 1 })
}

func TestAHandlerThatTakesTooLongHasFailed(t *testing.T) {
	clock := &manual{now: time.UnixMilli(0)}
	s := open(t, durable.Options{Clock: clock})
	id := s.conversation()
	called := make(chan bool)
	s.react(durable.Consumer{Name: "slow", MaxFailures: 1}, func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		called <- true
		<-ctx.Done()
		<-called
		return nil
	})
	s.emit(durable.EventDraft{Type: "a"})
	<-called
	clock.pass(2 * time.Second)
	s.append(id, "the line is free")
	called <- true
	s.until(func() bool { return strings.Contains(s.consumer("slow").Paused, "CommitTimeout") })
}

// crowded is a storage that has no room while it is full.
type crowded struct {
	memory.Storage
	full chan bool // has the answer to each question
}

func (c *crowded) Admit(storage.Size) error {
	select {
	case full := <-c.full:
		if full {
			return &storage.RejectedError{Reason: errors.New("no room")}
		}
	default:
	}
	return nil
}

func TestAStorageWithoutRoomIsNoFailureOfTheHandler(t *testing.T) {
	clock := newTicking()
	below := &crowded{full: make(chan bool, 1)}
	session, err := durable.Open(within(t), below, durable.Options{Clock: clock, CommitBudget: -1})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	defer s.stop()
	id := s.conversation()
	refused := 0
	s.react(durable.Consumer{Name: "noter", MaxFailures: 1}, func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		if refused++; refused < 3 {
			below.full <- true
		}
		return noting(id)(ctx, event, tx)
	})
	s.emit(durable.EventDraft{Type: "a"})
	for range 2 {
		clock.pass(<-clock.begun)
	}
	s.until(func() bool { return len(kinds(t, s, id)) == 1 })
	if got := s.consumer("noter"); got.Failures != 0 || got.Paused != "" {
		t.Errorf("%+v", got)
	}
}

func TestAHandlerThatEndsItsGoroutineEndsItsReaction(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	s.emit(durable.EventDraft{Type: "a"})
	reaction := s.react(durable.Consumer{Name: "noter"}, func(context.Context, record.Event, *durable.Tx) error {
		runtime.Goexit()
		return nil
	})
	<-reaction.Done()
	if reaction.Err() == nil {
		t.Error("it seems to have been stopped")
	}
	s.react(durable.Consumer{Name: "noter"}, noting(id))
	s.until(func() bool { return len(kinds(t, s, id)) == 1 })
}

// forgetful is a storage that has rows of consumers which make no sense as often as it is
// told.
type forgetful struct {
	memory.Storage
	fails chan bool // has the answer to each question
}

func (f *forgetful) Snapshot() (storage.Snapshot, error) {
	snapshot, err := f.Storage.Snapshot()
	return forgetfulSnapshot{snapshot, f.fails}, err
}

type forgetfulSnapshot struct {
	storage.Snapshot
	fails chan bool
}

func (f forgetfulSnapshot) Get(key []byte) ([]byte, bool, error) {
	if key[0] == consumerRows {
		select {
		case fails := <-f.fails:
			if fails {
				return []byte("{"), true, nil
			}
		default:
		}
	}
	return f.Snapshot.Get(key)
}

func TestWhatFailsBeforeTheHandlerIsTriedAgain(t *testing.T) {
	clock := newTicking()
	below := &forgetful{fails: make(chan bool, 10)}
	var log strings.Builder
	session, err := durable.Open(within(t), below, durable.Options{
		Clock: clock, CommitBudget: -1, Logger: slog.New(slog.NewTextHandler(&log, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	defer s.stop()
	var seen []string
	s.react(durable.Consumer{Name: "noter", MaxFailures: 1}, func(_ context.Context, event record.Event, tx *durable.Tx) error {
		seen = append(seen, event.Type)
		if event.Type != "a" {
			return nil
		}
		// The rest of this commit reads the row, and then the reaction and its next
		// commits in turn.
		for _, fails := range []bool{false, false, true, false, true} {
			below.fails <- fails
		}
		_, err := tx.Emit(durable.EventDraft{Type: "b"})
		return err
	})
	first := s.emit(durable.EventDraft{Type: "a"})
	for _, want := range []time.Duration{100, 200} {
		got := <-clock.begun
		if got != want*time.Millisecond {
			t.Errorf("it waits %s", got)
		}
		clock.pass(got)
	}
	s.until(func() bool { return s.consumer("noter").After > first.ID })
	if diff := cmp.Diff([]string{"a", "b"}, seen); diff != "" {
		t.Error(diff)
	}
	if got := s.consumer("noter"); got.Failures != 0 || got.Paused != "" {
		t.Errorf("%+v", got)
	}
	if got := strings.Count(log.String(), "the database is damaged"); got != 2 {
		t.Errorf("it was logged %d times: %s", got, &log)
	}
}
