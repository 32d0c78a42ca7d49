package registry_test

import (
	"reflect"
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

// TestAHookNeedsTheFunctionOfItsKind gives each kind the functions of all others.
func TestAHookNeedsTheFunctionOfItsKind(t *testing.T) {
	all := registry.Hook{Handler: "any"}
	for _, h := range watcher("x", new([]string)).instance.Hooks {
		given, whole := reflect.ValueOf(h), reflect.ValueOf(&all).Elem()
		for i := range given.NumField() {
			if field := given.Field(i); field.Kind() == reflect.Func && !field.IsNil() {
				whole.Field(i).Set(field)
			}
		}
	}
	fields := map[registry.HookKind]string{
		registry.HookToolCall: "BeforeTool", registry.HookToolResult: "AfterTool", registry.HookOnAbort: "OnAbort",
		registry.HookBeforeRequest: "BeforeRequest", registry.HookAfterResponse: "AfterResponse", registry.HookOnYield: "OnYield",
		registry.HookAfterTools: "AfterTools", registry.HookBeforeCompact: "BeforeCompact", "work.onStep": "Handler",
	}
	for kind, field := range fields {
		for _, lacks := range []bool{false, true} {
			h := all
			h.Kind = kind
			if lacks {
				reflect.ValueOf(&h).Elem().FieldByName(field).SetZero()
			}
			g, problems := stage(t, registry.New(registry.Options{}), "c1", world("a", registry.Instance{Hooks: []registry.Hook{h}})).Validate()
			if (g == nil) != lacks || lacks && (len(problems) != 1 || problems[0].Rule != registry.RuleMissingHandler) {
				t.Errorf("%s, which lacks %s: %v: %v", kind, field, lacks, problems)
			}
		}
	}
	for _, kind := range []registry.HookKind{registry.HookBeforeAgentStart, registry.HookAgentEnd, registry.HookSessionStart, registry.HookSessionShutdown} {
		if g, problems := stage(t, registry.New(registry.Options{}), "c1", world("a", registry.Instance{Hooks: []registry.Hook{{Kind: kind}}})).Validate(); g == nil {
			t.Errorf("%s: %v", kind, problems)
		}
	}
}
