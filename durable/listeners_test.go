package durable_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

func emits(t testing.TB, s *durable.Session) {
	t.Helper()
	if _, err := s.Emit(within(t), durable.EventDraft{Type: "x"}); err != nil {
		t.Fatal(err)
	}
}

func TestAListenerMayStopItselfAndSubscribeAnother(t *testing.T) {
	s := open(t, durable.Options{})
	var heard []string
	var stop, stopOther, stopLast func()
	stop = s.SubscribeCommits(func(*durable.Publication) {
		heard = append(heard, "first")
		stop()
		stopLast()
		stopOther = s.SubscribeCommits(func(*durable.Publication) { heard = append(heard, "second") })
	})
	stopLast = s.SubscribeCommits(func(*durable.Publication) { t.Error("a listener was called that had stopped") })
	emits(t, s.Session)
	emits(t, s.Session)
	stopOther()
	emits(t, s.Session)
	if diff := cmp.Diff([]string{"first", "second"}, heard); diff != "" {
		t.Error(diff)
	}
}

func TestAListenerThatPanicsIsLoggedAndDropped(t *testing.T) {
	var said bytes.Buffer
	s := open(t, durable.Options{Logger: slog.New(slog.NewTextHandler(&said, nil))})
	calls, others := 0, 0
	defer s.SubscribeCommits(func(*durable.Publication) {
		calls++
		panic("its fault")
	})()
	defer s.SubscribeCommits(func(*durable.Publication) { others++ })()
	emits(t, s.Session)
	emits(t, s.Session)
	if calls != 1 || others != 2 || !strings.Contains(said.String(), "its fault") {
		t.Errorf("it was called %d times, the other %d times; logged: %s", calls, others, said.String())
	}
}

func TestAListenerOfTheCloseThatPanicsDoesNotKeepItFromClosing(t *testing.T) {
	s := opening(t, new(memory.Storage), durable.Options{Logger: slog.New(slog.DiscardHandler)})
	s.SubscribeClose(func() { panic("its fault") })
	called := false
	s.SubscribeClose(func() { called = true })
	closing(t, s)
	if !called {
		t.Error("the next listener was not called")
	}
}

func TestListenersOfTheCloseMayStopWhileItBegins(t *testing.T) {
	s := opening(t, new(memory.Storage), durable.Options{})
	var stops []func()
	for range 100 {
		stops = append(stops, s.SubscribeClose(func() {}))
	}
	var wait sync.WaitGroup
	wait.Go(func() {
		for _, stop := range stops {
			stop()
		}
	})
	closing(t, s)
	wait.Wait()
}

func TestCloseInsideACommitIsRefused(t *testing.T) {
	s := open(t, durable.Options{})
	var inside *durable.CommitInsideCommitError
	err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error { return s.Close(ctx) })
	if !errors.As(err, &inside) {
		t.Errorf("it says %v", err)
	}
	emits(t, s.Session) // it was not closed
}

func TestAScanThatATimeoutCutsOffSaysSo(t *testing.T) {
	clock := &manual{now: time.UnixMilli(0)}
	s := open(t, durable.Options{Clock: clock})
	for range 3 {
		s.conversation()
	}
	var late *durable.CommitTimeoutError
	err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) (last error) {
		for _, err := range tx.Conversations(durable.ConversationQuery{}) {
			if last = err; err == nil {
				clock.pass(time.Hour)
			}
		}
		if !errors.As(last, &late) {
			t.Errorf("the scan says %v", last)
		}
		return last
	})
	if !errors.As(err, &late) {
		t.Errorf("the commit says %v", err)
	}
}
