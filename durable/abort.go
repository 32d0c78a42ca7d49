package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// AbortResult says what an abort found.
type AbortResult string

// The results of an abort.
const (
	// AbortMarked is a task that is to be aborted, and is not running any more.
	AbortMarked AbortResult = "marked"
	// AbortTerminal is a task that has ended before.
	AbortTerminal AbortResult = "terminal"
)

// AbortTask requests that a task is aborted, and waits until what it ran has
// returned. Its abort handler runs once everything that it owns has ended, which is
// aborted too; [Session.WaitForTask] tells when the task has. A task whose outcome is
// held keeps it. A blocked task, for which no code can run, ends as orphaned.
//
// It does not have the session schedule. When ctx ends while a phase ignores its
// signal, the abort stays requested. An unknown task is a [*NotFoundError]; the other
// errors are those of [Session.WaitForTask].
func (s *Session) AbortTask(ctx context.Context, id record.TaskID) (AbortResult, error) {
	var result AbortResult
	var active *invocation
	definitions := s.leased()
	defer definitions.Release()
	err := s.commit(ctx, scope{unlimited: true}, func(ctx context.Context, tx *Tx) error {
		task, found, err := tx.Task(id)
		switch {
		case err != nil:
			return err
		case !found:
			return &NotFoundError{What: "task", ID: int64(id)}
		case !task.State.Status.Live():
			result = AbortTerminal
			return nil
		}
		result = AbortMarked
		active = s.scheduler.invocation(id)
		if task.AbortRequested && task.AbortReason == "" {
			return nil
		}
		task = s.recovered(task)
		task.AbortRequested, task.AbortReason = true, ""
		if reason := s.orphaned(definitions, task); active == nil && reason != "" {
			return s.settle(ctx, tx, task, record.Outcome{Status: record.Orphaned, Reason: string(reason)})
		}
		return tx.replace(task)
	})
	if err != nil {
		return "", err
	}
	s.scheduler.look(id)
	if active == nil || active.aborting {
		return result, nil
	}
	select {
	case <-active.done:
		return result, nil
	case <-ctx.Done():
		return result, context.Cause(ctx)
	}
}

// orphaned returns why a task that is to be aborted can only be ended by the session;
// "" when it can run or is not ready to end.
func (s *Session) orphaned(definitions DefinitionSnapshot, task record.Task) BlockedReason {
	if status := task.State.Status; status != record.Pending && status != record.Waiting || s.graph.LiveBelow(task.ID) > 0 {
		return ""
	}
	_, reason := fitting(definitions, task)
	if reason == "" && s.parked(task) {
		reason = RestartLimit
	}
	return reason
}

// abortIn requests that what goes on in a conversation is aborted, with the inputs
// queued there withdrawn, and waits until it has ended: all that is reached without
// crossing background tasks or, with background, whatever is below the conversation
// now. It has the session schedule.
func (s *Session) abortIn(ctx context.Context, conversation record.ConversationID, background bool) error {
	if err := s.outsideCommit(ctx, "an abort"); err != nil {
		return err
	}
	if err := s.Resume(); err != nil {
		return err
	}
	var reached []record.TaskID
	var queued []record.ConversationID
	var last record.SubmissionID // what is handed in later stays
	err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		reach := s.graph.Reach(conversation, background)
		reached = reach.Tasks
		last = record.SubmissionID(s.meta.ID)
		var err error
		if queued, err = tx.withdrawPortion(reach.Queued, last); err != nil {
			return err
		}
		return tx.request(first(reached))
	})
	if err != nil {
		return err
	}
	for len(queued) > 0 {
		err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) (err error) {
			queued, err = tx.withdrawPortion(queued, last)
			return err
		})
		if err != nil {
			return err
		}
	}
	for left := reached[len(first(reached)):]; len(left) > 0; left = left[len(first(left)):] {
		err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error { return tx.request(first(left)) })
		if err != nil {
			return err
		}
	}
	for _, id := range reached {
		if !background {
			break
		}
		if _, err := s.taskEnd(ctx, id); err != nil {
			return err
		}
	}
	return s.idleIn(ctx, conversation)
}

// withdrawPortion withdraws as many inputs as one commit does, none after the
// submission last, and returns the conversations in which there may be more.
func (tx *Tx) withdrawPortion(queued []record.ConversationID, last record.SubmissionID) ([]record.ConversationID, error) {
	for left := portion; len(queued) > 0 && left > 0; queued = queued[1:] {
		taken, more, err := tx.withdrawInputs(queued[0], last, left)
		if err != nil || more {
			return queued, err
		}
		left -= max(taken, 1)
	}
	return queued, nil
}

// first returns as many tasks as one commit marks.
func first(tasks []record.TaskID) []record.TaskID { return tasks[:min(len(tasks), 1000)] }

// request marks tasks that are to be aborted.
func (tx *Tx) request(tasks []record.TaskID) error {
	return tx.write(func(r table.Reader) error {
		for _, id := range tasks {
			task, err := tx.task(r, id)
			if err != nil {
				return err
			}
			if task.State.Status.Live() && (!task.AbortRequested || task.AbortReason != "") {
				task.AbortRequested, task.AbortReason = true, ""
				tx.staged.tasks.put(id, task, false)
			}
		}
		return nil
	})
}

// RetryTask has a task that was cut off too often ([RestartLimit]) run again. For a
// task that was not it has no effect. An unknown task is a [*NotFoundError], and one
// that has ended an [*InvalidError].
func (s *Session) RetryTask(ctx context.Context, id record.TaskID) error {
	err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		task, found, err := tx.Task(id)
		switch {
		case err != nil:
			return err
		case !found:
			return &NotFoundError{What: "task", ID: int64(id)}
		case !task.State.Status.Live():
			return invalid("a retry", "task %d has ended", id)
		}
		if task = s.recovered(task); !s.parked(task) {
			return nil
		}
		task.Restarts = 0
		return tx.replace(task)
	})
	if err == nil {
		s.scheduler.look(id)
	}
	return err
}
