package jsapi

import (
	"context"
	"errors"
	"testing"
	"time"
)

// whose is a native that tells the name of the owner that the code runs for.
var whose = NewObject("whose", Native(func(call *NativeCall) (any, error) { return call.Owner.Name(), nil }))

func TestOwnerTravels(t *testing.T) {
	for _, test := range []struct{ rule, code, want string }{
		{"a call", `export const run = () => whose();`, "caller"},
		{"an await", `export const run = async () => { await null; await null; return whose(); };`, "caller"},
		{"a promise chain", `export const run = () => Promise.resolve().then(() => {}).then(() => whose());`, "caller"},
		{"a timer", `export const run = () => new Promise((resolve) => setTimeout(() => resolve(whose()), 1));`, "caller"},
		{"a timer after an await", `export const run = async () => { await null; return new Promise((resolve) => setTimeout(() => resolve(whose()), 1)); };`, "caller"},
		{"code after a timer", `export const run = async () => { await new Promise((resolve) => setTimeout(resolve, 1)); return whose(); };`, "caller"},
		{"queueMicrotask", `export const run = () => new Promise((resolve) => queueMicrotask(() => resolve(whose())));`, "caller"},
		{"an async generator", `async function* all() { await null; yield whose(); } export const run = async () => { for await (const x of all()) return x; };`, "caller"},
		{"a promise of another owner", `let open: () => void; const gate = new Promise<void>((resolve) => { open = resolve; });
			export const run = async () => { setTimeout(open, 1); await gate; return whose(); };`, "caller"},
		{"a listener belongs to who aborts", `export const run = () => { const c = new AbortController(); return new Promise((resolve) => { c.signal.addEventListener("abort", () => resolve(whose())); c.abort(); }); };`, "caller"},
		{"a thenable that was made before belongs to the newest owner",
			`const thenable = { then(resolve: (x: unknown) => void) { resolve(whose()); } };
			export const run = async () => { await null; return await (thenable as any); };`, "newest"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newSuppliedIsolate(t, Options{}, whose)
			ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `import { whose } from "go:test";`+test.code, "whose"))
			if err != nil {
				t.Fatal(err)
			}
			job := testJob
			job.Owner = iso.NewOwner("caller")
			newest := iso.NewOwner("newest")
			iso.NewResourceOwner("resource")
			got, err := iso.Call(t.Context(), job, ns.Method("run"))
			if err != nil || got != test.want {
				t.Errorf("owner = %v, %v; want %s", got, err, test.want)
			}
			newest.Close()
		})
	}
}

func TestNewestOwner(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "demo"})
	is := func(want string) {
		t.Helper()
		onLoop(t, iso, func() {
			iso.current = nil
			if got := iso.currentActivity().owner.Name(); got != want {
				t.Errorf("newest = %q, want %q", got, want)
			}
		})
	}
	is("extension demo")
	live := iso.NewOwner("live")
	candidate := iso.NewOwner("candidate")
	iso.NewResourceOwner("resource")
	is("candidate")
	candidate.Close() // refused
	is("live")
	next := iso.NewOwner("next")
	live.Close() // drained
	is("next")
	next.Close()
	is("extension demo")
}

