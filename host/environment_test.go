package host

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheEnvironmentOfACall runs testdata/environment: an extension whose tool checks
// one rule after another through its api.
func TestTheEnvironmentOfACall(t *testing.T) {
	source, err := os.ReadFile("testdata/environment/server.ts")
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, files{server("environment"): string(source)})
	h := w.open(inMemory)
	rules := strings.Split(h.call("checks"), "\n")
	if len(rules) < 10 {
		t.Fatalf("the rules are %q", rules)
	}
	for i, rule := range append(rules, rules[len(rules)-1]) { // what was kept of the last one is of no use
		t.Run(rule, func(t *testing.T) {
			folder := fmt.Sprintf("/work/%d", i)
			if err := os.MkdirAll(w.path(folder), 0o755); err != nil {
				t.Fatal(err)
			}
			same(t, h.call("check", map[string]any{"rule": rule, "folder": folder}), "kept")
		})
	}
}
