package ownership

import (
	"maps"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Due is what the records ask the scheduler to do, each list in id order. A task is
// in one list at most. Running tasks are in none but Mark.
type Due struct {
	// Mark are the live tasks without an abort mark that get one: ordinary owned
	// work below an intent, also through ended owners, and other members of a join
	// that fails fast. A held task is marked here first and finished afterwards.
	Mark []record.TaskID
	// Withdraw are the conversations below an intent whose queued inputs go.
	Withdraw []record.ConversationID
	// Finish are the held tasks whose ordinary owned work has drained.
	Finish []record.TaskID
	// Run are the tasks that may run their next phase: pending ones, and waiting ones
	// with nothing live left to wait for.
	Run []record.TaskID
	// Abort are the tasks whose abort handler may run: pending or waiting, marked,
	// and with no ordinary owned work.
	Abort []record.TaskID
}

// Empty says whether nothing is due.
func (d Due) Empty() bool {
	return len(d.Mark)+len(d.Withdraw)+len(d.Finish)+len(d.Run)+len(d.Abort) == 0
}

// list is one of the lists of [Due].
type list uint8

const (
	none list = iota
	mark
	withdraw
	finish
	run
	abort
	lists // how many there are
)

// TakeDue returns what became due since it was last called; the first call after
// [Load] returns all. What was taken and stays due is not returned again, unless it
// stopped being due in between.
func (g *Graph) TakeDue() Due {
	due := inOrder(g.fresh)
	g.fresh = [lists]map[int64]struct{}{}
	return due
}

func inOrder(ids [lists]map[int64]struct{}) Due {
	return Due{
		Mark:     sorted[record.TaskID](ids[mark]),
		Withdraw: sorted[record.ConversationID](ids[withdraw]),
		Finish:   sorted[record.TaskID](ids[finish]),
		Run:      sorted[record.TaskID](ids[run]),
		Abort:    sorted[record.TaskID](ids[abort]),
	}
}

func sorted[ID ~int64](ids map[int64]struct{}) []ID {
	if len(ids) == 0 {
		return nil
	}
	list := make([]ID, 0, len(ids))
	for id := range maps.Keys(ids) {
		list = append(list, ID(id))
	}
	slices.Sort(list)
	return list
}

// place moves a node to the list where it belongs now.
func (g *Graph) place(n *node) {
	to := n.belongs()
	if to == n.list {
		return
	}
	if n.list != none {
		delete(g.fresh[n.list], n.id)
	}
	if n.list = to; to == none {
		return
	}
	if g.fresh[to] == nil {
		g.fresh[to] = make(map[int64]struct{})
	}
	g.fresh[to][n.id] = struct{}{}
}

// belongs returns the list where a node belongs.
func (n *node) belongs() list {
	switch {
	case !n.task && n.queued > 0 && n.under:
		return withdraw
	case !n.live():
		return none
	case n.needsMark():
		return mark
	case n.status == record.Completing && n.below == 0:
		return finish
	case n.status != record.Pending && n.status != record.Waiting:
		return none
	case n.marked && n.below == 0:
		return abort
	case !n.marked && (n.status == record.Pending || n.join != nil && n.join.live == 0):
		return run
	}
	return none
}

func (n *node) needsMark() bool {
	if n.marked {
		return false
	}
	return n.under && !n.background || n.joined && !n.failing && n.up.join.failed > 0
}
