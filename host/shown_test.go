package host

import (
	"testing"
	"time"
)

func TestTheStatusShowsHowLongItTookUntilTheCommitWasLive(t *testing.T) {
	clock, store := newManualClock(), &disk{}
	w := newWorld(t, pair(1))
	h := w.open(over(store), clock.in, func(o *Options) {
		o.step = func(step string) {
			if step == "pinned" {
				clock.advance(time.Second)
			}
		}
	})
	status := h.Status()
	load := status.History[0]
	if *status.DurationMS != 1000 || load.DurationMS != 1000 || load.Phases.Promote != 1000 {
		t.Errorf("status: %s", asJSON(status))
	}
	if err := h.Close(t.Context()); err != nil { // which stores it
		t.Fatal(err)
	}
	if record := stored(t, store); record.Duration != time.Second || record.History[0].Phases.Promote != 1000 {
		t.Errorf("record: %s", asJSON(record))
	}
}

func TestCommandsSeeThatACommitIsBeingLoaded(t *testing.T) {
	w := newWorld(t, files{server("a"): extensionOf("a", "",
		tool("loading", `return String(JSON.parse((await host.exec("cat /proc/extensions")).stdout).loading);`))})
	h := w.open(inMemory)
	same(t, h.call("loading"), "null")
	next := w.commit(files{server("a"): extensionOf("a", `await host.exec("until [ -e /tmp/go ]; do sleep 0.02; done");`)})
	h.until("the load", func(s Status) bool { return s.Loading != nil })
	h.eventually("loading", next)
	if err := h.Files().Write("/tmp/go", nil); err != nil {
		t.Fatal(err)
	}
	h.live(next)
}

func TestAResourceThatAppearsTooLateToBeKeptIsReported(t *testing.T) {
	w := newWorld(t, files{server("keep"): keeping("v1", "")})
	h := w.open(inMemory)
	other, err := h.homes.open(t.Context(), h.Host, "keep")
	if err != nil {
		t.Fatal(err)
	}
	defer other.release()
	h.reportDropped("keep", other)
	contains(t, h.Status().Notice.Message, "counter")
}
