package host

import (
	"strings"
	"testing"
)

// declaring is a module that exports an extension as it is.
func declaring(members string) string { return "export default { " + members + " };\n" }

// taskDeclaration makes a task in the source of a test.
const taskDeclaration = `import { defineTask } from "@earendil-works/pi-durable";
const task = defineTask({ name: "t", version: 1, initial: () => ({ phase: "run" }), phases: { run() {} }, abort() {} } as any);
`

// refusals are commits that cannot go live, and what the error must name.
var refusals = map[string]struct {
	files files
	names []string
}{
	"an import that does not resolve":     {files{server("x"): `import "./lib.ts";` + answering("x", "")}, []string{"extensions/x/server.ts:1:8", "./lib.ts"}},
	"an import of a missing extension":    {files{server("x"): "\nimport { n } from \"./lib\"; n;" + answering("x", ""), "extensions/x/lib.ts": "export const n = 1;"}, []string{"extensions/x/server.ts:2:19", "./lib.ts"}},
	"an import of a folder":               {files{server("x"): `import "./lib";` + answering("x", ""), "extensions/x/lib/index.ts": "export {};"}, []string{"extensions/x/server.ts:1:8", "lib"}},
	"an import out of the repository":     {files{server("x"): `import "../../../etc/passwd.ts";` + answering("x", "")}, []string{"extensions/x/server.ts:1:8", "leaves the repository"}},
	"a package that is not there":         {files{server("x"): `import "left-pad";` + answering("x", "")}, []string{"extensions/x/server.ts:1:8", "left-pad", "typebox"}},
	"a subpath a synthetic scope lacks":   {files{server("x"): `import "@earendil-works/pi-ai/none";` + answering("x", "")}, []string{"extensions/x/server.ts:1:8", "@earendil-works/pi-ai/none"}},
	"an export that is missing":           {files{server("x"): `import { none } from "./lib.ts"; none;` + answering("x", ""), "extensions/x/lib.ts": "export const some = 1;"}, []string{"extensions/x/server.ts:1:10", "none"}},
	"a syntax error":                      {files{server("x"): "\n\n  const = 5;\n"}, []string{"extensions/x/server.ts:3:9", "const = 5;"}},
	"a throw in a module":                 {files{server("x"): "\nthrow new TypeError(\"at import\");"}, []string{"extensions/x/server.ts:2:7", "TypeError: at import"}},
	"a throw in an imported module":       {files{server("x"): `import "./lib.ts";` + answering("x", ""), "extensions/x/lib.ts": "\n\nthrow new Error(\"in lib\");"}, []string{"extensions/x/lib.ts:3:7", "in lib"}},
	"no default export":                   {files{server("x"): "export const y = 1;"}, []string{"extensions/x/server.ts", "no default export"}},
	"a default export of the wrong kind":  {files{server("x"): "export default 5;"}, []string{"extensions/x/server.ts", "not number"}},
	"a factory that gives nothing":        {files{server("x"): "export default () => {};"}, []string{"extensions/x/server.ts", "not undefined"}},
	"a factory that throws":               {files{server("x"): "export default () => {\n  throw new Error(\"on purpose\");\n};"}, []string{"extensions/x/server.ts:2:9", "factory: Error: on purpose"}},
	"a factory that rejects":              {files{server("x"): "export default async () => {\n  await null; throw new Error(\"later\");\n};"}, []string{"extensions/x/server.ts:2:21", "later"}},
	"a factory that throws no error":      {files{server("x"): "export default () => { throw 'text'; };"}, []string{"extensions/x/server.ts", "text"}},
	"a name that differs from the folder": {files{server("x"): declaring(`name: "y"`)}, []string{"extensions/x/server.ts", `"y"`, `"x"`}},
	"no name":                             {files{server("x"): declaring(`tools: []`)}, []string{"extensions/x/server.ts", "name must be a string"}},
	"a folder that cannot be a name":      {files{server("Upper"): declaring(`name: "Upper"`)}, []string{"extensions/Upper/server.ts", "cannot be the name"}},
	"a folder whose name is not UTF-8":    {files{server("caf\xe9"): declaring(`name: "x"`)}, []string{"extensions/caf\ufffd/server.ts", `"caf\xe9" cannot be the name`}},
	"an order that is no number":          {files{server("x"): "export const order = NaN;" + declaring(`name: "x"`)}, []string{"order must be a finite number"}},
	"a getter that throws":                {files{server("x"): declaring(`name: "x", get tools() { throw new Error("boo"); }`)}, []string{"extensions/x/server.ts", "reading tools threw: boo"}},
	"a duplicate tool":                    {files{server("x"): declaring(`name: "x", tools: [` + tool("same", "") + "," + tool("same", "") + "]")}, []string{"extension x", `"same"`}},
	"a duplicate section":                 {files{server("x"): declaring(`name: "x", sections: [{ key: "s", render: () => "" }, { key: "s", render: () => "" }]`)}, []string{"extension x", `"s"`}},
	"a duplicate task":                    {files{server("x"): taskDeclaration + declaring(`name: "x", tasks: [task, task]`)}, []string{"extension x", `"t"`}},
	"a tool without a function":           {files{server("x"): declaring(`name: "x", tools: [{ name: "t", description: "", parameters: {} }]`)}, []string{"tools[0].execute must be a function"}},
	"a tool with an invalid schema":       {files{server("x"): declaring(`name: "x", tools: [{ name: "t", description: "", parameters: { type: "strin" }, execute() {} }]`)}, []string{"extension x", `"t"`}},
	"two providers of one service":        {files{server("x"): extensionOf("x", `host.implement("s", {});`), server("y"): extensionOf("y", `host.implement("s", {});`)}, []string{`"s"`, "x", "y"}},
	"a need that nobody provides":         {files{server("x"): extensionOf("x", `host.need("s");`)}, []string{"extension x", `"s"`, "nobody implements"}},
	"an invalid manifest":                 {files{server("x"): declaring(`name: "x", manifest: 5`)}, []string{"manifest must be an object"}},
	"a newer version of the API":          {files{server("x"): declaring(`name: "x", manifest: { apiVersion: 2 }`)}, []string{"extension x", "version 2 of the extension API", "version 1"}},
	"a version of the API that is none":   {files{server("x"): declaring(`name: "x", manifest: { apiVersion: 1.5 }`)}, []string{"extensions/x/server.ts", "manifest.apiVersion must be an integer"}},
	"a reserved command":                  {files{server("x"): declaring(`name: "x", commands: [{ name: "help", description: "", execute: () => {} }]`)}, []string{"extension x", "help"}},
	"a file that is not UTF-8":            {files{server("x"): "export default { name: \"x\xff\" };"}, []string{"extensions/x/server.ts:1:26", "UTF-8"}},
	"a file of 10 MB":                     {files{server("x"): "// " + strings.Repeat("x", 10<<20) + "\n" + answering("x", "")}, []string{"extensions/x/server.ts", "10485", "the limit is"}},
	"a module that spins":                 {files{server("x"): "let n = 0;\nfor (;;) n++;"}, []string{"extensions/x/server.ts:2:", "without yielding"}},
	"a factory that spins":                {files{server("x"): "let n = 0;\nexport default () => { for (;;) n++; };"}, []string{"extensions/x/server.ts:2:", "without yielding"}},
	"a factory that never settles":        {files{server("x"): "export default () => new Promise(() => {});"}, []string{"extensions/x/server.ts", "factory did not finish within 3s"}},
	"endless recursion in a module":       {files{server("x"): "const f = (): number => f() + 1;\nf();"}, []string{"extensions/x/server.ts:1:", "call stack"}},
	"top-level await":                     {files{server("x"): "\nawait new Promise(() => {});\n" + answering("x", "")}, []string{"extensions/x/server.ts:2:1", "top-level await is not supported"}},
}

