package ownership

import (
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// node is a task or a conversation. Its place in the tree never changes.
type node struct {
	id           int64
	conversation record.ConversationID // that a task is in, or the conversation itself
	task         bool
	background   bool
	facts        // of a task

	// up is the owner: a task, a task's conversation, or the top.
	up *node
	// down is the first of the owned nodes that the graph has, which are a list.
	down, next, prev *node

	below  int  // live tasks that ordinary traversal reaches below
	under  bool // an intent above reaches it
	joined bool // its owner waits for it, failing fast
	list   list // where it stands in what is due

	join    *join // of a waiting task: what it waits for
	waiters *edge // those that wait for it
	queued  int   // of a conversation: its queued inputs
}

// facts are what changes of a task.
type facts struct {
	status   record.Status // "" before the task is there
	marked   bool          // an abort is requested
	failing  bool          // a held or final outcome is not a completed one
	failFast bool
	on       []record.TaskID
}

func factsOf(task *record.Task) facts {
	f := facts{status: task.State.Status, marked: task.AbortRequested}
	switch outcome := task.State.Outcome; f.status {
	case record.Waiting:
		f.on, f.failFast = task.State.On, task.State.Policy == record.FailFast
	case record.Completing, record.Terminal:
		f.failing = outcome != nil && outcome.Status != record.Completed
	}
	return f
}

func (f *facts) live() bool { return f.status != "" && f.status.Live() }

// intent says whether the task's owned work is to be aborted.
func (f *facts) intent() bool { return f.live() && (f.marked || f.failing) }

// passes says whether an intent reaches what a node with these facts owns, given
// whether one reaches the node.
func (n *node) passes(f *facts, under bool) bool {
	return n.task && f.intent() || under && !n.background
}

// counted yields the owners that count a task among their ordinary owned work, or
// among what is live in them; then the top, unless a background task is between.
func (n *node) counted() iter.Seq[*node] {
	return func(yield func(*node) bool) {
		for ; !n.background && n.up != nil; n = n.up {
			if !yield(n.up) {
				return
			}
		}
	}
}

// walk calls enter with the nodes below, owners first; where it returns false, what
// the node owns is left out.
func (n *node) walk(enter func(*node) bool) {
	for at := n.down; at != nil; {
		if enter(at) && at.down != nil {
			at = at.down
			continue
		}
		for at != n && at.next == nil {
			at = at.up
		}
		if at == n {
			return
		}
		at = at.next
	}
}

// attach puts a node into the tree, and its owners. A node that was pruned does not
// come back.
func (g *Graph) attach(n *node) {
	if n == g.top || g.nodes[n.id] == n {
		return
	}
	g.attach(n.up)
	g.nodes[n.id] = n
	if n.next = n.up.down; n.next != nil {
		n.next.prev = n
	}
	n.up.down = n
	n.under = n.up.passes(&n.up.facts, n.up.under)
}

// prune takes a node out of the tree that has no part in it any more, and then its
// owners likewise.
func (g *Graph) prune(n *node) {
	for n != g.top && g.nodes[n.id] == n && n.down == nil && n.queued == 0 && !n.live() {
		if n.prev != nil {
			n.prev.next = n.next
		} else {
			n.up.down = n.next
		}
		if n.next != nil {
			n.next.prev = n.prev
		}
		delete(g.nodes, n.id)
		n = n.up
	}
}

// apply gives a task other facts. What it waits for is joined afterwards, when the
// facts of the whole change are there.
func (g *Graph) apply(n *node, f facts) {
	g.attach(n)
	old, passed := n.facts, n.passes(&n.facts, n.under)
	if n.join != nil && !f.waitsLike(&old) {
		g.leave(n)
	}
	n.facts = f
	if step := count(f.live()) - count(old.live()); step != 0 {
		for owner := range n.counted() {
			owner.below += step
			if owner.below == 0 || owner.below == step {
				g.place(owner)
			}
		}
	}
	g.tell(n, &old)
	if n.passes(&n.facts, n.under) != passed {
		g.spread(n)
	}
	g.place(n)
}

// spread tells what a node owns, all the way down, whether an intent reaches it.
func (g *Graph) spread(n *node) {
	for changed := []*node{n}; len(changed) > 0; {
		n, changed = changed[len(changed)-1], changed[:len(changed)-1]
		under := n.passes(&n.facts, n.under)
		for owned := n.down; owned != nil; owned = owned.next {
			if owned.under == under {
				continue
			}
			passed := owned.passes(&owned.facts, owned.under)
			owned.under = under
			g.place(owned)
			if owned.passes(&owned.facts, under) != passed {
				changed = append(changed, owned)
			}
		}
	}
}

func count(one bool) int {
	if one {
		return 1
	}
	return 0
}
