package durable

import (
	"context"
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// taskWaits are those who wait for tasks to end. They are safe for concurrent use.
type taskWaits struct {
	mu    sync.Mutex
	waits map[record.TaskID][]chan<- record.Task
}

// add has a task delivered when it has ended. The channel has room for it.
func (w *taskWaits) add(id record.TaskID, to chan<- record.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits == nil {
		w.waits = make(map[record.TaskID][]chan<- record.Task)
	}
	w.waits[id] = append(w.waits[id], to)
}

// remove ends a wait.
func (w *taskWaits) remove(id record.TaskID, to chan<- record.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.waits[id], func(one chan<- record.Task) bool { return one == to })
	if w.waits[id] = left; len(left) == 0 {
		delete(w.waits, id)
	}
}

// deliver ends the waits for a task.
func (w *taskWaits) deliver(task record.Task) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, to := range w.waits[task.ID] {
		to <- task
	}
	delete(w.waits, task.ID)
}

// WaitForTask asks for progress, waits until a task has ended and returns it: the
// receipt of its outcome. Ending ctx ends the wait, not the task.
//
// An unknown task is a [*NotFoundError]. When the session ends first, WaitForTask
// returns [ErrClosed] or its [*FailedError]; what has ended already needs no open
// session, as long as its storage can be read. Inside the callback of a commit it
// fails with a [*CommitInsideCommitError].
func (s *Session) WaitForTask(ctx context.Context, id record.TaskID) (record.Task, error) {
	if err := s.outsideCommit(ctx, "a wait for a task"); err != nil {
		return record.Task{}, err
	}
	return s.taskEnd(ctx, id)
}

// taskEnd waits until a task has ended, and is stored like that.
func (s *Session) taskEnd(ctx context.Context, id record.TaskID) (record.Task, error) {
	end := make(chan record.Task, 1)
	s.ends.add(id, end)
	defer s.ends.remove(id, end)
	return awaited(ctx, s, end, func(ctx context.Context) (record.Task, bool, error) {
		task, found, err := storedToTheEnd(ctx, s, func(r table.Reader) (record.Task, bool, error) { return r.Task(id) })
		if err == nil && !found {
			err = &NotFoundError{What: "task", ID: int64(id)}
		}
		return task, err == nil && !task.State.Status.Live(), err
	})
}

// awaited asks for progress and waits until something is over. look returns it as it is
// stored, and whether it is over; what is stored after a look is delivered. A session
// that ends may have stored what it does not deliver any more: then look has the last
// word.
func awaited[T any](ctx context.Context, s *Session, delivered <-chan T, look func(context.Context) (now T, over bool, err error)) (T, error) {
	now, over, err := look(ctx)
	if err != nil || over {
		return now, err
	}
	s.progress()
	var none T
	select {
	case now = <-delivered:
		return now, nil
	case <-ctx.Done():
		return none, context.Cause(ctx)
	case <-s.ended:
	}
	if now, over, err = look(context.WithoutCancel(ctx)); err == nil && over {
		return now, nil
	}
	return none, s.usable()
}

// idleWaits are those who wait until nothing goes on, in a conversation or, under 0,
// anywhere. They are safe for concurrent use.
type idleWaits struct {
	mu    sync.Mutex
	waits map[record.ConversationID][]chan struct{}
}

func (w *idleWaits) add(conversation record.ConversationID) chan struct{} {
	idle := make(chan struct{})
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.waits == nil {
		w.waits = make(map[record.ConversationID][]chan struct{})
	}
	w.waits[conversation] = append(w.waits[conversation], idle)
	return idle
}

// remove ends waits in a conversation.
func (w *idleWaits) remove(conversation record.ConversationID, ended ...chan struct{}) {
	w.mu.Lock()
	defer w.mu.Unlock()
	left := slices.DeleteFunc(w.waits[conversation], func(one chan struct{}) bool { return slices.Contains(ended, one) })
	if w.waits[conversation] = left; len(left) == 0 {
		delete(w.waits, conversation)
	}
}

// drained returns those whose wait ends with a change.
func (w *idleWaits) drained(change *ownership.Change) map[record.ConversationID][]chan struct{} {
	w.mu.Lock()
	defer w.mu.Unlock()
	if len(w.waits) == 0 {
		return nil
	}
	found := make(map[record.ConversationID][]chan struct{})
	conversations, everywhere := change.Drained()
	if everywhere {
		conversations = append(conversations, 0)
	}
	for _, id := range conversations {
		if waits := w.waits[id]; len(waits) > 0 {
			found[id] = slices.Clone(waits)
		}
	}
	return found
}

// WaitForIdle waits until no task is live but background ones, and what is below
// them. It has the session schedule. The errors are those of [Session.WaitForTask].
func (s *Session) WaitForIdle(ctx context.Context) error { return s.idleIn(ctx, 0) }

// idleIn waits until no live task is reached from a conversation, 0 for all that
// nobody owns, without crossing background tasks.
func (s *Session) idleIn(ctx context.Context, conversation record.ConversationID) error {
	if err := s.outsideCommit(ctx, "a wait for idleness"); err != nil {
		return err
	}
	if err := s.Resume(); err != nil {
		return err
	}
	var idle chan struct{}
	live := func() bool {
		if conversation == 0 {
			return s.graph.LiveAnywhere() > 0
		}
		return s.graph.LiveIn(conversation) > 0
	}
	err := s.look(ctx, func() error {
		if live() {
			idle = s.idle.add(conversation)
		}
		return nil
	})
	if idle != nil {
		defer s.idle.remove(conversation, idle)
	}
	if err != nil || idle == nil {
		return err
	}
	select {
	case <-idle:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-s.ended:
		return s.usable()
	}
}

// look calls see on the line, and returns when everything is stored that was adopted
// before.
func (s *Session) look(ctx context.Context, see func() error) error {
	newest, err := s.onLine(ctx, see)
	if err != nil || newest == nil {
		return err
	}
	select {
	case <-newest.done:
		return newest.err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// onLine calls see on the line, and returns the newest commit that was adopted
// before; nil when none was.
func (s *Session) onLine(ctx context.Context, see func() error) (*batch, error) {
	if err := s.line.acquire(ctx); err != nil {
		return nil, err
	}
	defer s.line.release()
	return s.newest, see()
}
