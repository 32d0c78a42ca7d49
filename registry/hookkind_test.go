package registry_test

import (
	"slices"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

func TestTaskHooksHaveTheirKind(t *testing.T) {
	tests := []struct {
		task, handler string
		want          registry.HookKind
	}{
		{"pi.tool", "beforeTool", registry.HookToolCall},
		{"pi.tool", "afterTool", registry.HookToolResult},
		{"pi.tool", "onAbort", registry.HookOnAbort},
		{"ToolTask", "beforeTool", registry.HookToolCall},
		{"pi.generation", "onYield", registry.HookOnYield},
		{"pi.compaction", "beforeCompact", registry.HookBeforeCompact},
		{"acme.deploy", "beforeStep", "acme.deploy.beforeStep"},
	}
	for _, test := range tests {
		if got := registry.TaskHook(test.task, test.handler); got != test.want {
			t.Errorf("TaskHook(%q, %q) = %q, want %q", test.task, test.handler, got, test.want)
		}
	}
}

func TestHookKindsAreCanonicalAndDistinct(t *testing.T) {
	kinds := registry.HookKinds()
	for i, kind := range kinds {
		if kind.Canonical() != kind || slices.Contains(kinds[:i], kind) {
			t.Errorf("%q is not canonical, or listed twice", kind)
		}
	}
}

func TestReservedCommandsAreSortedAndDistinct(t *testing.T) {
	names := registry.DefaultReservedCommands()
	if !slices.IsSorted(names) || len(slices.Compact(slices.Clone(names))) != len(names) {
		t.Errorf("reserved commands %q", names)
	}
}
