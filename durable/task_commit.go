package durable

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// OwnerError is work whose owner cannot own it: it is elsewhere, has ended, is held
// until its work ends, or is to be aborted (section 5.5 of the pi-durable
// specification).
type OwnerError = ownership.OwnerError

// WaitError is a wait for a task that could never end, or fails fast for a task that
// the waiting one does not own.
type WaitError = ownership.WaitError

// lineRecords are what the graph of live work reads: whatever the holder of the line
// reads from.
type lineRecords struct{ table.Reader }

// finishTasks judges what a transaction does to live work, and completes it: outcomes
// are held while there is work below them, times are stamped, and the documents of
// tasks that end are retired. The caller holds mu and the line.
func (tx *Tx) finishTasks(r table.Reader) error {
	staged, s := &tx.staged, tx.session
	if len(staged.conversations) == 0 && len(staged.tasks.order) == 0 && len(staged.submissions.order) == 0 {
		return nil
	}
	s.records.Reader = r
	change := s.graph.Begin()
	if err := staged.put(change); err != nil {
		return ruled(err)
	}
	if err := tx.hold(change); err != nil {
		return ruled(err)
	}
	if err := change.Verify(); err != nil {
		return ruled(err)
	}
	if err := tx.endTasks(r); err != nil {
		return err
	}
	idle := s.idle.drained(change)
	staged.after = append(staged.after, func() {
		change.Adopt()
		for _, id := range staged.tasks.order {
			if staged.tasks.rows[id].row.State.Status != record.Running {
				delete(s.cut, id)
			}
		}
		for conversation, waits := range idle {
			s.idle.remove(conversation, waits...)
		}
		if s.graph.Fresh() {
			s.scheduler.wake()
		}
	})
	staged.stored = append(staged.stored, func() {
		for _, waits := range idle {
			for _, wait := range waits {
				close(wait)
			}
		}
		s.scheduler.stored(staged.tasks)
	})
	return nil
}

// ruled is an error of the graph. Its reasons are of exported types, but for records
// that contradict each other, which no caller can bring about.
func ruled(err error) error { return fmt.Errorf("commit: %w", err) }

// put adds what is staged to a change, owners before what they own, which is the
// order of ids. Outcomes are held.
func (s *staged) put(change *ownership.Change) error {
	conversations := s.conversations
	putConversations := func(below int64) error {
		for len(conversations) > 0 && int64(conversations[0].ID) < below {
			if err := change.PutConversation(conversations[0]); err != nil {
				return err
			}
			conversations = conversations[1:]
		}
		return nil
	}
	for _, id := range slices.Sorted(slices.Values(s.tasks.order)) {
		if err := putConversations(int64(id)); err != nil {
			return err
		}
		task := s.tasks.rows[id].row
		if task.State.Status == record.Terminal {
			task.State.Status = record.Completing // until it is known that nothing is below
		}
		if err := change.PutTask(task); err != nil {
			return err
		}
	}
	if err := putConversations(record.MaxID + 1); err != nil {
		return err
	}
	for _, id := range s.submissions.order {
		if err := change.PutSubmission(s.submissions.rows[id].row); err != nil {
			return err
		}
	}
	return nil
}

// hold has outcomes wait for the live work below them, what is owned before its
// owners.
func (tx *Tx) hold(change *ownership.Change) error {
	rows := tx.staged.tasks.rows
	descending := slices.SortedFunc(slices.Values(tx.staged.tasks.order), func(a, b record.TaskID) int { return cmp.Compare(b, a) })
	for _, id := range descending {
		task := rows[id].row
		if task.State.Status != record.Terminal {
			continue
		}
		if change.LiveBelow(id) == 0 {
			if err := change.PutTask(task); err != nil {
				return err
			}
			continue
		}
		task.State.Status = record.Completing
		tx.staged.tasks.put(id, task, false)
	}
	return nil
}

// endTasks stamps the times of tasks that begin or end, and drops what does not
// outlive them.
func (tx *Tx) endTasks(r table.Reader) error {
	now := tx.session.milliseconds()
	for _, id := range tx.staged.tasks.order {
		task := tx.staged.tasks.rows[id].row
		switch status := task.State.Status; {
		case status == record.Running && task.StartedAt == 0:
			task.StartedAt = now
		case status == record.Completing, status == record.Terminal:
			task.State = record.TaskState{Status: status, Outcome: task.State.Outcome}
			task.Memos = nil
			if status == record.Terminal {
				task.EndedAt = now
			}
		}
		tx.staged.tasks.put(id, task, false)
		if task.State.Status == record.Terminal {
			if err := tx.retireAll(r, InTask(id)); err != nil {
				return err
			}
		}
	}
	return nil
}