// A callback keeps the owner that handed it out, whoever calls it.
func TestCallbackKeepsItsOwner(t *testing.T) {
	var kept *Function
	natives := NewObject("whose", whose.values["whose"], "keep", Native(func(call *NativeCall) (any, error) {
		kept, _ = call.Arg(0).(*Function)
		return nil, nil
	}))
	iso := newSuppliedIsolate(t, Options{}, natives)
	ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `
		import { whose, keep } from "go:test";
		const callback = () => whose();
		export const register = async () => { await null; keep(callback); };
		export const give = async () => { await null; return callback; };
	`, "whose", "keep"))
	if err != nil {
		t.Fatal(err)
	}
	first, second := iso.NewOwner("first"), iso.NewOwner("second")
	register := func(owner *Owner) *Function {
		job := testJob
		job.Owner = owner
		if _, err := iso.Call(t.Context(), job, ns.Method("register")); err != nil {
			t.Fatal(err)
		}
		return kept
	}
	byFirst, bySecond := register(first), register(second)
	if byFirst == bySecond {
		t.Fatal("two owners share a stub")
	}
	for function, want := range map[*Function]string{byFirst: "first", bySecond: "second"} {
		if got, err := function.Call(t.Context()); err != nil || got != want {
			t.Errorf("owner = %v, %v; want %s", got, err, want)
		}
	}
	// A function that is a result belongs to the call, also after promise reactions.
	job := testJob
	job.Owner = first
	given, err := iso.Call(t.Context(), job, ns.Method("give"))
	if err != nil || given.(*Function).Owner() != first {
		t.Errorf("owner = %v, %v", given.(*Function).Owner().Name(), err)
	}
	first.Close()
	var closed *ClosedError
	if _, err := byFirst.Call(t.Context()); !errors.As(err, &closed) || closed.Owner != "first" {
		t.Errorf("error = %v", err)
	}
	if got, err := bySecond.Call(t.Context()); err != nil || got != "second" {
		t.Errorf("the other owner's: %v, %v", got, err)
	}
}

func TestClosedOwnerFailsItsPendingCalls(t *testing.T) {
	clock := newManualClock()
	iso := newIsolate(t, Options{Clock: clock})
	ns := evaluate(t, iso, `
		export const log: unknown[] = [];
		export const wait = (s: AbortSignal) => new Promise(() => { s.addEventListener("abort", () => log.push(s.reason.name)); setTimeout(() => log.push("timer"), 30); });
		export const read = () => log.join();
	`)
	owner := iso.NewOwner("first")
	job := testJob
	job.Owner = owner
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(context.Background(), job, ns.Method("wait"), OwnSignal{})
		errs <- err
	}()
	waitForPending(t, iso, 1)
	settleLoop(t, iso)
	owner.Close()
	owner.Close()
	var closed *ClosedError
	if err := <-errs; !errors.As(err, &closed) || closed.Owner != "first" {
		t.Errorf("error = %v", err)
	}
	if _, err := iso.Call(t.Context(), job, ns.Method("read")); !errors.As(err, &closed) {
		t.Errorf("a later call: %v", err)
	}
	clock.advance(t, iso, time.Second)
	if got := call(t, iso, ns, "read"); got != "GenerationClosed" {
		t.Errorf("log = %v", got)
	}
	if !owner.Closed() || context.Cause(owner.Context()) != error(closed) && !errors.As(context.Cause(owner.Context()), &closed) {
		t.Errorf("cause = %v", context.Cause(owner.Context()))
	}
}

type markKey struct{}

// The context of a native has the values of the call and ends with the owner.
func TestContextOfANative(t *testing.T) {
	var seen context.Context
	natives := NewObject("look", Native(func(call *NativeCall) (any, error) {
		seen = call.Context
		return nil, nil
	}))
	iso := newSuppliedIsolate(t, Options{}, natives)
	ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `import { look } from "go:test";
		export const run = async () => { await null; await new Promise((resolve) => setTimeout(resolve, 1)); look(); };`, "look"))
	if err != nil {
		t.Fatal(err)
	}
	job := testJob
	job.Owner = iso.NewOwner("first")
	ctx, cancel := context.WithCancelCause(context.WithValue(t.Context(), markKey{}, "mark"))
	if _, err := iso.Call(ctx, job, ns.Method("run")); err != nil {
		t.Fatal(err)
	}
	if got := seen.Value(markKey{}); got != "mark" {
		t.Errorf("value = %v", got)
	}
	cancel(errors.New("the call's end"))
	if seen.Err() != nil || context.Cause(seen) != nil {
		t.Errorf("the native's context ended with the call: %v", context.Cause(seen))
	}
	derived, stop := context.WithTimeout(seen, time.Hour)
	defer stop()
	job.Owner.Close()
	<-derived.Done()
	var closed *ClosedError
	if !errors.As(context.Cause(derived), &closed) {
		t.Errorf("cause = %v", context.Cause(derived))
	}
}
