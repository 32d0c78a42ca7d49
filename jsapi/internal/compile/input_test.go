package compile_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

// problemsOf compiles e.ts and returns its problems; none is a failure of the test.
func problemsOf(t *testing.T, tree fs.FS) []compile.Problem {
	t.Helper()
	c := compile.New(compile.Options{Synthetic: standard()})
	_, err := c.Compile(context.Background(), tree, "e.ts")
	var found *compile.Errors
	if !errors.As(err, &found) {
		t.Fatalf("error is %v, want *Errors", err)
	}
	return found.Problems
}

func TestInputThatIsNoSourceIsRefused(t *testing.T) {
	for _, test := range []struct {
		rule string
		tree fstest.MapFS
		want string // all of the first problem
	}{
		{
			"a file over the limit names the limit",
			files("e.ts", `import "./big.ts"`, "big.ts", "//"+strings.Repeat("x", 10<<20)),
			"big.ts: the file has 10485762 bytes, the limit is 4194304\n  split the file, or read large data at run time",
		},
		{
			"a file that is not UTF-8 names the first bad byte",
			files("e.ts", `import "./latin.ts"`, "latin.ts", "const a = 1;\nconst é = \"caf\xe9\";\n"),
			"latin.ts:2:15: the file is not UTF-8: byte 0xE9 at offset 28\n    const é = \"caf\uFFFD\";\n                  ^\n  save the file as UTF-8",
		},
		{
			"text is UTF-8 too",
			files("e.ts", `import t from "./t.md" with { type: "text" }; log(t)`, "t.md", "\xff"),
			"t.md:1:1: the file is not UTF-8: byte 0xFF at offset 0\n    \uFFFD\n    ^\n  save the file as UTF-8",
		},
		{
			"a symbolic link is not followed",
			withMode(files("e.ts", `import "./link.ts"`, "link.ts", "e.ts"), "link.ts", fs.ModeSymlink),
			"e.ts:1:8: cannot import \"./link.ts\": it is a symbolic link\n    import \"./link.ts\"\n           ^\n  only regular files can be imported",
		},
		{
			"a submodule is not a file",
			withMode(files("e.ts", `import "./sub.ts"`, "sub.ts", ""), "sub.ts", fs.ModeIrregular),
			"e.ts:1:8: cannot import \"./sub.ts\": it is not a file (a submodule?)\n    import \"./sub.ts\"\n           ^\n  only regular files can be imported",
		},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if got := problemsOf(t, test.tree)[0].String(); got != test.want {
				t.Errorf("problem is\n%s\nwant\n%s", got, test.want)
			}
		})
	}
}

func withMode(tree fstest.MapFS, name string, mode fs.FileMode) fstest.MapFS {
	tree[name].Mode = mode
	return tree
}

// failingFS fails to open one file with an error of its own.
type failingFS struct {
	fstest.MapFS
	name string
	err  error
}

func (f failingFS) Open(name string) (fs.File, error) {
	if name == f.name {
		return nil, &fs.PathError{Op: "open", Path: name, Err: f.err}
	}
	return f.MapFS.Open(name)
}

func TestAFileThatCannotBeReadIsAProblem(t *testing.T) {
	tree := failingFS{files("e.ts", `import "./b.ts"`, "b.ts", ""), "b.ts", errors.New("object is missing")}
	got := problemsOf(t, tree)
	if len(got) != 1 || got[0].File != "b.ts" || !strings.Contains(got[0].Message, "object is missing") {
		t.Errorf("problems are %+v", got)
	}
}

