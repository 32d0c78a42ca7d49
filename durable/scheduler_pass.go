package durable

import (
	"context"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// pass is one commit of the scheduler.
type pass struct {
	*scheduler
	definitions *lease
	of          int // the changes that the definitions surely have
	// due is what is left when the commit was adopted. Until then nobody knows anything
	// of the pass, and another may do it all again.
	due queue
	// marked says that it marks tasks. What follows from that is seen by the next.
	marked bool
	// wrote counts the tasks and submissions that it writes, and bytes what the tasks
	// take; last is the newest of them.
	wrote, bytes int
	last         record.TaskID
	// withdraws is the conversation whose inputs it withdrew last; 0 for none.
	withdraws record.ConversationID
	// ending is an outcome of the scheduler's own that has been held.
	ending *record.Task
	starts []start
	// older are tasks that need a migration first, and blocks those that cannot run.
	older  []older
	blocks []block
	// reports are what is told of them.
	reports []error
}

// start is an invocation that is reserved.
type start struct {
	invocation *invocation
	first      *phase
}

// older is a task whose definition is newer.
type older struct {
	definition *TaskDefinition
	of         record.Task
}

// manyBytes is how much a pass writes before it leaves the rest to the next.
const manyBytes = 512 << 10

// commit adopts what the pass does. The batch is nil when that is nothing.
func (p *pass) commit() (*batch, error) {
	s := p.session
	if err := s.line.acquire(context.Background()); err != nil {
		return nil, err
	}
	return s.transact(context.Background(), scope{unlimited: true}, p.decide)
}

func (p *pass) decide(ctx context.Context, tx *Tx) error {
	p.take()
	if p.due = p.scheduler.due; p.due.empty() {
		return nil
	}
	if err := p.write(tx, p.recover, p.abandon, p.mark); err != nil {
		return err
	}
	if err := p.withdrawDue(tx); err != nil {
		return err
	}
	tx.staged.after = append(tx.staged.after, func() { p.register(tx) })
	if err := p.write(tx, p.finish, p.reserve); err != nil {
		return err
	}
	if p.ending != nil {
		return p.session.settle(ctx, tx, *p.ending, *p.ending.State.Outcome)
	}
	return nil
}

// withdrawDue withdraws the inputs that nobody will answer.
func (p *pass) withdrawDue(tx *Tx) error {
	for len(p.due.withdraw) > 0 && !p.full() {
		conversation := p.due.withdraw[0]
		p.due.withdraw = p.due.withdraw[1:]
		if !p.session.graph.DueWithdraw(conversation) {
			continue
		}
		taken, more, err := tx.withdrawInputs(conversation, record.MaxID, p.limit-p.wrote)
		if err != nil {
			return &withdrawError{conversation, err}
		}
		p.wrote += taken
		if taken > 0 {
			p.withdraws = conversation
		}
		if more { // the pass is full
			p.due.withdraw = append([]record.ConversationID{conversation}, p.due.withdraw...)
		}
	}
	return nil
}

// withdrawError is why the inputs that wait in a conversation cannot be withdrawn,
// which is nobody else's concern.
type withdrawError struct {
	conversation record.ConversationID
	err          error
}

func (e *withdrawError) Error() string {
	return fmt.Sprintf("the inputs that wait in conversation %d stay there until the session is opened again: %s", e.conversation, e.err)
}

func (e *withdrawError) Unwrap() error { return e.err }

// write does one thing after another to the tables.
func (p *pass) write(tx *Tx, parts ...func(*Tx, table.Reader) error) error {
	return tx.write(func(r table.Reader) error {
		for _, do := range parts {
			if err := do(tx, r); err != nil {
				return err
			}
		}
		return nil
	})
}

// take adds what became due to the queue.
func (p *pass) take() {
	c := p.scheduler
	due := p.session.graph.TakeDue()
	c.mu.Lock()
	again := append(c.again, c.migrations.next()...)
	c.again = nil
	c.mu.Unlock()
	slices.Sort(again)
	again = slices.Compact(again)
	q := &c.due
	q.marks = append(q.marks, due.Mark...)
	q.withdraw = append(q.withdraw, due.Withdraw...)
	q.finish = append(q.finish, due.Finish...)
	q.ready = append(append(append(q.ready, again...), due.Run...), due.Abort...)
}

// full says whether the rest is left to the next pass.
func (p *pass) full() bool { return p.wrote >= p.limit || p.bytes >= manyBytes }

// put stages a task. The transaction's mutex is held.
func (p *pass) put(tx *Tx, task record.Task) {
	tx.staged.tasks.put(task.ID, task, false)
	p.wrote++
	p.last = task.ID
	p.bytes += sizeOf(task)
}

// sizeOf estimates what a task takes.
func sizeOf(task record.Task) int {
	size := 300 + len(task.Input) + len(task.State.Checkpoint) + 10*len(task.State.On)
	for name, memo := range task.Memos {
		size += len(name) + len(memo)
	}
	return size
}

// abandon marks the tasks that a restart aborts.
func (p *pass) abandon(tx *Tx, r table.Reader) error {
	for ; len(p.due.restarts) > 0 && !p.full(); p.due.restarts = p.due.restarts[1:] {
		task, err := tx.task(r, p.due.restarts[0])
		if err != nil {
			return err
		}
		if task.State.Status.Live() && !task.AbortRequested {
			task.AbortRequested, task.AbortReason = true, AbortedByRestart
			p.put(tx, task)
			p.marked = true
		}
	}
	return nil
}

// AbortedByRestart is the AbortReason of a task that a restart aborts; see
// [TaskOptions].
const AbortedByRestart = "restart"

// mark marks what an intent reaches, and other members of a join that fails fast. A
// restart is passed down as the reason.
func (p *pass) mark(tx *Tx, r table.Reader) error {
	graph := p.session.graph
	for ; len(p.due.marks) > 0 && p.proceeds(); p.due.marks = p.due.marks[1:] {
		id := p.due.marks[0]
		if !graph.DueMark(id) {
			continue
		}
		task, err := tx.task(r, id)
		if err != nil {
			return err
		}
		if task.AbortRequested {
			continue
		}
		if above, found := graph.Intent(id); found {
			owner, err := tx.task(r, above)
			if err != nil {
				return err
			}
			if !failing(owner) {
				task.AbortReason = owner.AbortReason
			}
		}
		task.AbortRequested = true
		p.put(tx, task)
		p.marked = true
	}
	return nil
}

// failing says whether a task holds an outcome that aborts what it owns.
func failing(task record.Task) bool {
	return task.State.Outcome != nil && task.State.Outcome.Status != record.Completed
}

// proceeds says whether the pass goes on with what comes after a restart.
func (p *pass) proceeds() bool {
	return len(p.due.cut)+len(p.due.restarts) == 0 && p.ending == nil && !p.full()
}

// settled says whether tasks may be started: not before all is marked that is to be.
func (p *pass) settled() bool {
	return !p.marked && len(p.due.marks) == 0 && p.withdrawn() && p.proceeds()
}

// withdrawn says whether no inputs are to be withdrawn any more, which is not known
// once their owner has ended.
func (p *pass) withdrawn() bool { return len(p.due.withdraw) == 0 }

// finish ends tasks whose outcome was held. One that nobody's code decided has a
// commit of its own, with its cleanup.
func (p *pass) finish(tx *Tx, r table.Reader) error {
	for ; len(p.due.finish) > 0 && p.withdrawn() && p.proceeds(); p.due.finish = p.due.finish[1:] {
		if !p.session.graph.DueFinish(p.due.finish[0]) {
			continue
		}
		task, err := tx.task(r, p.due.finish[0])
		if err != nil {
			return err
		}
		if task.State.Status != record.Completing {
			continue
		}
		if status := task.State.Outcome.Status; status == record.Faulted || status == record.Orphaned {
			if p.wrote > 0 {
				return nil
			}
			p.end(task)
			continue
		}
		task.State.Status = record.Terminal
		p.put(tx, task)
	}
	return nil
}

// end has the pass settle one task and nothing else.
func (p *pass) end(task record.Task) {
	p.ending, p.last, p.wrote = &task, task.ID, 1
}

// register makes known what is adopted: the invocations that are reserved, and why
// other tasks do not run.
func (p *pass) register(tx *Tx) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, start := range p.starts {
		id := start.invocation.task
		start.first.task, _ = tx.staged.tasks.get(id)
		start.invocation.latest = start.first.task
		p.invocations[id] = start.invocation
		delete(p.blocked, id)
		delete(p.scheduler.abandoned, id)
		delete(p.migrations.of, id)
	}
	for _, one := range p.blocks {
		p.block(one)
	}
}
