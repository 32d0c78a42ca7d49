package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// slowMigration does not end before it is released, for tasks whose input is 0.
type slowMigration struct {
	begun   chan bool
	ended   chan error // causes of the ends of their contexts
	release chan bool
}

func newSlowMigration() *slowMigration {
	return &slowMigration{begun: make(chan bool, 100), ended: make(chan error, 100), release: make(chan bool)}
}

func (m *slowMigration) migrate(ctx context.Context, input, checkpoint json.RawMessage, _ int) (json.RawMessage, json.RawMessage, error) {
	if string(input) == "0" {
		m.begun <- true
		<-ctx.Done()
		m.ended <- context.Cause(ctx)
		<-m.release
	}
	return input, checkpoint, nil
}

func kept(_ context.Context, input, checkpoint json.RawMessage, _ int) (json.RawMessage, json.RawMessage, error) {
	return input, checkpoint, nil
}

// TestAMigrationThatDoesNotReturnBlocksItsTaskOnly has more migrations not return than go
// on at once: other tasks, older ones too, do not wait for that.
func TestAMigrationThatDoesNotReturnBlocksItsTaskOnly(t *testing.T) {
	clock, m, told := &manual{now: time.UnixMilli(0)}, newSlowMigration(), &reports{}
	old, other := task("old", phases{"begin": completes()}), task("other", phases{"begin": completes()})
	known := defined(version(old, 2, m.migrate), other)
	s := open(t, durable.Options{Clock: clock, Definitions: known, Report: told.add})
	in := s.conversation()
	var stuck []record.TaskID
	for range 20 {
		stuck = append(stuck, s.create(old, 0, own(in)))
	}
	older, free := s.create(old, 5, own(in)), s.create(other, 6, own(in))
	s.resume()
	if got := s.outcome(free); string(got.Result) != "6" {
		t.Errorf("the other one is %+v", got)
	}
	var late *durable.MigrationTimeoutError
	over := func() {
		clock.pass(2 * time.Second)
		if err := <-m.ended; !errors.As(err, &late) {
			t.Errorf("the context of a migration ended with %v", err)
		}
	}
	for range 16 { // as many as go on at once
		<-m.begun
	}
	over()
	for range 4 {
		<-m.begun
	}
	if got := s.outcome(older); string(got.Result) != "5" {
		t.Errorf("one that migrates at once is %+v", got)
	}
	over()
	for _, id := range stuck {
		if why := s.blocked(id); why.Reason != durable.MigrationFailed || !errors.As(why, &late) {
			t.Errorf("task %d is blocked because of %v", id, why)
		}
	}
	eventually(t, func() bool { return len(told.all()) == len(stuck) })
	known.install(version(old, 3, kept))
	for _, id := range stuck {
		if ended := s.end(id); ended.Version != 3 {
			t.Errorf("task %d is %+v", id, ended)
		}
	}
	close(m.release)
	s.reopen()
	if said := told.all(); len(said) != len(stuck) {
		t.Errorf("reported %v", said)
	}
	if known.held != 0 {
		t.Errorf("%d snapshots are still held", known.held)
	}
}

// TestAnotherDefinitionDoesNotWaitForAMigration installs a definition while the old one
// migrates, and others wait for their turn.
func TestAnotherDefinitionDoesNotWaitForAMigration(t *testing.T) {
	m := newSlowMigration()
	old := task("old", phases{"begin": completes()})
	known := defined(version(old, 2, m.migrate))
	s := open(t, durable.Options{CommitBudget: -1, Definitions: known})
	in := s.conversation()
	var ids []record.TaskID
	for range 20 {
		ids = append(ids, s.create(old, 0, own(in)))
	}
	s.resume()
	for range 16 {
		<-m.begun
	}
	known.install(old)
	for _, id := range ids {
		if ended := s.end(id); ended.Version != 1 {
			t.Errorf("task %d is %+v", id, ended)
		}
	}
	close(m.release)
}

// TestCloseWaitsForMigrations closes the session while a task is migrated, which happens
// again when it is opened again.
func TestCloseWaitsForMigrations(t *testing.T) {
	m := newSlowMigration()
	old := task("old", phases{"begin": completes()})
	known := defined(version(old, 2, m.migrate))
	s := open(t, durable.Options{CommitBudget: -1, Definitions: known})
	id := s.create(old, 0, own(s.conversation()))
	s.resume()
	<-m.begun
	if got := s.inspected(id); got.State != durable.TaskReady || !got.Migrates {
		t.Errorf("meanwhile it is %+v", got)
	}
	closing, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(closing); !errors.Is(err, context.Canceled) {
		t.Errorf("a close that nobody waits for: %v", err)
	}
	if err := <-m.ended; !errors.Is(err, durable.ErrClosed) {
		t.Errorf("its context ended with %v", err)
	}
	close(m.release)
	s.reopen()
	if known.held != 0 {
		t.Errorf("%d snapshots are still held", known.held)
	}
	known.install(version(old, 2, kept))
	if ended := s.end(id); ended.Version != 2 || ended.State.Outcome.Status != record.Completed {
		t.Errorf("afterwards it is %+v", ended)
	}
}
