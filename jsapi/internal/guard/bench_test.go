package guard

import (
	"testing"

	"github.com/dop251/goja"
)

// BenchmarkInstall is what a guarded runtime costs over goja.New, which is less than 2 µs: the built-ins that are
// changed have to be made, where a bare runtime makes them when they are first used.
func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newRuntime(b)
	}
}

// BenchmarkBuiltins compares common uses of the changed built-ins in a bare and in a guarded runtime.
func BenchmarkBuiltins(b *testing.B) {
	for _, test := range []struct{ name, setup, call string }{
		{"indexOf", `const a = [1, 2, 3, 4]`, `a.indexOf(3)`},
		{"map", `const a = [1, 2, 3, 4], f = x => x`, `a.map(f)`},
		{"join", `const a = Array(20).fill("word")`, `a.join(" ")`},
		{"sort", `const a = Array.from({length: 100}, (_, i) => i * 7919 % 100), f = (x, y) => x - y`, `a.slice().sort(f)`},
		{"sortText", `const a = Array.from({length: 100}, (_, i) => "k" + i * 7919 % 100)`, `a.slice().sort()`},
		{"forOf", `const a = Array(20).fill(1), f = () => { let n = 0; for (const x of a) n += x; return n }`, `f()`},
		{"generator", `const g = function* () { for (let i = 0; i < 20; i++) yield i }, f = () => { let n = 0; for (const x of g()) n += x; return n }`, `f()`},
		{"repeat", ``, `"ab".repeat(10)`},
		{"replaceText", `const s = "a line of text, with words".repeat(4)`, `s.replaceAll("w", "v")`},
		{"apply", `const a = [1, 2, 3]`, `Math.max.apply(null, a)`},
		{"Uint8Array", ``, `new Uint8Array(64)`},
		{"exec", `const r = /(\w+) (\w+)/, s = "the quick brown fox"`, `r.exec(s)`},
		{"test", `const r = /quick/, s = "the quick brown fox"`, `r.test(s)`},
		{"match", `const r = /\w+/g, s = "the quick brown fox".repeat(4)`, `s.match(r)`},
		{"replace", `const r = /o/g, s = "the quick brown fox".repeat(4)`, `s.replace(r, "0")`},
		{"replaceFunction", `const r = /o/g, s = "the quick brown fox".repeat(4), f = () => "0"`, `s.replace(r, f)`},
		{"split", `const r = /\s+/, s = "the quick brown fox".repeat(4)`, `s.split(r)`},
		{"parse", `const s = JSON.stringify(Array(20).fill({id: 1, name: "a name", tags: ["x", "y"]}))`, `JSON.parse(s)`},
		{"stringify", `const o = Array(20).fill({id: 1, name: "a name", tags: ["x", "y"]})`, `JSON.stringify(o)`},
	} {
		for _, runtime := range []struct {
			name string
			rt   *goja.Runtime
		}{{"bare", goja.New()}, {"guarded", newRuntime(b)}} {
			v, err := runtime.rt.RunString(test.setup + "\n;() => " + test.call)
			if err != nil {
				b.Fatal(test.name, err)
			}
			call, _ := goja.AssertFunction(v)
			b.Run(test.name+"/"+runtime.name, func(b *testing.B) {
				for b.Loop() {
					if _, err := call(goja.Undefined()); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
