package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// ErrTaskAborted is the cause of the end of a phase's context when an abort of its
// task was requested.
var ErrTaskAborted = errors.New("the task is to be aborted")

// ErrRunAgain is for a phase that could not go on through no fault of the task: one
// that returns an error that is this goes back to its checkpoint and runs again, under
// the definition that there is then.
var ErrRunAgain = errors.New("the phase is to run again")

// InvocationEndedError is returned by what was asked of a [Runtime] whose task does
// not run there any more.
type InvocationEndedError struct {
	Task record.TaskID
	// Reason is why, like "its phase has returned".
	Reason string
}

func (e *InvocationEndedError) Error() string {
	return fmt.Sprintf("task %d does not run here any more: %s", e.Task, e.Reason)
}

func returned(task record.TaskID) error {
	return &InvocationEndedError{task, "its phase has returned"}
}

// invocation runs the phases of a task one after another, or its abort handler, on a
// goroutine that the scheduler waits for.
type invocation struct {
	session *Session
	task    record.TaskID
	// aborting says that it runs the abort handler.
	aborting bool
	// ctx is what phases run with. It ends when the invocation is signalled, and with
	// it.
	ctx    context.Context
	signal context.CancelCauseFunc
	done   chan struct{} // closed when it has ended

	mu   sync.Mutex
	over bool
	// latest is the task as it was adopted last, but for its abort mark: else only the
	// invocation changes it.
	latest record.Task
	// unstored counts its commits that are adopted and may not be stored.
	unstored int

	// left is what the task was when nothing more ran for it here.
	left record.Status
	// wanted says that the task became ready while the invocation was still there. The
	// scheduler's mutex guards it.
	wanted bool

	// kept is the newest definition that did not take the task over, while the
	// invocation goes on under an older one; unfit says that there is one, or none.
	kept  *TaskDefinition
	unfit bool
}

// phase is one call of a phase, or of the abort handler.
type phase struct {
	task       record.Task // when it began
	definition *TaskDefinition
	from       *lease // what the definition was taken from
}

// usable returns an [*InvocationEndedError] once the invocation has ended.
func (i *invocation) usable() error {
	i.mu.Lock()
	defer i.mu.Unlock()
	if i.over {
		return returned(i.task)
	}
	return nil
}

// run goes on from a reservation, once that is stored.
func (i *invocation) run(first *phase, reserved *batch) {
	defer i.end()
	<-reserved.done
	if reserved.err != nil {
		first.from.Release()
		return
	}
	for at := i.begin(first); at != nil; {
		at = i.follow(at, i.call(at))
	}
}

// end makes the invocation useless and gives its task back to the scheduler.
func (i *invocation) end() {
	i.mu.Lock()
	i.over = true
	i.mu.Unlock()
	i.signal(returned(i.task))
	i.session.scheduler.forget(i)
	close(i.done)
}

// call runs a phase.
func (i *invocation) call(p *phase) error {
	call := p.definition.Abort
	if !i.aborting {
		name, err := storedPhase(p.task)
		if err != nil {
			return fmt.Errorf("checkpoint of task %d: %w", i.task, err)
		}
		if call = p.definition.Phases[name]; call == nil {
			return fmt.Errorf("the task %q has no phase %q", p.definition.Name, name)
		}
	}
	runtime := &Runtime{invocation: i, phase: p}
	defer runtime.close()
	return apart(func() error { return call(i.ctx, runtime) })
}

// goesOn says whether the task still runs here: the first three rules before a phase
// (section 5.1 of the pi-durable specification). The caller holds the line.
func (i *invocation) goesOn() bool {
	if i.session.usable() != nil {
		return false
	}
	i.left = i.session.graph.Status(i.task)
	return i.left == record.Running && (i.aborting || !i.session.graph.Marked(i.task))
}

// now returns the task as it is, but for its abort mark, and whether that is stored.
func (i *invocation) now() (task record.Task, stored bool) {
	i.mu.Lock()
	defer i.mu.Unlock()
	return i.latest, i.unstored == 0
}

// begin returns the first phase, unless there is none to run.
func (i *invocation) begin(first *phase) *phase {
	goes := false
	_, err := i.session.onLine(context.Background(), func() error {
		goes = i.goesOn()
		return nil
	})
	if err != nil || !goes {
		first.from.Release()
		return nil
	}
	return first
}

// follow decides what comes after a phase, which failed when failed is not nil: the
// next phase, or none.
func (i *invocation) follow(p *phase, failed error) (next *phase) {
	s := i.session
	definitions := s.leased()
	defer definitions.Release()
	defer p.from.Release()
	goes, stored := false, true
	newest, err := s.onLine(context.Background(), func() error {
		if goes = i.goesOn(); goes && failed == nil && !i.aborting {
			next, stored = i.same(p, definitions)
		}
		return nil
	})
	switch {
	case err != nil || !goes:
		return nil
	case next == nil:
		return i.decide(p, definitions, failed)
	case !stored:
		<-newest.done
		return i.unless(newest.err, next)
	}
	return next
}

