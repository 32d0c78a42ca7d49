package jsapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"path"
	"strings"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

// Compiled graphs and their errors, as package compile documents them.
type (
	// Compiler compiles module graphs and caches them by content.
	Compiler = compile.Compiler
	// CompilerOptions configure a compiler.
	CompilerOptions = compile.Options
	// Graph is a compiled module graph. It is immutable and shared by isolates.
	Graph = compile.Graph
	// Problem is one thing wrong with a module, with its place.
	Problem = compile.Problem
	// CompileErrors is every problem of a graph.
	CompileErrors = compile.Errors
)

// NewCompiler returns a compiler with an empty cache.
func NewCompiler(options CompilerOptions) *Compiler { return compile.New(options) }

// syntheticPrefix starts the names of modules that are not in the tree.
const syntheticPrefix = "synthetic:"

// Source is a module graph with what it needs while it runs.
type Source struct {
	Graph *Graph
	// Tree and Compiler serve computed imports; without them such an import
	// fails.
	Tree     fs.FS
	Compiler *Compiler
	// Root is the world path of Tree, for import.meta.
	Root string
}

// Namespace holds what a module exports, as the values were when its evaluation
// ended.
type Namespace struct {
	names      []string
	primitives map[string]any
	all        *Reference
}

// Names returns the names of the exports in order.
func (n *Namespace) Names() []string { return n.names }

// Primitive returns an export that is a string, a boolean or a number, else nil.
func (n *Namespace) Primitive(name string) any { return n.primitives[name] }

// Reference returns the namespace object.
func (n *Namespace) Reference() *Reference { return n.all }

// Evaluate runs a module graph and returns what its entry exports. Each call
// makes new instances of the graph's modules; synthetic modules have one instance
// in an isolate. Errors: those of [Isolate.Call].
func (iso *Isolate) Evaluate(ctx context.Context, job Job, source Source) (*Namespace, error) {
	if job.Owner == nil {
		job.Owner = iso.root
	}
	job.Result = AsNothing
	namespace := &Namespace{}
	_, err := iso.submit(ctx, job, func(*pendingCall) (goja.Value, error) {
		table := newModuleTable(iso, source)
		exports, err := table.exports(source.Graph.Entry)
		if err != nil {
			return nil, err
		}
		object, ok := exports.(*goja.Object)
		if !ok {
			object = iso.runtime.NewObject()
			hide(object, "default", exports)
		}
		namespace.names, namespace.primitives = object.Keys(), iso.primitives(object)
		namespace.all = iso.newReference(object)
		return goja.Undefined(), nil
	})
	if err != nil {
		return nil, err
	}
	return namespace, nil
}

// primitives copies the exports that are plain values. One that is not
// initialised yet is left out.
func (iso *Isolate) primitives(namespace *goja.Object) map[string]any {
	found := make(map[string]any)
	for _, name := range namespace.Keys() {
		_ = iso.runtime.Try(func() {
			value := namespace.Get(name)
			if _, isObject := value.(*goja.Object); isObject {
				return
			}
			switch value := value.Export().(type) {
			case bool, string, float64:
				found[name] = value
			case int64:
				found[name] = float64(value)
			}
		})
	}
	return found
}

// moduleTable holds the module instances of one evaluation.
type moduleTable struct {
	isolate *Isolate
	source  Source
	known   map[string]*compile.Module
	records map[string]*moduleRecord
}

// moduleRecord is one instance of a module. A module that threw throws the same
// value at each import.
type moduleRecord struct {
	object *goja.Object // has the member exports
	value  goja.Value   // of a module without code
	failed goja.Value
}

func newModuleTable(iso *Isolate, source Source) *moduleTable {
	table := &moduleTable{isolate: iso, source: source, records: make(map[string]*moduleRecord)}
	table.known = make(map[string]*compile.Module, len(source.Graph.Modules))
	table.learn(source.Graph)
	return table
}

func (t *moduleTable) learn(graph *Graph) {
	for _, module := range graph.Modules {
		if t.known[module.ID] == nil {
			t.known[module.ID] = module
		}
	}
}

// recordsOf returns where instances of a module live.
func (t *moduleTable) recordsOf(module *compile.Module) map[string]*moduleRecord {
	if module.Kind == compile.KindSynthetic {
		return t.isolate.synthetic
	}
	return t.records
}

// exports returns what a module exports, after running it if it has not run.
func (t *moduleTable) exports(id string) (goja.Value, error) {
	module := t.known[id]
	if module == nil {
		return nil, fmt.Errorf("module %q is not part of the graph", id)
	}
	records := t.recordsOf(module)
	record := records[id]
	if record == nil {
		record = &moduleRecord{}
		records[id] = record
		if err := t.instantiate(module, record); err != nil {
			return nil, t.remember(record, err)
		}
	}
	switch {
	case record.failed != nil:
		return nil, t.isolate.rethrow(record.failed)
	case record.object != nil:
		return record.object.Get("exports"), nil
	}
	return record.value, nil
}

