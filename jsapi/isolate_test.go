package jsapi

import (
	"context"
	"encoding/json"
	"errors"
	"testing"
	"time"
)

func TestCallAwaitsPromise(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export async function slow(ms: number): Promise<string> {
			await new Promise((resolve) => setTimeout(resolve, ms));
			return "waited " + ms;
		}
		export function plain(a: { x: number }) { return { sum: a.x + 1, list: [1, "b", null, undefined] }; }
	`)
	if got := call(t, iso, ns, "slow", 5); got != "waited 5" {
		t.Errorf("slow = %v", got)
	}
	object := call(t, iso, ns, "plain", json.RawMessage(`{"x": 41}`)).(*Object)
	if sum, _ := object.Get("sum"); sum != 42.0 {
		t.Errorf("sum = %v", sum)
	}
}

func TestRunningBudgetInterruptsAndLosesIsolate(t *testing.T) {
	iso := newIsolate(t, Options{Extension: "spinner"})
	ns := evaluate(t, iso, "export function spin() {\n  for (;;) {}\n}\nexport async function wait() { await new Promise(() => {}); }\n")
	waiting := make(chan error, 1)
	go func() {
		_, err := iso.Call(context.Background(), Job{Work: "wait"}, ns.Method("wait"))
		waiting <- err
	}()
	waitForPending(t, iso, 1)
	_, err := iso.Call(context.Background(), Job{Work: "tool spin", Running: 50 * time.Millisecond}, ns.Method("spin"))
	var timeout *TimeoutError
	if !errors.As(err, &timeout) {
		t.Fatalf("error = %v, want a TimeoutError", err)
	}
	if timeout.Clock != Running || timeout.Extension != "spinner" || timeout.Position.String() == "" {
		t.Errorf("timeout = %+v", timeout)
	}
	var replaced *ReplacedError
	if err := <-waiting; !errors.As(err, &replaced) {
		t.Errorf("pending call: %v, want a ReplacedError", err)
	}
	if _, err := iso.Call(context.Background(), testJob, ns.Method("wait")); !errors.As(err, &replaced) {
		t.Errorf("later call: %v, want a ReplacedError", err)
	}
}

func TestWholeBudgetKeepsIsolate(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export let reason: unknown;
		export async function wait(signal: AbortSignal) {
			await new Promise<void>((resolve) => signal.addEventListener("abort", () => { reason = String(signal.reason); resolve(); }));
		}
		export const why = () => reason;
		export const ping = () => "pong";
	`)
	_, err := iso.Call(context.Background(), Job{Work: "wait", Whole: 20 * time.Millisecond}, ns.Method("wait"), OwnSignal{})
	var timeout *TimeoutError
	if !errors.As(err, &timeout) || timeout.Clock != Whole {
		t.Fatalf("error = %v", err)
	}
	if got := call(t, iso, ns, "ping"); got != "pong" {
		t.Errorf("ping = %v", got)
	}
}

func TestThrownErrorHasTypeScriptPosition(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, "export function fail(): never {\n  const n: number = 1;\n  throw new TypeError(`bad ${n}`);\n}\n")
	_, err := iso.Call(context.Background(), testJob, ns.Method("fail"))
	var thrown *Error
	if !errors.As(err, &thrown) {
		t.Fatal(err)
	}
	if thrown.Name != "TypeError" || thrown.Message != "bad 1" || thrown.Position.String() != "main.ts:3:9" {
		t.Errorf("thrown = %+v", thrown)
	}
}
