package durable_test

import (
	"errors"
	"io"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// cutOff returns what is stored when a process ends while a task runs.
func cutOff(t *testing.T, one kind) (left *memory.Storage, id record.TaskID) {
	t.Helper()
	s := openWith(t, one)
	id = s.create(one, 0, own(s.conversation()))
	s.resume()
	eventually(t, func() bool { return s.stored(id).State.Status == record.Running })
	return s.memory.Clone(), id
}

// TestOpeningAndReadingWriteNothing has a storage refuse every write while a session is
// opened that was cut off, read, checked, backed up and closed, twice.
func TestOpeningAndReadingWriteNothing(t *testing.T) {
	one := task("one", phases{"begin": hangs})
	left, id := cutOff(t, one)
	for range 2 {
		refused := faulty.Around(left, faulty.Faults{Before: func(int, []storage.Write) error { return errors.New("the disk is full") }})
		session, err := durable.Open(within(t), refused, durable.Options{Definitions: defined(one)})
		if err != nil {
			t.Fatal(err)
		}
		s := &opened{Session: session, t: t}
		s.sound()
		if _, err := s.Backup(within(t), io.Discard); err != nil {
			t.Errorf("a backup: %v", err)
		}
		if got := s.stored(id); got.State.Status != record.Running || got.Restarts != 0 {
			t.Errorf("the task is %+v", got)
		}
		if got := s.inspected(id); got.State != durable.TaskReady || got.Task.State.Status != record.Running {
			t.Errorf("it is inspected as %+v", got)
		}
		graph, err := s.TaskGraph(within(t))
		if err != nil || graph.Len() == 0 {
			t.Errorf("the graph is %v, %v", graph, err)
		}
		watch, err := s.WatchTasks(within(t))
		if err != nil {
			t.Fatal(err)
		}
		watch.Stop()
		left = left.Clone()
		s.stop()
		if n := refused.Begun(); n > 0 {
			t.Errorf("%d commits of the storage", n)
		}
	}
	session, err := durable.Open(within(t), left, durable.Options{Definitions: defined(one)})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	t.Cleanup(s.stop)
	s.resume()
	eventually(t, func() bool { return s.inspected(id).State == durable.TaskRunning })
	if got := s.stored(id).Restarts; got != 1 {
		t.Errorf("it was cut off once, and %d were counted", got)
	}
}

// TestATaskThatWasCutOffRunsOnceThereIsRoom resumes a session whose storage refuses the
// commit that has the task run again.
func TestATaskThatWasCutOffRunsOnceThereIsRoom(t *testing.T) {
	one := task("one", phases{"begin": hangs})
	left, id := cutOff(t, one)
	told, disk := &reports{}, &crammed{Storage: left}
	disk.full.Store(true)
	s, clock := over(t, disk, durable.Options{Definitions: defined(one), Report: told.add})
	s.resume()
	again := <-clock.begun
	if got := s.stored(id); got.State.Status != record.Running || len(told.all()) == 0 {
		t.Errorf("meanwhile it is %+v, reported %v", got, told.all())
	}
	disk.full.Store(false)
	clock.pass(again)
	eventually(t, func() bool { return s.inspected(id).State == durable.TaskRunning })
	if got := s.stored(id).Restarts; got != 1 {
		t.Errorf("it was cut off once, and %d were counted", got)
	}
}

// TestATaskThatWasCutOffCountsAsPendingBeforeTheSessionResumes asks for what a task that
// was cut off cannot do any more.
func TestATaskThatWasCutOffCountsAsPendingBeforeTheSessionResumes(t *testing.T) {
	one := task("one", phases{"begin": hangs})
	for name, c := range map[string]struct {
		known *registry
		does  func(*opened, record.TaskID)
	}{
		"an abort of one without a definition": {defined(), func(s *opened, id record.TaskID) {
			s.abort(id)
			if got := s.stored(id); got.State.Status != record.Terminal || got.State.Outcome.Status != record.Orphaned {
				t.Errorf("aborted it is %+v", got)
			}
		}},
		"an abort": {defined(one), func(s *opened, id record.TaskID) {
			s.options.RestartLimit = 0
			s.reopen()
			s.abort(id)
			if got := s.stored(id); got.State.Status != record.Pending || got.Restarts != 1 {
				t.Errorf("to be aborted it is %+v", got)
			}
			if got := s.outcome(id); got.Status != record.Aborted {
				t.Errorf("aborted it is %+v", got)
			}
		}},
		"a retry of one that was cut off too often": {defined(one), func(s *opened, id record.TaskID) {
			if why := s.inspected(id).Blocked; why == nil || why.Reason != durable.RestartLimit {
				t.Errorf("it is blocked because of %v", why)
			}
			if err := s.RetryTask(within(t), id); err != nil {
				t.Fatal(err)
			}
			s.resume()
			eventually(t, func() bool { return s.inspected(id).State == durable.TaskRunning })
		}},
	} {
		t.Run(name, func(t *testing.T) {
			left, id := cutOff(t, one)
			s := &opened{t: t, memory: left, options: durable.Options{Definitions: c.known, RestartLimit: 1}}
			s.start()
			t.Cleanup(s.stop)
			c.does(s, id)
		})
	}
}
