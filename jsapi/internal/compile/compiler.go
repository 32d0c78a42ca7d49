package compile

import (
	"context"
	"io/fs"
	"runtime"
)

// Synthetic provides the modules that are not files of the tree. Its methods are called from many
// goroutines at once and must give the same answer every time: a compiler keeps what it was told.
type Synthetic interface {
	// Names lists, sorted, what any module may import. A module that has a source or exports and is
	// not listed is for synthetic modules only.
	Names() []string
	// Scope reports whether a specifier lies in a part of the name space that only synthetic modules
	// have: one that is not provided there is an error, even if a package of that name is committed.
	Scope(specifier string) bool
	// Source returns the TypeScript of a module that is compiled like a file. It may import other
	// synthetic modules by their specifiers.
	Source(specifier string) ([]byte, bool)
	// Exports returns the export names of a module without source, which the runtime supplies.
	Exports(specifier string) ([]string, bool)
}

// Options configure a Compiler. The zero value provides no synthetic modules.
type Options struct {
	Synthetic Synthetic
	// MaxSource is the size of the largest file that is compiled, in bytes; 0 is DefaultMaxSource.
	MaxSource int
	// Parallel is how many modules are compiled at the same time; 0 is GOMAXPROCS.
	Parallel int
}

// Compiler compiles modules, each content once. It is safe for concurrent use; make it with New.
type Compiler struct {
	synthetic *catalogue
	maxSource int
	slots     chan struct{} // of units being compiled
	builds    chan struct{} // of link builds
	cache     *cache
}

// New makes a compiler with an empty cache.
func New(o Options) *Compiler {
	if o.Synthetic == nil {
		o.Synthetic = noModules{}
	}
	if o.MaxSource <= 0 {
		o.MaxSource = DefaultMaxSource
	}
	if o.Parallel <= 0 {
		o.Parallel = runtime.GOMAXPROCS(0)
	}
	return &Compiler{
		synthetic: newCatalogue(o.Synthetic),
		maxSource: o.MaxSource,
		slots:     make(chan struct{}, o.Parallel),
		builds:    make(chan struct{}, o.Parallel),
		cache:     newCache(),
	}
}

// Compile compiles the module at path entry of the tree, a slash-separated path as in fs.FS, and
// everything it imports. The error is *Errors with all that is wrong with the graph, or the cause of
// ctx. Nothing changes in the tree while Compile runs: it is the snapshot of a commit.
func (c *Compiler) Compile(ctx context.Context, tree fs.FS, entry string) (*Graph, error) {
	j := c.newJob(ctx, tree)
	t, problem := j.entry(entry)
	if problem != nil {
		return nil, failed([]Problem{*problem})
	}
	return j.graph(t)
}

// Import compiles what the module with ID importer means by a specifier that it computed at run
// time, by the rules for imports in source; attributes are those of the import, nil when they are not
// known. The graph holds the module, as its entry, and everything that imports; modules that importer's
// graph has too are the same values when the tree is. Errors are as for Compile; a specifier that
// does not resolve is a Problem with the importer's path and no line.
func (c *Compiler) Import(ctx context.Context, tree fs.FS, importer, specifier string, attributes map[string]string) (*Graph, error) {
	j := c.newJob(ctx, tree)
	from := parseID(importer)
	q := request{specifier: specifier, attribute: attributes["type"], computed: attributes == nil}
	t, d := j.resolver.resolve(from, q)
	if d != nil {
		return nil, failed([]Problem{{File: from.name, Message: d.message, Hint: d.hint}})
	}
	return j.graph(t)
}

// Retain forgets every module and graph that is not part of the given graphs. Call it when
// generations go, or the cache keeps everything it has seen.
func (c *Compiler) Retain(graphs ...*Graph) {
	c.cache.retain(graphs)
}

// noModules is a Synthetic without modules.
type noModules struct{}

var _ Synthetic = noModules{}

func (noModules) Names() []string                 { return nil }
func (noModules) Scope(string) bool               { return false }
func (noModules) Source(string) ([]byte, bool)    { return nil, false }
func (noModules) Exports(string) ([]string, bool) { return nil, false }
