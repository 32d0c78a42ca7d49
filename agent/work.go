package agent

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/registry"
)

// workInput says what is done for a conversation.
type workInput struct {
	What string `json:"what"`
}

type workState struct {
	Phase string `json:"phase"`
}

type (
	workTask = durable.Task[workInput, workState, struct{}]
	workRun  = durable.Run[workInput, workState, struct{}]
	workNext = durable.Next[workState, struct{}]
)

// work is something that this process does for conversations, each of which has a task
// that stands for it.
type work struct {
	cancel context.CancelCauseFunc
	ended  chan struct{}
}

// working finds what the tasks of this process stand for. The zero value is ready to use.
type working struct {
	mu  sync.Mutex
	now map[record.TaskID]*work
}

func (w *working) set(task record.TaskID, of *work) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.now == nil {
		w.now = make(map[record.TaskID]*work)
	}
	w.now[task] = of
}

func (w *working) of(task record.TaskID) *work {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.now[task]
}

func (w *working) forget(tasks []record.TaskID) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, task := range tasks {
		delete(w.now, task)
	}
}

const phaseWorking = "working"

// defineWork is the task that stands for work of this process. Of a process before it,
// nothing is left to wait for.
func (h *Harness) defineWork() workTask {
	return durable.DefineTask(durable.TaskSpec[workInput, workState, struct{}]{
		Name: registry.TaskWork, Version: 1,
		Initial: func(workInput) workState { return workState{Phase: phaseWorking} },
		Phases: map[string]func(context.Context, *workRun) error{phaseWorking: func(ctx context.Context, run *workRun) error {
			of := h.working.of(run.TaskID())
			if of != nil {
				select {
				case <-of.ended:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return run.Commit(ctx, func(context.Context, *durable.Tx) (workNext, error) {
				if of == nil {
					return run.Fail(errors.New("the process that did it has ended")), nil
				}
				return run.Complete(struct{}{}), nil
			})
		}},
		Abort: func(ctx context.Context, run *workRun) error {
			if of := h.working.of(run.TaskID()); of != nil {
				of.cancel(&WorkAbortedError{What: run.Input.What, Conversation: run.Conversation()})
				select {
				case <-of.ended:
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			}
			return run.Commit(ctx, func(context.Context, *durable.Tx) (workNext, error) { return run.Abort(""), nil })
		},
	})
}

// WorkAbortedError ends work for conversations one of which was aborted. It matches
// [durable.ErrTaskAborted].
type WorkAbortedError struct {
	What         string
	Conversation record.ConversationID
}

func (e *WorkAbortedError) Error() string {
	return fmt.Sprintf("%s was ended: conversation %d, for which it works, was aborted", e.What, e.Conversation)
}

// Unwrap gives the sentinel of aborted tasks.
func (e *WorkAbortedError) Unwrap() error { return durable.ErrTaskAborted }

// WorkFor begins something that this process does for conversations, such as a command.
// Until end is called each of them has a live task of the kind [registry.TaskWork], whose
// input says what it is, so that it is listed there and the conversation is not idle. An
// abort that reaches one of the tasks ends inside, with a [*WorkAbortedError] as its
// cause, and waits for end, which the caller must call once and which may be called from
// any goroutine. end waits until the tasks have ended, or ctx has.
//
// what is stored, and must hold no secrets. The errors are those of
// [durable.Session.Commit]; an unknown conversation is a [*durable.NotFoundError].
func (h *Harness) WorkFor(ctx context.Context, what string, conversations ...record.ConversationID) (inside context.Context, end func(), err error) {
	inside, cancel := context.WithCancelCause(ctx)
	of := &work{cancel: cancel, ended: make(chan struct{})}
	var tasks []record.TaskID
	err = h.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
		for _, conversation := range conversations {
			task, err := h.work.Create(tx, workInput{what}, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation})
			if err != nil {
				return err
			}
			tasks = append(tasks, task)
			h.working.set(task, of)
		}
		return nil
	})
	if err != nil {
		cancel(nil)
		h.working.forget(tasks)
		return nil, nil, fmt.Errorf("begin %s for conversations: %w", what, err)
	}
	return inside, func() {
		close(of.ended)
		for _, task := range tasks {
			if _, err := h.WaitForTask(ctx, task); err != nil {
				break // ctx or the session has ended
			}
		}
		h.working.forget(tasks)
		cancel(nil)
	}, nil
}
