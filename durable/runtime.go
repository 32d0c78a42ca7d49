package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Runtime is what one phase of a task, or its abort, works with. It is safe for
// concurrent use. Everything of it fails with an [*InvocationEndedError] once the
// task does not run there any more; what waits also ends when the phase is
// signalled, because an abort of the task was requested ([ErrTaskAborted]) or the
// session ends.
type Runtime struct {
	invocation *invocation
	phase      *phase
	hooks      hooks

	mu     sync.Mutex
	closed bool // the phase has returned
}

// Record returns the task as it was when the phase began. It is shared and not to be
// changed.
func (r *Runtime) Record() record.Task { return r.phase.task }

// TaskID returns the task's id.
func (r *Runtime) TaskID() record.TaskID { return r.phase.task.ID }

// Conversation returns the conversation that the task is in.
func (r *Runtime) Conversation() record.ConversationID { return r.phase.task.Conversation }

// Done is closed when the phase is to end: an abort was requested, the session ends,
// or the invocation has ended. The phase's context ends then too.
func (r *Runtime) Done() <-chan struct{} { return r.invocation.ctx.Done() }

// Definitions returns what was defined when the phase began. It is for the duration
// of the phase.
func (r *Runtime) Definitions() DefinitionSnapshot { return held{r.phase.from} }

// held is a snapshot that is somebody else's to release.
type held struct{ *lease }

func (held) Release() {}

// Unwrap returns the snapshot, for those who made it.
func (h held) Unwrap() DefinitionSnapshot { return h.lease.DefinitionSnapshot }

// close ends what belongs to one phase.
func (r *Runtime) close() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.closed = true
}

// bound returns a context that ends with ctx and when the invocation is signalled.
func (r *Runtime) bound(ctx context.Context) (context.Context, context.CancelFunc, error) {
	if err := r.invocation.usable(); err != nil {
		return nil, nil, err
	}
	inside := r.invocation.ctx
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(inside, func() { cancel(context.Cause(inside)) })
	return both, func() {
		stop()
		cancel(context.Canceled)
	}, nil
}

// Commit changes the session like [Session.Commit]; what is done by it is the task's:
// new tasks are in its conversation when they name none, and entries bear its id.
// change is given the task as it is now, which is not to be changed in place. When it returns a state, that is the task's
// with the same commit: Running with another checkpoint, Waiting with a checkpoint
// and the tasks to wait for, or Terminal with an outcome that is completed, failed or
// aborted. With nil the task stays as it is. After a wait or an outcome the phase is
// to return: nothing more can be committed.
//
// Besides the errors of [Session.Commit], an [*InvalidError] is a state that is none
// of these, and a [*WaitError] a wait that could never end. Once an abort was
// requested, only the abort handler can commit. A commit that has stood in line when
// the session was closed is made.
func (r *Runtime) Commit(ctx context.Context, change func(ctx context.Context, tx *Tx, current record.Task) (*record.TaskState, error)) error {
	return r.commit(ctx, scope{}, change)
}

// CommitUnlimited is [Runtime.Commit] without [Options.CommitBudget]. It is for changes
// that run no code but the program's own, which is known to return: everybody else's
// commits wait meanwhile, however long it takes.
func (r *Runtime) CommitUnlimited(ctx context.Context, change func(ctx context.Context, tx *Tx, current record.Task) (*record.TaskState, error)) error {
	return r.commit(ctx, scope{unlimited: true}, change)
}

// commit is Commit within the limits of a scope.
func (r *Runtime) commit(ctx context.Context, bound scope, change func(context.Context, *Tx, record.Task) (*record.TaskState, error)) error {
	i := r.invocation
	if err := i.usable(); err != nil {
		return err
	}
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, ErrClosed) {
		return cause
	}
	waiting, cancel := r.inLine(ctx)
	defer cancel()
	bound.conversation, bound.task = r.Conversation(), i.task
	adopted := false
	err := i.session.commit(waiting, bound, func(ctx context.Context, tx *Tx) error {
		current, err := i.current(tx, func() { adopted = true })
		if err != nil {
			return err
		}
		next, err := change(ctx, tx, current)
		if err != nil || next == nil {
			return err
		}
		if err := i.become(tx, r.phase.definition, current, *next); err != nil || next.Outcome == nil {
			return err
		}
		return tx.releaseRun(current, *next.Outcome)
	})
	if adopted {
		i.mu.Lock()
		i.unstored--
		i.mu.Unlock()
	}
	return err
}

// inLine returns the context with which a commit waits for its turn. It does not end
// because the session is closed: who stands in line then is served.
func (r *Runtime) inLine(ctx context.Context) (context.Context, context.CancelFunc) {
	waiting, cancel := context.WithCancelCause(context.WithoutCancel(ctx))
	end := func(from context.Context) func() bool {
		return context.AfterFunc(from, func() {
			if cause := context.Cause(from); !errors.Is(cause, ErrClosed) {
				cancel(cause)
			}
		})
	}
	stop, stopInside := end(ctx), end(r.invocation.ctx)
	return waiting, func() {
		stop()
		stopInside()
		cancel(context.Canceled)
	}
}

