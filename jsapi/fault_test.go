package jsapi

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"weak"
)

func TestStackOverflowLosesTheIsolate(t *testing.T) {
	for _, test := range []struct{ rule, code string }{
		{"recursion", "export function run(): unknown {\n  return run();\n}"},
		{"recursion that catches", "export function run(): unknown {\n  try { return run(); } catch { return 1; }\n}"},
		{"recursion after an await", "const deep = (): unknown => deep();\nexport async function run() { await null; deep(); }"},
		{"recursion in a getter of the result", "class A { get x(): unknown { return this.x; } }\nexport const run = () => { const a = new A(); return { get y() { return a.x; } }; }"},
		{"recursion in toJSON", "export const run = () => { const a: unknown = { toJSON() { return JSON.stringify(a); } }; return JSON.stringify(a); }"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{Extension: "deep"})
			ns := evaluate(t, iso, test.code)
			_, err := iso.Call(t.Context(), testJob, ns.Method("run"))
			var overflow *OverflowError
			if !errors.As(err, &overflow) {
				t.Fatalf("error = %v, want an OverflowError", err)
			}
			if overflow.Extension != "deep" || overflow.Work != "test" || overflow.Position.File != "main.ts" {
				t.Errorf("overflow = %+v", overflow)
			}
			<-iso.Lost()
		})
	}
}

func TestGoPanicLosesTheIsolate(t *testing.T) {
	for _, test := range []struct{ rule, code string }{
		{"in a call", `import { fail } from "go:test"; export const run = () => fail();`},
		{"that JavaScript tries to catch", `import { fail } from "go:test"; export const run = () => { try { fail(); } catch {} finally { return 1; } };`},
		{"in a promise reaction", `import { fail } from "go:test"; export const run = async () => { await null; fail(); };`},
		{"in a getter of the result", `import { fail } from "go:test"; export const run = () => ({ get x() { return fail(); } });`},
		{"in a module", `import { fail } from "go:test"; fail(); export const run = () => 1;`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newSuppliedIsolate(t, Options{Extension: "broken", Report: func(error) {}}, NewObject(
				"fail", Native(func(*NativeCall) (any, error) { panic("no such thing") })))
			ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, test.code, "fail"))
			if err == nil {
				_, err = iso.Call(t.Context(), testJob, ns.Method("run"))
			}
			var fault *PanicError
			if !errors.As(err, &fault) {
				t.Fatalf("error = %v, want a PanicError", err)
			}
			if fault.Extension != "broken" || fault.Work != "test" || fault.Value != "no such thing" || !strings.Contains(fault.Stack, "fault_test.go") {
				t.Errorf("fault = %+v", fault)
			}
			<-iso.Lost()
		})
	}
}

func TestPanicOfAnotherIsolateIsAnOrdinaryError(t *testing.T) {
	broken := newSuppliedIsolate(t, Options{Report: func(error) {}}, NewObject(
		"fail", Native(func(*NativeCall) (any, error) { panic("no such thing") })))
	ns, err := broken.Evaluate(t.Context(), testJob, compileSupplied(t, `import { fail } from "go:test"; export const run = () => fail();`, "fail"))
	if err != nil {
		t.Fatal(err)
	}
	run := exportedFunction(t, broken, ns, "run")
	iso := newIsolate(t, Options{})
	caller := evaluate(t, iso, `export const relay = async (run: () => unknown) => { await run(); }; export const ping = () => "pong";`)
	_, err = iso.Call(t.Context(), testJob, caller.Method("relay"), run)
	var fault *PanicError
	if !errors.As(err, &fault) {
		t.Fatalf("error = %v", err)
	}
	if got := call(t, iso, caller, "ping"); got != "pong" {
		t.Errorf("ping = %v", got)
	}
}

