package ownership

import "github.com/seed-d579e5eb/harness/durable/record"

// Held returns how many tasks and conversations a graph has in memory: by their ids,
// and in the tree.
func (g *Graph) Held() (byID, inTree int) {
	g.top.walk(func(*node) bool { inTree++; return true })
	return len(g.nodes), inTree
}

// Below returns the ordinary owned work of a task, in id order.
func (g *Graph) Below(id record.TaskID) []record.TaskID {
	n := g.nodes[int64(id)]
	if n == nil {
		return nil
	}
	return n.reach(false).Tasks
}

// Due returns all that is due, taken or not.
func (g *Graph) Due() Due {
	var due [lists]map[int64]struct{}
	for id, n := range g.nodes {
		if due[n.list] == nil {
			due[n.list] = make(map[int64]struct{})
		}
		due[n.list][id] = struct{}{}
	}
	return inOrder(due)
}
