package ownership

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// DueMark says whether a task is among those that [Due] has marked.
func (g *Graph) DueMark(id record.TaskID) bool { return g.stands(int64(id), mark) }

// DueFinish says whether a task is among those that [Due] has finished.
func (g *Graph) DueFinish(id record.TaskID) bool { return g.stands(int64(id), finish) }

// DueRun says whether a task is among those whose next phase [Due] has run.
func (g *Graph) DueRun(id record.TaskID) bool { return g.stands(int64(id), run) }

// DueAbort says whether a task is among those whose abort handler [Due] has run.
func (g *Graph) DueAbort(id record.TaskID) bool { return g.stands(int64(id), abort) }

// DueWithdraw says whether a conversation is among those whose queued inputs [Due]
// has withdrawn.
func (g *Graph) DueWithdraw(id record.ConversationID) bool { return g.stands(int64(id), withdraw) }

func (g *Graph) stands(id int64, at list) bool {
	n := g.nodes[id]
	return n != nil && n.list == at
}

// Intent returns the nearest task above a live one whose intent reaches it, and
// whether there is one.
func (g *Graph) Intent(id record.TaskID) (record.TaskID, bool) {
	for n := g.nodes[int64(id)]; n != nil && n.up != nil && !n.background; n = n.up {
		if n.up.task && n.up.intent() {
			return record.TaskID(n.up.id), true
		}
	}
	return 0, false
}

// WaitsFor returns the live tasks that a task still waits for, in id order: those that
// a waiting one names or, when it is to be aborted, its ordinary owned work.
func (g *Graph) WaitsFor(id record.TaskID) []record.TaskID {
	n := g.nodes[int64(id)]
	switch {
	case n == nil || !n.live():
		return nil
	case n.marked:
		return n.reach(false).Tasks
	case n.join == nil:
		return nil
	}
	var found []record.TaskID
	for i := range n.join.edges {
		if member := n.join.edges[i].member; member != nil {
			found = append(found, record.TaskID(member.id))
		}
	}
	return found
}

// Drained returns the conversations in which the change ends the last live task that
// ordinary traversal reaches, in id order, and whether it does so for all that
// nobody owns together, which makes the session idle. It is for before
// [Change.Adopt].
func (c *Change) Drained() (conversations []record.ConversationID, everywhere bool) {
	for n, step := range c.steps {
		switch {
		case step >= 0 || n.below+step != 0 || n.task:
		case n == c.graph.top:
			everywhere = true
		default:
			conversations = append(conversations, record.ConversationID(n.id))
		}
	}
	slices.Sort(conversations)
	return conversations, everywhere
}

// Status returns where a live task stands, and "" for one that is not live.
func (g *Graph) Status(id record.TaskID) record.Status {
	n := g.nodes[int64(id)]
	if n == nil || !n.live() {
		return ""
	}
	return n.status
}

// Marked says whether an abort of a live task is requested.
func (g *Graph) Marked(id record.TaskID) bool {
	n := g.nodes[int64(id)]
	return n != nil && n.live() && n.marked
}

// Fresh says whether [Graph.TakeDue] would return anything.
func (g *Graph) Fresh() bool {
	return slices.ContainsFunc(g.fresh[:], func(ids map[int64]struct{}) bool { return len(ids) > 0 })
}

// Owned returns the live tasks that a task owns itself, in id order.
func (g *Graph) Owned(id record.TaskID) []record.TaskID {
	n := g.nodes[int64(id)]
	if n == nil {
		return nil
	}
	var found []record.TaskID
	for owned := n.down; owned != nil; owned = owned.next {
		if owned.live() {
			found = append(found, record.TaskID(owned.id))
		}
	}
	slices.Sort(found)
	return found
}
