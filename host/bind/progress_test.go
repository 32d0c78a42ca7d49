package bind

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/registry"
)

// TestProgressThatWaitsIsBounded publishes more than a listener keeps up with.
func TestProgressThatWaitsIsBounded(t *testing.T) {
	diagnostic := &registry.Diagnostic{Severity: "info", Message: "m"}
	for name, test := range map[string]struct {
		news  func(n int) registry.Progress
		items int
	}{
		"output joins output":      {func(int) registry.Progress { return registry.Progress{Output: strings.Repeat("ä", 501)} }, 1},
		"one output":               {func(int) registry.Progress { return registry.Progress{Output: strings.Repeat("ä", maxProgressOutput)} }, 1},
		"details replace details":  {func(int) registry.Progress { return registry.Progress{Details: json.RawMessage("1")} }, 1},
		"diagnostics are so many":  {func(int) registry.Progress { return registry.Progress{Diagnostic: diagnostic} }, maxProgress},
		"other things are so many": {alternating, maxProgress},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProgress()
			for n := range 300 {
				p.add(test.news(n))
			}
			p.end()
			items := 0
			for news, ok := p.next(); ok; news, ok = p.next() {
				items++
				if len(news.Output) > maxProgressOutput || !utf8.ValidString(news.Output) {
					t.Errorf("an output of %d bytes, valid: %t", len(news.Output), utf8.ValidString(news.Output))
				}
			}
			if items != test.items {
				t.Errorf("%d things wait, want %d", items, test.items)
			}
		})
	}
}

func alternating(n int) registry.Progress {
	if n%2 == 0 {
		return registry.Progress{Output: "x"}
	}
	return registry.Progress{Details: json.RawMessage("1")}
}
