package durable

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Scheduling says whether a session runs tasks.
type Scheduling string

// The states of a session's scheduling.
const (
	// Paused is before the first call that asks for progress.
	Paused Scheduling = "paused"
	// Scheduled runs tasks.
	Scheduled Scheduling = "running"
	// Closing starts nothing any more.
	Closing Scheduling = "closing"
)

// scheduler has what is due done: one goroutine makes the commits that follow from
// others, reserves tasks that can run, and starts an invocation for each.
type scheduler struct {
	session *Session
	// work has one token while there may be something to do.
	work chan struct{}
	// ctx is above all invocations' contexts; stop ends it with a cause.
	ctx  context.Context
	stop context.CancelCauseFunc
	loop sync.WaitGroup
	// running are the invocations. Only the loop adds to them.
	running sync.WaitGroup

	mu          sync.Mutex
	state       Scheduling
	invocations map[record.TaskID]*invocation
	// again are tasks to be looked at anew.
	again []record.TaskID
	// redefined counts the changes of the definitions.
	redefined int
	// blocked are the tasks that could run but for a reason.
	blocked map[record.TaskID]block
	// abandoned are those of them that a restart aborts, which is for nothing once
	// somebody else does.
	abandoned  map[record.TaskID]bool
	migrations migrations
	// broken are tasks whose end could not be written. They are left alone until the
	// session is opened again.
	broken map[record.TaskID]bool

	// due is what the loop has still to do, limit how many tasks it writes at once, and
	// calm stops the timer of its next try. They are the loop's own.
	due   queue
	limit int
	calm  func() bool
}

// queue is what is left to be done, in the order in which it became due.
type queue struct {
	cut      []record.TaskID // were running when the process ended
	restarts []record.TaskID // to be aborted because of a restart
	marks    []record.TaskID
	withdraw []record.ConversationID
	finish   []record.TaskID
	ready    []record.TaskID
}

func (q *queue) empty() bool {
	return len(q.cut)+len(q.restarts)+len(q.marks)+len(q.withdraw)+len(q.finish)+len(q.ready) == 0
}

// remove takes a task out. The others stay, whatever was thought of them in a pass that
// failed.
func (q *queue) remove(task record.TaskID) {
	for _, list := range []*[]record.TaskID{&q.cut, &q.restarts, &q.marks, &q.finish, &q.ready} {
		*list = slices.DeleteFunc(*list, func(id record.TaskID) bool { return id == task })
	}
}

// most is how many tasks one commit of the scheduler writes.
const most = 256

func newScheduler(s *Session) *scheduler {
	ctx, stop := context.WithCancelCause(context.Background())
	return &scheduler{
		session: s, work: make(chan struct{}, 1), ctx: ctx, stop: stop, state: Paused, limit: most,
		invocations: make(map[record.TaskID]*invocation),
		blocked:     make(map[record.TaskID]block),
		abandoned:   make(map[record.TaskID]bool),
		migrations:  migrations{of: make(map[record.TaskID]*taskMigration)},
		broken:      make(map[record.TaskID]bool),
		calm:        func() bool { return false },
	}
}

// Resume has the session run tasks, if it does not yet: what was going on when it was
// closed, or cut off, and what is made from now on. Calls that wait for progress do so
// too. It waits for nothing: a storage that takes no commits is reported and tried
// again. It returns [ErrClosed] or a [*FailedError] once the session has ended.
func (s *Session) Resume() error {
	if err := s.usable(); err != nil {
		return err
	}
	c := s.scheduler
	c.mu.Lock()
	defer c.mu.Unlock()
	switch c.state {
	case Paused:
		c.state = Scheduled
		c.loop.Go(c.run)
	case Closing:
		return ErrClosed
	}
	return nil
}

// progress resumes, unless the session has ended.
func (s *Session) progress() { _ = s.Resume() }

// wake has the loop look for something to do.
func (c *scheduler) wake() {
	select {
	case c.work <- struct{}{}:
	default:
	}
}

// run is the loop. It ends with the session.
func (c *scheduler) run() {
	s := c.session
	defer s.options.Definitions.Subscribe(c.redefine)()
	defer func() { c.calm() }()
	for {
		for more := true; more; {
			select {
			case <-s.ended:
				more = false
			default:
				more = c.pass()
			}
		}
		select {
		case <-c.work:
		case <-s.ended:
			c.stop(s.usable())
			return
		}
	}
}

// end waits until nothing runs any more. The session has ended.
func (c *scheduler) end() {
	c.mu.Lock()
	c.state = Closing
	c.mu.Unlock()
	c.loop.Wait()
	c.running.Wait()
}

// redefine has tasks looked at anew that are blocked, or older.
func (c *scheduler) redefine() {
	c.mu.Lock()
	c.redefined++
	for id := range c.blocked {
		c.again = append(c.again, id)
	}
	c.again = append(c.again, c.migrations.unsettled()...)
	c.mu.Unlock()
	c.wake()
}

