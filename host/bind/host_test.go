package bind

import (
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

func TestACallThatNestsTooDeepNamesNoServiceThatItHasNot(t *testing.T) {
	_, err := Nest(registry.WithCallDepth(t.Context(), registry.MaxCallDepth))
	if err == nil || err.Error() != "CallDepth: call refused: calls between extensions nest deeper than 32" {
		t.Errorf("got %v", err)
	}
}
