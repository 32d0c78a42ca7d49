package guard

import (
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopped{m}) }

// stopped ends the clock of the backtracking engine, which runs on for a while after the last match.
type stopped struct{ m *testing.M }

func (s stopped) Run() int {
	defer regexp2.StopTimeoutClock()
	return s.m.Run()
}

func newRuntime(t testing.TB) *goja.Runtime {
	t.Helper()
	rt := goja.New()
	if err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	return rt
}

func BenchmarkInstall(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		newRuntime(b)
	}
}

func TestSmoke(t *testing.T) {
	for _, s := range []string{`"x".repeat(2**40)`, `new ArrayBuffer(1e11)`, `[].reverse.call({length:2**40})`, `new Array(2**32-1).join("")`,
		`Array.from({length:2**32-1})`, `"x".padEnd(2**40)`, `BigInt.asIntN(2**40, 1n)`, `let a=[];for(let i=0;i<5000;i++)a=[a];a.flat(Infinity)`,
		`function*g(){yield* g()} [...g()]`, `JSON.parse("[".repeat(5e6))`, `eval("[".repeat(5e6))`, `(async()=>{}).constructor("!".repeat(5e6))`,
		`/(?=a)(a+)+$/.exec("a".repeat(40)+"b")`, `let a=[3,2,1]; a.sort((x,y)=>{a.length=0;return x-y})+""`, `new RegExp("\\p{L}","u").source`, `/(?=a)(a+)+$/.test("a".repeat(40)+"b")`,
		`"aaaa".replace(/(?=a)a/g, "b")`, `"bab".matchAll(/(?<x>a)|(?<x>b)/g)`, `let o={};for(let i=0;i<5000;i++)o={o};JSON.stringify(o)`,
		`Math.pow(2n,3n)`, `Math.pow(2n,2n**34n)`, `[..."héllo"].sort().join()`, `JSON.stringify({a:[1,{b:2,c:"x"}],d:null},["a","b"],1)`, `[1,[2,[3,[4]]]].flat(2).length`} {
		rt := newRuntime(t)
		v, err := rt.RunString(s)
		t.Log(s, v, err)
	}
}
