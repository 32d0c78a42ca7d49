package jsapi

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dop251/goja"
	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// synthetic serves the modules of package modules to a compiler.
type synthetic struct{}

func (synthetic) Names() []string                        { return modules.Names() }
func (synthetic) Scope(specifier string) bool            { return modules.Scope(specifier) }
func (synthetic) Source(specifier string) ([]byte, bool) { return modules.Source(specifier) }
func (synthetic) Exports(specifier string) ([]string, bool) {
	if specifier == modules.Native {
		return []string{"native"}, true
	}
	return nil, false
}

// testJob has budgets that no test runs into by accident, on a machine however slow.
var testJob = Job{Work: "test", Running: 5 * time.Minute, Whole: 10 * time.Minute}

// newIsolate makes an isolate that the test closes.
func newIsolate(t testing.TB, options Options) *Isolate {
	t.Helper()
	if options.Extension == "" {
		options.Extension = "test"
	}
	if options.Report == nil {
		options.Report = func(err error) {
			var fault *PanicError
			if errors.As(err, &fault) {
				t.Errorf("%v\n%s", err, fault.Stack)
			}
		}
	}
	iso, err := New(options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(iso.Close)
	return iso
}

// compileSource compiles one module that stands alone.
func compileSource(t testing.TB, source string) Source {
	t.Helper()
	return compileTree(t, map[string]string{"main.ts": source})
}

// compileTree compiles main.ts of a tree.
func compileTree(t testing.TB, files map[string]string) Source {
	t.Helper()
	tree := fstest.MapFS{}
	for name, text := range files {
		tree[name] = &fstest.MapFile{Data: []byte(text)}
	}
	compiler := NewCompiler(CompilerOptions{Synthetic: synthetic{}})
	graph, err := compiler.Compile(context.Background(), tree, "main.ts")
	if err != nil {
		t.Fatal(err)
	}
	return Source{Graph: graph, Tree: tree, Compiler: compiler, Root: "/run/snapshot"}
}

// evaluate runs a module in an isolate.
func evaluate(t testing.TB, iso *Isolate, source string) *Namespace {
	t.Helper()
	namespace, err := iso.Evaluate(context.Background(), testJob, compileSource(t, source))
	if err != nil {
		t.Fatal(err)
	}
	return namespace
}

// call calls an exported function.
func call(t testing.TB, iso *Isolate, namespace *Namespace, name string, args ...any) any {
	t.Helper()
	result, err := iso.Call(context.Background(), testJob, namespace.Method(name), args...)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// suppliedName is a module whose exports come from Go.
const suppliedName = "go:test"

// suppliedModule serves suppliedName beside the synthetic modules.
type suppliedModule struct {
	synthetic
	exports []string
}

func (s suppliedModule) Names() []string {
	return slices.Sorted(slices.Values(append(s.synthetic.Names(), suppliedName)))
}

func (s suppliedModule) Exports(specifier string) ([]string, bool) {
	if specifier == suppliedName {
		return s.exports, true
	}
	return s.synthetic.Exports(specifier)
}

// newSuppliedIsolate makes an isolate in which suppliedName has exports.
func newSuppliedIsolate(t testing.TB, options Options, exports *Object) *Isolate {
	t.Helper()
	options.Supplied = map[string]*Object{suppliedName: exports}
	return newIsolate(t, options)
}

// compileSupplied compiles a module that imports suppliedName, which exports the
// names.
func compileSupplied(t testing.TB, source string, names ...string) Source {
	t.Helper()
	tree := fstest.MapFS{"main.ts": {Data: []byte(source)}}
	compiler := NewCompiler(CompilerOptions{Synthetic: suppliedModule{exports: names}})
	graph, err := compiler.Compile(context.Background(), tree, "main.ts")
	if err != nil {
		t.Fatal(err)
	}
	return Source{Graph: graph, Tree: tree, Compiler: compiler}
}

// exportedFunction returns an exported function as a value.
func exportedFunction(t testing.TB, iso *Isolate, namespace *Namespace, name string) *Function {
	t.Helper()
	var function *Function
	onLoop(t, iso, func() {
		data, err := iso.exportData(namespace.all.value.(*goja.Object).Get(name))
		if err != nil {
			t.Error(err)
		}
		function, _ = data.(*Function)
	})
	if function == nil {
		t.Fatalf("%s is no function", name)
	}
	return function
}
