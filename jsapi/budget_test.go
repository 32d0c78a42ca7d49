package jsapi

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// tight is a running budget that only endless code runs into.
const tight = 100 * time.Millisecond

func TestRunningBudgetStops(t *testing.T) {
	for _, test := range []struct{ rule, code string }{
		{"a loop", `export function run() { for (;;) {} }`},
		{"a loop in a catch block", `export function run() { for (;;) try { throw 1; } catch { for (;;) {} } }`},
		{"a loop in a finally block", `export function run() { try { for (;;) {} } finally { for (;;) {} } }`},
		{"endless promise reactions", `export async function run() { for (;;) await null; }`},
		{"reactions that queue reactions", `export function run() { const again = (): unknown => Promise.resolve().then(again); again(); }`},
		{"a generator", `function* all() { for (;;) yield 1; } export function run() { for (const _ of all()) {} }`},
		{"an async generator", `async function* all() { for (;;) yield 1; } export async function run() { for await (const _ of all()) {} }`},
		{"a getter of the result", `export function run() { return { get x() { for (;;) {} } }; }`},
		{"a getter of a thrown error", `export function run() { throw { get message() { for (;;) {} }, stack: "" }; }`},
		{"a getter of an error's member", `export function run() { throw Object.defineProperty(new Error("x"), "code", { enumerable: true, get() { for (;;) {} } }); }`},
		{"a proxy that is the result", `export function run() { return new Proxy({}, { ownKeys() { for (;;) {} } }); }`},
		{"a then method of the result", `export function run() { return { then() { for (;;) {} } }; }`},
		{"a then getter of the result", `export function run() { return { get then() { for (;;) {} } }; }`},
		{"toJSON", `export function run() { return JSON.stringify({ toJSON() { for (;;) {} } }); }`},
		{"the code after an await", `export async function run() { await null; for (;;) {} }`},
		{"a comparison of sort", `export function run() { [2, 1].sort(() => { for (;;) {} }); }`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			reports := &reportLog{}
			iso := newIsolate(t, Options{Extension: "spinner", Report: reports.add})
			ns := evaluate(t, iso, test.code)
			_, err := iso.Call(t.Context(), Job{Work: "tool spin", Running: tight}, ns.Method("run"))
			var timeout *TimeoutError
			if !errors.As(err, &timeout) {
				t.Fatalf("error = %v, want a TimeoutError", err)
			}
			if timeout.Clock != Running || timeout.Work != "tool spin" || timeout.Extension != "spinner" || timeout.Limit != tight {
				t.Errorf("timeout = %+v", timeout)
			}
			if timeout.Position.File != "main.ts" {
				t.Errorf("position = %q", timeout.Position)
			}
			<-iso.Lost()
			if cause := iso.Cause(); cause != err {
				t.Errorf("cause = %v, want the call's error", cause)
			}
			iso.Close() // waits until the fault was reported
			if got := reports.texts(); len(got) != 1 || got[0] != err.Error() {
				t.Errorf("reports = %q", got)
			}
		})
	}
}