func TestARefusedCommitNamesWhatAndWhereAndChangesNothing(t *testing.T) {
	w := newWorld(t, files{server("live"): answering("live", "still here")})
	h := w.open(inMemory, loadsBriefly)
	good := *h.Status().Good
	for name, refusal := range refusals {
		t.Run(name, func(t *testing.T) {
			h.TB = t
			message := h.refused(w.commit(refusal.files))
			contains(t, message, refusal.names...)
			if len(message) > 4096 {
				t.Errorf("the message has %d bytes", len(message))
			}
			same(t, h.call("live"), "still here")
			same(t, *h.Status().Good, good)
			if len(h.Status().Problems) == 0 {
				t.Error("there are no problems in the status")
			}
			w.git("reset", "--quiet", "--hard", good)
			h.live(good)
		})
	}
	h.TB = t
	same(t, w.git("rev-parse", GoodRef), good)
}

func TestAllProblemsOfACommitAreReported(t *testing.T) {
	w := newWorld(t, files{
		server("a"): `import "./none.ts"; import "unknown-package";` + answering("a", ""),
		server("b"): "export default (",
		server("c"): `throw new Error("module c");`,
		server("d"): `export default () => { throw new Error("factory d"); };`,
		server("e"): declaring(`name: "wrong", tools: 5, get hooks() { throw new Error("getter e"); }`),
		server("f"): declaring(`name: "f", tools: [` + tool("same", "") + "," + tool("same", "") + "]"),
		server("g"): extensionOf("g", `host.need("nobody");`),
	})
	h := w.open(inMemory)
	message := h.refused(w.git("rev-parse", "HEAD"))
	contains(t, message, "./none.ts", "unknown-package", "extensions/b/server.ts:1:", "module c", "factory d",
		`"wrong"`, "tools must be an array", "getter e", `"same"`, `"nobody"`)
}

