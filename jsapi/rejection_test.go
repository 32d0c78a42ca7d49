package jsapi

import (
	"slices"
	"testing"
)

func TestUnhandledRejections(t *testing.T) {
	for _, test := range []struct {
		rule, code string
		want       []string
	}{
		{"is reported at the end of the turn", `export const run = () => { Promise.reject(new Error("a")); };`,
			[]string{"unhandled rejection in test: Error: a (main.ts:1:43)"}},
		{"is reported once", `export const run = () => { const p = Promise.reject(new Error("a")); setTimeout(() => p.catch(() => {}), 1); return new Promise((resolve) => setTimeout(resolve, 5)); };`,
			[]string{"unhandled rejection in test: Error: a (main.ts:1:53)"}},
		{"each is reported, in order", `export const run = () => { Promise.reject(1); Promise.reject("b"); };`,
			[]string{"unhandled rejection in test: Error: thrown: 1", "unhandled rejection in test: Error: thrown: b"}},
		{"not when it is handled at once", `export const run = () => { Promise.reject(1).catch(() => {}); };`, nil},
		{"not when it is handled later in the turn", `export const run = async () => { const p = Promise.reject(1); await null; await null; p.catch(() => {}); };`, nil},
		{"not when it is awaited later in the turn", `export const run = async () => { const p = (async () => { throw 1; })(); await null; try { await p; } catch {} };`, nil},
		{"not when it is the call's own", `export const run = async () => { throw new Error("a"); };`, nil},
		{"not when it is the call's own and late", `export const run = async () => { await new Promise((r) => setTimeout(r, 1)); throw new Error("a"); };`, nil},
		{"not those of Promise.all", `export const run = () => Promise.all([Promise.reject(1), Promise.reject(2)]);`, nil},
		{"but what a handler derives", `export const run = () => { Promise.reject(1).then(() => {}); };`,
			[]string{"unhandled rejection in test: Error: thrown: 1"}},
		{"also in a timer", `export const run = () => new Promise<void>((resolve) => setTimeout(() => { Promise.reject(1); resolve(); }, 1));`,
			[]string{"unhandled rejection in a timer: Error: thrown: 1"}},
		{"also while a module runs", `Promise.reject(1); export const run = () => {};`, []string{"unhandled rejection in test: Error: thrown: 1"}},
		{"also of a throw in a microtask", `export const run = () => { queueMicrotask(() => { throw new Error("a"); }); };`,
			[]string{"uncaught in test: Error: a (main.ts:1:57)"}},
	} {
		t.Run(test.rule, func(t *testing.T) {
			reports := &reportLog{}
			iso := newIsolate(t, Options{Report: reports.add})
			ns := evaluate(t, iso, test.code)
			_, _ = iso.Call(t.Context(), testJob, ns.Method("run"))
			onLoop(t, iso, func() {}) // the turn that answered the call has ended
			iso.Close()
			if got := reports.texts(); !slices.Equal(got, test.want) {
				t.Errorf("reports = %q\nwant      %q", got, test.want)
			}
		})
	}
}

func TestRejectionsOfAClosedOwnerAreOfNoInterest(t *testing.T) {
	reports := &reportLog{}
	iso := newIsolate(t, Options{Report: reports.add})
	owner := iso.NewOwner("first")
	onLoop(t, iso, func() {
		iso.current = &activity{owner: owner, work: "late"}
		_, _, reject := iso.newPromise()
		if err := reject(1); err != nil {
			t.Error(err)
		}
		owner.Close()
	})
	iso.Close()
	if got := reports.texts(); len(got) != 0 {
		t.Errorf("reports = %q", got)
	}
}
