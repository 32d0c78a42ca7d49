package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// reserve has tasks run that can: what is pending, or waits for nothing any more,
// becomes running with an invocation of its own.
func (p *pass) reserve(tx *Tx, r table.Reader) error {
	for ; len(p.due.ready) > 0 && p.settled(); p.due.ready = p.due.ready[1:] {
		id := p.due.ready[0]
		graph := p.session.graph
		run, abort := graph.DueRun(id), graph.DueAbort(id)
		cut := graph.Status(id) == record.Running
		if !run && !abort && !cut || p.busy(id) {
			continue
		}
		task, err := tx.task(r, id)
		if err != nil {
			return err
		}
		switch {
		case p.isBroken(id) && !task.AbortRequested:
		case cut && task.State.Status == record.Running:
			// Its invocation has ended, because of an abort. What is to be done with it is
			// seen once it is pending.
			task.State = record.TaskState{Status: record.Pending, Checkpoint: task.State.Checkpoint}
			p.put(tx, task)
		case cut || task.State.Status == record.Running:
		default:
			if later, err := p.ready(tx, r, task); later || err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *pass) isBroken(id record.TaskID) bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.broken[id]
}

// ready reserves a task, unless it is blocked. It says whether the task must be left
// to a pass of its own.
func (p *pass) ready(tx *Tx, r table.Reader, task record.Task) (later bool, err error) {
	definition, reason := fitting(p.definitions, task)
	var failed error
	if reason == "" && p.session.parked(task) {
		reason = RestartLimit
	}
	if reason == "" && definition.Version > task.Version {
		m := p.migration(task.ID)
		switch {
		case m == nil || !m.fits(definition, task):
			p.older = append(p.older, older{definition, task})
			return false, nil
		case !m.done:
			return false, nil
		case m.err != nil:
			reason, failed = MigrationFailed, m.err
		default:
			task.Version, task.Input, task.State.Checkpoint = definition.Version, m.input, m.checkpoint
		}
	}
	if reason == "" {
		p.start(tx, definition, task)
		return false, nil
	}
	abandoned, err := p.abandoned(tx, r, task)
	switch {
	case err != nil:
		return false, err
	case !task.AbortRequested || abandoned:
		p.blocks = append(p.blocks, block{definition, abandoned, BlockedError{Task: task.ID, Kind: task.Kind, Reason: reason, Err: failed}})
		return false, nil
	case p.wrote > 0:
		return true, nil
	}
	task.State.Outcome = &record.Outcome{Status: record.Orphaned, Reason: string(reason)}
	p.end(task)
	return false, nil
}

// abandoned says whether a task is aborted because of a restart and for no other
// reason: its abort waits for a definition that can take it.
func (p *pass) abandoned(tx *Tx, r table.Reader, task record.Task) (bool, error) {
	for task.AbortRequested && task.AbortReason == AbortedByRestart && !failing(task) {
		above, found := p.session.graph.Intent(task.ID)
		if !found {
			return true, nil
		}
		var err error
		if task, err = tx.task(r, above); err != nil {
			return false, err
		}
	}
	return false, nil
}

// start makes the invocation of a task.
func (p *pass) start(tx *Tx, definition *TaskDefinition, task record.Task) {
	task.State = record.TaskState{Status: record.Running, Checkpoint: task.State.Checkpoint}
	p.put(tx, task)
	ctx, signal := context.WithCancelCause(p.ctx)
	i := &invocation{
		session: p.session, task: task.ID, aborting: task.AbortRequested,
		ctx: ctx, signal: signal, done: make(chan struct{}), left: record.Running,
	}
	p.starts = append(p.starts, start{i, &phase{task, definition, p.definitions.retain()}})
}

// block is why a task does not run, and the definition that cannot take it.
type block struct {
	definition *TaskDefinition
	abandoned  bool // it is to be aborted, because of a restart and for no other reason
	why        BlockedError
}

// block notes why a task does not run. What somebody can do something about is told,
// once. The scheduler's mutex is held.
func (p *pass) block(now block) {
	id := now.why.Task
	before, again := p.blocked[id]
	p.blocked[id] = now
	if now.abandoned {
		p.scheduler.abandoned[id] = true
	}
	if p.redefined != p.of {
		p.again = append(p.again, id)
	}
	switch now.why.Reason {
	case RestartLimit:
		again = again && before.why.Reason == RestartLimit
	case MigrationFailed:
		again = again && before.why.Reason == MigrationFailed && before.definition == now.definition
	default:
		return
	}
	if !again {
		p.reports = append(p.reports, &now.why)
	}
}