// same returns the phase after p when the task got on and its definition is the same,
// and whether what it begins with is stored.
func (i *invocation) same(p *phase, definitions *lease) (next *phase, stored bool) {
	task, stored := i.now()
	definition, reason := fitting(definitions, task)
	if reason != "" || definition != p.definition || sameJSON(task.State.Checkpoint, p.task.State.Checkpoint) {
		return nil, stored
	}
	i.unfit = false
	return &phase{task, definition, definitions.retain()}, stored
}

// unless returns the next phase, and none when the step to it was not stored.
func (i *invocation) unless(err error, next *phase) *phase {
	if err == nil {
		return next
	}
	if next != nil {
		next.from.Release()
	}
	i.session.scheduler.failed(i.task, err)
	return nil
}

// decide is for what does not just go on: the task is faulted, or taken over by
// another definition.
func (i *invocation) decide(p *phase, definitions *lease, failed error) (next *phase) {
	s := i.session
	var unfit error
	var rejected *storage.RejectedError
	noRoom := errors.As(failed, &rejected)
	if noRoom {
		i.pause(failed)
	}
	err := s.commit(context.Background(), scope{unlimited: true}, func(ctx context.Context, tx *Tx) error {
		if !i.goesOn() {
			return nil
		}
		task, _, err := tx.Task(i.task)
		switch {
		case err != nil:
			return err
		case noRoom, errors.Is(failed, ErrRunAgain): // nothing was its fault
			task.State.Status = record.Pending
			return tx.replace(task)
		case failed != nil:
		case i.aborting:
			failed = errors.New("its abort handler returned without an outcome")
		case sameJSON(task.State.Checkpoint, p.task.State.Checkpoint):
			failed = errors.New("its phase returned without durable progress")
		default:
			var handover bool
			if next, handover, unfit = i.under(p, definitions, task); handover {
				task.State.Status = record.Pending
				return tx.replace(task)
			}
			return nil
		}
		return s.settle(ctx, tx, task, record.Outcome{Status: record.Faulted, Error: &record.TaskError{Message: failed.Error()}})
	})
	if unfit != nil {
		s.report(unfit)
	}
	if errors.As(err, &rejected) && s.usable() == nil {
		i.pause(err)
		return i.decide(p, definitions, failed)
	}
	return i.unless(err, next)
}

// pause reports that the storage has no room, and waits until it is tried again, or
// the invocation is signalled.
func (i *invocation) pause(why error) {
	i.session.report(why)
	passed := make(chan struct{})
	defer i.session.options.Clock.AfterFunc(retry, func() { close(passed) })()
	select {
	case <-passed:
	case <-i.ctx.Done():
	}
}

// under returns the phase after p with the definition that it runs under: the one
// that is there now. Another definition than before takes the task over in another
// invocation; when none that is there can, the old one goes on, which is told once.
func (i *invocation) under(p *phase, now *lease, task record.Task) (next *phase, handover bool, unfit error) {
	definition, reason := fitting(now, task)
	switch {
	case definition == p.definition && reason == "":
		i.unfit = false
		return &phase{task, definition, now.retain()}, false, nil
	case reason == "":
		return nil, true, nil
	}
	if !i.unfit || i.kept != definition {
		unfit = &UnfitError{Task: task.ID, Kind: task.Kind, Reason: reason}
	}
	i.unfit, i.kept = true, definition
	return &phase{task, p.definition, p.from.retain()}, false, unfit
}

// UnfitError tells that a running task goes on under the definition that it began
// with, because the one that is there now cannot take it over.
type UnfitError struct {
	Task   record.TaskID
	Kind   string
	Reason BlockedReason
}

func (e *UnfitError) Error() string {
	return fmt.Sprintf("task %d goes on under the old definition of %q: %s", e.Task, e.Kind, e.Reason)
}

// replace stages another state of a task.
func (tx *Tx) replace(task record.Task) error {
	return tx.write(func(table.Reader) error {
		tx.staged.tasks.put(task.ID, task, false)
		return nil
	})
}

// settle stages an outcome that the task did not decide itself. What its own code
// would have cleaned up is, unless the outcome is held until what is below has ended.
func (s *Session) settle(ctx context.Context, tx *Tx, task record.Task, outcome record.Outcome) error {
	task.State = record.TaskState{Status: record.Terminal, Outcome: &outcome}
	if err := tx.replace(task); err != nil {
		return err
	}
	if s.graph.LiveBelow(task.ID) > 0 {
		return nil
	}
	var err error
	if s.options.Settled != nil {
		inside, cancel := context.WithCancel(ctx)
		off := tx.limit(cancel)
		err = apart(func() error { return s.options.Settled(inside, tx, task) })
		off()
		cancel()
	}
	if err == nil {
		err = tx.releaseRun(task, outcome)
	}
	if err != nil {
		return &cleanupError{task.ID, fmt.Errorf("clean up after task %d, which is %s: %w", task.ID, outcome.Status, err)}
	}
	return nil
}

// cleanupError is a failure of [Options.Settled].
type cleanupError struct {
	task record.TaskID
	err  error
}

func (e *cleanupError) Error() string { return e.err.Error() }

func (e *cleanupError) Unwrap() error { return e.err }
