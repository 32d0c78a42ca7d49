package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// loadTasks makes the picture of live work, and notes what a session that resumes does
// first.
func (s *Session) loadTasks(r table.Reader) (err error) {
	s.records.Reader = r
	due := &s.scheduler.due
	live := func(yield func(record.Task, error) bool) {
		for task, err := range r.Tasks(0, true, table.IDs{}) {
			if err == nil && task.State.Status == record.Running {
				due.cut = append(due.cut, task.ID)
				s.cut[task.ID] = struct{}{}
			}
			if err == nil && task.AbandonOnRestart && !task.AbortRequested {
				due.restarts = append(due.restarts, task.ID)
			}
			if !yield(task, err) {
				return
			}
		}
	}
	s.graph, err = ownership.Load(&s.records, iter.Seq2[record.Task, error](live), r.Submissions(0, true, table.IDs{}))
	return err
}

// recovered returns a task as it is once the session has resumed. The caller holds the
// line.
func (s *Session) recovered(task record.Task) record.Task {
	if _, cut := s.cut[task.ID]; cut {
		return cutOff(task)
	}
	return task
}

// cutOff returns a task that was running as one that waits to run again, and counts it.
func cutOff(task record.Task) record.Task {
	task.State = record.TaskState{Status: record.Pending, Checkpoint: task.State.Checkpoint}
	task.Restarts++
	return task
}

// recover has tasks that were cut off wait to run again.
func (p *pass) recover(tx *Tx, r table.Reader) error {
	for ; len(p.due.cut) > 0 && !p.full(); p.due.cut = p.due.cut[1:] {
		id := p.due.cut[0]
		if _, cut := p.session.cut[id]; !cut {
			continue // a call has changed it before the session resumed
		}
		task, err := tx.task(r, id)
		if err != nil {
			return err
		}
		p.put(tx, p.session.recovered(task))
	}
	return nil
}

// park has tasks that ran until the session was closed wait to run again. It was not
// their fault, and is not counted. The line has been taken for good.
func (s *Session) park() {
	if s.failure() != nil {
		return
	}
	var ran []record.TaskID
	for _, id := range s.graph.LiveTasks() {
		if _, cut := s.cut[id]; !cut && s.graph.Status(id) == record.Running {
			ran = append(ran, id)
		}
	}
	if err := s.suspend(ran); err != nil {
		s.options.Logger.Warn("tasks that ran until the session was closed count as cut off", "error", err)
	}
}

// suspend makes running tasks pending, in one commit, or in several when the storage
// takes no more at once. Nobody else holds the line.
func (s *Session) suspend(ran []record.TaskID) error {
	var newest *batch
	for len(ran) > 0 {
		stored, err := s.transact(context.Background(), scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
			return tx.write(func(r table.Reader) error {
				for bytes, writes := 0, 0; len(ran) > 0 && bytes < suspendBytes && writes < suspendTasks; writes++ {
					task, err := tx.task(r, ran[0])
					if err != nil {
						return err
					}
					ran = ran[1:]
					bytes += sizeOf(task)
					task.State = record.TaskState{Status: record.Pending, Checkpoint: task.State.Checkpoint}
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
