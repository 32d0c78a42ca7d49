package jsapi

import (
	"runtime"
	"testing"
)

// Timers of an owner that ended leave nothing in an isolate that lives on, as one
// with resources does.
func TestTimersOfClosedOwnersAreCollected(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		let seen: WeakRef<object>[] = [];
		export function start() {
			const held = { large: new Array(1000).fill(0) };
			seen.push(new WeakRef(held));
			setInterval(() => held, 1000000);
			setTimeout(() => held, 1000000);
		}
		export const forget = () => { seen = []; };
		export const alive = () => seen.filter((ref) => ref.deref() !== undefined).length;
	`)
	started := func() {
		owner := iso.NewOwner("generation")
		job := testJob
		job.Owner = owner
		if _, err := iso.Call(t.Context(), job, ns.Method("start")); err != nil {
			t.Fatal(err)
		}
		owner.Close()
	}
	// The scope that touches a lazy global first stays, once for an isolate.
	started()
	call(t, iso, ns, "forget")
	for range 10 {
		started()
	}
	for range 50 {
		runtime.GC()
		if call(t, iso, ns, "alive") == 0.0 {
			return
		}
	}
	t.Errorf("%v of 10 are alive", call(t, iso, ns, "alive"))
}
