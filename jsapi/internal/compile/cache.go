package compile

import (
	"encoding/json"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"
)

// unit is one file compiled, whatever it is linked to: what the cache holds per path and content.
type unit struct {
	target  target
	content content

	once     sync.Once
	kind     Kind
	program  *goja.Program
	data     []byte
	problems []Problem

	// requests are the imports of the content in source order, known once a link build has read it.
	requests atomic.Pointer[[]request]
	// patched is the text for link builds where it differs from the source.
	patched atomic.Pointer[string]
}

// linkText is the text that link builds read.
func (u *unit) linkText() string {
	if p := u.patched.Load(); p != nil {
		return *p
	}
	return parseable(u.content.text)
}

// patch makes a path that starts with a dot at the location start with a slash instead, for link
// builds. It reports whether it did.
func (u *unit) patch(at *api.Location) bool {
	for {
		old := u.patched.Load()
		text := u.linkText()
		offset := lineStart(text, at.Line) + at.Column
		if offset+1 >= len(text) || !strings.ContainsRune("\"'`", rune(text[offset])) || text[offset+1] != '.' {
			return false
		}
		changed := text[:offset+1] + "/" + text[offset+2:]
		if u.patched.CompareAndSwap(old, &changed) {
			return true
		}
	}
}

// lineStart is the offset at which a line, counted from 1, starts.
func lineStart(text string, line int) int {
	offset := 0
	for ; line > 1; line-- {
		next := strings.IndexByte(text[offset:], '\n')
		if next < 0 {
			break
		}
		offset += next + 1
	}
	return offset
}

// compile fills the unit; only the first call does anything.
func (u *unit) compile() {
	u.once.Do(func() {
		switch u.target.form {
		case formJSON:
			u.kind = KindJSON
			u.data = []byte(strings.TrimPrefix(u.content.text, byteOrderMark))
		case formText:
			u.kind = KindText
			u.data = []byte(strings.TrimPrefix(u.content.text, byteOrderMark))
		default:
			u.program, u.kind, u.problems = compileSource(u.target, u.content.text)
		}
	})
}

// unitKey names a unit: one path may be source and text at once.
type unitKey struct {
	id, hash string
}

// cache holds what was compiled. Units and graphs are dropped by retain only.
type cache struct {
	mu        sync.Mutex
	units     map[unitKey]*unit
	graphs    map[string]*Graph
	synthetic map[string]*syntheticModule
}

func newCache() *cache {
	return &cache{
		units:     map[unitKey]*unit{},
		graphs:    map[string]*Graph{},
		synthetic: map[string]*syntheticModule{},
	}
}

// find returns a unit, or nil.
func (c *cache) find(key unitKey) *unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.units[key]
}

// unit returns the unit of a target and a content, a new one if there is none.
func (c *cache) unit(t target, content content) *unit {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := unitKey{t.id(), content.hash}
	u := c.units[key]
	if u == nil {
		u = &unit{target: t, content: content}
		if t.form == formJSON || t.form == formText {
			u.requests.Store(&[]request{})
		}
		c.units[key] = u
	}
	return u
}

// graph returns the graph that was linked with this hash, or nil.
func (c *cache) graph(hash string) *Graph {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.graphs[hash]
}

// linked stores a graph that passed its link check and returns the one to use: the first stored with
// its hash.
func (c *cache) linked(g *Graph) *Graph {
	c.mu.Lock()
	defer c.mu.Unlock()
	if first := c.graphs[g.Hash]; first != nil {
		return first
	}
	c.graphs[g.Hash] = g
	return g
}

// retain drops everything that none of the graphs needs, but synthetic modules.
func (c *cache) retain(graphs []*Graph) {
	c.mu.Lock()
	defer c.mu.Unlock()
	keptGraphs := make(map[string]*Graph, len(graphs))
	keptUnits := make(map[unitKey]*unit)
	for _, g := range graphs {
		keptGraphs[g.Hash] = g
		for _, m := range g.Modules {
			if m.unit != nil { // a module that the runtime supplies has none
				keptUnits[unitKey{m.ID, m.Hash}] = m.unit
			}
		}
	}
	for key, u := range c.units {
		if u.target.form == formSynthetic {
			keptUnits[key] = u
		}
	}
	c.graphs, c.units = keptGraphs, keptUnits
}

// jsonString quotes s for JavaScript source.
func jsonString(s string) string {
	quoted, err := json.Marshal(s)
	if err != nil {
		panic("compile: a string that JSON cannot hold: " + err.Error())
	}
	return string(quoted)
}