func TestRunningBudgetCoversReports(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export function run() { Promise.reject({ get x() { for (;;) {} } }); }`)
	if _, err := iso.Call(t.Context(), Job{Work: "run", Running: tight}, ns.Method("run")); err != nil {
		t.Errorf("the call had succeeded: %v", err)
	}
	<-iso.Lost()
	var timeout *TimeoutError
	if !errors.As(iso.Cause(), &timeout) {
		t.Errorf("cause = %v", iso.Cause())
	}
}

func TestRunningBudgetOfLaterTurns(t *testing.T) {
	for _, test := range []struct{ rule, code, work string }{
		{"a timer", `export async function run() { setTimeout(() => { for (;;) {} }, 1); await new Promise(() => {}); }`, "a timer"},
		{"code that waited for a timer", `export async function run() { await new Promise((r) => setTimeout(r, 1)); for (;;) {} }`, "test"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{Callback: Job{Running: tight}})
			ns := evaluate(t, iso, test.code)
			_, err := iso.Call(t.Context(), testJob, ns.Method("run"))
			var timeout *TimeoutError
			if !errors.As(err, &timeout) || timeout.Work != test.work {
				t.Fatalf("error = %v, want a TimeoutError of %q", err, test.work)
			}
			var replaced *ReplacedError
			if guilty := test.work == "test"; errors.As(err, &replaced) == guilty {
				t.Errorf("error = %#v; only an innocent call gets a ReplacedError", err)
			}
		})
	}
}

func TestLostIsolateFailsItsCalls(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "demo"})
	ns := evaluate(t, iso, `export const wait = () => new Promise(() => {}); export function spin() { for (;;) {} }`)
	const waiting = 5
	errs := make(chan error, waiting)
	for range waiting {
		go func() {
			_, err := iso.Call(context.Background(), testJob, ns.Method("wait"))
			errs <- err
		}()
	}
	waitForPending(t, iso, waiting)
	_, guilty := iso.Call(t.Context(), Job{Work: "spin", Running: tight}, ns.Method("spin"))
	var replaced *ReplacedError
	if errors.As(guilty, &replaced) {
		t.Errorf("the guilty call got %v, want the TimeoutError itself", guilty)
	}
	for range waiting {
		if err := <-errs; !errors.As(err, &replaced) || replaced.Extension != "demo" || replaced.Cause != guilty {
			t.Errorf("a pending call got %v", err)
		}
	}
	if _, err := iso.Call(t.Context(), testJob, ns.Method("wait")); !errors.As(err, &replaced) {
		t.Errorf("a later call got %v", err)
	}
	if load := iso.Load(); load != (Load{}) {
		t.Errorf("load = %+v", load)
	}
}

func TestWholeBudgetAbortsTheSignal(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "demo"})
	ns := evaluate(t, iso, `
		let tell: (reason: unknown) => void;
		const told = new Promise((resolve) => { tell = resolve; });
		export const wait = (signal: AbortSignal) => new Promise(() => {
			signal.addEventListener("abort", () => tell(signal.reason));
		});
		export const reason = () => told;
	`)
	_, err := iso.Call(t.Context(), Job{Work: "wait", Whole: 20 * time.Millisecond}, ns.Method("wait"), OwnSignal{})
	if err == nil || err.Error() != "extension demo: wait did not finish within 20ms" {
		t.Errorf("error = %v", err)
	}
	reason, ok := call(t, iso, ns, "reason").(*Error)
	if !ok || reason.Name != "ExtensionTimeout" {
		t.Errorf("reason = %#v", reason)
	}
}

func TestQueueBudget(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "demo"})
	ns := evaluate(t, iso, `
		export const stop = { now: false };
		let ran = 0;
		export function block() { for (;;) {} }
		export const count = () => ++ran;
	`)
	go func() { _, _ = iso.Call(context.Background(), Job{Work: "block"}, ns.Method("block")) }()
	waitForRunning(t, iso, "block")
	_, err := iso.Call(t.Context(), Job{Work: "count", Queue: 20 * time.Millisecond}, ns.Method("count"))
	var busy *BusyError
	if !errors.As(err, &busy) {
		t.Fatalf("error = %v, want a BusyError", err)
	}
	if want := "extension demo: count waited 20ms for its turn; the extension is busy"; err.Error() != want {
		t.Errorf("error = %q, want %q", err, want)
	}
	if cause := iso.Cause(); cause != nil {
		t.Errorf("the isolate was lost: %v", cause)
	}
}

func TestCancelledContextLeavesTheIsolate(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export const log: string[] = [];
		export const wait = (signal: AbortSignal) => new Promise(() => {
			signal.addEventListener("abort", () => log.push(signal.reason.name));
		});
		export const read = () => log.join();
	`)
	ctx, cancel := context.WithCancel(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(ctx, testJob, ns.Method("wait"), OwnSignal{})
		errs <- err
	}()
	waitForPending(t, iso, 1)
	settleLoop(t, iso)
	cancel()
	if err := <-errs; !errors.Is(err, context.Canceled) {
		t.Errorf("error = %v", err)
	}
	if got := call(t, iso, ns, "read"); got != "AbortError" {
		t.Errorf("log = %q", got)
	}
	if _, err := iso.Call(ctx, testJob, ns.Method("read")); !errors.Is(err, context.Canceled) {
		t.Errorf("a call with a context that ended: %v", err)
	}
}

