// structuredClone.
!globalThis.thrown = (f) => { try { f(); } catch (e) { return e; } };
structuredClone(1) === 1 && structuredClone("x") === "x" && structuredClone(null) === null && structuredClone(undefined) === undefined && structuredClone(5n) === 5n
Object.is(structuredClone(-0), -0) && Number.isNaN(structuredClone(NaN))
(() => { const a = { x: 1, y: { z: [1, 2, { w: 3 }] } }; const b = structuredClone(a); return b !== a && b.y !== a.y && JSON.stringify(a) === JSON.stringify(b); })()
(() => { const a = {}; a.self = a; a.list = [a]; const b = structuredClone(a); return b.self === b && b.list[0] === b && b !== a; })()
(() => { const s = {}; const b = structuredClone({ p: s, q: s }); return b.p === b.q; })()
Object.keys(structuredClone({ z: 1, a: 2, 3: 1 })).join() === "3,z,a"
(() => { const a = [1, , 3]; a.extra = "e"; const b = structuredClone(a); return b.length === 3 && !(1 in b) && b.extra === "e" && Array.isArray(b); })()
(() => { const b = structuredClone(new Map([["k", { v: 1 }], [{ o: 1 }, 2]])); return b instanceof Map && b.size === 2 && b.get("k").v === 1; })()
(() => { const m = new Map(); m.set("me", m); m.set(m, 1); const b = structuredClone(m); return b.get("me") === b && b.get(b) === 1; })()
(() => { const b = structuredClone(new Set([1, "x", { y: 1 }])); return b instanceof Set && b.size === 3 && b.has("x"); })()
[...structuredClone(new Set([3, 1, 2]))].join() === "3,1,2"
structuredClone(new Date(1234)).getTime() === 1234 && structuredClone(new Date(1234)) instanceof Date
Number.isNaN(structuredClone(new Date(NaN)).getTime())
(() => { const r = /a(b)?/gi; r.lastIndex = 3; const b = structuredClone(r); return b instanceof RegExp && b.source === "a(b)?" && b.flags === "gi" && b.lastIndex === 0; })()
(() => { const b = structuredClone(new TypeError("m", { cause: { c: 1 } })); return b instanceof TypeError && b.message === "m" && b.cause.c === 1 && typeof b.stack === "string"; })()
(() => { class Mine extends Error { name = "Mine"; } const b = structuredClone(new Mine("m")); return b instanceof Error && b.constructor === Error && b.name === "Error"; })()
(() => { const e = new Error("x"); e.cause = e; const b = structuredClone(e); return b.cause === b; })()
(() => { const u = new Uint8Array([1, 2, 3]); const b = structuredClone(u); u[0] = 9; return b instanceof Uint8Array && b[0] === 1 && b.length === 3; })()
[Int8Array, Uint8ClampedArray, Uint16Array, Int16Array, Uint32Array, Int32Array, Float32Array, Float64Array].every((T) => { const b = structuredClone(new T([1, 2])); return b instanceof T && b[1] === 2; })
[BigInt64Array, BigUint64Array].every((T) => { const b = structuredClone(new T([1n, 2n])); return b instanceof T && b[1] === 2n; })
(() => { const buffer = new ArrayBuffer(8); const b = structuredClone({ x: new Uint8Array(buffer, 2, 3), y: new Uint16Array(buffer) }); return b.x.buffer === b.y.buffer && b.x.byteOffset === 2 && b.x.length === 3; })()
(() => { const v = new DataView(new ArrayBuffer(4), 1, 2); v.setInt8(0, 7); const b = structuredClone(v); return b instanceof DataView && b.byteLength === 2 && b.getInt8(0) === 7; })()
(() => { const a = new ArrayBuffer(4); const b = structuredClone(a, { transfer: [a] }); return b.byteLength === 4 && a.byteLength === 0; })()
structuredClone(Object(true)) instanceof Boolean && structuredClone(Object("s")) instanceof String && structuredClone(Object(2)) + 1 === 3 && typeof structuredClone(Object(5n)) === "object"
(() => { const e = thrown(() => structuredClone(() => {})); return e.name === "DataCloneError" && e.code === 25 && e instanceof DOMException; })()
thrown(() => structuredClone({ a: [1, { "b c": () => {} }] })).path === 'value.a[1]["b c"]'
thrown(() => structuredClone({ a: [1, { f() {} }] })).message.includes("value.a[1].f")
thrown(() => structuredClone(Symbol("x"))).name === "DataCloneError"
thrown(() => structuredClone({ s: Symbol.iterator })).path === "value.s"
thrown(() => structuredClone(new Map([["k", () => {}]]))).path === "value[entry 0].value"
thrown(() => structuredClone(new Set([1, () => {}]))).path === "value[member 1]"
thrown(() => structuredClone(Promise.resolve())).name === "DataCloneError"
thrown(() => structuredClone(new WeakMap())).name === "DataCloneError" && thrown(() => structuredClone(new WeakSet())).name === "DataCloneError"
thrown(() => structuredClone(new Proxy({}, {}))).name === "DataCloneError"
thrown(() => structuredClone(new AbortController().signal)).name === "DataCloneError" && thrown(() => structuredClone(new URL("http://x"))).name === "DataCloneError"
thrown(() => structuredClone()) instanceof TypeError
(() => { class A { x = 1; get y() { return 2; } } const b = structuredClone(new A()); return b.constructor === Object && b.x === 1 && !("y" in b); })()
structuredClone({ get x() { return 5; } }).x === 5 && Object.getOwnPropertyDescriptor(structuredClone({ get x() { return 5; } }), "x").writable
thrown(() => structuredClone({ get x() { throw new RangeError("r"); } })) instanceof RangeError
Object.hasOwn(structuredClone(JSON.parse('{"__proto__":1}')), "__proto__")
(() => { let deep = {}; for (let i = 0; i < 100000; i++) deep = { deep }; let n = 0; for (let c = structuredClone(deep); c; c = c.deep) n++; return n === 100001; })()
(() => { const e = structuredClone(new AggregateError([new Error("a")], "m")); return e instanceof AggregateError && e.errors[0].message === "a"; })()
(() => { const e = structuredClone(new DOMException("m", "AbortError")); return e instanceof DOMException && e.name === "AbortError" && e.message === "m"; })()
thrown(() => structuredClone(1, { transfer: [1] })).name === "DataCloneError"
(() => { function f() { return structuredClone(arguments); } return f(1, 2)[1] === 2; })()
(async () => (await structuredClone({ b: new Blob(["x"]) }).b.text()) === "x")()
