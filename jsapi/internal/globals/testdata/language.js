// What ECMAScript has and the engine lacks.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
!globalThis.gen = function* (...xs) { yield* xs; }; globalThis.closing = () => { let n = 0; const it = { closed: 0, next() { return { value: n++, done: false }; }, return() { this.closed++; return {}; }, __proto__: Iterator.prototype }; return it; };
Symbol.asyncIterator === Symbol.for("Symbol.asyncIterator") && Symbol.dispose === Symbol.for("Symbol.dispose") && Symbol.asyncDispose === Symbol.for("Symbol.asyncDispose")
"map" in Iterator.prototype && "map" in [].values() && "take" in gen(1) && typeof [].values().filter === "function" && new Map().keys().toArray().length === 0
["map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find"].every((m) => Object.hasOwn(Iterator.prototype, m) && Iterator.prototype[m].name === m)
[1, 2, 3].values().map((x) => x * 2).toArray().join() === "2,4,6" && gen(1, 2, 3, 4).filter((x) => x % 2).toArray().join() === "1,3" && gen(1, 2, 3).take(2).toArray().join() === "1,2" && gen(1, 2, 3).drop(1).toArray().join() === "2,3"
gen(1, 2).flatMap((x) => [x, x]).toArray().join() === "1,1,2,2" && gen(1, 2, 3).reduce((a, b) => a + b) === 6 && gen(1).reduce((a, b) => a + b, 10) === 11 && gen(1, 2).some((x) => x === 2) && !gen(1, 2).every((x) => x === 2) && gen(1, 2).find((x) => x > 1) === 2
(() => { const got = []; gen("a", "b").forEach((x, i) => got.push(x + i)); return got.join() === "a0,b1"; })()
(() => { const c = closing(); return c.take(2).toArray().join() === "0,1" && c.closed === 1; })()
(() => { const c = closing(); c.some((x) => x === 3); return c.closed === 1; })()
(() => { const c = closing(); const e = thrown(() => c.map(() => { throw new Error("m"); }).next()); return e.message === "m" && c.closed === 1; })()
(() => { const c = closing(); const m = c.map((x) => x); m.next(); m.return(); return c.closed === 1 && m.next().done; })()
(() => { const c = closing(); const m = c.map((x) => x); m.return(); return c.closed === 1; })()
(() => { const c = closing(); const got = []; for (const x of c.filter((x) => x % 2)) { got.push(x); if (x > 4) break; } return got.join() === "1,3,5" && c.closed === 1; })()
thrown(() => gen().map(1)) instanceof TypeError && thrown(() => gen().take(-1)) instanceof RangeError && thrown(() => gen().take(NaN)) instanceof RangeError && thrown(() => gen().reduce((a, b) => a)) instanceof TypeError && thrown(() => gen(1).flatMap((x) => 5).next()) instanceof TypeError
gen(1, 2, 3).map((x, i) => i).toArray().join() === "0,1,2" && gen(1, 2, 3, 4).drop(1).filter((x) => x > 2).map((x) => x * 10).take(1).toArray().join() === "30"
Iterator.from({ next: (() => { let n = 0; return () => ({ value: n, done: n++ >= 2 }); })() }).toArray().join() === "0,1" && Iterator.from("ab").toArray().join() === "a,b" && Iterator.from(gen(1)) instanceof Iterator
(() => { class I extends Iterator { next() { return { done: true }; } } return new I() instanceof Iterator && new I().toArray().length === 0 && thrown(() => new Iterator()) instanceof TypeError && thrown(() => Iterator()) instanceof TypeError; })()
Object.prototype.toString.call(gen(1).map((x) => x)) === "[object Iterator Helper]" && Iterator.prototype[Symbol.toStringTag] === "Iterator" && Iterator.prototype.constructor === Iterator && Object.getPrototypeOf(Iterator.prototype) === Object.prototype
(() => { const g = gen(1); g[Symbol.dispose](); return g.next().done; })()
JSON.stringify(Object.groupBy([1, 2, 3], (x) => (x % 2 ? "odd" : "even"))) === '{"odd":[1,3],"even":[2]}' && Object.getPrototypeOf(Object.groupBy([], String)) === null && Map.groupBy([1, 2, 3], (x) => x % 2).get(1).join() === "1,3"
(async () => { const { promise, resolve } = Promise.withResolvers(); resolve(5); return (await promise) === 5; })()
(async () => (await Promise.try((a, b) => a + b, 1, 2)) === 3 && (await Promise.try(async () => 4)) === 4 && (await Promise.try(() => { throw 5; }).catch((e) => e)) === 5)()
(() => { class P extends Promise {} return P.withResolvers().promise instanceof P && P.try(() => 1) instanceof P; })()
(async () => (await Array.fromAsync([1, Promise.resolve(2)])).join() === "1,2" && (await Array.fromAsync({ length: 2, 0: "a", 1: Promise.resolve("b") })).join() === "a,b" && (await Array.fromAsync([1, 2], async (x, i) => x + i)).join() === "1,3")()
(async () => { const it = { [Symbol.asyncIterator]() { let n = 0; return { async next() { return { value: n, done: n++ === 3 }; } }; } }; return (await Array.fromAsync(it)).join() === "0,1,2"; })()
(async () => { try { await Array.fromAsync([1], () => { throw new Error("x"); }); } catch (e) { return e.message === "x"; } })()
"ab".isWellFormed() && !"a\ud800".isWellFormed() && "\u{1F600}".isWellFormed() && !"\udc00\ud800".isWellFormed() && "a\ud800b".toWellFormed() === "a\ufffdb" && "\u{1F600}".toWellFormed() === "\u{1F600}" && thrown(() => String.prototype.isWellFormed.call(null)) instanceof TypeError
RegExp.escape("a.b*c") === "\\x61\\.b\\*c" && RegExp.escape("1") === "\\x31" && RegExp.escape("(x) y-z\n") === "\\(x\\)\\x20y\\x2dz\\n" && RegExp.escape("é/") === "é\\/" && RegExp.escape("\ud800") === "\\ud800" && thrown(() => RegExp.escape(1)) instanceof TypeError
["a.b", "[x]", "^$", "-", "\u2028", "a b", "é"].every((s) => new RegExp(`^${RegExp.escape(s)}$`).test(s))
(() => { function f() { const o = {}; Error.captureStackTrace(o); return o.stack; } return typeof f() === "string" && f().includes("f (language.js") && !f().includes("captureStackTrace"); })()
(() => { class MyError extends Error { constructor(m) { super(m); this.name = "MyError"; Error.captureStackTrace(this, MyError); } } const e = new MyError("m"); return e.stack.startsWith("MyError: m") && Error.stackTraceLimit === 10; })()
(() => { const o = {}; const w = new WeakRef(o); return w.deref() === o && thrown(() => new WeakRef(1)) instanceof TypeError && Object.prototype.toString.call(w) === "[object WeakRef]"; })()
(() => { const r = new FinalizationRegistry(() => {}); const t = {}; r.register({}, 1, t); return r.unregister(t) === true && r.unregister(t) === false && thrown(() => new FinalizationRegistry()) instanceof TypeError; })()
(() => { const got = []; const s = new DisposableStack(); s.use({ [Symbol.dispose]() { got.push("use"); } }); s.adopt(5, (v) => got.push(v)); s.defer(() => got.push("defer")); s.dispose(); s.dispose(); return got.join() === "defer,5,use" && s.disposed; })()
(() => { const s = new DisposableStack(); s.defer(() => { throw 1; }); s.defer(() => { throw 2; }); const e = thrown(() => s.dispose()); return e instanceof SuppressedError && e.error === 1 && e.suppressed === 2 && e.name === "SuppressedError"; })()
(() => { let n = 0; const s = new DisposableStack(); s.defer(() => n++); const m = s.move(); s.dispose(); const before = n; m.dispose(); return before === 0 && n === 1 && thrown(() => s.defer(() => {})) instanceof ReferenceError && m instanceof DisposableStack; })()
(async () => { const got = []; const s = new AsyncDisposableStack(); s.use({ async [Symbol.asyncDispose]() { await 0; got.push("a"); } }); s.use({ [Symbol.dispose]() { got.push("s"); } }); await s.disposeAsync(); return got.join() === "s,a" && s.disposed && Symbol.asyncDispose in s; })()
thrown(() => new DisposableStack().use({})) instanceof TypeError && new DisposableStack().use(null) === null && Symbol.dispose in new DisposableStack()
globalThis === global && globalThis === self && typeof process === "undefined" && typeof require === "undefined" && typeof navigator === "undefined"
(() => { globalThis.fetch2 = 1; const f = () => 1; globalThis.btoa = f; const ok = btoa === f; delete globalThis.btoa; return ok; })()
(() => { const f = () => "mock"; globalThis.File = f; return File === f && Object.keys(globalThis).includes("File"); })()
Object.getOwnPropertyDescriptor((structuredClone, globalThis), "structuredClone").writable === true && !Object.keys(globalThis).includes("structuredClone")
"AbortController" in globalThis && typeof Headers === "function" && (delete globalThis.Headers, typeof Headers === "undefined")
(() => { try { nothingHere; } catch (e) { return e instanceof ReferenceError; } })()
Math.random() !== Math.random() && Math.random() < 1 && Date.now() === new Date().getTime() && new Date().getFullYear() === 2026
new Date(2026, 0, 5, 10).toISOString() === "2026-01-05T10:00:00.000Z" && new Date("2026-01-05T10:00").getTime() === Date.UTC(2026, 0, 5, 10) && new Date(0).getTimezoneOffset() === 0 && new Date(0).getHours() === 0
new Date(0).toString().startsWith("Thu Jan 01 1970 00:00:00 GMT+0000")
(() => { function outer() { const o = {}; (function make() { (function inner() { Error.captureStackTrace(o, make); })(); })(); return o.stack; } const s = outer(); return s.includes("outer") && !s.includes("make") && !s.includes("inner"); })()