// current returns the task in a commit of its own, unless it may make none. adopted
// is called when the commit is.
func (i *invocation) current(tx *Tx, adopted func()) (task record.Task, err error) {
	if err := i.usable(); err != nil {
		return record.Task{}, err
	}
	err = tx.stage(func(r table.Reader) error {
		graph := i.session.graph
		switch status := graph.Status(i.task); {
		case status != record.Running:
			if status == "" {
				status = record.Terminal
			}
			return &InvocationEndedError{i.task, "it is " + string(status)}
		case i.aborting:
			task, err = tx.task(r, i.task)
		case graph.Marked(i.task):
			return &InvocationEndedError{i.task, "an abort was requested"}
		default:
			task, _ = i.now()
		}
		tx.staged.after = append(tx.staged.after, func() {
			adopted()
			i.adopted(tx)
		})
		return err
	})
	return task, err
}

// adopted notes what a commit of the invocation makes of the task.
func (i *invocation) adopted(tx *Tx) {
	i.mu.Lock()
	defer i.mu.Unlock()
	i.unstored++
	if task, changed := tx.staged.tasks.get(i.task); changed {
		i.latest = task
	}
}

// become stages the state that a task gives itself.
func (i *invocation) become(tx *Tx, definition *TaskDefinition, task record.Task, next record.TaskState) error {
	state, err := i.allowed(definition, next)
	if err != nil {
		return err
	}
	if state.Status == record.Waiting || state.Status == record.Running && !sameJSON(state.Checkpoint, task.State.Checkpoint) {
		task.Restarts = 0
	}
	task.State = state
	return tx.replace(task)
}

// allowed returns a state in its stored form, or an [*InvalidError] for one that a
// task cannot give itself.
func (i *invocation) allowed(definition *TaskDefinition, next record.TaskState) (state record.TaskState, err error) {
	what := fmt.Sprintf("the next state of task %d", i.task)
	switch next.Status {
	case record.Running, record.Waiting:
		state = record.TaskState{Status: next.Status}
		if state.Checkpoint, err = definition.checkpoint(next.Checkpoint); err != nil || next.Status == record.Running {
			return state, err
		}
		switch {
		case i.aborting:
			return state, invalid(what, "its abort handler cannot wait for other tasks")
		case next.Policy != record.AllSettled && next.Policy != record.FailFast:
			return state, invalid(what, "its policy is %q, and must be %s or %s", next.Policy, record.AllSettled, record.FailFast)
		}
		state.On, state.Policy = append([]record.TaskID{}, next.On...), next.Policy
		return state, nil
	case record.Terminal:
		outcome, err := decided(what, next.Outcome)
		return record.TaskState{Status: record.Terminal, Outcome: outcome}, err
	}
	return state, invalid(what, "it is %q, and must be %s, %s or %s", next.Status, record.Running, record.Waiting, record.Terminal)
}

// decided returns an outcome that a task decides itself in its stored form.
func decided(what string, from *record.Outcome) (*record.Outcome, error) {
	if from == nil {
		return nil, invalid(what, "it has no outcome")
	}
	outcome := record.Outcome{Status: from.Status}
	switch from.Status {
	case record.Completed:
	case record.Failed:
		if from.Error == nil {
			return nil, invalid(what, "it is failed without an error")
		}
		failure := *from.Error
		if err := checkUTF8("the detail of the error in "+what, failure.Detail); err != nil {
			return nil, err
		}
		outcome.Error = &failure
	case record.Aborted:
		outcome.Reason = from.Reason
	default:
		return nil, invalid(what, "its outcome is %q, and must be %s, %s or %s", from.Status, record.Completed, record.Failed, record.Aborted)
	}
	if from.Result == nil && from.Status != record.Completed {
		return &outcome, nil
	}
	result, err := normalized("the result in "+what, from.Result)
	outcome.Result = result
	return &outcome, err
}

// Memo returns a small value that the task keeps under a name, as JSON, and whether
// there is one. Memos end with the task.
func (r *Runtime) Memo(ctx context.Context, name string) (json.RawMessage, bool, error) {
	task, err := r.self(ctx)
	if err != nil {
		return nil, false, err
	}
	memo, found := task.Memos[name]
	return memo, found, nil
}

// self returns the task as it is stored.
func (r *Runtime) self(ctx context.Context) (record.Task, error) {
	task, found, err := r.Task(ctx, r.TaskID())
	if err == nil && !found {
		err = &NotFoundError{What: "task", ID: int64(r.TaskID())}
	}
	return task, err
}
