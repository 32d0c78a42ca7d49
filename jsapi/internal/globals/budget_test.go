package globals

import (
	"runtime"
	"testing"

	"github.com/dop251/goja"
)

// TestInstallKeepsToItsMemoryBudget holds what a fresh isolate pays for globals
// that it does not use to 80 KB above the engine's own objects.
func TestInstallKeepsToItsMemoryBudget(t *testing.T) {
	const rounds, budget = 50, 80 << 10
	allocated := func(make func()) uint64 {
		make()
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		for range rounds {
			make()
		}
		runtime.ReadMemStats(&after)
		return (after.TotalAlloc - before.TotalAlloc) / rounds
	}
	host := newLoop(t)
	floor := allocated(func() {
		if _, err := goja.New().RunProgram(floorProgram); err != nil {
			t.Fatal(err)
		}
	})
	installed := allocated(func() {
		if err := Install(goja.New(), host); err != nil {
			t.Fatal(err)
		}
	})
	t.Logf("engine %d bytes, with globals %d", floor, installed)
	if installed > floor+budget {
		t.Errorf("Install allocates %d bytes above the engine's own %d; the budget is %d", installed-floor, floor, budget)
	}
}
