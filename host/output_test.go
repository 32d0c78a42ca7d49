package host

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

// TestOutputInManyPiecesCostsNoMoreThanItsLength counts the bytes that are allocated
// while a tool publishes lines: kept in one text that grows, twice as many lines would
// cost four times as much.
func TestOutputInManyPiecesCostsNoMoreThanItsLength(t *testing.T) {
	const lines = 4000
	h := probe(t, "", fmt.Sprintf(`for (let i = 0; i < args.times * %d; i++) api.output("x".repeat(79) + "\n"); return api.outputWindow().slice(-80);`, lines))
	allocated := func(times int) uint64 {
		var before, after runtime.MemStats
		published := 0
		runtime.ReadMemStats(&before)
		result := h.CallTool(t.Context(), ToolCall{
			Tool: "probe", Arguments: fmt.Appendf(nil, `{"times":%d}`, times),
			Progress: func(progress registry.Progress) { published += len(progress.Output) },
		})
		runtime.ReadMemStats(&after)
		if result.IsError || result.Text() != strings.Repeat("x", 79)+"\n" || published != 80*lines*times {
			t.Fatalf("%d bytes were published, result %.200s", published, result.Text())
		}
		return after.TotalAlloc - before.TotalAlloc
	}
	allocated(1) // what is made once
	few, many := allocated(1), allocated(4)
	if many > 8*few {
		t.Errorf("4 times the output allocated %d bytes, not %d", many, few)
	}
}
