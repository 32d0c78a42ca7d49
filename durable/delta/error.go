package delta

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// Error says which operation of a batch is wrong.
type Error struct {
	Op     int        // its index in the batch
	Verb   string     // its letter, or empty when it is no operation
	Path   value.Path // that it holds
	Reason string     // like "there is no string"
}

func (e *Error) Error() string {
	if e.Verb == "" {
		return fmt.Sprintf("delta: operation %d: %s", e.Op, e.Reason)
	}
	return fmt.Sprintf("delta: operation %d (%s at %s): %s", e.Op, e.Verb, e.Path, e.Reason)
}