// deepCode makes source of every construct by which parsers and compilers recurse.
var deepCode = map[string]func(n int) string{
	"parentheses":        func(n int) string { return "x=" + strings.Repeat("(", n) + "1" + strings.Repeat(")", n) },
	"open parentheses":   func(n int) string { return strings.Repeat("(", n) },
	"arrays":             func(n int) string { return "x=" + strings.Repeat("[", n) + strings.Repeat("]", n) },
	"objects":            func(n int) string { return "x=" + strings.Repeat("{a:", n) + "1" + strings.Repeat("}", n) },
	"unary operators":    func(n int) string { return "x=" + strings.Repeat("!", n) + "y" },
	"additions":          func(n int) string { return "x=" + strings.Repeat("y+", n) + "y" },
	"members":            func(n int) string { return "x=y" + strings.Repeat(".a", n) },
	"calls":              func(n int) string { return "x=y" + strings.Repeat("()", n) },
	"assignments":        func(n int) string { return strings.Repeat("a=", n) + "1" },
	"arrow functions":    func(n int) string { return "x=" + strings.Repeat("a=>", n) + "1" },
	"conditions":         func(n int) string { return "x=" + strings.Repeat("a?b:", n) + "1" },
	"powers":             func(n int) string { return "x=" + strings.Repeat("a**", n) + "1" },
	"if":                 func(n int) string { return strings.Repeat("if(a)", n) + "b()" },
	"if over lines":      func(n int) string { return strings.Repeat("if(a)\n", n) + "b()" },
	"else if":            func(n int) string { return strings.Repeat("if(a){}else ", n) + "b()" },
	"else if over lines": func(n int) string { return strings.Repeat("if(a){\n}\nelse\n", n) + "b()" },
	"labels":             func(n int) string { return numbered("l%d:", n) + "b()" },
	"templates":          func(n int) string { return "x=" + strings.Repeat("`${", n) + "1" + strings.Repeat("}`", n) },
	"functions":          func(n int) string { return strings.Repeat("function f(){", n) + strings.Repeat("}", n) },
	"classes":            func(n int) string { return "x=" + strings.Repeat("class{a=", n) + "1" + strings.Repeat("}", n) },
	"type arguments":     func(n int) string { return "let x:" + strings.Repeat("A<", n) + "B" + strings.Repeat(">", n) },
	"less than":          func(n int) string { return "x=" + strings.Repeat("a<", n) + "b" },
	"type parentheses":   func(n int) string { return "let x:" + strings.Repeat("(", n) + "B" + strings.Repeat(")", n) },
	"conditional types": func(n int) string {
		return "type X=" + strings.Repeat("A extends B?", n) + "C" + strings.Repeat(":D", n)
	},
	"arrow bodies":      func(n int) string { return "x=" + strings.Repeat("(a)=>(", n) + "1" + strings.Repeat(")", n) },
	"generic arrows":    func(n int) string { return "x=" + strings.Repeat("<T>(a:T)=>", n) + "1" },
	"default arguments": func(n int) string { return "x=" + strings.Repeat("(a=", n) + "1" + strings.Repeat(")", n) },
	"new":               func(n int) string { return "x=" + strings.Repeat("new ", n) + "a" },
	"optional chains":   func(n int) string { return "x=y" + strings.Repeat("?.a", n) },
	"nullish":           func(n int) string { return "x=" + strings.Repeat("y??", n) + "y" },
	"patterns":          func(n int) string { return "let " + strings.Repeat("[", n) + "a" + strings.Repeat("]", n) + "=b" },
	"async functions": func(n int) string {
		return strings.Repeat("async function*f(){for await(const x of y){", n) + strings.Repeat("}}", n)
	},
	"using":           func(n int) string { return strings.Repeat("{using x=y;", n) + strings.Repeat("}", n) },
	"type assertions": func(n int) string { return "x=" + strings.Repeat("<A>", n) + "1" },
	"JSON":            func(n int) string { return strings.Repeat("[", n) + strings.Repeat("]", n) },
}

