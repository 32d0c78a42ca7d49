package ownership

// Held returns how many tasks and conversations a graph has in memory.
func (g *Graph) Held() int { return len(g.nodes) }
