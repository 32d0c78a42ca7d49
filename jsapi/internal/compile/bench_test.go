package compile_test

import (
	"context"
	"fmt"
	"path"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/dop251/goja"
	"github.com/evanw/esbuild/pkg/api"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

// typical is an extension's file of about 200 lines.
func typical(n int) string {
	var b strings.Builder
	b.WriteString("import { defineTool, type Host } from \"harness\";\n")
	fmt.Fprintf(&b, "export const version = %d;\n", n)
	for i := range 14 {
		fmt.Fprintf(&b, `
interface Item%[1]d {
  readonly id: number;
  title: string;
  tags?: readonly string[];
}

export class Store%[1]d {
  #items = new Map<number, Item%[1]d>();

  async add(title: string, ...tags: string[]): Promise<Item%[1]d> {
    const item: Item%[1]d = { id: this.#items.size + 1, title, tags };
    this.#items.set(item.id, item);
    return item ?? { id: 0, title: %[2]s };
  }
}
`, i, "`none of ${title}`")
	}
	b.WriteString("export default (host: Host) => ({ host, tools: [defineTool(version)] });\n")
	return b.String()
}

// floor measures what esbuild and goja alone need to transform and compile a source: in turns with the
// measured loop, as machines are not equally fast at all times.
type floor struct {
	b      *testing.B
	source string
	spent  time.Duration
	rounds int
}

func newFloor(b *testing.B, source string) *floor { return &floor{b: b, source: source} }

func (f *floor) measure() {
	f.b.StopTimer()
	defer f.b.StartTimer()
	start := time.Now()
	result := api.Transform(f.source, api.TransformOptions{Loader: api.LoaderTS, Format: api.FormatCommonJS, Target: api.ES2022, Sourcemap: api.SourceMapInline})
	if _, err := goja.Compile("x.ts", "(function(exports,require,module){"+string(result.Code)+"\n})", true); err != nil {
		f.b.Fatal(err)
	}
	f.spent += time.Since(start)
	f.rounds++
}

// report prints the floor of one file and the ratio of one round to the floors of so many files.
func (f *floor) report(files int) {
	one := f.spent / time.Duration(f.rounds)
	each := f.b.Elapsed() / time.Duration(f.b.N)
	f.b.ReportMetric(float64(one.Microseconds()), "floor-µs")
	f.b.ReportMetric(float64(each)/float64(one*time.Duration(files)), "×floor")
}

func compileIn(b *testing.B, c *compile.Compiler, tree fstest.MapFS, entry string) *compile.Graph {
	g, err := c.Compile(context.Background(), tree, entry)
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// BenchmarkChangedFile compiles one file of 200 lines that changed each time.
func BenchmarkChangedFile(b *testing.B) {
	c := compile.New(compile.Options{Synthetic: standard()})
	compileIn(b, c, files("e.ts", typical(0)), "e.ts")
	f := newFloor(b, typical(0))
	n := 0
	for b.Loop() {
		f.measure()
		n++
		compileIn(b, c, files("e.ts", typical(n)), "e.ts")
	}
	f.report(1)
}

// BenchmarkChangedFileOfFive compiles a graph of five modules of which one changed each time.
func BenchmarkChangedFileOfFive(b *testing.B) {
	c := compile.New(compile.Options{Synthetic: standard()})
	f := newFloor(b, typical(0))
	tree := five()
	n := 0
	for b.Loop() {
		f.measure()
		n++
		tree["m0.ts"] = &fstest.MapFile{Data: []byte(typical(n))}
		compileIn(b, c, tree, "e.ts")
	}
	f.report(1)
}

// BenchmarkUnchangedGraph compiles a graph of five modules that did not change.
func BenchmarkUnchangedGraph(b *testing.B) {
	c := compile.New(compile.Options{Synthetic: standard()})
	f := newFloor(b, typical(0))
	tree := five()
	for b.Loop() {
		f.measure()
		compileIn(b, c, tree, "e.ts")
	}
	f.report(1)
}

func five() fstest.MapFS {
	tree := files("e.ts", `import "./m0.ts"; import "./m1.ts"; import "./m2.ts"; import "./m3.ts"`)
	for i := range 4 {
		tree[fmt.Sprintf("m%d.ts", i)] = &fstest.MapFile{Data: []byte(typical(i))}
	}
	return tree
}

// BenchmarkHundredCold compiles 100 extensions with an empty cache, all at once; the floor is a
// hundred transforms and compilations one after another.
func BenchmarkHundredCold(b *testing.B) {
	f := newFloor(b, typical(0))
	tree := fstest.MapFS{}
	for i := range 100 {
		tree[fmt.Sprintf("extensions/e%d/server.ts", i)] = &fstest.MapFile{Data: []byte(typical(i))}
	}
	for b.Loop() {
		f.measure()
		c := compile.New(compile.Options{Synthetic: standard()})
		done := make(chan error)
		for name := range tree {
			go func() {
				_, err := c.Compile(context.Background(), tree, path.Clean(name))
				done <- err
			}()
		}
		for range tree {
			if err := <-done; err != nil {
				b.Error(err)
			}
		}
	}
	f.report(100)
}