// look has a task looked at anew.
func (c *scheduler) look(id record.TaskID) {
	c.mu.Lock()
	c.again = append(c.again, id)
	c.mu.Unlock()
	c.wake()
}

// invocation returns what runs a task; nil when nothing does.
func (c *scheduler) invocation(id record.TaskID) *invocation {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.invocations[id]
}

// forget takes an invocation out that has ended, and has its task looked at unless
// there is nothing to do, or will be known by itself.
func (c *scheduler) forget(i *invocation) {
	c.mu.Lock()
	delete(c.invocations, i.task)
	again := i.wanted || i.left == record.Running
	c.mu.Unlock()
	if again {
		c.look(i.task)
	}
}

// busy says whether a task has an invocation, which has it looked at again when it
// ends.
func (c *scheduler) busy(id record.TaskID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	i := c.invocations[id]
	if i != nil {
		i.wanted = true
	}
	return i != nil
}

// failed deals with an error of a commit about a task that its code has no part in.
func (c *scheduler) failed(id record.TaskID, err error) {
	if c.session.usable() != nil {
		return
	}
	c.mu.Lock()
	c.broken[id] = true
	c.mu.Unlock()
	c.session.report(err)
}

// stored tells of tasks whose new states are stored.
func (c *scheduler) stored(tasks changes[record.TaskID, record.Task]) {
	intent := false
	for _, id := range tasks.order {
		task := tasks.rows[id].row
		intent = intent || task.AbortRequested || failing(task)
		switch {
		case task.State.Status == record.Terminal:
			c.session.ends.deliver(task)
			c.drop(id)
		case task.AbortRequested:
			if i := c.invocation(id); i != nil && !i.aborting {
				i.signal(ErrTaskAborted)
			}
		}
	}
	if intent {
		c.reconsider()
	}
}

// reconsider has tasks looked at anew whose abort may be for another reason now.
func (c *scheduler) reconsider() {
	c.mu.Lock()
	some := len(c.abandoned) > 0
	for id := range c.abandoned {
		c.again = append(c.again, id)
	}
	clear(c.abandoned)
	c.mu.Unlock()
	if some {
		c.wake()
	}
}

// drop forgets what is known of a task that has ended.
func (c *scheduler) drop(id record.TaskID) {
	c.mu.Lock()
	defer c.mu.Unlock()
	delete(c.blocked, id)
	delete(c.abandoned, id)
	delete(c.migrations.of, id)
	delete(c.broken, id)
}

// pass makes one commit of what is due, and says whether there may be more.
func (c *scheduler) pass() (more bool) {
	c.mu.Lock()
	p := &pass{scheduler: c, of: c.redefined}
	c.mu.Unlock()
	p.definitions = c.session.leased()
	defer p.definitions.Release()
	reserved, err := p.commit()
	if err != nil {
		return p.failed(err)
	}
	c.limit = most
	c.due = p.due
	for _, start := range p.starts {
		c.running.Go(func() { start.invocation.run(start.first, reserved) })
	}
	p.migrate()
	for _, report := range p.reports {
		c.session.report(report)
	}
	return !c.due.empty() || c.looks()
}

// looks says whether there are tasks to be looked at anew.
func (c *scheduler) looks() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.again) > 0 || len(c.migrations.later) > 0 && c.migrations.underway < crowded
}

// retry is how long the scheduler waits when the storage takes no commits.
const retry = time.Second

// failed deals with an error of a pass's commit, and says whether to try again.
func (p *pass) failed(err error) (more bool) {
	c, s := p.scheduler, p.session
	for _, start := range p.starts {
		start.invocation.signal(err)
		start.first.from.Release()
	}
	var large *storage.TooLargeError
	var rejected *storage.RejectedError
	var cleanup *cleanupError
	var withdrawal *withdrawError
	switch {
	case s.usable() != nil:
		return false
	case errors.As(err, &cleanup):
		c.failed(cleanup.task, cleanup.err)
		c.due.remove(cleanup.task)
		return true
	case errors.As(err, &rejected):
		s.report(err)
		c.calm()
		c.calm = s.options.Clock.AfterFunc(retry, c.wake)
		return false
	case (errors.As(err, &large) || p.withdraws != 0) && p.wrote > 1:
		c.limit = p.wrote / 2
		return true
	case errors.As(err, &withdrawal):
		c.setAside(withdrawal.conversation)
		s.report(err)
		return true
	case p.withdraws != 0 && p.wrote == 1:
		c.setAside(p.withdraws)
		s.report(&withdrawError{p.withdraws, err})
		return true
	case p.ending != nil || errors.As(err, &large) && p.wrote == 1:
		c.failed(p.last, err)
		c.due.remove(p.last)
		return true
	}
	s.fail(err)
	return false
}

// setAside leaves the inputs alone that wait in a conversation.
func (c *scheduler) setAside(conversation record.ConversationID) {
	c.due.withdraw = slices.DeleteFunc(c.due.withdraw, func(id record.ConversationID) bool { return id == conversation })
}
