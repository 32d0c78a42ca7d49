package jsapi

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"
)

// Calls, cancellations, owners that close and isolates that end, all at once:
// every call returns, with a result or with an error that says why not.
func TestEverythingAtOnce(t *testing.T) {
	source := compileSource(t, `
		export const quick = (x: unknown) => x;
		export const slow = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms, "slow"));
		export const relay = (f: (x: unknown) => unknown, x: unknown) => f(x);
		export const wait = (signal: AbortSignal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
	`)
	for range 5 {
		home, away := newIsolate(t, Options{Extension: "home"}), newIsolate(t, Options{Extension: "away"})
		inHome, err := home.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		inAway, err := away.Evaluate(t.Context(), testJob, source)
		if err != nil {
			t.Fatal(err)
		}
		quick := exportedFunction(t, home, inHome, "quick")
		var callers sync.WaitGroup
		call := func(iso *Isolate, ns *Namespace, name string, args ...any) {
			owner := iso.NewOwner(name)
			ctx, cancel := context.WithTimeout(context.Background(), 3*time.Millisecond)
			defer cancel()
			job := Job{Owner: owner, Work: name, Running: time.Second, Whole: 2 * time.Millisecond}
			if name == "quick" {
				job.Whole = 0
				go owner.Close()
			}
			_, err := iso.Call(ctx, job, ns.Method(name), args...)
			owner.Close()
			var thrown *Error
			if errors.As(err, &thrown) && thrown.wrapped == nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for i := range 6 {
			callers.Go(func() {
				for range 30 {
					call(home, inHome, "quick", NewObject("i", i))
					call(away, inAway, "slow", 1.0)
					call(away, inAway, "relay", quick, NewObject("i", i))
					call(away, inAway, "wait", OwnSignal{})
				}
			})
		}
		time.AfterFunc(10*time.Millisecond, func() { home.end(&ClosedError{Owner: "extension home"}) })
		callers.Wait()
		home.Close()
		away.Close()
		if load := away.Load(); load.Pending != 0 {
			t.Errorf("%d calls are pending for ever", load.Pending)
		}
	}
}
