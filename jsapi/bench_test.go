package jsapi

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/jsapi/internal/globals"
	"github.com/seed-d579e5eb/harness/jsapi/internal/guard"
)

// compare measures the product and a floor, taking turns so that both see the
// same machine, and reports their ratio.
func compare(b *testing.B, product, floor func()) {
	b.Helper()
	b.ReportAllocs()
	const round = 50
	var spent, least time.Duration
	for done := 0; done < b.N; done += round {
		n := min(round, b.N-done)
		started := time.Now()
		for range n {
			product()
		}
		spent += time.Since(started)
		b.StopTimer()
		started = time.Now()
		for range n {
			floor()
		}
		least += time.Since(started)
		b.StartTimer()
	}
	b.ReportMetric(float64(spent.Nanoseconds())/float64(b.N), "ns/op") // without reading memory statistics
	b.ReportMetric(float64(least.Nanoseconds())/float64(b.N), "floor-ns/op")
	b.ReportMetric(float64(spent)/float64(least), "×floor")
}

// bareRuntime is an engine without a loop, budgets or globals, for floors.
func bareRuntime() *Isolate {
	bare := &Isolate{runtime: goja.New()}
	bare.intrinsics.capture(bare.runtime)
	return bare
}

func bareFunction(b *testing.B, bare *Isolate, code string) goja.Callable {
	b.Helper()
	value, err := bare.runtime.RunString("(" + code + ")")
	if err != nil {
		b.Fatal(err)
	}
	function, _ := goja.AssertFunction(value)
	return function
}

// kilobyte is about a kilobyte of JSON, as a tool gets.
var kilobyte = json.RawMessage(func() string {
	var items []string
	for i := range 9 {
		items = append(items, fmt.Sprintf(`{"id": %d, "title": "Buy %d litres of milk", "done": false, "tags": ["home", "shop"], "weight": %d.5}`, i, i, i))
	}
	return `{"list": "groceries", "items": [` + strings.Join(items, ", ") + `]}`
}())

func BenchmarkCallWithKilobyte(b *testing.B) {
	iso := newIsolate(b, Options{})
	ns := evaluate(b, iso, `export const echo = (x: unknown) => x;`)
	job := Job{Work: "tool echo", Running: 5 * time.Second, Result: AsJSON}
	ctx := b.Context()
	bare := bareRuntime()
	echo := bareFunction(b, bare, `x => x`)
	b.SetBytes(int64(len(kilobyte)))
	compare(b, func() {
		if _, err := iso.Call(ctx, job, ns.Method("echo"), kilobyte); err != nil {
			b.Fatal(err)
		}
	}, func() {
		value, _ := bare.decodeJSON(kilobyte)
		result, err := echo(goja.Undefined(), value)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := bare.exportJSON(result); err != nil {
			b.Fatal(err)
		}
	})
}

// A hook with a deadline and nothing to do may take 8 µs and 30 allocations.
func BenchmarkHookWithDeadline(b *testing.B) {
	iso := newIsolate(b, Options{Context: contextModule(b)})
	ns := evaluate(b, iso, `export const hook = (event: object, context: object) => {};`)
	job := Job{Work: "hook", Running: 5 * time.Second, Whole: 10 * time.Second}
	event := NewObject("kind", "before_tool", "tool", "read")
	bare := bareRuntime()
	hook := bareFunction(b, bare, `(event, context) => {}`)
	compare(b, func() {
		if _, err := iso.Call(b.Context(), job, ns.Method("hook"), event, OwnContext{}); err != nil {
			b.Fatal(err)
		}
	}, func() {
		ctx, cancel := context.WithTimeout(b.Context(), 5*time.Second)
		stop := context.AfterFunc(ctx, func() { bare.runtime.Interrupt("late") })
		object := bare.runtime.NewObject()
		_ = object.Set("kind", "before_tool")
		_ = object.Set("tool", "read")
		if _, err := hook(goja.Undefined(), object, goja.Undefined()); err != nil {
			b.Fatal(err)
		}
		stop()
		cancel()
	})
}

