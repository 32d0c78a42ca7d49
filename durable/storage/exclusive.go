package storage

import "errors"

// Exclusive is a storage that knows whether a session stands on it. Two would give
// the same ids to different records.
type Exclusive interface {
	// Claim takes the storage, for as long as it is open, and fails with [ErrClaimed]
	// when it was taken already. Reading and backing it up need no claim.
	Claim() error
}

// ErrClaimed is returned for a storage that a session has already.
var ErrClaimed = errors.New("a session has the storage already: use that one, or close it first")
