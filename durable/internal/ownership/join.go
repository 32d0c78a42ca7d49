package ownership

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// join is what a waiting task waits for.
type join struct {
	edges  []edge // to the tasks that were live when it began, in id order
	live   int    // how many of these still are
	failed int    // failing fast: owned tasks that hold or ended with another outcome than completed
}

// edge is one task waiting for another. The edges to a task are a list.
type edge struct {
	waiter, member *node // no member any more once that ended
	next, prev     *edge
}

// waitsLike says whether a task waits, for the same as before.
func (f *facts) waitsLike(before *facts) bool {
	return f.status == record.Waiting && before.status == record.Waiting &&
		f.failFast == before.failFast && slices.Equal(f.on, before.on)
}

// distinct returns what a task waits for, in id order, each once.
func (f *facts) distinct() []record.TaskID {
	return slices.Compact(slices.Sorted(slices.Values(f.on)))
}

// enter has a waiting task wait. find returns the tasks that it waits for: all of
// them that are live, and those it owns that have failed.
func (g *Graph) enter(n *node, find func(int64) *node) {
	on := n.distinct()
	j := &join{edges: make([]edge, 0, len(on))}
	n.join = j
	for _, id := range on {
		member := find(int64(id))
		if member == nil {
			continue
		}
		owned := n.failFast && member.up == n
		if owned && member.failing {
			j.failed++
		}
		if !member.live() {
			continue
		}
		member.joined = member.joined || owned
		j.live++
		j.edges = append(j.edges, edge{waiter: n, member: member, next: member.waiters})
		e := &j.edges[len(j.edges)-1]
		if e.next != nil {
			e.next.prev = e
		}
		member.waiters = e
	}
	g.place(n)
	if j.failed > 0 {
		g.placeMembers(n)
	}
}

// leave ends a task's wait.
func (g *Graph) leave(n *node) {
	j := n.join
	n.join = nil
	for i := range j.edges {
		e := &j.edges[i]
		if e.member == nil {
			continue
		}
		if e.prev != nil {
			e.prev.next = e.next
		} else {
			e.member.waiters = e.next
		}
		if e.next != nil {
			e.next.prev = e.prev
		}
		if e.member.up == n {
			e.member.joined = false
			g.place(e.member)
		}
	}
}

// tell has those that wait for a task know how its facts changed.
func (g *Graph) tell(n *node, old *facts) {
	ended := !n.live()
	failed := count(n.failing) - count(old.failing)
	for e := n.waiters; e != nil; e = e.next {
		waiter, j := e.waiter, e.waiter.join
		if ended {
			e.member = nil
			j.live--
		}
		if failed != 0 && n.joined && waiter == n.up {
			if j.failed += failed; j.failed == 0 || j.failed == failed {
				g.placeMembers(waiter)
			}
		}
		g.place(waiter)
	}
	if ended {
		n.waiters = nil
	}
}

// placeMembers places the live tasks that a task waits for.
func (g *Graph) placeMembers(n *node) {
	for i := range n.join.edges {
		if member := n.join.edges[i].member; member != nil {
			g.place(member)
		}
	}
}
