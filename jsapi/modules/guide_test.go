package modules_test

import (
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

// example is a block of TypeScript in a page. Its first line names its file.
var example = regexp.MustCompile("(?s)```ts\n// ([^\n]+)\n(.*?)```")

// guide returns the examples of the author's guide as files of a repository.
func guide(t *testing.T) fstest.MapFS {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(repository, "docs", "host-api.md"))
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{}
	for _, block := range example.FindAllSubmatch(page, -1) {
		files[string(block[1])] = &fstest.MapFile{Data: block[2]}
	}
	if found := strings.Count(string(page), "```ts\n"); found == 0 || found != len(files) {
		t.Fatalf("%d of %d examples name a file of their own in their first line", len(files), found)
	}
	return files
}

func TestExamplesOfTheGuideHaveTypes(t *testing.T) {
	tsc := typescript(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, modules.Declarations()); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, guide(t)); err != nil {
		t.Fatal(err)
	}
	run(t, tsc, "-p", dir, "--exactOptionalPropertyTypes", "--noUnusedLocals")
}

func TestExamplesOfTheGuideLinkAndEvaluate(t *testing.T) {
	files := guide(t)
	compiler := jsapi.NewCompiler(jsapi.CompilerOptions{Synthetic: synthetic{}})
	for _, name := range slices.Sorted(maps.Keys(files)) {
		t.Run(name, func(t *testing.T) {
			graph, err := compiler.Compile(t.Context(), files, name)
			if err != nil {
				t.Fatal(err)
			}
			source := jsapi.Source{Graph: graph, Tree: files, Compiler: compiler, Root: "/run/snapshot"}
			if _, err := newIsolate(t).Evaluate(t.Context(), job, source); err != nil {
				t.Fatal(err)
			}
		})
	}
}
