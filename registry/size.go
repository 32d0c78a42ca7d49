package registry

import "fmt"

// What an extension may add to a conversation, in bytes, so that what it gives can be
// stored beside the rest of a commit.
const (
	maxText = 1 << 20  // a section, a summary
	maxTurn = 16 << 20 // a user's turn, with pictures
)

// SizeError is something that an extension gave and that is too large.
type SizeError struct {
	What        string
	Size, Limit int // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("%s has %d bytes, and may have %d: make it shorter", e.What, e.Size, e.Limit)
}

func checkSize(what string, size, limit int) error {
	if size > limit {
		return &SizeError{What: what, Size: size, Limit: limit}
	}
	return nil
}
