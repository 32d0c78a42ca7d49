package durable_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// crammed is a storage that has no room while it is full.
type crammed struct {
	storage.Storage
	full atomic.Bool
}

func (c *crammed) Admit(storage.Size) error {
	if c.full.Load() {
		return &storage.RejectedError{Reason: errors.New("no room")}
	}
	return nil
}

func TestATaskGoesOnWhenThereIsRoomAgain(t *testing.T) {
	clock := newTicking()
	disk := &crammed{Storage: new(memory.Storage)}
	ran := 0
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		if ran++; ran == 1 {
			disk.full.Store(true)
		}
		return completes()(ctx, run)
	}})
	told := &reports{}
	session, err := durable.Open(t.Context(), disk, durable.Options{Clock: clock, CommitBudget: -1, Definitions: defined(one), Report: told.add})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	t.Cleanup(s.stop)
	id := s.create(one, 0, own(s.conversation()))
	s.resume()
	for range 2 { // the phase's own commit, and the one that has it run again
		clock.pass(<-clock.begun)
	}
	disk.full.Store(false)
	clock.pass(<-clock.begun)
	if got := s.outcome(id); got.Status != record.Completed || ran != 2 {
		t.Errorf("it is %+v after %d calls", got, ran)
	}
	if said := told.all(); len(said) == 0 {
		t.Error("nothing was reported")
	}
}
