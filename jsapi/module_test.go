package jsapi

import (
	"context"
	"errors"
	"regexp"
	"strings"
	"testing"
)

// evaluateTree runs main.ts of a tree.
func evaluateTree(t testing.TB, iso *Isolate, files map[string]string) (*Namespace, error) {
	t.Helper()
	return iso.Evaluate(context.Background(), testJob, compileTree(t, files))
}

func TestModuleSemantics(t *testing.T) {
	for _, test := range []struct {
		rule  string
		files map[string]string
		want  any
	}{
		{"a module runs once in an evaluation", map[string]string{
			"main.ts": `import { a } from "./a.ts"; import { b } from "./b.ts"; import { runs } from "./c.ts"; export const run = () => [a, b, runs()].join();`,
			"a.ts":    `import { next } from "./c.ts"; export const a = next();`,
			"b.ts":    `import { next } from "./c.ts"; export const b = next();`,
			"c.ts":    `let n = 0; export const next = () => ++n; export const runs = () => n;`,
		}, "1,2,2"},
		{"modules run in the order of imports", map[string]string{
			"main.ts": `import "./a.ts"; import "./b.ts"; import { log } from "./log.ts"; log.push("main"); export const run = () => log.join();`,
			"a.ts":    `import "./b.ts"; import { log } from "./log.ts"; log.push("a");`,
			"b.ts":    `import { log } from "./log.ts"; log.push("b");`,
			"log.ts":  `export const log: string[] = [];`,
		}, "b,a,main"},
		{"bindings are live", map[string]string{
			"main.ts": `import { n, add } from "./a.ts"; export const run = () => { const before = n; add(); return [before, n].join(); };`,
			"a.ts":    `export let n = 1; export const add = () => { n++; };`,
		}, "1,2"},
		{"a cycle", map[string]string{
			"main.ts": `import { a } from "./a.ts"; export const run = () => a();`,
			"a.ts":    `import { b } from "./b.ts"; export const a = () => "a" + b(1); export const end = () => "end";`,
			"b.ts":    `import { end } from "./a.ts"; export const b = (n: number) => n + end();`,
		}, "a1end"},
		{"a default export and a namespace", map[string]string{
			"main.ts": `import d, * as all from "./a.ts"; export const run = () => [d, Object.keys(all).sort().join("+")].join();`,
			"a.ts":    `export default "d"; export const x = 1;`,
		}, "d,default+x"},
		{"import() of a literal", map[string]string{
			"main.ts": `let loaded = 0; export const run = async () => { const first = await import("./a.ts"), again = await import("./a.ts"); return [first.x, first.count === again.count].join(); };`,
			"a.ts":    `export const x = "x"; export const count = {};`,
		}, "x,true"},
		{"import() runs the module when it is called", map[string]string{
			"main.ts": `import { log } from "./log.ts"; export const run = async () => { log.push("before"); await import("./a.ts"); return log.join(); };`,
			"a.ts":    `import { log } from "./log.ts"; log.push("a");`,
			"log.ts":  `export const log: string[] = [];`,
		}, "before,a"},
		{"import() of a computed path", map[string]string{
			"main.ts":      `import { id } from "./shared.ts"; const load = (name: string) => import("./parts/" + name + ".ts"); export const run = async () => { const m = await load("one"); return [m.name, m.id === id].join(); };`,
			"parts/one.ts": `import { id } from "../shared.ts"; export const name = "one"; export { id };`,
			"shared.ts":    `export const id = {};`,
		}, "one,true"},
		{"import() of what is not there", map[string]string{
			"main.ts": `const load = (name: string) => import("./" + name); export const run = async () => { try { await load("none.ts"); } catch (e: any) { return e instanceof Error && e.message.includes("none.ts"); } };`,
		}, true},
		{"JSON", map[string]string{
			"main.ts":   `import data, { list } from "./data.json"; import again from "./data.json"; export const run = () => [data.a, list.length, data === again, Object.keys(data).join("")].join();`,
			"data.json": `{"b": 1, "a": 2, "list": [1, 2, 3], "__proto__": 4}`,
		}, "2,3,true,balist__proto__"},
		{"text", map[string]string{
			"main.ts": `import text from "./a.txt" with { type: "text" }; export const run = () => text;`,
			"a.txt":   "żółw\n\"quoted\"",
		}, "żółw\n\"quoted\""},
		{"import.meta", map[string]string{
			"main.ts":    `import { meta } from "./sub/a b.ts"; export const run = () => [import.meta.url, import.meta.filename, import.meta.dirname, meta].join("\n");`,
			"sub/a b.ts": `export const meta = [import.meta.url, import.meta.filename, import.meta.dirname].join("\n");`,
		}, "file:///run/snapshot/main.ts\n/run/snapshot/main.ts\n/run/snapshot\nfile:///run/snapshot/sub/a%20b.ts\n/run/snapshot/sub/a b.ts\n/run/snapshot/sub"},
		{"import.meta is one object in a module", map[string]string{
			"main.ts": `const first = import.meta; export const run = () => first === import.meta && Object.keys(import.meta).sort().join();`,
		}, "dirname,filename,url"},
		{"a synthetic module has one instance in an isolate", map[string]string{
			"main.ts": `import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context"; import { other } from "./a.ts"; export const run = () => other === BACKGROUND_CONTEXT;`,
			"a.ts":    `import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context"; export const other = BACKGROUND_CONTEXT;`,
		}, true},
		{"globals are shared by modules, declarations are not", map[string]string{
			"main.ts": `import "./a.ts"; var x = 1; export const run = () => [x, (globalThis as any).x, (globalThis as any).shared].join();`,
			"a.ts":    `var x = 2; (globalThis as any).shared = "s";`,
		}, "1,,s"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			ns, err := evaluateTree(t, iso, test.files)
			if err != nil {
				t.Fatal(err)
			}
			if got := call(t, iso, ns, "run"); got != test.want {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}

func TestEvaluationsShareOnlySyntheticModules(t *testing.T) {
	iso := newIsolate(t, Options{})
	source := compileSource(t, `
		import { BACKGROUND_CONTEXT } from "@earendil-works/chord/context";
		const own = {};
		const seen = (globalThis as any).seen ??= [];
		seen.push(own, BACKGROUND_CONTEXT);
		export const check = () => [seen.length, seen[0] === seen[2], seen[1] === seen[3]].join();
	`)
	for range 2 {
		ns, err := iso.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, iso, ns, "check"); got != "2,false,false" && got != "4,false,true" {
			t.Errorf("check = %v", got)
		}
	}
}

func TestNamespace(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export const name = "demo", order = 5, on = true, big = 1n, nothing = null;
		export const list = [1];
		export default function main() { return "main"; }
		export type OnlyAType = string;
	`)
	if got := strings.Join(ns.Names(), ","); got != "big,default,list,name,nothing,on,order" {
		t.Errorf("names = %s", got)
	}
	for name, want := range map[string]any{"name": "demo", "order": 5.0, "on": true, "big": nil, "nothing": nil, "list": nil, "default": nil, "missing": nil} {
		if got := ns.Primitive(name); got != want {
			t.Errorf("%s = %v, want %v", name, got, want)
		}
	}
	if got := call(t, iso, ns, "default"); got != "main" {
		t.Errorf("default = %v", got)
	}
}

func TestModuleThatThrows(t *testing.T) {
	t.Run("the error has its place", func(t *testing.T) {
		iso := newIsolate(t, Options{})
		_, err := evaluateTree(t, iso, map[string]string{
			"main.ts":  `import "./lib/a.ts";`,
			"lib/a.ts": "interface Unused { a: string }\n\nconst limit: number = 3;\nthrow new RangeError(`over ${limit}`);\n",
		})
		if err == nil || err.Error() != "RangeError: over 3 (lib/a.ts:4:7)" {
			t.Errorf("error = %v", err)
		}
	})
	t.Run("every import throws the same value", func(t *testing.T) {
		iso := newIsolate(t, Options{})
		ns, err := evaluateTree(t, iso, map[string]string{
			"main.ts": `export const run = async () => {
				const caught: unknown[] = [];
				for (let i = 0; i < 2; i++) try { await import("./a.ts"); caught.push("none"); } catch (e) { caught.push(e); }
				return [caught[0] === caught[1], (globalThis as any).runs, String(caught[0])].join();
			};`,
			"a.ts": `(globalThis as any).runs = ((globalThis as any).runs ?? 0) + 1; throw new Error("broken");`,
		})
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, iso, ns, "run"); got != "true,1,Error: broken" {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a module of Go that is not supplied throws each time", func(t *testing.T) {
		iso := newIsolate(t, Options{})
		source := compileSupplied(t, `export const run = async () => {
			const caught: any[] = [];
			for (let i = 0; i < 2; i++) try { caught.push(await import("go:test")); } catch (e) { caught.push(e); }
			return [caught[0] === caught[1], caught[0].message].join();
		};`, "x")
		ns, err := iso.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, iso, ns, "run"); got != "true,module go:test is not supplied in this isolate" {
			t.Errorf("got %v", got)
		}
	})
	t.Run("a second evaluation tries again", func(t *testing.T) {
		iso := newIsolate(t, Options{})
		source := compileSource(t, `if (((globalThis as any).tries = ((globalThis as any).tries ?? 0) + 1) === 1) throw new Error("first"); export const ok = true;`)
		if _, err := iso.Evaluate(t.Context(), testJob, source); err == nil {
			t.Error("the first evaluation succeeded")
		}
		ns, err := iso.Evaluate(t.Context(), testJob, source)
		if err != nil || ns.Primitive("ok") != true {
			t.Errorf("the second: %v", err)
		}
	})
}

func TestSuppliedModules(t *testing.T) {
	exports := NewObject("name", "go", "twice", Native(func(call *NativeCall) (any, error) {
		n, ok := call.Arg(0).(float64)
		if !ok {
			return nil, NewError(errors.New("twice needs a number"), "TypeError", nil)
		}
		return 2 * n, nil
	}), "list", []any{1, 2})
	const code = `
		import { name, twice, list } from "go:test";
		import * as all from "go:test";
		(list as number[]).push(3);
		export const run = () => [name, twice(21), list.length, Object.keys(all).join("+")].join();
		export const fail = () => { try { (twice as any)("x"); } catch (e) { return e instanceof TypeError && e.message; } };
	`
	source := compileSupplied(t, code, "name", "twice", "list")
	for range 2 { // each isolate gets values of its own
		iso := newSuppliedIsolate(t, Options{}, exports)
		ns, err := iso.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		if got := call(t, iso, ns, "run"); got != "go,42,3,list+name+twice" && got != "go,42,3,name+twice+list" {
			t.Errorf("run = %v", got)
		}
		if got := call(t, iso, ns, "fail"); got != "twice needs a number" {
			t.Errorf("fail = %v", got)
		}
	}
}

func TestStackText(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns, err := evaluateTree(t, iso, map[string]string{
		"main.ts": "import { outer } from './lib/my helper.ts';\n" +
			"type T = { n: number };\n" +
			"export async function run(): Promise<string> {\n" +
			"  await null;\n" +
			"  try { return outer<T>({ n: 1 }); } catch (e) { return (e as Error).stack!; }\n" +
			"}\n" +
			"export const fail = () => outer({ n: 2 });\n",
		"lib/my helper.ts": "export function outer<T extends { n: number }>(x: T): string {\n" +
			"  return inner(x.n as number);\n}\n" +
			"class Thrower { static fail(n: number): never { throw new Error('bad ' + n); } }\n" +
			"const inner = (n: number): never => Thrower.fail(n);\n",
	})
	if err != nil {
		t.Fatal(err)
	}
	const want = "Error: bad 1\n" +
		"\tat fail (lib/my%20helper.ts:4:55)\n" +
		"\tat inner (lib/my%20helper.ts:5:45)\n" +
		"\tat outer (lib/my%20helper.ts:2:10)\n" +
		"\tat run (main.ts:5:16)\n"
	got := call(t, iso, ns, "run").(string)
	if stripped := counter.ReplaceAllString(got, ")"); stripped != want {
		t.Errorf("stack = %q\nwant    %q", stripped, want)
	}
	_, err = iso.Call(t.Context(), testJob, ns.Method("fail"))
	if err == nil || err.Error() != "Error: bad 2 (lib/my helper.ts:4:55)" {
		t.Errorf("error = %v", err)
	}
}

// counter is the engine's program counter in a frame.
var counter = regexp.MustCompile(`\(\d+\)\)`)

// Frames in the harness's own modules are of no use to an author.
func TestPositionIsTheAuthors(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, "import { withAbortSignal, BACKGROUND_CONTEXT } from '@earendil-works/chord/context';\n"+
		"export const run = () => {\n  return withAbortSignal(null as any, { get abortSignal() { return {} as any; } } as any);\n};\n"+
		"export const decode = () => JSON.parse('{');\n"+
		"export const url = () => new URL('nonsense');\n")
	for name, want := range map[string]string{"run": "main.ts:3:", "decode": "main.ts:5:", "url": "main.ts:6:"} {
		_, err := iso.Call(t.Context(), testJob, ns.Method(name))
		var thrown *Error
		if !errors.As(err, &thrown) || !strings.HasPrefix(thrown.Position.String(), want) {
			t.Errorf("%s: %v, want a place in %s\n%s", name, err, want, thrown.Stack)
		}
	}
}