func BenchmarkAsyncCall(b *testing.B) {
	iso := newIsolate(b, Options{})
	ns := evaluate(b, iso, `export const run = async (x: number) => { await null; return x; };`)
	job := Job{Work: "run", Running: 5 * time.Second}
	bare := bareRuntime()
	run := bareFunction(b, bare, `async x => { await null; return x; }`)
	compare(b, func() {
		if _, err := iso.Call(b.Context(), job, ns.Method("run"), 1.0); err != nil {
			b.Fatal(err)
		}
	}, func() {
		if _, err := run(goja.Undefined(), bare.runtime.ToValue(1)); err != nil {
			b.Fatal(err)
		}
	})
}

// A call from isolate to isolate and back, with a small object both ways.
func BenchmarkCallAcrossIsolates(b *testing.B) {
	p := newPair(b, `export const f = (x: { n: number }) => ({ n: x.n + 1 });`,
		`export async function run(f: (x: object) => Promise<unknown>, n: number) { for (let i = 0; i < n; i++) await f({ n: i }); }`)
	f := exportedFunction(b, p.home, p.homeNS, "f")
	bare := bareRuntime()
	run := bareFunction(b, bare, `async (f, n) => { for (let i = 0; i < n; i++) await f({ n: i }); }`)
	bareF, err := bare.runtime.RunString(`(async x => ({ n: x.n + 1 }))`)
	if err != nil {
		b.Fatal(err)
	}
	const calls = 100
	compare(b, func() {
		if _, err := p.away.Call(b.Context(), testJob, p.awayNS.Method("run"), f, float64(calls)); err != nil {
			b.Fatal(err)
		}
	}, func() {
		if _, err := run(goja.Undefined(), bareF, bare.runtime.ToValue(calls)); err != nil {
			b.Fatal(err)
		}
	})
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/calls, "ns/call")
}

// An isolate that is ready for a module may take 1 ms and 150 KB.
func BenchmarkReadyIsolate(b *testing.B) {
	source := compileSource(b, `export const ready = true;`)
	compare(b, func() {
		iso, err := New(Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, err := iso.Evaluate(b.Context(), testJob, source); err != nil {
			b.Fatal(err)
		}
		iso.Close()
	}, func() {
		rt := goja.New()
		if err := guard.Install(rt, guard.Options{}); err != nil {
			b.Fatal(err)
		}
		if err := globals.Install(rt, globalsHost{&Isolate{}}); err != nil {
			b.Fatal(err)
		}
	})
}

// What an idle isolate holds on to, in bytes.
func BenchmarkIsolateMemory(b *testing.B) {
	source := compileSource(b, `export const ready = true;`)
	const many = 100
	for b.Loop() {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		isolates := make([]*Isolate, many)
		for i := range isolates {
			iso, err := New(Options{})
			if err != nil {
				b.Fatal(err)
			}
			if _, err := iso.Evaluate(b.Context(), testJob, source); err != nil {
				b.Fatal(err)
			}
			isolates[i] = iso
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/many, "B/isolate")
		for _, iso := range isolates {
			iso.Close()
		}
	}
}

func BenchmarkDecodeJSON(b *testing.B) {
	bare := bareRuntime()
	parse := bare.runtime.Get("JSON").ToObject(bare.runtime).Get("parse")
	function, _ := goja.AssertFunction(parse)
	b.SetBytes(int64(len(kilobyte)))
	compare(b, func() {
		if _, err := bare.decodeJSON(kilobyte); err != nil {
			b.Fatal(err)
		}
	}, func() {
		if _, err := function(goja.Undefined(), bare.runtime.ToValue(string(kilobyte))); err != nil {
			b.Fatal(err)
		}
	})
}

// Out: the strict walk, with JSON.stringify as the floor.
func BenchmarkExportData(b *testing.B) {
	bare := bareRuntime()
	value, err := bare.decodeJSON(kilobyte)
	if err != nil {
		b.Fatal(err)
	}
	b.SetBytes(int64(len(kilobyte)))
	compare(b, func() {
		if _, err := bare.exportData(value); err != nil {
			b.Fatal(err)
		}
	}, func() {
		if _, err := bare.exportJSON(value); err != nil {
			b.Fatal(err)
		}
	})
}
