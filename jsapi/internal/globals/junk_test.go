package globals

import (
	"fmt"
	"runtime/debug"
	"testing"

	"github.com/dop251/goja"
)

// junk calls every function that can be reached from one global, as a function
// and as a constructor, on an instance where one can be made, with arguments
// that nobody should pass. JavaScript exceptions are fine.
const junk = `(function (name) {
	const detached = new Uint8Array(4);
	structuredClone(detached.buffer, { transfer: [detached.buffer] });
	const values = [undefined, null, true, -1, 0, NaN, 1e308, 7, "", "x", "utf8", "hex", "\ud800", Symbol("s"), 5n, {}, [], [[]], [null], () => {}, function () {}, class {},
		new Proxy({}, {}), new Proxy(function () {}, {}), new Uint8Array(3), new Uint16Array(2), new DataView(new ArrayBuffer(2)), new ArrayBuffer(3), detached, detached.buffer,
		new Map([[1, 2]]), new Set([1]), new Date(NaN), /x/g, new Error("e"), Object.create(null), { length: -1 }, { length: 3 }, { get x() { throw new Error("getter"); } },
		{ [Symbol.iterator]() { return { next() { return 5; } }; } }, { toString() { throw new Error("toString"); } }, { valueOf() { return Symbol(); } }, { then(f) { f(1); } },
		{ buffer: new ArrayBuffer(1), byteOffset: 1e9, byteLength: 1e9 }, { buffer: new ArrayBuffer(1), byteOffset: -1, byteLength: -1 }, { signal: 1, headers: 1, method: 1, body: 1, status: 1 }];
	const seen = new Set();
	let calls = 0;
	const attempt = (f) => { calls++; try { const r = f(); if (r instanceof Promise) r.catch(() => {}); return r; } catch (e) { return undefined; } };
	const use = (f, self) => {
		for (const a of values) {
			attempt(() => Reflect.apply(f, self, [a]));
			attempt(() => Reflect.apply(f, a, []));
			attempt(() => Reflect.construct(f, [a]));
		}
		for (let i = 0; i < values.length; i++) {
			const [a, b, c] = [values[i], values[(i * 7 + 3) % values.length], values[(i * 11 + 5) % values.length]];
			attempt(() => Reflect.apply(f, self, [a, b, c]));
			attempt(() => Reflect.apply(f, self, [b, a]));
			attempt(() => Reflect.construct(f, [a, b, c]));
		}
		attempt(() => Reflect.apply(f, self, []));
	};
	const walk = (object, self, depth) => {
		if ((typeof object !== "object" && typeof object !== "function") || object === null || seen.has(object) || depth > 4) return;
		seen.add(object);
		if (typeof object === "function") use(object, self);
		for (const key of Reflect.ownKeys(object)) {
			if (key === "constructor" || key === "caller" || key === "arguments" || key === "callee") continue;
			const d = Object.getOwnPropertyDescriptor(object, key);
			for (const part of ["value", "get", "set"]) if (d && part in d) walk(d[part], self ?? object, depth + 1);
		}
	};
	const value = globalThis[name];
	const instances = typeof value === "function" ? [[], ["http://x/"], [[1, 2]], [() => {}], ["a", { method: "POST", body: "x" }], [[], "n"], [new Map()]].map((args) => attempt(() => Reflect.construct(value, args))) : [value];
	for (const instance of instances) {
		if (typeof instance !== "object" || instance === null) continue;
		seen.clear();
		for (let p = Object.getPrototypeOf(instance); p && p !== Object.prototype; p = Object.getPrototypeOf(p)) if (p !== Uint8Array.prototype && p !== Object.getPrototypeOf(Uint8Array.prototype)) walk(p, instance, 0);
	}
	seen.clear();
	walk(value, undefined, 0);
	return calls;
})`

// TestNoArgumentsMakeANativePanic holds the rule that a mistake of a program is
// a JavaScript exception: a Go panic would end its isolate.
func TestNoArgumentsMakeANativePanic(t *testing.T) {
	calls := int64(0)
	for _, name := range lazyGlobalNames() {
		if name == "global" || name == "self" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			defer func() {
				if panicked := recover(); panicked != nil {
					t.Errorf("panic: %v\n%s", panicked, debug.Stack())
				}
			}()
			l := newLoop(t)
			l.rt.SetMaxCallStackSize(500)
			value, err := l.rt.RunString(junk)
			if err != nil {
				t.Fatal(err)
			}
			call, _ := goja.AssertFunction(value)
			n, err := call(goja.Undefined(), l.rt.ToValue(name))
			if err != nil {
				t.Fatal(err)
			}
			calls += n.ToInteger()
		})
	}
	t.Log(fmt.Sprint(calls, " calls"))
}