func TestCloseInterruptsWhatRuns(t *testing.T) {
	reports := &reportLog{}
	iso := newIsolate(t, Options{Extension: "demo", Report: reports.add})
	ns := evaluate(t, iso, `export function block() { for (;;) {} } export const wait = () => new Promise(() => {});`)
	errs := make(chan error, 3)
	calling := func(name string) {
		_, err := iso.Call(context.Background(), Job{Work: name}, ns.Method(name))
		errs <- err
	}
	go calling("wait")
	waitForPending(t, iso, 1)
	settleLoop(t, iso)
	go calling("block")
	waitForPending(t, iso, 2)
	waitForRunning(t, iso, "block")
	go calling("wait") // queued
	waitForPending(t, iso, 3)
	iso.Close()
	for range 3 {
		var closed *ClosedError
		if err := <-errs; !errors.As(err, &closed) || err.Error() != "extension demo is closed" {
			t.Errorf("error = %v, want a ClosedError", err)
		}
	}
	if got := reports.texts(); len(got) != 0 {
		t.Errorf("reports = %q", got)
	}
}

func TestCloseTwiceAndAtOnce(t *testing.T) {
	iso := newIsolate(t, Options{})
	done := make(chan struct{})
	for range 4 {
		go func() {
			iso.Close()
			done <- struct{}{}
		}()
	}
	for range 4 {
		<-done
	}
	iso.Close()
	var closed *ClosedError
	if _, err := iso.Call(t.Context(), testJob, Method{Object: &Reference{isolate: iso}}); !errors.As(err, &closed) {
		t.Errorf("a call of a closed isolate: %v", err)
	}
}

// A job that is about to start while the isolate is being closed must not run on.
func TestCloseAsJobsStart(t *testing.T) {
	source := compileSource(t, `export function block() { for (;;) {} }`)
	for range 200 {
		iso := newIsolate(t, Options{})
		ns, err := iso.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		returned := make(chan error, 1)
		go func() {
			_, err := iso.Call(context.Background(), Job{Work: "block"}, ns.Method("block"))
			returned <- err
		}()
		iso.Close()
		if err := <-returned; err == nil {
			t.Error("an endless loop ended")
		}
	}
}

func TestCloseWaitsForAsync(t *testing.T) {
	started, ended := make(chan struct{}), make(chan struct{})
	iso := newSuppliedIsolate(t, Options{}, NewObject("slow", Native(func(*NativeCall) (any, error) {
		return Async{Work: func(ctx context.Context) (any, error) {
			close(started)
			<-ctx.Done()
			close(ended)
			return nil, context.Cause(ctx)
		}}, nil
	})))
	ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `import { slow } from "go:test"; export const run = () => slow();`, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(context.Background(), testJob, ns.Method("run"))
		errs <- err
	}()
	<-started
	iso.Close()
	select {
	case <-ended:
	default:
		t.Error("Close returned while asynchronous work went on")
	}
	var closed *ClosedError
	if err := <-errs; !errors.As(err, &closed) {
		t.Errorf("error = %v", err)
	}
	if iso.Go(func() {}) {
		t.Error("a closed isolate started work")
	}
}

// What stands in an isolate for things of another one must not keep it alive.
func TestClosedIsolateIsCollected(t *testing.T) {
	home := newIsolate(t, Options{})
	function := exportedFunction(t, home, evaluate(t, home, `export const f = () => 1;`), "f")
	collected := func() weak.Pointer[Isolate] {
		iso, err := New(Options{Extension: "short"})
		if err != nil {
			t.Fatal(err)
		}
		defer iso.Close()
		ns := evaluate(t, iso, `
			export let kept: unknown;
			export const keep = (f: unknown, s: AbortSignal) => { kept = [f, s]; return () => kept; };
		`)
		own := call(t, iso, ns, "keep", function, NewSignal()).(*Function)
		if own.Isolate() != iso {
			t.Error("the function is not at home")
		}
		return weak.Make(iso)
	}()
	for range 100 {
		runtime.GC()
		if collected.Value() == nil {
			return
		}
		runtime.Gosched()
	}
	t.Error("the isolate is still reachable")
}
