package jsapi

import (
	"errors"
	"runtime"
	"testing"
	"weak"

	"github.com/dop251/goja"
)

// waitForCollection returns when the collector has taken what pointer leads to.
func waitForCollection[T any](t testing.TB, what string, pointer weak.Pointer[T]) {
	t.Helper()
	waitFor(t, what+" to be collected", func() bool {
		runtime.GC()
		return pointer.Value() == nil
	})
}

// What others hold of a closed isolate must not keep its runtime alive.
func TestAClosedIsolateLetsGoOfItsRuntime(t *testing.T) {
	away := newIsolate(t, Options{Extension: "away"})
	keeper := evaluate(t, away, `const kept: unknown[] = []; export const keep = (x: unknown) => { kept.push(x); }; export const call = (i: number) => (kept[i] as any)();`)
	long := NewSignal() // lives on
	for _, test := range []struct {
		rule, code string
		hold       func(iso *Isolate, ns *Namespace) any
	}{
		{"a function", `export const give = () => () => 1;`, func(iso *Isolate, ns *Namespace) any { return call(t, iso, ns, "give") }},
		{"a namespace", ``, func(_ *Isolate, ns *Namespace) any { return ns }},
		{"a stream", `export const give = () => (async function* () { yield 1; })();`, func(iso *Isolate, ns *Namespace) any { return call(t, iso, ns, "give") }},
		{"a signal", `export const give = () => new AbortController().signal;`, func(iso *Isolate, ns *Namespace) any { return call(t, iso, ns, "give") }},
		{"an error", `export const give = () => new RangeError("x");`, func(iso *Isolate, ns *Namespace) any { return call(t, iso, ns, "give") }},
		{"a signal that it listens to", `let kept; export const take = (s: AbortSignal) => { kept = s; s.addEventListener("abort", () => {}); };`,
			func(iso *Isolate, ns *Namespace) any { return call(t, iso, ns, "take", long) }},
		{"a timer", `setTimeout(() => {}, 1e6); setInterval(() => {}, 1e6);`, func(*Isolate, *Namespace) any { return nil }},
		{"a function that another isolate keeps", `export const give = () => () => 1;`, func(iso *Isolate, ns *Namespace) any {
			call(t, away, keeper, "keep", call(t, iso, ns, "give"))
			return nil
		}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			engine, iso, held := func() (weak.Pointer[goja.Runtime], *Isolate, any) {
				iso, err := New(Options{Extension: "short"})
				if err != nil {
					t.Fatal(err)
				}
				defer iso.Close()
				ns := evaluate(t, iso, test.code)
				return weak.Make(iso.runtime), iso, test.hold(iso, ns)
			}()
			waitForCollection(t, "the runtime", engine)
			runtime.KeepAlive(iso)
			runtime.KeepAlive(held)
		})
	}
	if n := len(long.listeners); n != 0 {
		t.Errorf("%d listeners of closed isolates are left", n)
	}
	_, err := away.Call(t.Context(), testJob, keeper.Method("call"), 0.0)
	var closed *ClosedError
	if !errors.As(err, &closed) {
		t.Errorf("a call of a function of a closed isolate: %v", err)
	}
}

// A stub and its original that nobody else has go together, also while their
// isolates live.
func TestSignalsThatNobodyHasAreCollected(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const take = (s: AbortSignal) => { s.addEventListener("abort", () => {}); };`)
	signal := func() weak.Pointer[Signal] {
		signal := NewSignal()
		call(t, iso, ns, "take", signal)
		return weak.Make(signal)
	}()
	waitForCollection(t, "the signal", signal)
}

// A listener of a signal hears of its end although the extension has dropped the
// signal.
func TestSignalsOfDroppedStubsAreHeard(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		let told: (reason: unknown) => void;
		const reason = new Promise((resolve) => { told = resolve; });
		export const take = (s: AbortSignal) => { s.addEventListener("abort", (e: any) => told(e.target.reason)); };
		export const heard = () => reason;
	`)
	signal := NewSignal()
	call(t, iso, ns, "take", signal)
	for range 3 {
		runtime.GC()
	}
	signal.Abort("enough")
	if got := call(t, iso, ns, "heard"); got != "enough" {
		t.Errorf("heard = %v", got)
	}
}
