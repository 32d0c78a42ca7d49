package bind

import (
	"context"
	"errors"
	"testing"
)

// TestAWaitForAWrapEndsWithItsContext asks for what a wrap made while that is made
// again.
func TestAWaitForAWrapEndsWithItsContext(t *testing.T) {
	w := &wrapping{what: "wrap of tool x", turn: make(chan struct{}, 1)}
	w.turn <- struct{}{}
	why := errors.New("no more")
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(why)
	if _, err := w.function(ctx, "execute"); !errors.Is(err, why) {
		t.Errorf("the wait gave %v", err)
	}
}
