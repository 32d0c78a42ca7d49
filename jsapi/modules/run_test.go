package modules_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

// synthetic gives the modules to a compiler.
type synthetic struct{}

func (synthetic) Names() []string                           { return modules.Names() }
func (synthetic) Scope(specifier string) bool               { return modules.Scope(specifier) }
func (synthetic) Source(specifier string) ([]byte, bool)    { return modules.Source(specifier) }
func (synthetic) Exports(specifier string) ([]string, bool) { return modules.Exports(specifier) }

// job has budgets that no test runs into by accident.
var job = jsapi.Job{Work: "test", Running: 5 * time.Minute, Whole: 10 * time.Minute}

// script is the entry beside a file of tests: it names them and runs one.
const script = `
import tests from "./tests.ts";
export const names = () => Object.keys(tests);
export const run = async (name: string) => { await tests[name]!(); };
`

// TestModulesInAnIsolate runs testdata/run: each file exports, as its default,
// functions by the rule that they check.
func TestModulesInAnIsolate(t *testing.T) {
	files, err := filepath.Glob("testdata/run/*.ts")
	if err != nil || len(files) == 0 {
		t.Fatalf("no tests: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".ts"), func(t *testing.T) {
			source, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			isolate := newIsolate(t)
			namespace, err := isolate.Evaluate(t.Context(), job, compile(t, fstest.MapFS{
				"main.ts":  {Data: []byte(script)},
				"tests.ts": {Data: source},
			}))
			if err != nil {
				t.Fatal(err)
			}
			names, err := isolate.Call(t.Context(), job, namespace.Method("names"))
			if err != nil {
				t.Fatal(err)
			}
			for _, name := range names.(*jsapi.Array).Items {
				t.Run(name.(string), func(t *testing.T) {
					if _, err := isolate.Call(t.Context(), job, namespace.Method("run"), name); err != nil {
						t.Error(err)
					}
				})
			}
		})
	}
}

func TestEveryModuleLoads(t *testing.T) {
	for _, name := range modules.Names() {
		t.Run(name, func(t *testing.T) {
			tree := fstest.MapFS{"main.ts": {Data: []byte("export * as all from " + `"` + name + `";`)}}
			namespace, err := newIsolate(t).Evaluate(t.Context(), job, compile(t, tree))
			if err != nil {
				t.Fatal(err)
			}
			if len(namespace.Names()) != 1 {
				t.Errorf("exports = %q", namespace.Names())
			}
		})
	}
}

func newIsolate(t *testing.T) *jsapi.Isolate {
	t.Helper()
	isolate, err := jsapi.New(jsapi.Options{
		Extension: "test",
		Supplied:  map[string]*jsapi.Object{modules.Native: natives(t)},
		Report:    func(err error) { t.Errorf("reported: %v", err) },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(isolate.Close)
	return isolate
}

func compile(t testing.TB, tree fstest.MapFS) jsapi.Source {
	t.Helper()
	compiler := jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: synthetic{}})
	graph, err := compiler.Compile(t.Context(), tree, "main.ts")
	if err != nil {
		t.Fatal(err)
	}
	return jsapi.Source{Graph: graph, Tree: tree, Compiler: compiler, Root: "/run/snapshot"}
}
