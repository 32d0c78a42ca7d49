package durable_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// over opens a session over a disk that may have no room. Its clock says what is waited
// for.
func over(t *testing.T, disk *crammed, options durable.Options) (*opened, *ticking) {
	t.Helper()
	clock := newTicking()
	options.Clock, options.CommitBudget = clock, -1
	session, err := durable.Open(t.Context(), disk, options)
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	t.Cleanup(s.stop)
	return s, clock
}

// blocks returns the reports that a task is blocked.
func (r *reports) blocks(id record.TaskID) (found []durable.BlockedReason) {
	for _, err := range r.all() {
		var why *durable.BlockedError
		if errors.As(err, &why) && why.Task == id {
			found = append(found, why.Reason)
		}
	}
	return found
}

// TestABlockedTaskIsToldOnceItsPassIsStored has the storage refuse the commit that found
// a task blocked: it is told of when another one finds the same, and only then.
func TestABlockedTaskIsToldOnceItsPassIsStored(t *testing.T) {
	one, ready := task("one", phases{"begin": hangs}), task("ready", phases{"begin": completes()})
	for name, c := range map[string]struct {
		options durable.Options
		reason  durable.BlockedReason
		fitting kind
	}{
		"cut off too often":           {durable.Options{RestartLimit: 1, Definitions: defined(one, ready)}, durable.RestartLimit, one},
		"newer without a migration":   {durable.Options{Definitions: defined(version(one, 2, nil), ready)}, durable.MigrationFailed, one},
		"unblocked before it is told": {durable.Options{Definitions: defined(version(one, 2, nil), ready)}, "", one},
	} {
		t.Run(name, func(t *testing.T) {
			before := openWith(t, one)
			in := before.conversation()
			id := before.create(one, 0, own(in))
			before.resume()
			eventually(t, func() bool { return before.stored(id).State.Status == record.Running })
			before.crash()
			before.resume()
			eventually(t, func() bool { now := before.stored(id); return now.State.Status == record.Running && now.Restarts == 1 })
			before.reopen()

			told, disk := &reports{}, &crammed{Storage: before.memory.Clone()}
			c.options.Report = told.add
			s, clock := over(t, disk, c.options)
			other := s.create(ready, 1, own(in))
			disk.full.Store(true)
			s.resume()
			again := <-clock.begun
			if said := told.blocks(id); len(said) > 0 {
				t.Errorf("reported before it is adopted: %v", said)
			}
			if c.reason == "" {
				c.options.Definitions.(*registry).install(c.fitting)
				again = <-clock.begun
			}
			disk.full.Store(false)
			clock.pass(again)
			s.end(other)
			if c.reason == "" {
				eventually(t, func() bool { return s.inspected(id).State == durable.TaskRunning })
				if said := told.blocks(id); len(said) > 0 {
					t.Errorf("reported, although it runs: %v", said)
				}
				return
			}
			eventually(t, func() bool { return len(told.blocks(id)) > 0 })
			c.options.Definitions.(*registry).install() // which has it looked at again
			s.end(s.create(ready, 2, own(in)))
			if said := told.blocks(id); len(said) != 1 || said[0] != c.reason {
				t.Errorf("reported %v", said)
			}
		})
	}
}

// TestAPassThatFailsLosesNoOtherTask has the end of a task fail in a pass that has looked
// at others before: one that is blocked, and one that is to be migrated.
func TestAPassThatFailsLosesNoOtherTask(t *testing.T) {
	for name, settled := range map[string]func(*durable.Tx, record.Task) error{
		"an error of the clean-up": func(*durable.Tx, record.Task) error { return errors.New("broken") },
		"too much of it": func(tx *durable.Tx, task record.Task) error {
			for range 10_000 {
				if _, err := tx.AppendEntry(task.Conversation, durable.EntryDraft{Kind: "much"}); err != nil {
					return err
				}
			}
			return nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			blocked, older := task("blocked", phases{"begin": completes()}), task("older", phases{"begin": completes()})
			absent := task("absent", phases{"begin": completes()})
			told, known := &reports{}, defined(version(blocked, 2, nil), version(older, 2, kept))
			s := open(t, durable.Options{
				Definitions: known, Report: told.add,
				Settled: func(_ context.Context, tx *durable.Tx, task record.Task) error { return settled(tx, task) },
			})
			in := s.conversation()
			owner := s.create(absent, 0, own(in))
			waits, migrates := s.create(blocked, 1, own(in)), s.create(older, 2, own(in))
			s.create(absent, 3, child(owner)) // nothing can run its abort handler
			s.abort(owner)
			s.resume()
			eventually(t, func() bool { return len(told.all()) > len(told.blocks(waits)) })
			if ended := s.end(migrates); ended.Version != 2 {
				t.Errorf("the older one is %+v", ended)
			}
			eventually(t, func() bool { return len(told.blocks(waits)) > 0 })
			known.install(blocked)
			if got := s.outcome(waits); string(got.Result) != "1" {
				t.Errorf("the blocked one is %+v", got)
			}
			if said := told.blocks(waits); len(said) != 1 {
				t.Errorf("reported %v", said)
			}
		})
	}
}

// TestNothingIsTriedAgainOnceTheSessionIsClosed closes a session whose commits are
// refused again and again.
func TestNothingIsTriedAgainOnceTheSessionIsClosed(t *testing.T) {
	one := task("one", phases{"begin": completes()})
	known := defined(one)
	disk := &crammed{Storage: new(memory.Storage)}
	s, clock := over(t, disk, durable.Options{Definitions: known, Report: func(error) {}})
	s.create(one, 0, own(s.conversation()))
	disk.full.Store(true)
	s.resume()
	<-clock.begun
	for range 3 {
		known.install() // which has it tried at once
		<-clock.begun
	}
	if err := s.Close(within(t)); err != nil {
		t.Fatal(err)
	}
	if left := clock.set(); left > 0 {
		t.Errorf("%d timers are left", left)
	}
}
