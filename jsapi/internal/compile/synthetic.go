package compile

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// catalogue asks a Synthetic for everything once.
type catalogue struct {
	from    Synthetic
	names   func() []string
	mu      sync.Mutex
	sources map[string]provision
}

// provision is what a Synthetic says about one specifier.
type provision struct {
	content   content
	hasSource bool
	exports   []string
	supplied  bool // has exports and no source
}

func newCatalogue(from Synthetic) *catalogue {
	return &catalogue{from: from, names: sync.OnceValue(from.Names), sources: map[string]provision{}}
}

// lookup returns what is known of a specifier; the zero value if it is no synthetic module.
func (c *catalogue) lookup(specifier string) provision {
	c.mu.Lock()
	defer c.mu.Unlock()
	p, ok := c.sources[specifier]
	if ok {
		return p
	}
	if text, ok := c.from.Source(specifier); ok {
		p = provision{content: newContent(string(text)), hasSource: true}
	} else if names, ok := c.from.Exports(specifier); ok {
		p = provision{exports: slices.Sorted(slices.Values(names)), supplied: true}
	} else {
		return p // not kept, as there is no end of names that are none
	}
	c.sources[specifier] = p
	return p
}

// has reports whether a specifier is a synthetic module, and whether anyone may import it.
func (c *catalogue) has(specifier string) (exists, listed bool) {
	_, listed = slices.BinarySearch(c.names(), specifier)
	p := c.lookup(specifier)
	return p.hasSource || p.supplied, listed
}

// syntheticModule is what is known of a synthetic module with source: found once, as it never
// changes.
type syntheticModule struct {
	once     sync.Once
	exports  []string
	problems []Problem
}

// synthetic compiles a synthetic module and all it imports, and finds out the names it exports.
func (j *job) synthetic(specifier string) *syntheticModule {
	c := j.compiler.cache
	c.mu.Lock()
	s := c.synthetic[specifier]
	if s == nil {
		s = &syntheticModule{}
		c.synthetic[specifier] = s
	}
	c.mu.Unlock()
	s.once.Do(func() { s.build(j, specifier) })
	return s
}

// build runs to its end even when the job that needs it first is cancelled, as others share the
// result.
func (s *syntheticModule) build(j *job, specifier string) {
	own := j.compiler.newJob(context.WithoutCancel(j.ctx), j.resolver.tree)
	b := &build{job: own, entry: target{formSynthetic, specifier}}
	options := linkOptions(b.plugin())
	options.Format = api.FormatESModule
	options.Metafile = true
	options.Outfile = "/out.js"
	result := b.run(options)
	own.compiling.Wait()
	s.problems = b.report(result)
	for _, u := range own.started {
		s.problems = append(s.problems, u.problems...)
	}
	if len(s.problems) > 0 {
		return
	}
	var meta struct {
		Outputs map[string]struct {
			Exports []string `json:"exports"`
		} `json:"outputs"`
	}
	if err := json.Unmarshal([]byte(result.Metafile), &meta); err != nil {
		s.problems = []Problem{{File: specifier, Message: fmt.Sprintf("cannot read the exports of the module: %v", err)}}
		return
	}
	for _, output := range meta.Outputs {
		s.exports = output.Exports
	}
}
