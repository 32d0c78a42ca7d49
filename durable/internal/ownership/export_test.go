package ownership

// Held returns how many tasks and conversations a graph has in memory: by their ids,
// and in the tree.
func (g *Graph) Held() (byID, inTree int) {
	g.top.walk(func(*node) bool { inTree++; return true })
	return len(g.nodes), inTree
}
