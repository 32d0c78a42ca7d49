package durable

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"time"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

var _ Documents = (*Runtime)(nil)

// MemoOnce keeps a small value, as JSON, under a name unless there is one already, and
// returns what is kept: of several candidates the first counts, across restarts too.
// Hooks share the names with the task that asks them.
func (r *Runtime) MemoOnce(ctx context.Context, name string, candidate json.RawMessage) (kept json.RawMessage, err error) {
	if err := checkName("the name of a memo", name); err != nil {
		return nil, err
	}
	what := fmt.Sprintf("the memo %q of task %d", name, r.TaskID())
	if candidate, err = normalized(what, candidate); err != nil {
		return nil, err
	}
	err = r.CommitUnlimited(ctx, func(_ context.Context, tx *Tx, current record.Task) (*record.TaskState, error) {
		var found bool
		if kept, found = current.Memos[name]; found {
			return nil, nil
		}
		kept = candidate
		current.Memos = maps.Clone(current.Memos)
		if current.Memos == nil {
			current.Memos = make(map[string]json.RawMessage)
		}
		current.Memos[name] = kept
		return nil, tx.replace(current)
	})
	if err != nil {
		return nil, err
	}
	return bytes.Clone(kept), nil
}

// Memo returns a memo as a Go value; see [Runtime.Memo].
func Memo[T any](ctx context.Context, r *Runtime, name string) (kept T, found bool, err error) {
	text, found, err := r.Memo(ctx, name)
	if err == nil && found {
		err = json.Unmarshal(text, &kept)
	}
	return kept, found && err == nil, err
}

// MemoOnce keeps a Go value; see [Runtime.MemoOnce].
func MemoOnce[T any](ctx context.Context, r *Runtime, name string, candidate T) (kept T, err error) {
	text, err := json.Marshal(candidate)
	if err == nil {
		text, err = r.MemoOnce(ctx, name, text)
	}
	if err == nil {
		err = json.Unmarshal(text, &kept)
	}
	return kept, err
}

// Now returns the time of the session's clock.
func (r *Runtime) Now() time.Time { return r.invocation.session.options.Clock.Now() }

// Sleep waits until the session's clock shows a time. A task that is to sleep across
// restarts keeps the time in its checkpoint. It fails with the cause of what ended
// the wait: ctx, or the phase's signal.
func (r *Runtime) Sleep(ctx context.Context, until time.Time) error {
	s := r.invocation.session
	if err := s.outsideCommit(ctx, "a sleep"); err != nil {
		return err
	}
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	for {
		left := until.Sub(r.Now())
		if left <= 0 {
			return context.Cause(ctx)
		}
		passed := make(chan struct{})
		stop := s.options.Clock.AfterFunc(left, func() { close(passed) })
		if !r.Now().Before(until) {
			stop()
			continue
		}
		select {
		case <-passed:
		case <-ctx.Done():
			stop()
			return context.Cause(ctx)
		}
	}
}

// Task returns a task as it is stored, and whether there is one with this id.
func (r *Runtime) Task(ctx context.Context, id record.TaskID) (record.Task, bool, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return record.Task{}, false, err
	}
	defer cancel()
	return r.invocation.session.Task(ctx, id)
}

// WaitForTask waits until a task has ended and returns it; see
// [Session.WaitForTask]. A task that waits like this keeps its invocation: waiting by
// its state costs nothing.
func (r *Runtime) WaitForTask(ctx context.Context, id record.TaskID) (record.Task, error) {
	s := r.invocation.session
	if err := s.outsideCommit(ctx, "a wait for a task"); err != nil {
		return record.Task{}, err
	}
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return record.Task{}, err
	}
	defer cancel()
	return s.taskEnd(ctx, id)
}

// Outcomes returns the outcomes of tasks that have ended, in the order of ids: what a
// phase asks after a wait. One that has not ended is an [*InvalidError].
func (r *Runtime) Outcomes(ctx context.Context, ids ...record.TaskID) ([]record.Outcome, error) {
	outcomes := make([]record.Outcome, 0, len(ids))
	err := r.view(ctx, func(from table.Reader) error {
		for _, id := range ids {
			task, found, err := from.Task(id)
			switch {
			case err != nil:
				return err
			case !found:
				return &NotFoundError{What: "task", ID: int64(id)}
			case task.State.Status.Live():
				return invalid(fmt.Sprintf("the outcome of task %d", id), "it has not ended")
			}
			outcomes = append(outcomes, *task.State.Outcome)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return outcomes, nil
}

// view calls read with everything that is stored now.
func (r *Runtime) view(ctx context.Context, read func(table.Reader) error) error {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	return r.invocation.session.view(ctx, read)
}

// ConversationRecord returns a conversation, and whether there is one with this id.
func (r *Runtime) ConversationRecord(ctx context.Context, id record.ConversationID) (found record.Conversation, there bool, err error) {
	err = r.view(ctx, func(from table.Reader) error {
		found, there, err = from.Conversation(id)
		return err
	})
	return found, there && err == nil, err
}

// Entry returns an entry that is visible in the task's conversation, and whether it
// is.
func (r *Runtime) Entry(ctx context.Context, id record.EntryID) (entry record.Entry, visible bool, err error) {
	err = r.view(ctx, func(from table.Reader) error {
		entry, _, visible, err = from.Visible(r.Conversation(), id)
		return err
	})
	if !visible {
		return record.Entry{}, false, err
	}
	return entry, err == nil, err
}

// ReadDocument implements [Documents].
func (r *Runtime) ReadDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (*value.Object, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return r.invocation.session.ReadDocument(ctx, definition, in, key)
}

// ReadDocumentAt implements [Documents].
func (r *Runtime) ReadDocumentAt(ctx context.Context, definition *DocumentDefinition, conversation record.ConversationID, key string, at record.EntryID) (*value.Object, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	return r.invocation.session.ReadDocumentAt(ctx, definition, conversation, key, at)
}

// OwnedTasks returns the live tasks that the task owns directly, in the order of
// their ids, whichever phase made them.
func (r *Runtime) OwnedTasks(ctx context.Context) (owned []record.Task, err error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return nil, err
	}
	defer cancel()
	s := r.invocation.session
	if err := s.outsideCommit(ctx, "OwnedTasks"); err != nil {
		return nil, err
	}
	var ids []record.TaskID
	if err := s.look(ctx, func() error { ids = s.graph.Owned(r.TaskID()); return nil }); err != nil {
		return nil, err
	}
	err = s.view(ctx, func(from table.Reader) error {
		for _, id := range ids {
			task, found, err := from.Task(id)
			if err != nil {
				return err
			}
			if found && task.State.Status.Live() {
				owned = append(owned, task)
			}
		}
		return nil
	})
	return owned, err
}

// AbortOwned aborts a task that the task owns and waits until it has ended. One that
// the task does not own is an [*InvalidError].
func (r *Runtime) AbortOwned(ctx context.Context, id record.TaskID) error {
	task, found, err := r.Task(ctx, id)
	switch {
	case err != nil:
		return err
	case !found:
		return &NotFoundError{What: "task", ID: int64(id)}
	case task.Owner != r.TaskID():
		return invalid(fmt.Sprintf("an abort of task %d", id), "task %d does not own it", r.TaskID())
	case !task.State.Status.Live():
		return nil
	}
	inside, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	s := r.invocation.session
	if _, err := s.AbortTask(inside, id); err != nil {
		return err
	}
	_, err = s.taskEnd(inside, id)
	return err
}

// Report tells [Options.Report] of something that went wrong and does not end the
// task.
func (r *Runtime) Report(err error) { r.invocation.session.report(err) }