func TestCancelledContextReturnsWhileCodeRuns(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export function block() { for (;;) {} }`)
	cause := errors.New("enough")
	ctx, cancel := context.WithCancelCause(t.Context())
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(ctx, Job{Work: "block"}, ns.Method("block"))
		errs <- err
	}()
	waitForRunning(t, iso, "block")
	cancel(cause)
	if err := <-errs; err != cause {
		t.Errorf("error = %v, want the cause", err)
	}
}

func TestInterrupt(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "demo"})
	if iso.Interrupt("for fun") {
		t.Error("an idle isolate was interrupted")
	}
	ns := evaluate(t, iso, `export function block() { for (;;) {} }`)
	errs := make(chan error, 1)
	go func() {
		_, err := iso.Call(context.Background(), Job{Work: "tool block"}, ns.Method("block"))
		errs <- err
	}()
	waitForRunning(t, iso, "tool block")
	if work, since, running := iso.RunningJob(); work != "tool block" || since.IsZero() || !running {
		t.Errorf("running job = %q, %v, %v", work, since, running)
	}
	if !iso.Interrupt("the process is short of memory") {
		t.Fatal("nothing was running")
	}
	err := <-errs
	var interrupted *InterruptError
	if !errors.As(err, &interrupted) {
		t.Fatalf("error = %v", err)
	}
	const before, after = "extension demo: tool block was interrupted at main.ts:1:", ": the process is short of memory"
	if text := err.Error(); !strings.HasPrefix(text, before) || !strings.HasSuffix(text, after) {
		t.Errorf("error = %q", err)
	}
	<-iso.Lost()
}

// An interrupt that comes when its job has just ended must not stop the next one,
// whichever of them comes first.
func TestInterruptHitsOnlyItsJob(t *testing.T) {
	late := func(w *watch) { w.since = w.since.Add(-2 * w.limit) }
	for _, test := range []struct {
		rule string
		job  func(w *watch)
	}{
		{"the budget runs out before the job is over", func(w *watch) { late(w); w.expire(); w.stop() }},
		{"the budget runs out as the job is over", func(w *watch) { late(w); w.stop(); w.expire() }},
		{"the timer fires when the next job runs", func(w *watch) { late(w); w.stop(); w.start("next", time.Hour); w.expire() }},
		{"somebody interrupts the job before it is over", func(w *watch) { w.interruptNow(errors.New("enough")); w.stop() }},
		{"somebody interrupts the job when it is over", func(w *watch) { w.stop(); w.interruptNow(errors.New("enough")) }},
	} {
		t.Run(test.rule, func(t *testing.T) {
			engine := goja.New()
			w := &watch{}
			w.init(engine)
			w.start("hasty", time.Hour)
			test.job(w)
			w.start("next", time.Hour)
			defer w.stop()
			if _, err := engine.RunString(`for (let i = 0; i < 1000; i++) {}`); err != nil {
				t.Errorf("the next job: %v", err)
			}
		})
	}
}

// maxWait bounds how long a test waits for what must come.
const maxWait = time.Minute

// waitFor returns when condition holds.
func waitFor(t testing.TB, what string, condition func() bool) {
	t.Helper()
	for began := time.Now(); !condition(); runtime.Gosched() {
		if time.Since(began) > maxWait {
			t.Fatalf("waited %s for %s", maxWait, what)
		}
	}
}

// waitForPending returns when n calls are pending.
func waitForPending(t testing.TB, iso *Isolate, n int) {
	t.Helper()
	waitFor(t, "pending calls", func() bool { return iso.Load().Pending >= n })
}

// waitForRunning returns when a job called work runs.
func waitForRunning(t testing.TB, iso *Isolate, work string) {
	t.Helper()
	waitFor(t, work+" to run", func() bool {
		name, _, running := iso.RunningJob()
		return running && name == work
	})
}
