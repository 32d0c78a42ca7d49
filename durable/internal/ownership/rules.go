package ownership

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// OwnerError says why a task cannot own something.
type OwnerError struct {
	Owner   record.TaskID
	Problem string
}

func (e *OwnerError) Error() string { return fmt.Sprintf("task %d %s", e.Owner, e.Problem) }

// WaitError says why a task cannot wait for another one.
type WaitError struct {
	Task, On record.TaskID
	Problem  string
}

func (e *WaitError) Error() string {
	return fmt.Sprintf("task %d cannot wait for task %d: %s", e.Task, e.On, e.Problem)
}

// MayOwn returns an [*OwnerError] when a task may own no new work, because the change
// leaves it completing, terminal or with an abort mark, or because it does not exist.
func (c *Change) MayOwn(id record.TaskID) error {
	n, err := c.task(id)
	if err != nil {
		return err
	}
	if n == nil {
		return &OwnerError{Owner: id, Problem: "does not exist"}
	}
	switch f := c.now(n); {
	case f.status == record.Completing || f.status == record.Terminal:
		return &OwnerError{Owner: id, Problem: fmt.Sprintf("is %s and cannot own new work", f.status)}
	case f.marked:
		return &OwnerError{Owner: id, Problem: "is abort-marked and cannot own new work"}
	}
	return nil
}

// Verify checks what the change adds, once all of it was put: that new work may be
// owned, and that new waits can end. It returns an [*OwnerError] or a [*WaitError]
// for the first conversation or else task, in the order in which they were put, that
// breaks a rule, or an error of [Records].
func (c *Change) Verify() error {
	for _, n := range c.created {
		if n.up.task {
			if err := c.MayOwn(record.TaskID(n.up.id)); err != nil {
				return fmt.Errorf("create conversation %d: %w", n.id, err)
			}
		}
	}
	for _, n := range c.order {
		f := c.put[n]
		if n.status == "" && f.live() && n.up.task {
			if err := c.MayOwn(record.TaskID(n.up.id)); err != nil {
				return fmt.Errorf("create task %d: %w", n.id, err)
			}
		}
		if f.status == record.Waiting && !f.waitsLike(&n.facts) {
			if err := c.mayWait(n, &f); err != nil {
				return err
			}
		}
	}
	return nil
}

// mayWait checks a wait (sections 5.1 and 5.5 of the specification): all that it
// names exists and is not the task itself or on its chain of owners, is owned when
// the wait fails fast, and does not wait for the task in turn.
func (c *Change) mayWait(n *node, f *facts) error {
	refuse := func(on record.TaskID, problem string) error {
		return &WaitError{Task: record.TaskID(n.id), On: on, Problem: problem}
	}
	chain := make(map[int64]bool)
	for owner := n.up; owner != nil; owner = owner.up {
		chain[owner.id] = owner.task
	}
	on := make(map[*node]bool)
	for _, id := range f.distinct() {
		member := c.find(int64(id))
		switch {
		case member == n:
			return refuse(id, "it is the task itself")
		case chain[int64(id)]:
			return refuse(id, "it is among the task's owners, which end after it")
		case member != nil && !member.task:
			return refuse(id, "it is not a task")
		case f.failFast && (member == nil || member.up != n):
			return refuse(id, fmt.Sprintf("it is not a task that the waiting one owns, which needs the policy %s", record.AllSettled))
		case member != nil:
			on[member] = true
			continue
		}
		if task, err := c.ended(id); err != nil {
			return err
		} else if task == nil {
			return refuse(id, "there is no such task")
		}
	}
	if member := c.circle(n, on); member != nil {
		return refuse(record.TaskID(member.id), "it waits for the task in turn")
	}
	return nil
}

// circle returns the oldest of the nodes on that cannot end before n does, if any: from n it
// goes back over those that wait. A task that has an intent or is reached by one is
// no obstacle, since it is aborted, and so is no owner that still runs, since it may
// yet abort what it owns.
func (c *Change) circle(n *node, on map[*node]bool) *node {
	stuck := false
	for member := range on {
		f := c.now(member)
		stuck = stuck || f.status == record.Waiting || f.status == record.Completing
	}
	if !stuck {
		return nil
	}
	waiters := c.putWaiters()
	seen := map[*node]bool{n: true}
	var found *node
	for behind := []*node{n}; len(behind) > 0; {
		n, behind = behind[len(behind)-1], behind[:len(behind)-1]
		c.waitFor(n, waiters, func(waiter *node) {
			if seen[waiter] || c.doomed(waiter) {
				return
			}
			seen[waiter] = true
			behind = append(behind, waiter)
			if on[waiter] && (found == nil || waiter.id < found.id) {
				found = waiter
			}
		})
	}
	return found
}

// putWaiters returns the waiting tasks that the change puts, by what they wait for.
func (c *Change) putWaiters() map[record.TaskID][]*node {
	waiters := make(map[record.TaskID][]*node)
	for _, n := range c.order {
		for _, id := range c.put[n].on {
			waiters[id] = append(waiters[id], n)
		}
	}
	return waiters
}

// waitFor calls visit with the tasks that wait for a task: the waiting ones, and the
// held ones that it is owned by.
func (c *Change) waitFor(n *node, waiters map[record.TaskID][]*node, visit func(*node)) {
	for e := n.waiters; e != nil; e = e.next {
		if _, put := c.put[e.waiter]; !put {
			visit(e.waiter)
		}
	}
	for _, waiter := range waiters[record.TaskID(n.id)] {
		visit(waiter)
	}
	for owner := range n.counted() {
		if f := c.now(owner); f.status == record.Completing {
			visit(owner)
		}
	}
}

// doomed says whether a task has an intent, or one above reaches it.
func (c *Change) doomed(n *node) bool {
	f := c.now(n)
	if f.intent() {
		return true
	}
	for ; !n.background && n.up != nil; n = n.up {
		if f := c.now(n.up); n.up.task && f.intent() {
			return true
		}
	}
	return false
}
