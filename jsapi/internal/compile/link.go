package compile

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/evanw/esbuild/pkg/api"
)

// build is one check of a graph by esbuild: which modules it has and whether they fit together. The
// code that esbuild writes is not used.
type build struct {
	job   *job
	entry target
	stubs bool // replace synthetic modules by their export names

	mu       sync.Mutex
	targets  map[string]target    // by ID
	requests map[string][]request // by ID, in source order
	problems []Problem            // those that esbuild does not report itself
	broken   map[string]bool      // IDs of files that do not parse, once that is known
	tolerant bool                 // leave out broken files and imports that do not resolve
}

// link builds the graph of entry: every module of it starts to compile, and its imports become
// known. It returns what is wrong with it.
func (j *job) link(entry target) []Problem {
	if entry.form == formSynthetic {
		return j.synthetic(entry.name).problems
	}
	select {
	case j.compiler.builds <- struct{}{}:
		defer func() { <-j.compiler.builds }()
	case <-j.ctx.Done():
		return nil
	}
	b := &build{job: j, entry: entry, stubs: true}
	result := b.run(linkOptions(b.plugin()))
	return b.report(result)
}

// run runs esbuild until it has seen everything, and stores the imports that were found with their
// modules.
func (b *build) run(options api.BuildOptions) api.BuildResult {
	result := b.once(options)
	if b.patchPatterns(result.Errors) {
		result = b.once(options)
	}
	result.Errors = slices.DeleteFunc(result.Errors, isPattern)
	b.store(result.Errors)
	if len(result.Errors) > 0 && b.excludeBroken(result.Errors) {
		options.Format = api.FormatESModule // which has top-level await
		rest := b.once(options)
		for _, m := range rest.Errors {
			if strings.HasPrefix(m.Text, missingExport) {
				result.Errors = append(result.Errors, m)
			}
		}
		result.Warnings = append(result.Warnings, rest.Warnings...)
	}
	return result
}

func (b *build) once(options api.BuildOptions) api.BuildResult {
	b.targets = map[string]target{}
	b.requests = map[string][]request{}
	return api.Build(options)
}

// store keeps the imports of every module that was read without errors but for imports that do not
// resolve in this tree.
func (b *build) store(errors []api.Message) {
	unread := map[string]bool{}
	for _, m := range errors {
		if _, refused := m.Detail.(diagnosis); !refused && m.Location != nil {
			unread[moduleID(m.Location)] = true
		}
	}
	for id, t := range b.targets {
		if unread[id] {
			continue
		}
		if u := b.unit(t); u != nil {
			requests := slices.Clone(b.requests[id])
			u.requests.CompareAndSwap(nil, &requests)
		}
	}
}

func (b *build) unit(t target) *unit {
	c, ok, err := b.job.source(t)
	if err != nil || !ok {
		return nil
	}
	return b.job.find(t, c.hash)
}

// excludeBroken prepares a run that finds the missing exports in the rest of the graph: esbuild does
// not look for them when an import does not resolve or a file does not parse. It reports false when
// the errors are not of that sort, so that they are complete.
func (b *build) excludeBroken(errors []api.Message) bool {
	b.broken = map[string]bool{}
	unresolved := false
	for _, m := range errors {
		if strings.HasPrefix(m.Text, missingExport) {
			return false
		}
		if _, refused := m.Detail.(diagnosis); refused || strings.HasPrefix(m.Text, topLevelAwait) {
			unresolved = true
		} else if m.Location != nil {
			b.broken[moduleID(m.Location)] = true
		}
	}
	b.tolerant = unresolved || len(b.broken) > 0
	return b.tolerant && !b.broken[b.entry.id()]
}

// moduleID is the ID of the module a location lies in.
func moduleID(l *api.Location) string {
	return strings.TrimPrefix(l.File, namespace+":")
}

// report collects the problems of a build.
func (b *build) report(result api.BuildResult) []Problem {
	problems := slices.Clone(b.problems)
	for _, m := range result.Errors {
		if context.Cause(b.job.ctx) != nil {
			break
		}
		problems = append(problems, b.located(m))
	}
	for _, m := range result.Warnings {
		if m.ID == "import-is-undefined" && strings.HasSuffix(m.Text, withoutExports) {
			problems = append(problems, b.located(m))
		}
	}
	return problems
}

// located converts a message whose file is a module of the build.
func (b *build) located(m api.Message) Problem {
	file := b.entry.name
	if m.Location != nil {
		file = parseID(moduleID(m.Location)).name
	}
	for _, t := range b.targets {
		m.Text = strings.ReplaceAll(m.Text, fmt.Sprintf("%q", namespace+":"+t.id()), fmt.Sprintf("%q", t.name))
	}
	return messageProblem(m, file)
}

// nowhere is a folder that no disk has, deep enough that leading "../" stay in it.
var nowhere = strings.Repeat("/\x00", 256)

// isPattern recognises the error of esbuild about import("./" + name): a bundler would include every
// file of the real disk that fits. There is none in the folder it is told to look in.
func isPattern(m api.Message) bool {
	_, refused := m.Detail.(diagnosis)
	return !refused && (strings.HasPrefix(m.Text, "Could not resolve import(") || strings.HasPrefix(m.Text, "Could not resolve require("))
}

// patchPatterns changes what esbuild is told of the sources with such imports: the path starts with
// a slash, which is no pattern to it. It reports whether there was any.
func (b *build) patchPatterns(errors []api.Message) bool {
	patched := false
	for _, m := range errors {
		if !isPattern(m) || m.Location == nil {
			continue
		}
		if u := b.unit(b.targets[moduleID(m.Location)]); u != nil && u.patch(m.Location) {
			patched = true
		}
	}
	return patched
}
