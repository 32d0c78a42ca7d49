package globals

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestConsoleTexts(t *testing.T) {
	for _, test := range []struct{ source, want string }{
		{`console.log("a", 1, true, null, undefined, 5n, Symbol("s"))`, "INFO a 1 true null undefined 5n Symbol(s)"},
		{`console.log("%s is %d and %i, %f, %j %o %O %% %c.", "x", "42", 3.9, "1.5", {a:1}, [1], {b:2}, "css")`, "INFO x is 42 and 3, 1.5, {\"a\":1} [ 1, [length]: 1 ] { b: 2 } % ."},
		{`console.log("100%", "rest")`, "INFO 100% rest"},
		{`console.log("%s")`, "INFO %s"},
		{`console.warn("w"); console.error("e"); console.debug("d"); console.info("i")`, "WARN w\nERROR e\nDEBUG d\nINFO i"},
		{`console.log({a: 1, "b c": [1, "two", null], f() {}, [Symbol("k")]: 1})`, "INFO { a: 1, 'b c': [ 1, 'two', null ], f: [Function: f], [Symbol(k)]: 1 }"},
		{`console.log([])`, "INFO []"},
		{`console.log([1, , 3, ...Array(2)])`, "INFO [ 1, <1 empty item>, 3, undefined, undefined ]"},
		{`const o = {name: "o"}; o.self = o; console.log(o)`, "INFO <ref *1> { name: 'o', self: [Circular *1] }"},
		{`console.log({a: {b: {c: {d: 1}}}})`, "INFO { a: { b: { c: [Object] } } }"},
		{`console.dir({a: {b: {c: {d: 1}}}}, {depth: null})`, "INFO { a: { b: { c: { d: 1 } } } }"},
		{`console.log(new Map([["k", {v: 1}], [1, new Set([1, "x"])]]))`, "INFO Map(2) { 'k' => { v: 1 }, 1 => Set(2) { 1, 'x' } }"},
		{`class A { x = 1 } class B extends A {} console.log(new A(), A, B, class {})`, "INFO A { x: 1 } [class A] [class B extends A] [class (anonymous)]"},
		{`console.log(Object.create(null), Object.assign(Object.create(null), {a: 1}))`, "INFO [Object: null prototype] {} [Object: null prototype] { a: 1 }"},
		{`console.log(new Date(0), /a\/b/g, new Uint8Array([1, 2]), new ArrayBuffer(2))`, "INFO 1970-01-01T00:00:00.000Z /a\\/b/g Uint8Array(2) [ 1, 2 ] ArrayBuffer { [Uint8Contents]: <00 00>, byteLength: 2 }"},
		{`console.log(Promise.resolve(5), new Promise(() => {}), new WeakMap())`, "INFO Promise { 5 } Promise { <pending> } WeakMap { <items unknown> }"},
		{`console.log(() => {}, function f() {}, async () => {}, function* g() {})`, "INFO [Function (anonymous)] [Function: f] [AsyncFunction (anonymous)] [GeneratorFunction: g]"},
		{`console.log({get a() { return 1 }, set b(x) {}, get c() { return 1 }, set c(x) {}})`, "INFO { a: [Getter], b: [Setter], c: [Getter/Setter] }"},
		{`console.log(["it's", 'say "x"', "a\nb\t\\"])`, `INFO [ "it's", 'say "x"', 'a\nb\t\\' ]`},
		{`console.log(-0, [-0], NaN, Object("s"), Object(1), Object(5n))`, "INFO -0 [ -0 ] NaN [String: 's'] [Number: 1] [BigInt: 5n]"},
		{`console.log(new Proxy({a: 1}, {}))`, "INFO { a: 1 }"},
		{`console.log(new URL("http://x/"), new Headers({a: "1"}), Buffer.from("hi"), new URLSearchParams("a=1"))`, "INFO URL {\n  href: 'http://x/',\n  origin: 'http://x',\n  protocol: 'http:',\n  username: '',\n  password: '',\n  host: 'x',\n  hostname: 'x',\n  port: '',\n  pathname: '/',\n  search: '',\n  hash: '',\n  searchParams: URLSearchParams {}\n} Headers { a: '1' } <Buffer 68 69> URLSearchParams { 'a' => '1' }"},
		{`console.log({ [Symbol.for("nodejs.util.inspect.custom")]() { return "CUSTOM" } })`, "INFO CUSTOM"},
		{`console.assert(true, "no"); console.assert(false, "yes %d", 1); console.assert(0)`, "ERROR Assertion failed: yes 1\nERROR Assertion failed"},
		{`console.count(); console.count(); console.count("x"); console.countReset(); console.count()`, "INFO default: 1\nINFO default: 2\nINFO x: 1\nINFO default: 1"},
		{`console.group("g"); console.log("in\nside"); console.group(); console.log("deep"); console.groupEnd(); console.groupEnd(); console.log("out")`, "INFO g\nINFO   in\n  side\nINFO     deep\nINFO out"},
		{`console.time("t"); console.timeEnd("t"); console.timeEnd("t")`, "INFO t: 0ms\nWARN console.timeEnd: there is no timer \"t\""},
		{`console.table([{a: 1, b: "x"}, {a: 2}])`, "INFO ┌─────────┬───┬─────┐\n│ (index) │ a │ b   │\n├─────────┼───┼─────┤\n│ 0       │ 1 │ 'x' │\n│ 1       │ 2 │     │\n└─────────┴───┴─────┘"},
		{`console.table(5)`, "INFO 5"},
		{`console.log()`, "INFO "},
		{`console.log({ e: [new Error("m")].map((e) => { e.stack = ""; return e; }) })`, "INFO { e: [ [Error: m] ] }"},
	} {
		l := newLoop(t)
		if _, err := l.run("console.js", "{"+test.source+"\n}"); err != nil {
			t.Errorf("%s: %v", test.source, err)
		}
		if diff := cmp.Diff(test.want, strings.Join(l.console, "\n")); diff != "" {
			t.Errorf("%s:\n%s", test.source, diff)
		}
	}
}

func TestConsoleShowsTheStackAndCauseOfAnError(t *testing.T) {
	l := newLoop(t)
	if _, err := l.run("shown.js", `function thrower() { return new TypeError("outer", { cause: new Error("inner") }); } console.log(thrower()); console.trace("here");`); err != nil {
		t.Fatal(err)
	}
	text := l.console[0]
	for _, want := range []string{"TypeError: outer\n    at thrower (shown.js:1:", "[cause]: Error: inner\n      at thrower"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in:\n%s", want, text)
		}
	}
	if !strings.HasPrefix(l.console[1], "ERROR Trace: here\n    at ") || strings.Contains(l.console[1], "console.js") {
		t.Errorf("trace: %s", l.console[1])
	}
}
