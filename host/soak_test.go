package host

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"testing"
)

// soak runs the tests that take minutes at their full size: make soak.
var soak = flag.Bool("soak", os.Getenv("HARNESS_SOAK") != "", "run long tests at full size")

// TestReloadsLeaveNothingBehind reloads over and over: heap, goroutines and
// snapshots stay level.
func TestReloadsLeaveNothingBehind(t *testing.T) {
	reloads := 100
	if *soak {
		reloads = 1000
	}
	version := func(n int) files {
		return files{
			server("a"): extensionOf("a", `
				const kept = host.resource("kept", () => ({ calls: 0 }));
				host.onOpen(() => { setInterval(() => {}, 1000); });
				host.implement("service", { get: () => ++kept.calls });`,
				tool("a", fmt.Sprintf(`return "%d";`, n))),
			server("b"): extensionOf("b", `const service = host.need("service"); const state = new Array(20000).fill(0);
				host.fs.watch("/tmp", () => { state.length; });`,
				tool("b", `return String(await service.get());`)),
		}
	}
	w := newWorld(t, version(0))
	h := w.open(inMemory)
	settled := func() (heap uint64, goroutines int) {
		h.until("nothing draining", func(s Status) bool { return len(s.Draining) == 0 })
		var stats runtime.MemStats
		for range 3 {
			runtime.GC()
		}
		runtime.ReadMemStats(&stats)
		return stats.HeapAlloc, runtime.NumGoroutine()
	}
	reload := func(n int) {
		h.live(w.commit(version(n)))
		same(t, h.call("a"), fmt.Sprint(n))
		h.call("b")
	}
	const warm = 20
	for n := range warm {
		reload(n + 1)
	}
	heapBefore, goroutinesBefore := settled()
	for n := range reloads {
		reload(warm + n + 1)
	}
	heapAfter, goroutinesAfter := settled()
	t.Logf("%d reloads: heap %d KiB, then %d KiB; goroutines %d, then %d", reloads, heapBefore>>10, heapAfter>>10, goroutinesBefore, goroutinesAfter)
	// Less than one isolate, and less for each reload than a module takes.
	if grown := int64(heapAfter) - int64(heapBefore); grown > int64(1<<20+reloads<<11) {
		t.Errorf("the heap grew by %d KiB over %d reloads", grown>>10, reloads)
	}
	if grown := goroutinesAfter - goroutinesBefore; grown > 8 {
		t.Errorf("%d more goroutines after %d reloads", grown, reloads)
	}
	same(t, h.call("b"), fmt.Sprint(warm+reloads+1)) // the resource lived through it all
	w.listed(*h.Status().Good)
	if shown, err := h.Files().List(Snapshots); err != nil || len(shown) != 1 {
		t.Errorf("the world shows %v (%v)", shown, err)
	}
}
