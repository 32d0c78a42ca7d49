package modules_test

import (
	"slices"
	"testing"

	"github.com/seed-d579e5eb/harness/jsapi/modules"
)

func TestNamesAreSortedAndHideWhatIsInternal(t *testing.T) {
	names := modules.Names()
	if !slices.IsSorted(names) {
		t.Errorf("not sorted: %q", names)
	}
	for _, name := range names {
		if _, ok := modules.Source(name); !ok || !modules.Scope(name) || modules.Internal(name) {
			t.Errorf("%s: source %v, scope %v, internal %v", name, ok, modules.Scope(name), modules.Internal(name))
		}
	}
	for _, name := range []string{"harness", "typebox", "@earendil-works/pi-durable", "@earendil-works/chord/context", "node:fs/promises"} {
		if !slices.Contains(names, name) {
			t.Errorf("%s is missing", name)
		}
	}
}

func TestScopeAndSourceOfSpecifiers(t *testing.T) {
	for _, test := range []struct {
		specifier               string
		scope, source, internal bool
	}{
		{"harness", true, true, false},
		{"harness/x", true, false, false},
		{"harness:native", true, false, true},
		{"harness:internal/inspect", true, true, true},
		{"harness:inspect", true, false, false},
		{"harness:harness", true, false, false},
		{"harness-extra", false, false, false},
		{"internal/inspect", false, false, false},
		{"typebox/compiler", true, false, false},
		{"@earendil-works/chord", true, true, false},
		{"@earendil-works/unheard-of", true, false, false},
		{"@earendil-works/../harness", true, false, false},
		{"node:path", true, true, false},
		{"node:child_process", true, false, false},
		{"node:../harness", true, false, false},
		{"node/path", false, false, false},
		{"path", false, false, false},
		{"lodash", false, false, false},
	} {
		_, source := modules.Source(test.specifier)
		scope, internal := modules.Scope(test.specifier), modules.Internal(test.specifier)
		if scope != test.scope || source != test.source || internal != test.internal {
			t.Errorf("%s: scope %v, source %v, internal %v; want %v, %v, %v",
				test.specifier, scope, source, internal, test.scope, test.source, test.internal)
		}
	}
}
