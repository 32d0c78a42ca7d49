package guard

import "time"

// Outcome is what becomes of a script that would end or hang the process in a bare runtime.
type Outcome string

const (
	// Refused scripts get a RangeError that they can catch.
	Refused Outcome = "refused"
	// Completes: the script comes to its end as ECMA-262 has it.
	Completes Outcome = "completes"
	// Overflows: the script ends with the engine's stack overflow, which it cannot catch.
	Overflows Outcome = "overflows"
	// Interrupted scripts stop as soon as an interrupt is asked for.
	Interrupted Outcome = "interrupted"
	// Late scripts stop when an interrupt is asked for, at the latest after the Bound of their line.
	Late Outcome = "late"
	// Fatal scripts end the process, or keep their goroutine busy for minutes. They are operators, which have no function to
	// change, so nothing in one process helps: a commit that does this is found out while on probation.
	Fatal Outcome = "fatal"
)

// Line is one script of the list, under the default options and a call stack of 1,000 frames.
type Line struct {
	Area    string
	Script  string
	Outcome Outcome
	Bound   time.Duration // of Late
}

// Lines is the list of what was tried.
var Lines = []Line{
	{Area: "loops", Script: `for (;;) {}`, Outcome: Interrupted},
	{Area: "loops", Script: `for (;;) { try { for (;;) {} } catch {} finally {} }`, Outcome: Interrupted},
	{Area: "loops", Script: `const g = (function* () { for (;;) yield 1 })(); for (const x of g) {}`, Outcome: Interrupted},
	{Area: "loops", Script: `[...(function* () { for (;;) yield 1 })()]`, Outcome: Interrupted},
	{Area: "loops", Script: `const f = () => Promise.resolve().then(f); f()`, Outcome: Interrupted},
	{Area: "loops", Script: `const a = []; for (;;) a.push(a)`, Outcome: Interrupted},

	{Area: "strings", Script: `"x".repeat(2**40)`, Outcome: Refused},
	{Area: "strings", Script: `"x".repeat(2**50)`, Outcome: Refused},
	{Area: "strings", Script: `"é".repeat(2**30)`, Outcome: Refused},
	{Area: "strings", Script: `"x".padStart(2**40)`, Outcome: Refused},
	{Area: "strings", Script: `"x".padEnd(2**40, "é")`, Outcome: Refused},
	{Area: "strings", Script: `const s = "x".repeat(2**27); s.concat(s, s, s)`, Outcome: Refused},
	{Area: "strings", Script: `"a".repeat(1e6).replaceAll("a", "b".repeat(1e6))`, Outcome: Refused},
	{Area: "strings", Script: `"a".repeat(1e6).replaceAll("a", "$'")`, Outcome: Refused},
	{Area: "strings", Script: `"a".repeat(1e6).replace(/a/g, "b".repeat(1e6))`, Outcome: Refused},
	{Area: "strings", Script: `"a".repeat(2**27).split("")`, Outcome: Refused},
	{Area: "strings", Script: `"\ufdfa".repeat(2**25).normalize("NFKD")`, Outcome: Refused},
	{Area: "strings", Script: `encodeURIComponent("é".repeat(2**26))`, Outcome: Refused},
	{Area: "strings", Script: `String.raw({raw: {length: 2**40}})`, Outcome: Refused},
	{Area: "strings", Script: `[..."x".repeat(2**28)]`, Outcome: Interrupted},
	{Area: "strings", Script: `let s = "x"; for (;;) s += s`, Outcome: Late, Bound: 5 * time.Second},
	{Area: "strings", Script: `let s = "x"; for (;;) s = s + "0123456789"`, Outcome: Interrupted},

	{Area: "buffers", Script: `new ArrayBuffer(1e11)`, Outcome: Refused},
	{Area: "buffers", Script: `new ArrayBuffer(2**40)`, Outcome: Refused},
	{Area: "buffers", Script: `new ArrayBuffer({valueOf() { return 2**40 }})`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array(2**40)`, Outcome: Refused},
	{Area: "buffers", Script: `new Float64Array(2**26)`, Outcome: Refused},
	{Area: "buffers", Script: `new (Object.getPrototypeOf(Int8Array.prototype).constructor.of.call(Int8Array, 1).constructor)(2**40)`, Outcome: Refused},
	{Area: "buffers", Script: `class A extends Uint8Array {} new A(2**40)`, Outcome: Refused},
	{Area: "buffers", Script: `Reflect.construct(Uint8Array, [2**40], Object)`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array({length: 2**40})`, Outcome: Refused},
	{Area: "buffers", Script: `Uint8Array.from({length: 2**40})`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array(8).set({length: 2**40})`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array(2**28).sort()`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array(2**28).join()`, Outcome: Refused},
	{Area: "buffers", Script: `new Uint8Array(2**28).fill(1).indexOf(2)`, Outcome: Late, Bound: 20 * time.Second},
	{Area: "buffers", Script: `Object.keys(new Uint8Array(2**28))`, Outcome: Refused},
	{Area: "buffers", Script: `JSON.stringify(new Uint8Array(2**28))`, Outcome: Refused},

	{Area: "buffers", Script: `({...new Uint8Array(2**28)})`, Outcome: Fatal},
	{Area: "buffers", Script: `for (const k in new Uint8Array(2**28)) {}`, Outcome: Late, Bound: 20 * time.Second},

	{Area: "arrays", Script: `new Array(2**32-1)`, Outcome: Refused},
	{Area: "arrays", Script: `Array(2**32-1).join("ab")`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; a.join("ab")`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a[2**32-2] = 1; a.indexOf(2)`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; [...a]`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; const [...b] = a`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; Math.max(...a)`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; JSON.stringify(a)`, Outcome: Interrupted},
	{Area: "arrays", Script: `const a = []; a.length = 2**32-1; new Map(a)`, Outcome: Refused},
	{Area: "arrays", Script: `Array.from({length: 2**32-1})`, Outcome: Refused},
	{Area: "arrays", Script: `Array.from({length: 2e7})`, Outcome: Refused},
	{Area: "arrays", Script: `Array(4e7).fill(0)`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.length = 4e6; a.fill(0); for (;;) {}`, Outcome: Interrupted},
	{Area: "arrays", Script: `Array.prototype.concat.call([], Array(4e6), Array(4e6))`, Outcome: Refused},
	{Area: "arrays", Script: `Array(1e6).fill("x".repeat(2**28)).join()`, Outcome: Refused},
	{Area: "arrays", Script: `String(Array(1e6).fill("x".repeat(2**28)))`, Outcome: Refused},
	{Area: "arrays", Script: `Array(100).fill({toString() { return "x".repeat(2**27) }}).join()`, Outcome: Refused},
	{Area: "arrays", Script: `Array(1e6).fill().map((_, i) => i).sort(); for (;;) {}`, Outcome: Interrupted},
	{Area: "arrays", Script: `Array(4e6).fill().map((_, i) => -i).sort((x, y) => x - y)`, Outcome: Interrupted},
	{Area: "arrays", Script: `const a = [3, 2, 1]; a.sort((x, y) => { a.length = 0; return x - y })`, Outcome: Completes},
	{Area: "arrays", Script: `let a = []; for (let i = 0; i < 3e5; i++) a = [a]; a.flat(Infinity)`, Outcome: Refused},
	{Area: "arrays", Script: `const a = []; a.push(a, a); a.flat(Infinity)`, Outcome: Refused},
	{Area: "arrays", Script: `let a = []; for (let i = 0; i < 3e5; i++) a = [a]; String(a)`, Outcome: Refused},
	{Area: "arrays", Script: `let a = []; for (let i = 0; i < 3e5; i++) a = [a]; a.toLocaleString()`, Outcome: Refused},

	{Area: "calls", Script: `Math.max.apply(null, {length: 2**32})`, Outcome: Refused},
	{Area: "calls", Script: `Reflect.apply(Math.max, null, {length: 2**32})`, Outcome: Refused},
	{Area: "calls", Script: `Reflect.construct(Array, {length: 2**32})`, Outcome: Refused},
	{Area: "calls", Script: `const f = () => f(); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const o = {get x() { return this.x }}; o.x`, Outcome: Overflows},
	{Area: "calls", Script: `const p = new Proxy({}, {get(t, k, r) { return r[k] }}); p.x`, Outcome: Overflows},
	{Area: "calls", Script: `const o = {[Symbol.toPrimitive]() { return +this }}; +o`, Outcome: Overflows},
	{Area: "calls", Script: `const o = {toString() { return String(this) }}; String(o)`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => [1, 2].sort(f); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => "a".replace(/a/, f); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => JSON.stringify({toJSON: f}); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => [1].forEach(f); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => Reflect.apply(f, null, []); f()`, Outcome: Overflows},
	{Area: "calls", Script: `const f = () => eval("f()"); globalThis.f = f; f()`, Outcome: Overflows},
	{Area: "calls", Script: `function* g() { yield* g() } [...g()]`, Outcome: Refused},
	{Area: "calls", Script: `let f = () => 1; for (let i = 0; i < 1e6; i++) f = f.bind(); f()`, Outcome: Refused},
	{Area: "calls", Script: `let p = {}; for (let i = 0; i < 1e6; i++) p = new Proxy(p, {}); p.x`, Outcome: Refused},
	{Area: "calls", Script: `let p = {}; for (let i = 0; i < 1e6; i++) p = Proxy.revocable(p, {}).proxy; p.x`, Outcome: Refused},

	{Area: "calls", Script: `const wrap = function* (g) { yield* g }; let g = [1].values(); for (let i = 0; i < 3e5; i++) g = wrap(g); g.next()`, Outcome: Refused},
	{Area: "calls", Script: `let o = {}; for (let i = 0; i < 1e6; i++) o = Object.create(o); o.missing; for (;;) {}`, Outcome: Late, Bound: 5 * time.Second},
	{Area: "calls", Script: `let p = Promise.resolve(); for (let i = 0; i < 5e4; i++) p = Promise.resolve(p).then(() => p); 1`, Outcome: Completes},
	{Area: "calls", Script: `const f = async () => { await f() }; f()`, Outcome: Overflows},

	{Area: "numbers", Script: "`${1n << 8000000n}`", Outcome: Late, Bound: 10 * time.Second},
	{Area: "numbers", Script: `BigInt("9".repeat(1e8))`, Outcome: Refused},
	{Area: "numbers", Script: `BigInt("9".repeat(2**18)) > 0n; for (;;) {}`, Outcome: Late, Bound: 5 * time.Second},
	{Area: "numbers", Script: `BigInt.asIntN(2**40, 1n)`, Outcome: Refused},
	{Area: "numbers", Script: `BigInt.asUintN(2**40, -1n)`, Outcome: Refused},
	{Area: "numbers", Script: `(1n << 30000000n).toString()`, Outcome: Refused},
	{Area: "numbers", Script: `Math.pow(7n, 90000000n)`, Outcome: Refused},
	{Area: "numbers", Script: `Math.pow(2n, 2n**34n)`, Outcome: Refused},
	{Area: "numbers", Script: `let n = 3n; for (;;) n *= n`, Outcome: Late, Bound: 30 * time.Second},
	{Area: "numbers", Script: `2n ** (2n ** 36n)`, Outcome: Fatal},
	{Area: "numbers", Script: `1n << (2n ** 40n)`, Outcome: Fatal},

	{Area: "JSON", Script: `JSON.parse("[".repeat(5e6))`, Outcome: Refused},
	{Area: "JSON", Script: `JSON.parse("[".repeat(5e6) + "]".repeat(5e6))`, Outcome: Refused},
	{Area: "JSON", Script: `JSON.parse("[" + "1,".repeat(15e6) + "1]")`, Outcome: Refused},
	{Area: "JSON", Script: `JSON.parse("[" + "1,".repeat(4e6) + "1]"); for (;;) {}`, Outcome: Late, Bound: 8 * time.Second},
	{Area: "JSON", Script: `let o = {}; for (let i = 0; i < 3e5; i++) o = {o}; JSON.stringify(o)`, Outcome: Refused},
	{Area: "JSON", Script: `let o = []; for (let i = 0; i < 3e5; i++) o = [o]; JSON.stringify(o, ["a"])`, Outcome: Refused},
	{Area: "JSON", Script: `JSON.stringify(Array(4e6).fill({a: 1, b: 2}))`, Outcome: Interrupted},
	{Area: "JSON", Script: `JSON.stringify(["x".repeat(2**28), 1])`, Outcome: Refused},

	{Area: "JSON", Script: `JSON.parse("[1,0]", function (k, v) { if (k === "0") { let a = []; for (let i = 0; i < 3e5; i++) a = [a]; this[1] = a } return v })`, Outcome: Refused},

	{Area: "source", Script: `eval("[".repeat(5e6))`, Outcome: Refused},
	{Area: "source", Script: `(0, eval)("(".repeat(1e6))`, Outcome: Refused},
	{Area: "source", Script: `eval("!".repeat(1e6) + "1")`, Outcome: Refused},
	{Area: "source", Script: `eval("1" + "+1".repeat(4e5))`, Outcome: Refused},
	{Area: "source", Script: `eval("x=>".repeat(3e5) + "1")`, Outcome: Refused},
	{Area: "source", Script: `eval("if(0);else ".repeat(8e4))`, Outcome: Refused},
	{Area: "source", Script: "eval(\"`${\".repeat(3e5))", Outcome: Refused},
	{Area: "source", Script: `Function("{".repeat(1e6))`, Outcome: Refused},
	{Area: "source", Script: `new Function("a", "return " + "(".repeat(5e5))`, Outcome: Refused},
	{Area: "source", Script: `(() => {}).constructor("[".repeat(1e6))`, Outcome: Refused},
	{Area: "source", Script: `(async () => {}).constructor("[".repeat(1e6))`, Outcome: Refused},
	{Area: "source", Script: `Reflect.construct((function* () {}).constructor, ["[".repeat(1e6)])`, Outcome: Refused},
	{Area: "source", Script: `class F extends Function {} new F("[".repeat(1e6))`, Outcome: Refused},

	{Area: "patterns", Script: `/(a+)+$/.test("a".repeat(1e5) + "b")`, Outcome: Completes},
	{Area: "patterns", Script: `/(?=a)(a+)+$/.exec("a".repeat(40) + "b")`, Outcome: Refused},
	{Area: "patterns", Script: `/(?=a)(a+)+$/.test("a".repeat(40) + "b")`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").match(/(?=a)(a+)+$/)`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").match(/(?=a)(a+)+$/g)`, Outcome: Refused},
	{Area: "patterns", Script: `[..."a".repeat(40).concat("b").matchAll(/(?=a)(a+)+$/g)]`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").replace(/(?=a)(a+)+$/, "")`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").replace(/(?=a)(a+)+$/g, () => "")`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").replaceAll(/(?=a)(a+)+$/g, "")`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").search(/(?=a)(a+)+$/)`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(40).concat("b").split(/(?=a)(a+)+$/)`, Outcome: Refused},
	{Area: "patterns", Script: `"c a".concat("a".repeat(40), "b").replace(/c|(?=a)(a+)+$/g, "")`, Outcome: Refused},
	{Area: "patterns", Script: `class R extends RegExp {} new R("(?=a)(a+)+$").test("a".repeat(40) + "b")`, Outcome: Refused},
	{Area: "patterns", Script: `class R extends RegExp {} "a".repeat(40).concat("b").split(new R("(?=a)(a+)+$"))`, Outcome: Refused},
	{Area: "patterns", Script: `const r = /(a+)+$/y; r.lastIndex = 1; r.test("a".repeat(40) + "b")`, Outcome: Refused},
	{Area: "patterns", Script: `for (;;) { try { /(?=a)(a+)+$/.test("a".repeat(40) + "b") } catch {} }`, Outcome: Late, Bound: 3 * time.Second},
	{Area: "patterns", Script: `"bab".matchAll(/(?<x>a)|(?<x>b)/g).next().value.groups.x === "b" || 1`, Outcome: Completes},
	{Area: "patterns", Script: `new RegExp("(".repeat(1e6) + ")".repeat(1e6))`, Outcome: Refused},
	{Area: "patterns", Script: `new RegExp("(".repeat(1e4) + "(?=a)" + ")".repeat(1e4))`, Outcome: Refused},
	{Area: "patterns", Script: `/a/.compile("(".repeat(1e6))`, Outcome: Refused},
	{Area: "patterns", Script: `new RegExp("(?=a)(((a{1000}){1000}){1000}){1000}").test("a".repeat(1e4)); 1`, Outcome: Completes},
	{Area: "patterns", Script: `"a".repeat(2**27).match(/a/g)`, Outcome: Refused},
	{Area: "patterns", Script: `"a".repeat(2**27).match(/(?=a)a/g)`, Outcome: Refused},
	{Area: "patterns", Script: `"ab".repeat(2**21).match(/(?=a)a/g).length; for (;;) {}`, Outcome: Late, Bound: 30 * time.Second},
}