func TestWhatLooksOddAndIsFine(t *testing.T) {
	for name, source := range map[string]files{
		"a class instance":      {server("x"): "class X { name = \"x\"; get tools() { return [" + tool("x", `return "fine";`) + "]; } }\nexport default new X();"},
		"a null prototype":      {server("x"): "export default Object.assign(Object.create(null), { name: \"x\", tools: [" + tool("x", `return "fine";`) + "] });"},
		"a circular import":     {server("x"): `import { b } from "./b.ts"; export const a = "fine";` + extensionOf("x", "", tool("x", "return b();")), "extensions/x/b.ts": `import { a } from "./server.ts"; export const b = () => a;`},
		"a tool of two":         {server("x"): answering("x", "fine"), server("y"): extensionOf("y", "", tool("x", `return "fine";`))},
		"a folder without code": {server("x"): answering("x", "fine"), "extensions/docs/README.md": "text", "extensions/file.txt": "text"},
		"an own service":        {server("x"): extensionOf("x", `host.implement("s", { get: () => "fine" }); const s = host.need("s");`, tool("x", "return await s.get();"))},
	} {
		t.Run(name, func(t *testing.T) {
			h := newWorld(t, source).open(inMemory)
			same(t, h.call("x"), "fine")
		})
	}
}

func TestAGetterThatThrowsIsOneProblem(t *testing.T) {
	for member, declared := range map[string]string{
		"name": `get name() { throw new Error("boo"); }`, "tools": `name: "x", get tools() { throw new Error("boo"); }`,
		"scopes": `name: "x", get scopes() { throw new Error("boo"); }`, "handlers": `name: "x", hooks: [{ task: "t", get handlers() { throw new Error("boo"); } }]`,
	} {
		t.Run(member, func(t *testing.T) {
			w := newWorld(t, files{server("x"): answering("x", "fine")})
			h := w.open(inMemory)
			contains(t, h.refused(w.commit(files{server("x"): declaring(declared)})), member+" threw: boo")
			if problems := h.Status().Problems; len(problems) != 1 {
				t.Errorf("problems %s", asJSON(problems))
			}
		})
	}
}

func TestAFolderWithoutServerMayHaveAnyName(t *testing.T) {
	w := newWorld(t, files{"extensions/caf\xe9/notes.txt": "n", "extensions/caf\xe9.txt": "n", "caf\xe9.txt": "top", server("x"): answering("x", "here")})
	h := w.open(inMemory)
	same(t, h.call("x"), "here")
}
