package compile_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// program makes an extension of five modules.
func program(n int) []string {
	dir := fmt.Sprintf("extensions/e%d/", n)
	return []string{
		dir + "server.ts", fmt.Sprintf("import { a } from './a.ts'; import { b } from './b.ts'; import { defineTool } from 'harness'; export default { name: 'e%d', tool: defineTool(a + b) };", n),
		dir + "a.ts", fmt.Sprintf("import { shared } from '../../shared/x.ts'; export const a = shared + %d;", n),
		dir + "b.ts", fmt.Sprintf("import data from './data.json'; export const b = data.n + %d;", n),
		dir + "data.json", `{"n": 1}`,
	}
}

func TestGraphsAreTheSameHoweverTheyAreMade(t *testing.T) {
	const extensions = 20
	all := []string{"shared/x.ts", "export const shared = 1"}
	for i := range extensions {
		all = append(all, program(i)...)
	}
	tree := files(all...)
	describe := func(g *compile.Graph) string {
		var b strings.Builder
		fmt.Fprintln(&b, g.Entry, g.Hash)
		for _, m := range g.Modules {
			fmt.Fprintln(&b, m.ID, m.Kind, m.Path, m.Hash, m.Imports)
		}
		return b.String()
	}
	alone := make([]string, extensions)
	for i := range alone {
		_, g := mustCompile(t, tree, fmt.Sprintf("extensions/e%d/server.ts", i))
		alone[i] = describe(g)
	}
	c := compile.New(compile.Options{Synthetic: standard()})
	var wait sync.WaitGroup
	for round := range 3 {
		for i := range extensions {
			wait.Go(func() {
				g, err := c.Compile(context.Background(), tree, fmt.Sprintf("extensions/e%d/server.ts", i))
				if err != nil {
					t.Error(err)
				} else if got := describe(g); got != alone[i] {
					t.Errorf("round %d: graph is\n%s\nalone it is\n%s", round, got, alone[i])
				}
			})
		}
	}
	wait.Wait()
}

func TestModulesComeBeforeTheirImporters(t *testing.T) {
	tree := files("e.ts", `import "./a.ts"; import "./b.ts"; import("./lazy.ts")`, "a.ts", `import "./b.ts"`, "b.ts", `import "./a.ts"`, "lazy.ts", "")
	_, g := mustCompile(t, tree, "e.ts")
	var order []string
	for _, m := range g.Modules {
		order = append(order, m.ID)
	}
	if got, want := strings.Join(order, " "), "b.ts a.ts lazy.ts e.ts"; got != want {
		t.Errorf("order is %s, want %s", got, want)
	}
}

func TestARevertedGraphIsTheOneFromBefore(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	compileTree := func(b string) *compile.Graph {
		t.Helper()
		g, err := c.Compile(context.Background(), files("e.ts", `import { b } from "./b.ts"; log(b)`, "b.ts", b), "e.ts")
		if err != nil {
			t.Fatal(err)
		}
		return g
	}
	first := compileTree("export const b = 1")
	second := compileTree("export const b = 2")
	if first == second || compileTree("export const b = 1") != first {
		t.Error("a graph that was linked before was made again")
	}
}

func TestResolutionIsDoneAnewForEachTree(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	entry := `import { b } from "pkg"; log(b)`
	ctx := context.Background()
	if _, err := c.Compile(ctx, files("extensions/x/server.ts", entry), "extensions/x/server.ts"); err == nil || !strings.Contains(err.Error(), `server.ts:1:19: cannot find module "pkg"`) {
		t.Fatalf("without the package: %v", err)
	}
	with := []string{"extensions/x/server.ts", entry, "node_modules/pkg/index.js", "export const b = 1"}
	far, err := c.Compile(ctx, files(with...), "extensions/x/server.ts")
	if err != nil {
		t.Fatal(err)
	}
	near, err := c.Compile(ctx, files(append(with, "extensions/x/node_modules/pkg/index.js", "export const b = 1")...), "extensions/x/server.ts")
	if err != nil {
		t.Fatal(err)
	}
	if far.Hash == near.Hash {
		t.Error("graphs that resolve differently have one hash")
	}
	if got := near.Module("extensions/x/server.ts").Imports["pkg"]; got != "extensions/x/node_modules/pkg/index.js" {
		t.Errorf("the nearest package is %s", got)
	}
	if _, err := c.Compile(ctx, files("extensions/x/server.ts", entry), "extensions/x/server.ts"); err == nil {
		t.Error("the package is gone and was found")
	}
}

func TestRetainForgetsTheRest(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	one := files("one.ts", `import { defineTool } from "harness"; import s from "./s.ts"; log(s, defineTool)`, "s.ts", "export default 1")
	two := files("two.ts", `import s from "./s.ts"; log(s)`, "s.ts", "export default 1")
	ctx := context.Background()
	kept, err := c.Compile(ctx, one, "one.ts")
	if err != nil {
		t.Fatal(err)
	}
	dropped, err := c.Compile(ctx, two, "two.ts")
	if err != nil {
		t.Fatal(err)
	}
	c.Retain(kept)
	again, err := c.Compile(ctx, one, "one.ts")
	if err != nil || again != kept {
		t.Errorf("a retained graph was made again: %v", err)
	}
	anew, err := c.Compile(ctx, two, "two.ts")
	if err != nil {
		t.Fatal(err)
	}
	if anew.Module("two.ts").Program == dropped.Module("two.ts").Program {
		t.Error("a module that nobody retained was kept")
	}
	if anew.Module("s.ts").Program != kept.Module("s.ts").Program {
		t.Error("a module that a retained graph has was compiled again")
	}
}

