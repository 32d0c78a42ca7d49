package jsapi

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/fstest"
)

func TestSignalGoesIn(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		const log: string[] = [];
		export let kept: AbortSignal;
		export const take = (s: AbortSignal) => { kept = s; s.addEventListener("abort", () => log.push(s.reason.name ?? s.reason)); return s instanceof AbortSignal && !s.aborted; };
		export const same = (s: AbortSignal) => s === kept;
		export const read = () => [kept.aborted, ...log].join();
		export const late = (s: AbortSignal) => [s.aborted, String(s.reason)].join();
	`)
	signal := NewSignal()
	if got := call(t, iso, ns, "take", signal); got != true {
		t.Fatalf("take = %v", got)
	}
	if got := call(t, iso, ns, "same", signal); got != true {
		t.Error("one signal became two")
	}
	signal.Abort("enough")
	if got := call(t, iso, ns, "read"); got != "true,enough" {
		t.Errorf("read = %v", got)
	}
	if got := call(t, iso, ns, "late", signal); got != "true,enough" {
		t.Errorf("late = %v", got)
	}
}

func TestSignalComesOut(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		const controller = new AbortController();
		export const give = () => ({ a: controller.signal, b: controller.signal });
		export const same = (s: AbortSignal) => s === controller.signal;
		export const abort = (reason: unknown) => controller.abort(reason);
		export const aborted = () => AbortSignal.abort(new RangeError("over"));
	`)
	given := call(t, iso, ns, "give").(*Object)
	a, _ := given.Get("a")
	b, _ := given.Get("b")
	signal := a.(*Signal)
	if a != b || call(t, iso, ns, "give").(*Object).values["a"] != a {
		t.Error("one signal is several outside")
	}
	if got := call(t, iso, ns, "same", signal); got != true {
		t.Error("a signal that came home is not itself")
	}
	ctx, cancel := signal.Context(t.Context())
	defer cancel()
	if ctx.Err() != nil {
		t.Fatal("the context ended early")
	}
	call(t, iso, ns, "abort", NewObject("code", 7.0))
	<-ctx.Done()
	var aborted *AbortError
	if !errors.As(context.Cause(ctx), &aborted) || aborted.Reason.(*Object).values["code"] != 7.0 {
		t.Errorf("cause = %#v", context.Cause(ctx))
	}
	already := call(t, iso, ns, "aborted").(*Signal)
	if reason, is := already.Aborted(); !is || reason.(*Error).Name != "RangeError" {
		t.Errorf("reason = %#v, %v", reason, is)
	}
}

func TestSignalLinksIsolates(t *testing.T) {
	p := newPair(t, `
		let told: (reason: unknown) => void;
		const reason = new Promise((resolve) => { told = resolve; });
		export const work = (s: AbortSignal, listens: () => void) => new Promise((_, reject) => { s.addEventListener("abort", () => { told(s.reason.message); reject(s.reason); }); listens(); });
		export const why = () => reason;
		export const relay = (s: AbortSignal) => s;
	`, `
		export async function run(work: (s: AbortSignal, listens: () => void) => Promise<void>) {
			const controller = new AbortController();
			try { await work(controller.signal, () => controller.abort(new TypeError("stop it"))); } catch (e: any) { return e.name + ": " + e.message; }
		}
		export async function roundTrip(relay: (s: AbortSignal) => Promise<AbortSignal>) {
			const { signal } = new AbortController();
			return (await relay(signal)) === signal;
		}
	`)
	if got := call(t, p.away, p.awayNS, "run", exportedFunction(t, p.home, p.homeNS, "work")); got != "TypeError: stop it" {
		t.Errorf("run = %v", got)
	}
	if got := call(t, p.home, p.homeNS, "why"); got != "stop it" {
		t.Errorf("why = %v", got)
	}
	if got := call(t, p.away, p.awayNS, "roundTrip", exportedFunction(t, p.home, p.homeNS, "relay")); got != true {
		t.Error("a signal that went round is not itself")
	}
}

func TestSignalListeners(t *testing.T) {
	signal := NewSignal()
	var log []string
	listen := func(name string) func() {
		return signal.Listen(func(reason any) { log = append(log, name+" "+reason.(string)) })
	}
	listen("a")
	stop := listen("b")
	listen("c")
	stop()
	stop()
	signal.Abort("first")
	signal.Abort("second")
	listen("late")
	if got := strings.Join(log, ", "); got != "a first, c first, late first" {
		t.Errorf("log = %q", got)
	}
}

// contextModule is the compiled module that makes the contexts of calls.
func contextModule(t testing.TB) *Graph {
	t.Helper()
	const name = "@earendil-works/chord/context"
	compiler := NewCompiler(CompilerOptions{Synthetic: synthetic{}})
	graph, err := compiler.Import(context.Background(), fstest.MapFS{}, "main.ts", name, nil)
	if err != nil {
		t.Fatal(err)
	}
	return graph
}

func TestContextOfACall(t *testing.T) {
	source := `
		import { awaitWithContext, createContextKey, withContextValue, withoutAbortSignal } from "@earendil-works/chord/context";
		const key = createContextKey<number>("n");
		export const shape = (c: any) => [c.abortSignal instanceof AbortSignal, c.abortSignal === c.abortSignal, c.value(key), String(c)].join();
		export const derived = (c: any) => {
			const d = withContextValue(key, 5, c);
			return [d.value(key), d.abortSignal === c.abortSignal, withoutAbortSignal(d).abortSignal, String(d)].join();
		};
		export const wait = (c: any) => awaitWithContext(new Promise(() => {}), c);
		export const pass = (c: any, f: (c: unknown) => unknown) => f(c);
	`
	iso := newIsolate(t, Options{Context: contextModule(t)})
	ns := evaluate(t, iso, source)
	if got, want := call(t, iso, ns, "shape", OwnContext{}), "true,true,,[Context BACKGROUND_CONTEXT].WithValue(chord.abortSignal)"; got != want {
		t.Errorf("shape = %q, want %q", got, want)
	}
	if got, want := call(t, iso, ns, "derived", OwnContext{}), "5,true,,[Context BACKGROUND_CONTEXT].WithValue(chord.abortSignal).WithValue(n)"; got != want {
		t.Errorf("derived = %q, want %q", got, want)
	}
	other := newIsolate(t, Options{Context: contextModule(t)})
	otherNS := evaluate(t, other, source)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(ctx, testJob, ns.Method("pass"), OwnContext{}, exportedFunction(t, other, otherNS, "wait"))
		errs <- err
	}()
	waitForPending(t, other, 1)
	settleLoop(t, other)
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	for other.Load().Pending > 0 { // the other isolate's call ends by the signal alone
		settleLoop(t, other)
	}
}

func TestContextWithoutItsModule(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const shape = (c: any) => [c.abortSignal instanceof AbortSignal, c.abortSignal === c.abortSignal].join();`)
	if got := call(t, iso, ns, "shape", OwnContext{}); got != "true,true" {
		t.Errorf("shape = %v", got)
	}
}