func numbered(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// A goroutine stack that overflows ends the process, so that this test fails by not returning.
func TestDeepNestingIsRefusedBeforeItIsParsed(t *testing.T) {
	for name, code := range deepCode {
		t.Run(name, func(t *testing.T) {
			file, attributes := "deep.ts", ""
			if name == "JSON" {
				file = "deep.json"
			}
			source := code(80_000)
			got := problemsOf(t, files("e.ts", `import d from "./`+file+`"`+attributes+`; log(d)`, file, source))
			if got[0].File != file || !strings.Contains(got[0].Message, "more than 4000 deep") || got[0].Line == 0 {
				t.Errorf("problem is %+v", got[0])
			}
		})
	}
}

func TestNestingBelowTheLimitIsHarmless(t *testing.T) {
	for name, code := range deepCode {
		t.Run(name, func(t *testing.T) {
			file := "deep.ts"
			if name == "JSON" {
				file = "deep.json"
			}
			tokens := map[string]int{"less than": 2, "arrow bodies": 7, "generic arrows": 10, "async functions": 12}[name]
			if tokens == 0 {
				tokens = 6
			}
			c := compile.New(compile.Options{Synthetic: standard()})
			_, err := c.Compile(context.Background(), files("e.ts", `import * as d from "./`+file+`"; log(d)`, file, code(2000/tokens)), "e.ts")
			if err != nil && strings.Contains(err.Error(), "deep here") {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func TestFlatCodeIsNotTakenForDeep(t *testing.T) {
	for rule, source := range map[string]string{
		"statements":                strings.Repeat("f(1, 2);\n", 20_000),
		"statements by lines":       strings.Repeat("f(a)\nb.d = [1]\nfor (;;) { break }\n", 3_000),
		"a large array":             "x = [" + strings.Repeat("[1, {a: 2}], ", 20_000) + "]",
		"functions":                 numbered("function f%d() { return 1 }\n", 5_000),
		"classes with fields":       numbered("class A%d {\n a = 1\n b() { return /[(]/.test('(') }\n}\n", 5_000),
		"comments and strings":      strings.Repeat("/* ((( */ f('((((', `((((`); // ((((\n", 10_000),
		"templates":                 strings.Repeat("f(`a${b}c${d}`);", 10_000),
		"interfaces without commas": "interface A {\n" + strings.Repeat("  a: string\n  b?: number\n", 10_000) + "}",
		"quotes in expressions":     strings.Repeat("if (a) /['\"`]/.test(b);\n", 10_000),
	} {
		t.Run(rule, func(t *testing.T) {
			c := compile.New(compile.Options{Synthetic: standard()})
			_, err := c.Compile(context.Background(), files("e.ts", source), "e.ts")
			if err != nil && strings.Contains(err.Error(), "deep here") {
				t.Errorf("refused: %v", err)
			}
		})
	}
}

func TestASourceMapCommentReadsNoFile(t *testing.T) {
	source := "const a = 1;\n//# sourceMappingURL=/etc/passwd\nexport const f = () => { throw new Error(`\n//# sourceMappingURL=/etc/hostname`) };\n//# sourceMappingURL=data:application/json;base64,e30=\n"
	tree := files("e.ts", `import { f } from "./p.ts"; try { f() } catch (e) { log((e as Error).stack) }`, "p.ts", source)
	got := runLog(t, tree, "e.ts")
	if !strings.Contains(got, "p.ts:3:32(") {
		t.Errorf("stack is\n%s", got)
	}
}

// A bundler takes import("./" + name) for every file on the disk that fits.
func TestAComputedImportReadsNoFileOfTheDisk(t *testing.T) {
	tree := files("e.ts", "import { gone } from \"./b.ts\";\nconst n = \"x\";\nimport(\"./\" + n);\nimport(`./${n}.ts`);\nimport(`../${n}`);\nrequire('./' + n);\nlog(gone)", "b.ts", "export {}")
	got := problemsOf(t, tree)
	if len(got) != 1 || got[0].Message != `"b.ts" does not export "gone"` {
		t.Errorf("problems are %+v", got)
	}
}
