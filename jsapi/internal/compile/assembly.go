package compile

import "strings"

// assemble makes a graph of what the cache holds. It returns nil when a module of it was not
// compiled, or an import does not resolve (any more): a build then finds out.
func (j *job) assemble(entry target) *Graph {
	a := assembly{job: j, seen: map[string]bool{}}
	if !a.visit(entry) {
		return nil
	}
	g := &Graph{Entry: entry.id(), Modules: a.modules}
	g.Hash = graphHash(g.Entry, g.Modules)
	return g
}

// assembly walks a graph in the order in which its modules run.
type assembly struct {
	job     *job
	seen    map[string]bool
	modules []*Module
}

func (a *assembly) visit(t target) bool {
	if a.seen[t.id()] {
		return true
	}
	a.seen[t.id()] = true
	c, hasSource, err := a.job.source(t)
	if err != nil {
		return false
	}
	if !hasSource {
		a.modules = append(a.modules, a.job.supplied(t))
		return true
	}
	u := a.job.find(t, c.hash)
	if u == nil && (t.form == formJSON || t.form == formText) {
		if check(t, c.text) != nil {
			return false
		}
		u = a.job.unit(t, c)
	}
	if u == nil || u.requests.Load() == nil {
		return false
	}
	m := &Module{ID: t.id(), Source: c.text, Hash: c.hash, Imports: map[string]string{}, unit: u}
	if t.form != formSynthetic {
		m.Path = t.name
	}
	for _, q := range *u.requests.Load() {
		imported, d := a.job.resolver.resolve(t, q)
		if d != nil {
			return false
		}
		if imported == (target{}) {
			continue
		}
		if other, twice := m.Imports[q.specifier]; twice && other != imported.id() {
			return false
		}
		m.Imports[q.specifier] = imported.id()
		if !a.visit(imported) {
			return false
		}
	}
	u.compile()
	m.Kind, m.Program, m.Data = u.kind, u.program, u.data
	a.modules = append(a.modules, m)
	return true
}

// supplied is the module of a synthetic module without source.
func (j *job) supplied(t target) *Module {
	names := strings.Join(j.compiler.synthetic.lookup(t.name).exports, "\x00")
	return &Module{ID: t.id(), Kind: KindSynthetic, Hash: newContent(names).hash}
}
