package globals

import (
	"maps"
	"slices"
	"testing"

	"github.com/dop251/goja"
)

// floorProgram touches the engine's own parts that the prelude extends.
var floorProgram = goja.MustCompile("floor.js", `[Object, Map, Promise, Array, String.prototype, Error, RegExp, Symbol, Date.prototype, Number.prototype, BigInt.prototype].map((c) => c.isPrototypeOf);
Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]())).next`, true)

func BenchmarkFloor(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if _, err := goja.New().RunProgram(floorProgram); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkInstall(b *testing.B) {
	host := newLoop(b)
	b.ReportAllocs()
	for b.Loop() {
		if err := Install(goja.New(), host); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkTouch is Install and the first use of one global.
func BenchmarkTouch(b *testing.B) {
	host := newLoop(b)
	for _, name := range lazyGlobalNames() {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rt := goja.New()
				if err := Install(rt, host); err != nil {
					b.Fatal(err)
				}
				rt.Get(name)
			}
		})
	}
}

func BenchmarkTouchAll(b *testing.B) {
	host := newLoop(b)
	names := lazyGlobalNames()
	b.ReportAllocs()
	for b.Loop() {
		rt := goja.New()
		if err := Install(rt, host); err != nil {
			b.Fatal(err)
		}
		for _, name := range names {
			rt.Get(name)
		}
	}
}

// BenchmarkScript is Install and one script with what it needs.
func BenchmarkScript(b *testing.B) {
	host := newLoop(b)
	for _, name := range slices.Sorted(maps.Keys(programs)) {
		evaluate := func(rt *goja.Runtime) { environmentOf(rt).need(name) }
		if name == "date" { // sees the engine's own Date only when the global evaluates it
			evaluate = func(rt *goja.Runtime) { rt.Get("Date") }
		}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				rt := goja.New()
				if err := Install(rt, host); err != nil {
					b.Fatal(err)
				}
				if thrown := rt.Try(func() { evaluate(rt) }); thrown != nil {
					b.Fatal(thrown)
				}
			}
		})
	}
}

// BenchmarkUse is the cost of common operations in a warm runtime.
func BenchmarkUse(b *testing.B) {
	for _, test := range []struct{ name, source string }{
		{"AbortController", `new AbortController()`},
		{"AbortController/abort", `{ const c = new AbortController(); c.signal.addEventListener("abort", () => {}); c.abort(); }`},
		{"setTimeout", `clearTimeout(setTimeout(() => {}, 1))`},
		{"structuredClone", `structuredClone({ a: 1, b: [1, 2, { c: "d" }], e: new Map([["k", 1]]) })`},
		{"URL", `new URL("/p?q=1", "http://example.com/").href`},
		{"console.log", `console.log("text", 1)`},
		{"console.log/object", `console.log({ a: 1, b: [1, 2, { c: "d" }] })`},
		{"TextEncoder", `new TextEncoder().encode("text")`},
		{"toLocaleString", `(1234.5).toLocaleString()`},
		{"iterator", `[1, 2, 3].values().map((x) => x + 1).toArray()`},
	} {
		b.Run(test.name, func(b *testing.B) {
			l := newLoop(b)
			program := goja.MustCompile("use.js", test.source, true)
			b.ReportAllocs()
			for b.Loop() {
				if _, err := l.rt.RunProgram(program); err != nil {
					b.Fatal(err)
				}
				l.console = l.console[:0]
			}
		})
	}
}
