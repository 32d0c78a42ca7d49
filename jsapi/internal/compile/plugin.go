package compile

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/evanw/esbuild/pkg/api"
)

// namespace is what esbuild calls the modules of a build.
const namespace = "module"

// errDone makes esbuild stop when the job was cancelled; nobody reads it.
var errDone = errors.New("cancelled")

// anything is a script of which nobody can know what it exports.
const anything = "module.exports = globalThis"

// plugin connects esbuild to the tree.
func (b *build) plugin() api.Plugin {
	return api.Plugin{Name: namespace, Setup: func(p api.PluginBuild) {
		p.OnResolve(api.OnResolveOptions{Filter: ".*"}, b.onResolve)
		p.OnLoad(api.OnLoadOptions{Filter: ".*", Namespace: namespace}, b.onLoad)
	}}
}

func (b *build) onResolve(args api.OnResolveArgs) (api.OnResolveResult, error) {
	if args.Kind == api.ResolveEntryPoint {
		return b.resolved(b.entry), nil
	}
	q := request{
		specifier: args.Path,
		attribute: args.With["type"],
		require:   args.Kind == api.ResolveJSRequireCall || args.Kind == api.ResolveJSRequireResolve,
	}
	for name := range args.With {
		if name != "type" {
			return refused(diagnosis{fmt.Sprintf("import attribute %q is not known", name), `the only one is type: "json" or "text"`}), nil
		}
	}
	importer := parseID(args.Importer)
	t, d := b.job.resolver.resolve(importer, q)
	if conflict := b.record(args.Importer, q, importer); d == nil {
		d = conflict
	}
	switch {
	case d != nil && !b.tolerant:
		return refused(*d), nil
	case d != nil || t == (target{}):
		return external(args.Path), nil
	}
	return b.resolved(t), nil
}

// record notes an import. A specifier stands for one module wherever it is in a file, as a compiled
// module asks for it without its attribute.
func (b *build) record(id string, q request, importer target) *diagnosis {
	b.mu.Lock()
	defer b.mu.Unlock()
	earlier := b.requests[id]
	b.requests[id] = append(earlier, q)
	for _, other := range earlier {
		if other.specifier != q.specifier || other.attribute == q.attribute {
			continue
		}
		first, _ := b.job.resolver.resolve(importer, other)
		second, _ := b.job.resolver.resolve(importer, q)
		if first != second {
			return &diagnosis{
				fmt.Sprintf("%q is imported twice here, with and without type: \"text\"", q.specifier),
				"import one of the two in a file of its own and export it from there",
			}
		}
	}
	return nil
}

func (b *build) resolved(t target) api.OnResolveResult {
	b.mu.Lock()
	b.targets[t.id()] = t
	b.mu.Unlock()
	return api.OnResolveResult{Path: t.id(), Namespace: namespace}
}

func refused(d diagnosis) api.OnResolveResult {
	return api.OnResolveResult{Errors: []api.Message{{Text: d.message, Detail: d}}}
}

func (b *build) onLoad(args api.OnLoadArgs) (api.OnLoadResult, error) {
	b.mu.Lock()
	t := b.targets[args.Path]
	b.mu.Unlock()
	if err := context.Cause(b.job.ctx); err != nil {
		return api.OnLoadResult{}, errDone
	}
	c, hasSource, err := b.job.source(t)
	if err != nil {
		return b.unloadable(unreadable(t.name, err)), nil
	}
	if !hasSource || t.form == formSynthetic && b.stubs {
		return b.stub(t), nil
	}
	if b.broken[args.Path] {
		return loaded(anything, api.LoaderJS), nil
	}
	if p := check(t, c.text); p != nil {
		return b.unloadable(*p), nil
	}
	u := b.job.unit(t, c)
	if t.form == formSource || t.form == formSynthetic {
		b.job.start(u)
	}
	return loaded(u.linkText(), loader(t)), nil
}

func loaded(text string, as api.Loader) api.OnLoadResult {
	return api.OnLoadResult{Contents: &text, Loader: as, ResolveDir: nowhere}
}

func external(path string) api.OnResolveResult {
	return api.OnResolveResult{Path: path, External: true}
}

// unloadable notes the problem of a file and lets esbuild go on with one that exports anything.
func (b *build) unloadable(p Problem) api.OnLoadResult {
	b.mu.Lock()
	b.problems = append(b.problems, p)
	b.mu.Unlock()
	return loaded(anything, api.LoaderJS)
}

// stub stands for a synthetic module: the names it exports and nothing else, so that its source is
// not read again for every graph.
func (b *build) stub(t target) api.OnLoadResult {
	p := b.job.compiler.synthetic.lookup(t.name)
	names, ok := p.exports, p.supplied
	if p.hasSource {
		s := b.job.synthetic(t.name)
		if len(s.problems) > 0 {
			b.mu.Lock()
			b.problems = append(b.problems, s.problems...)
			b.mu.Unlock()
		}
		names, ok = s.exports, len(s.problems) == 0
	}
	if !ok {
		return loaded(anything, api.LoaderJS)
	}
	text := "export {};"
	if len(names) > 0 {
		items := make([]string, len(names))
		for i, name := range names {
			items[i] = "_ as " + jsonString(name)
		}
		text = "var _; export {" + strings.Join(items, ",") + "};"
	}
	return loaded(text, api.LoaderJS)
}
