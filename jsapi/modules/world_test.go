package modules_test

import (
	"io/fs"
	"slices"
	"testing"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/testdata/world"
)

// TestExampleWorldLinksAndEvaluates loads the modules of every extension of the
// example world, which use the synthetic modules as their authors would.
func TestExampleWorldLinksAndEvaluates(t *testing.T) {
	repository, err := fs.Sub(world.Files(), "src/sausage")
	if err != nil {
		t.Fatal(err)
	}
	servers, err := fs.Glob(repository, "extensions/*/server.ts")
	if err != nil || len(servers) < 8 {
		t.Fatalf("%d extensions: %v", len(servers), err)
	}
	compiler := jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: synthetic{}})
	for _, server := range servers {
		t.Run(server, func(t *testing.T) {
			graph, err := compiler.Compile(t.Context(), repository, server)
			if err != nil {
				t.Fatal(err)
			}
			source := jsapi.Source{Graph: graph, Tree: repository, Compiler: compiler, Root: "/run/snapshot"}
			namespace, err := newIsolate(t).Evaluate(t.Context(), job, source)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Contains(namespace.Names(), "default") {
				t.Errorf("exports %q and no default", namespace.Names())
			}
		})
	}
}
