package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// loadTasks makes the picture of live work, and returns the tasks that were running
// when the process ended.
func (s *Session) loadTasks(r table.Reader) (cut []record.TaskID, err error) {
	s.records.Reader = r
	live := func(yield func(record.Task, error) bool) {
		for task, err := range r.Tasks(0, true, table.IDs{}) {
			if err == nil && task.State.Status == record.Running {
				cut = append(cut, task.ID)
			}
			if err == nil && task.AbandonOnRestart && !task.AbortRequested {
				s.scheduler.due.restarts = append(s.scheduler.due.restarts, task.ID)
			}
			if !yield(task, err) {
				return
			}
		}
	}
	s.graph, err = ownership.Load(&s.records, iter.Seq2[record.Task, error](live), r.Submissions(0, true, table.IDs{}))
	return cut, err
}

// recover has tasks that were cut off wait to run again, and counts it.
func (s *Session) recover(cut []record.TaskID) error {
	return s.suspend(cut, func(task *record.Task) { task.Restarts++ })
}

// park has tasks that ran until the session was closed wait to run again. It was not
// their fault, and is not counted. The line has been taken for good.
func (s *Session) park() {
	if s.failure() != nil {
		return
	}
	var cut []record.TaskID
	for _, id := range s.graph.LiveTasks() {
		if s.graph.Status(id) == record.Running {
			cut = append(cut, id)
		}
	}
	if err := s.suspend(cut, func(*record.Task) {}); err != nil {
		s.options.Logger.Warn("tasks that ran until the session was closed count as cut off", "error", err)
	}
}

// suspend makes running tasks pending, in one commit, or in several when the storage
// takes no more at once. Nobody else holds the line.
func (s *Session) suspend(cut []record.TaskID, note func(*record.Task)) error {
	var newest *batch
	for len(cut) > 0 {
		stored, err := s.transact(context.Background(), scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
			return tx.write(func(r table.Reader) error {
				for bytes, writes := 0, 0; len(cut) > 0 && bytes < suspendBytes && writes < suspendTasks; writes++ {
					task, err := tx.task(r, cut[0])
					if err != nil {
						return err
					}
					cut = cut[1:]
					bytes += sizeOf(task)
					task.State = record.TaskState{Status: record.Pending, Checkpoint: task.State.Checkpoint}
					note(&task)
					tx.staged.tasks.put(task.ID, task, false)
				}
				return nil
			})
		})
		if err != nil {
			return err
		}
		newest = stored
	}
	if newest == nil {
		return nil
	}
	<-newest.done
	return newest.err
}

// What one commit takes of the tasks that are suspended.
const (
	suspendBytes = 1 << 20
	suspendTasks = 4000
)
