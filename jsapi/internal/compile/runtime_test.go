package compile_test

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

// engine runs graphs as the package documentation says, with nothing around goja but a symbol for
// async iteration. One engine is one isolate.
type engine struct {
	t        *testing.T
	vm       *goja.Runtime
	compiler *compile.Compiler
	tree     fs.FS
	modules  map[string]*compile.Module
	loaded   map[string]*goja.Object // module objects
	supplied map[string]goja.Value
	log      []string
}

func newEngine(t *testing.T, c *compile.Compiler, tree fs.FS) *engine {
	t.Helper()
	e := &engine{
		t: t, vm: goja.New(), compiler: c, tree: tree,
		modules:  map[string]*compile.Module{},
		loaded:   map[string]*goja.Object{},
		supplied: map[string]goja.Value{},
	}
	_, err := e.vm.RunString(`Object.defineProperty(Symbol, "asyncIterator", {value: Symbol.for("Symbol.asyncIterator")})`)
	if err != nil {
		t.Fatal(err)
	}
	if err := e.vm.Set("log", func(call goja.FunctionCall) goja.Value {
		words := make([]string, len(call.Arguments))
		for i, v := range call.Arguments {
			words[i] = v.String()
		}
		e.log = append(e.log, strings.Join(words, " "))
		return goja.Undefined()
	}); err != nil {
		t.Fatal(err)
	}
	return e
}

func (e *engine) add(g *compile.Graph) {
	for _, m := range g.Modules {
		if e.modules[m.ID] == nil {
			e.modules[m.ID] = m
		}
	}
}

// run evaluates the entry of a graph and returns its exports.
func (e *engine) run(g *compile.Graph) (exports *goja.Object, err error) {
	e.add(g)
	defer func() {
		if cause := recover(); cause != nil {
			var ok bool
			if err, ok = cause.(error); !ok {
				panic(cause)
			}
		}
	}()
	return e.require(g.Entry).ToObject(e.vm), nil
}

func (e *engine) require(id string) goja.Value {
	if v := e.supplied[id]; v != nil {
		return v
	}
	if o := e.loaded[id]; o != nil {
		return o.Get("exports")
	}
	m := e.modules[id]
	if m == nil {
		e.t.Fatalf("graph lacks module %q", id)
	}
	module, exports := e.vm.NewObject(), e.vm.NewObject()
	e.set(module, "exports", exports)
	e.loaded[id] = module
	switch {
	case m.Kind == compile.KindText:
		e.set(module, "exports", string(m.Data))
	case m.Kind == compile.KindJSON:
		parse, _ := goja.AssertFunction(e.vm.GlobalObject().Get("JSON").ToObject(e.vm).Get("parse"))
		v, err := parse(goja.Undefined(), e.vm.ToValue(string(m.Data)))
		e.must(err)
		e.set(module, "exports", v)
	case m.Program == nil:
		e.t.Fatalf("module %q has no program and nobody supplied it", id)
	default:
		e.evaluate(m, module, exports)
	}
	return module.Get("exports")
}

func (e *engine) evaluate(m *compile.Module, module, exports *goja.Object) {
	v, err := e.vm.RunProgram(m.Program)
	e.must(err)
	function, ok := goja.AssertFunction(v)
	if !ok {
		e.t.Fatalf("module %q is not a function", m.ID)
	}
	meta := e.vm.NewObject()
	e.set(meta, "url", "file:///w/"+m.Path)
	e.set(meta, "filename", "/w/"+m.Path)
	e.set(meta, "dirname", path.Dir("/w/"+m.Path))
	this := goja.Undefined()
	if m.Kind == compile.KindCommonJS {
		this = exports
	}
	require := func(call goja.FunctionCall) goja.Value {
		return e.require(e.resolve(m, call.Argument(0).String()))
	}
	_, err = function(this, exports, e.vm.ToValue(require), module, meta)
	e.must(err)
}

func (e *engine) resolve(m *compile.Module, specifier string) string {
	if id, ok := m.Imports[specifier]; ok {
		return id
	}
	g, err := e.compiler.Import(context.Background(), e.tree, m.ID, specifier, nil)
	if err != nil {
		panic(e.vm.NewGoError(err))
	}
	e.add(g)
	return g.Entry
}

// must throws an error into the running code again, as its own.
func (e *engine) must(err error) {
	if err != nil {
		panic(err)
	}
}

func (e *engine) set(o *goja.Object, name string, value any) {
	if err := o.Set(name, value); err != nil {
		e.t.Fatal(err)
	}
}

// files makes a tree of paths and contents.
func files(pairs ...string) fstest.MapFS {
	tree := fstest.MapFS{}
	for i := 0; i < len(pairs); i += 2 {
		tree[pairs[i]] = &fstest.MapFile{Data: []byte(pairs[i+1])}
	}
	return tree
}

// modules is a Synthetic with fixed sources and export names.
type modules struct {
	names   []string
	scopes  []string
	sources map[string]string
	exports map[string][]string
}

var _ compile.Synthetic = (*modules)(nil)

func (m *modules) Names() []string { return m.names }
func (m *modules) Scope(s string) bool {
	for _, scope := range m.scopes {
		if s == scope || strings.HasPrefix(s, scope+"/") || strings.HasSuffix(scope, ":") && strings.HasPrefix(s, scope) {
			return true
		}
	}
	return false
}
func (m *modules) Source(s string) ([]byte, bool)    { v, ok := m.sources[s]; return []byte(v), ok }
func (m *modules) Exports(s string) ([]string, bool) { v, ok := m.exports[s]; return v, ok }

func standard() *modules {
	return &modules{
		names:  []string{"@earendil-works/pi-durable", "embedder", "harness", "node:path"},
		scopes: []string{"@earendil-works", "harness", "node:"},
		sources: map[string]string{
			"harness":                    `import { native } from "harness:native"; export interface Host {} export const defineService = (id: string) => ({ id, native }); export * from "@earendil-works/pi-durable";`,
			"@earendil-works/pi-durable": `export function defineTool<T>(t: T) { return t } export default "pi"`,
			"node:path":                  `export const join = (...parts: string[]) => parts.join("/"); export default { join };`,
		},
		exports: map[string][]string{
			"harness:native": {"native"},
			"embedder":       {"answer", "default"},
		},
	}
}

func mustCompile(t *testing.T, tree fs.FS, entry string) (*compile.Compiler, *compile.Graph) {
	t.Helper()
	c := compile.New(compile.Options{Synthetic: standard()})
	g, err := c.Compile(context.Background(), tree, entry)
	if err != nil {
		t.Fatalf("compile %s:\n%v", entry, err)
	}
	return c, g
}

// runLog compiles and runs the entry and returns what it logged.
func runLog(t *testing.T, tree fs.FS, entry string) string {
	t.Helper()
	c, g := mustCompile(t, tree, entry)
	e := newEngine(t, c, tree)
	e.supplied["synthetic:harness:native"] = e.eval(`Object.defineProperty({native: "NATIVE"}, "__esModule", {value: true})`)
	e.supplied["synthetic:embedder"] = e.eval(`Object.defineProperty({answer: 42, default: "emb"}, "__esModule", {value: true})`)
	if _, err := e.run(g); err != nil {
		t.Fatalf("run %s: %v", entry, err)
	}
	return strings.Join(e.log, "\n")
}

func (e *engine) eval(source string) goja.Value {
	v, err := e.vm.RunString(source)
	if err != nil {
		e.t.Fatal(fmt.Errorf("eval %s: %w", source, err))
	}
	return v
}
