package ownership

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Reach is what a traversal finds, each list in id order.
type Reach struct {
	// Tasks are the live ones.
	Tasks []record.TaskID
	// Queued are the conversations with queued inputs.
	Queued []record.ConversationID
}

// Reach returns what traversal finds from a conversation, itself included: what an
// abort of it selects. Background tasks and all below them are left out, unless
// background is set.
func (g *Graph) Reach(id record.ConversationID, background bool) Reach {
	n := g.nodes[int64(id)]
	if n == nil {
		return Reach{}
	}
	return n.reach(background)
}

func (n *node) reach(background bool) Reach {
	var found Reach
	enter := func(at *node) bool {
		switch {
		case at.background && !background:
			return false
		case at.queued > 0:
			found.Queued = append(found.Queued, record.ConversationID(at.id))
		case at.live():
			found.Tasks = append(found.Tasks, record.TaskID(at.id))
		}
		return true
	}
	if !n.task {
		enter(n)
	}
	n.walk(enter)
	slices.Sort(found.Tasks)
	slices.Sort(found.Queued)
	return found
}

// LiveTasks returns the live tasks, in id order. It costs as many.
func (g *Graph) LiveTasks() []record.TaskID {
	var live []record.TaskID
	for id, n := range g.nodes {
		if n.live() {
			live = append(live, record.TaskID(id))
		}
	}
	slices.Sort(live)
	return live
}