func TestACancelledContextEndsACompile(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	ctx, cancel := context.WithCancelCause(context.Background())
	why := errors.New("a newer commit")
	cancel(why)
	tree := files("e.ts", "import { defineTool } from 'harness'; log(defineTool)")
	if _, err := c.Compile(ctx, tree, "e.ts"); !errors.Is(err, why) {
		t.Errorf("error is %v, want the cause", err)
	}
	if _, err := c.Compile(context.Background(), tree, "e.ts"); err != nil {
		t.Errorf("after a cancelled compile: %v", err)
	}
}

func TestImportResolvesFromItsImporter(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	tree := files(
		"extensions/x/server.ts", "export {}",
		"extensions/x/plugins/one.ts", `import { defineTool } from "harness"; export default defineTool`,
		"extensions/x/p.md", "text",
		"extensions/x/p.json", "{}",
	)
	ctx := context.Background()
	for _, test := range []struct {
		specifier  string
		attributes map[string]string
		want       string // the entry's ID, or the error
	}{
		{"./plugins/one.ts", nil, "extensions/x/plugins/one.ts"},
		{"harness", nil, "synthetic:harness"},
		{"embedder", nil, "synthetic:embedder"},
		{"./p.md", nil, "text:extensions/x/p.md"},
		{"./p.md", map[string]string{"type": "text"}, "text:extensions/x/p.md"},
		{"./p.json", nil, "extensions/x/p.json"},
		{"./p.json", map[string]string{"type": "text"}, "text:extensions/x/p.json"},
		{"./p.md", map[string]string{}, "extensions/x/server.ts: cannot import \"./p.md\": it is neither source code nor JSON\n  to get its text, write: import text from \"./p.md\" with { type: \"text\" }"},
		{"./plugins/two.ts", nil, "extensions/x/server.ts: cannot find \"./plugins/two.ts\": there is no extensions/x/plugins/two.ts in this commit"},
	} {
		g, err := c.Import(ctx, tree, "extensions/x/server.ts", test.specifier, test.attributes)
		var got string
		if err != nil {
			got = err.Error()
		} else {
			got = g.Entry
		}
		if got != test.want {
			t.Errorf("%s with %v: %s\nwant %s", test.specifier, test.attributes, got, test.want)
		}
	}
	g, err := c.Import(ctx, tree, "synthetic:harness", "@earendil-works/pi-durable", nil)
	if err != nil || g.Entry != "synthetic:@earendil-works/pi-durable" {
		t.Errorf("from a synthetic module: %v", err)
	}
}

func TestASyntheticModuleThatIsBrokenIsReportedWithItsPlace(t *testing.T) {
	provided := standard()
	provided.sources["harness"] = "export const a = ;"
	c := compile.New(compile.Options{Synthetic: provided})
	_, err := c.Compile(context.Background(), files("e.ts", `import { a } from "harness"; log(a)`), "e.ts")
	if err == nil || !strings.HasPrefix(err.Error(), `harness:1:18: unexpected ";"`) {
		t.Errorf("error is %v", err)
	}
}

func TestAPositionGetsItsSourceLine(t *testing.T) {
	tree := files("ext/a b.ts", "\uFEFF#!/x\r\nexport const fail = () => {\r\n  throw new Error(\"no\");\r\n};\r\n", "e.ts", `import { fail } from "./ext/a b.ts"; try { fail() } catch (e) { log((e as Error).stack) }`)
	if got := runLog(t, tree, "e.ts"); !strings.Contains(got, "ext/a%20b.ts:3:9(") {
		t.Errorf("stack is\n%s", got)
	}
	_, g := mustCompile(t, tree, "e.ts")
	got := g.Problem("ext/a%20b.ts", 3, 9, "Error: no").String()
	if want := "ext/a b.ts:3:9: Error: no\n    throw new Error(\"no\");\n          ^"; got != want {
		t.Errorf("problem is\n%s\nwant\n%s", got, want)
	}
	if got := g.Problem("native", 1, 2, "Error: no").String(); got != "native:1:2: Error: no" {
		t.Errorf("of code that is not in the graph: %s", got)
	}
}

func TestRetainDoesNotDisturbACompile(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	stop := make(chan struct{})
	var wait sync.WaitGroup
	wait.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				c.Retain()
			}
		}
	})
	for i := range 50 {
		tree := files(append(program(0), "shared/x.ts", fmt.Sprintf("export const shared = %d", i))...)
		if _, err := c.Compile(context.Background(), tree, "extensions/e0/server.ts"); err != nil {
			t.Error(err)
		}
	}
	close(stop)
	wait.Wait()
}