// remember keeps what a module threw, so that the next import throws the same
// value.
func (t *moduleTable) remember(record *moduleRecord, err error) error {
	if isFault(err) {
		return err
	}
	record.failed = t.isolate.reasonOf(err)
	var exception *goja.Exception
	if errors.As(err, &exception) {
		return err // it has the stack
	}
	return t.isolate.rethrow(record.failed)
}

func (t *moduleTable) instantiate(module *compile.Module, record *moduleRecord) (err error) {
	switch {
	case module.Kind == compile.KindJSON:
		record.value, err = t.isolate.decodeJSON(module.Data)
		return err
	case module.Kind == compile.KindText:
		record.value = t.isolate.runtime.ToValue(string(module.Data))
		return nil
	case module.Program == nil:
		record.value, err = t.isolate.suppliedModule(module.ID)
		return err
	}
	return t.run(module, record)
}

// run calls the module's function; see package compile for its arguments.
func (t *moduleTable) run(module *compile.Module, record *moduleRecord) error {
	runtime := t.isolate.runtime
	exports := runtime.NewObject()
	record.object = runtime.NewObject()
	if err := record.object.Set("exports", exports); err != nil {
		return err
	}
	value, err := runtime.RunProgram(module.Program)
	if err != nil {
		return err
	}
	function, callable := goja.AssertFunction(value)
	if !callable {
		return fmt.Errorf("module %s did not compile to a function", module.ID)
	}
	this := goja.Undefined()
	if module.Kind == compile.KindCommonJS {
		this = exports
	}
	_, err = function(this, exports, t.requireFor(module), record.object, t.metaFor(module))
	return err
}

// requireFor makes the require function of one module.
func (t *moduleTable) requireFor(module *compile.Module) goja.Value {
	return t.isolate.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		specifier := call.Argument(0).String()
		id, known := module.Imports[specifier]
		if !known {
			id = t.resolveComputed(module, specifier)
		}
		exports, err := t.exports(id)
		if err != nil {
			t.isolate.throw(err)
		}
		return exports
	})
}

// resolveComputed resolves a specifier that was computed at run time and adds
// the modules that come with it. It throws in the running code.
func (t *moduleTable) resolveComputed(module *compile.Module, specifier string) string {
	if t.source.Compiler == nil {
		t.isolate.throw(fmt.Errorf("cannot import %q from %s: computed imports are not available here", specifier, module.ID))
	}
	graph, err := t.source.Compiler.Import(t.isolate.currentActivity().context(), t.source.Tree, module.ID, specifier, nil)
	if err != nil {
		t.isolate.throw(err)
	}
	t.learn(graph)
	return graph.Entry
}

// metaFor makes import.meta.
func (t *moduleTable) metaFor(module *compile.Module) goja.Value {
	meta := t.isolate.runtime.NewObject()
	if module.Path == "" {
		return meta
	}
	filename := path.Join("/", t.source.Root, module.Path)
	set := func(key, value string) { _ = meta.Set(key, value) }
	set("dirname", path.Dir(filename))
	set("filename", filename)
	set("url", (&url.URL{Scheme: "file", Path: filename}).String())
	return meta
}

// loadSynthetic returns the exports of a synthetic module outside an evaluation.
func (iso *Isolate) loadSynthetic(graph *Graph) (*goja.Object, error) {
	exports, err := newModuleTable(iso, Source{Graph: graph}).exports(graph.Entry)
	if err != nil {
		return nil, err
	}
	object, ok := exports.(*goja.Object)
	if !ok {
		return nil, fmt.Errorf("module %s exports no object", graph.Entry)
	}
	return object, nil
}

// suppliedModule makes the namespace of a module whose exports come from Go.
func (iso *Isolate) suppliedModule(id string) (goja.Value, error) {
	name := strings.TrimPrefix(id, syntheticPrefix)
	members := iso.options.Supplied[name]
	if members == nil {
		return nil, fmt.Errorf("module %s is not supplied in this isolate", name)
	}
	value, err := iso.importData(members)
	if err != nil {
		return nil, fmt.Errorf("module %s: %w", name, err)
	}
	namespace := value.(*goja.Object)
	hide(namespace, "__esModule", iso.runtime.ToValue(true))
	return namespace, nil
}

// rethrow makes an error that throws a value again.
func (iso *Isolate) rethrow(value goja.Value) error {
	return iso.try(func() { panic(value) })
}

// Method returns an exported function, found when it is called.
func (n *Namespace) Method(name string) Method { return Method{Object: n.all, Name: name} }
