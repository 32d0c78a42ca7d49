package compile_test

import (
	"context"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/jsapi/internal/compile"
)

// TestModulesBehaveAsTheStandardSays runs a graph in bare goja and compares what it logs.
func TestModulesBehaveAsTheStandardSays(t *testing.T) {
	for _, test := range []struct {
		rule  string
		files []string // path, content, ...; the entry is e.ts
		want  string
	}{
		{"a named import is a live binding", []string{
			"e.ts", `import { n, inc } from "./b.ts"; log(n); inc(); log(n)`,
			"b.ts", `export let n = 1; export function inc() { n++ }`,
		}, "1\n2"},
		{"a default export of an expression, a function and a class", []string{
			"e.ts", `import a from "./a.ts"; import b from "./b.ts"; import C from "./c.ts"; log(a, b(), b.name, new C().v, C.name)`,
			"a.ts", `export default 1 + 1`,
			"b.ts", `export default function () { return "b" }`,
			"c.ts", `export default class Foo { v = 3 }`,
		}, "2 b b_default 3 Foo"},
		{"export star passes names on but no default", []string{
			"e.ts", `import * as ns from "./s.ts"; log(Object.keys(ns).sort().join())`,
			"s.ts", `export * from "./a.ts"; export * as inner from "./a.ts"; export const own = 1`,
			"a.ts", `export const x = 1; export let y = 2; export default 3`,
		}, "inner,own,x,y"},
		{"a re-export follows its binding", []string{
			"e.ts", `import { renamed, inc } from "./r.ts"; inc(); log(renamed)`,
			"r.ts", `export { n as renamed, inc } from "./b.ts"`,
			"b.ts", `export let n = 1; export function inc() { n++ }`,
		}, "2"},
		{"functions are there in a cycle before their module has run", []string{
			"e.ts", `import { even } from "./even.ts"; log(even(10), even(7))`,
			"even.ts", `import { odd } from "./odd.ts"; export function even(n: number): boolean { return n === 0 || odd(n - 1) }`,
			"odd.ts", `import { even } from "./even.ts"; export function odd(n: number): boolean { return n !== 0 && even(n - 1) }`,
		}, "true false"},
		{"a constant of a cycle cannot be read before it is set", []string{
			"e.ts", `import "./a.ts"`,
			"a.ts", `import { get } from "./b.ts"; export const a = 1; log(get())`,
			"b.ts", `import { a } from "./a.ts"; export const get = () => a; try { get() } catch (e) { log((e as Error).name) }`,
		}, "ReferenceError\n1"},
		{"imports run once, before their importer, in order", []string{
			"e.ts", `log("e"); import "./a.ts"; import "./b.ts"`,
			"a.ts", `import "./b.ts"; log("a")`,
			"b.ts", `log("b")`,
		}, "b\na\ne"},
		{"import() of a literal runs the module when it is called", []string{
			"e.ts", `log("e"); const m = import("./lazy.ts"); m.then(({ default: d, x }) => log(d, x))`,
			"lazy.ts", `log("lazy"); export default "d"; export const x = "x"`,
		}, "e\nlazy\nd x"},
		{"import() of a module that throws rejects", []string{
			"e.ts", `import("./lazy.ts").catch((e) => log("rejected", e.message))`,
			"lazy.ts", `throw new Error("no"); export {}`,
		}, "rejected no"},
		{"import() of a computed specifier resolves by the same rules", []string{
			"e.ts", `const n = "lazy"; import("./" + n + ".ts").then((m) => log(m.x)); import("./" + n).catch((e) => log(String(e).includes("did you mean \"./lazy.ts\"?")))`,
			"lazy.ts", `import { d } from "./deep.ts"; export const x = "x" + d`,
			"deep.ts", `export const d = "d"`,
		}, "xd\ntrue"},
		{"import() of a computed text", []string{
			"e.ts", `const n = "p.md"; import("./" + n, { with: { type: "text" } }).then((m) => log(m.default))`,
			"p.md", "hi",
		}, "hi"},
		{"JSON has a default and named exports", []string{
			"e.ts", `import d, { a } from "./d.json"; import same from "./d.json" with { type: "json" }; import list from "./l.json"; log(d.a, a, same === d, list.length)`,
			"d.json", "\uFEFF{\"a\": 1}",
			"l.json", `[1, 2]`,
		}, "1 1 true 2"},
		{"text is a string, source as text too", []string{
			"e.ts", `import p from "./p.md" with { type: "text" }; import s from "./s.ts" with { type: "text" }; log(p, s)`,
			"p.md", "héllo 🎉",
			"s.ts", "this is not code",
		}, "héllo 🎉 this is not code"},
		{"import.meta has url, filename and dirname", []string{
			"e.ts", `import "./lib/m.ts"`,
			"lib/m.ts", `log(import.meta.url, import.meta.filename, import.meta.dirname)`,
		}, "file:///w/lib/m.ts /w/lib/m.ts /w/lib"},
		{"types leave nothing behind", []string{
			"e.ts", `import type { A } from "./types.ts"; import { B, value } from "./types.ts"; import { type C } from "./only.ts"; export type { A } from "./types.ts"; const x: A & B = value; log(x as unknown as C)`,
			"types.ts", `export interface A {} export type B = number; export const value: any = 7`,
			"only.ts", `log("must not run"); export type C = string`,
		}, "7"},
		{"enums, namespaces and parameter properties", []string{
			"e.ts", `enum E { A = 1, B } namespace N { export const x = E.B } class P { constructor(public z: number) {} } log(N.x, new P(4).z)`,
		}, "2 4"},
		{"async generators and for await", []string{
			"e.ts", `async function* g() { yield 1; yield 2 } (async () => { for await (const v of g()) log(v) })()`,
		}, "1\n2"},
		{"using disposes", []string{
			"e.ts", `(Symbol as any).dispose ??= Symbol.for("Symbol.dispose"); { using x = { [Symbol.dispose]() { log("disposed") } }; log("in") }`,
		}, "in\ndisposed"},
		{"decorators of the standard", []string{
			"e.ts", `function twice(f: any, _: any) { return function (this: any, n: number) { return f.call(this, n) * 2 } } class A { @twice m(n: number) { return n } } log(new A().m(3))`,
		}, "6"},
		{"top-level this is undefined and code is strict", []string{
			"e.ts", `log(this, (function () { return this })()); export {}`,
		}, "undefined undefined"},
		{"a module may declare exports, module, require and arguments of the wrapper", []string{
			"e.ts", `import { v } from "./b.ts"; const exports = 1, module = 2, require = 3; export const out = 4; log(exports, module, require, v)`,
			"b.ts", `export function exports() {} export let module = 1; export const v = typeof exports + module`,
		}, "1 2 3 function1"},
		{"a byte order mark and a #! line are ignored", []string{
			"e.ts", "\uFEFF#!/usr/bin/env node\nlog(1); import './b.ts'",
			"b.ts", "#!/bin/x\nlog(2)",
		}, "2\n1"},
		{"JSX calls React.createElement, a pragma names another function", []string{
			"e.ts", `import "./a.tsx"; import "./b.tsx"`,
			"a.tsx", `const React = { createElement: (...a: any[]) => a.join() }; log(<b>x</b>)`,
			"b.tsx", "/** @jsx h */ const h = (...a: any[]) => a.join('+'); log(<i>y</i>)",
		}, "b,,x\ni++y"},
		{"a CommonJS package has its exports as default and by name", []string{
			"e.ts", `import d, { a } from "pkg"; import * as ns from "pkg"; log(d.a, a, ns.a, ns.default === d)`,
			"node_modules/pkg/package.json", `{"main": "lib/main.js"}`,
			"node_modules/pkg/lib/main.js", "#!/usr/bin/env node\nvar o = require('./other'); exports.a = o; undeclared = 1; this.b = 2;",
			"node_modules/pkg/lib/other.js", `module.exports = 010 + 1`,
		}, "9 9 9 true"},
		{"a package in ECMAScript syntax is a module, whatever its extension says", []string{
			"e.ts", `import d, { a } from "pkg/x"; log(d, a)`,
			"node_modules/pkg/package.json", `{"exports": {"./*": {"types": "./*.d.ts", "require": "./no.cjs", "import": "./src/*.js"}}}`,
			"node_modules/pkg/src/x.js", `const exports = 5; export default exports; export const a = process.env.NODE_ENV`,
		}, "5 production"},
		{"default imports between .mjs files are ECMAScript's", []string{
			"e.ts", `import d from "./a.mjs"; log(d)`,
			"a.mjs", `import b from "./b.mjs"; export default b`,
			"b.mjs", `export default "b"`,
		}, "b"},
		{"packages resolve from the nearest folder, by exports, imports and main", []string{
			"x/e2.ts", `import a from "@s/pkg"; import b from "@s/pkg/deep/one"; import c from "near"; import d from "old"; import e from "old/lib/x"; import f from "#own"; log(a, b, c, d, e, f)`,
			"e.ts", `import "./x/e2.ts"; import n from "near"; log(n)`,
			"package.json", "\uFEFF{\"imports\": {\"#own\": {\"default\": \"./shared/own.ts\"}}}",
			"shared/own.ts", `export default "own"`,
			"node_modules/@s/pkg/package.json", `{"exports": {".": [{"node": "./no.js"}, {"import": {"deno": "./no.js", "default": "./main.js"}}], "./deep/*": "./d/*.js", "./deep/no*": null}, "imports": {"#inner": "./d/inner.js"}}`,
			"node_modules/@s/pkg/d/inner.js", `export default "inner"`,
			"node_modules/@s/pkg/main.js", `export { default } from "#inner"`,
			"node_modules/@s/pkg/d/one.js", `export default "deep one"`,
			"node_modules/near/index.js", `module.exports = "far"`,
			"x/node_modules/near/index.js", `module.exports = "near"`,
			"node_modules/old/package.json", `{"main": "./dist"}`,
			"node_modules/old/dist/index.js", `module.exports = require("..//lib/x") + require("path").join("a", "b")`,
			"node_modules/old/lib/x.cjs", `exports = module.exports = "x"`,
		}, "inner deep one near xa/b x own\nfar"},
		{"a require that nothing provides fails when it runs", []string{
			"e.ts", `import p from "pkg"; log(p)`,
			"node_modules/pkg/index.js", `let v = "none"; try { v = require("optional") } catch (e) { v = "fallback" } module.exports = v`,
		}, "fallback"},
		{"synthetic modules are shared and reach the natives", []string{
			"e.ts", `import { defineService, defineTool, type Host } from "harness"; import * as pi from "@earendil-works/pi-durable"; import { join } from "node:path"; import p from "node:path"; import emb, { answer } from "embedder"; const h: Host = {}; log(defineService("x").native, defineTool === pi.defineTool, pi.default, join("a", "b"), p.join === join, emb, answer)`,
		}, "NATIVE true pi a/b true emb 42"},
		{"regular expressions of today", []string{
			"e.ts", `log(/(?<y>\d+)-(?<=-)x/.exec("12-x")!.groups!.y, "aXbX".replaceAll(/x/gi, "_"))`,
		}, "12 a_b_"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			got := runLog(t, files(test.files...), "e.ts")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAThrowNamesTheSourcePosition(t *testing.T) {
	tree := files(
		"extensions/todo/server.ts", "import { fail } from \"./lib.ts\";\ninterface X {\n  a: number;\n}\nexport default function run(): void {\n  /* é🎉 */ fail(\"x\");\n}\n",
		"extensions/todo/lib.ts", "type T = string;\n\nexport const fail = (why: T): never => {\n  throw new TypeError(`because ${why}`);\n};\n",
	)
	c, g := mustCompile(t, tree, "extensions/todo/server.ts")
	e := newEngine(t, c, tree)
	exports, err := e.run(g)
	if err != nil {
		t.Fatal(err)
	}
	e.set(e.vm.GlobalObject(), "run", exports.Get("default"))
	got := e.eval(`try { run() } catch (e) { e.stack }`).String()
	for _, want := range []string{
		"TypeError: because x",
		"extensions/todo/lib.ts:4:9(",
		"extensions/todo/server.ts:6:13(",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("stack lacks %q:\n%s", want, got)
		}
	}
}

func TestUnchangedModulesKeepTheirPrograms(t *testing.T) {
	c := compile.New(compile.Options{Synthetic: standard()})
	tree := files("e.ts", `import "./b.ts"; log(1)`, "b.ts", `log(2)`)
	first, err := c.Compile(context.Background(), tree, "e.ts")
	if err != nil {
		t.Fatal(err)
	}
	tree = files("e.ts", `import "./b.ts"; log(3)`, "b.ts", `log(2)`)
	second, err := c.Compile(context.Background(), tree, "e.ts")
	if err != nil {
		t.Fatal(err)
	}
	if first.Module("b.ts").Program != second.Module("b.ts").Program {
		t.Error("b.ts was compiled twice")
	}
	if first.Module("e.ts").Program == second.Module("e.ts").Program {
		t.Error("e.ts was not compiled again")
	}
	if first.Hash == second.Hash {
		t.Error("graphs that differ have one hash")
	}
}
