// Package storage is what a durable session stands on: an ordered map of bytes
// that is read at a point and changed by one method, all or nothing.
//
// A backend knows nothing of what the bytes mean. It promises five things, which
// package storagetest checks:
//
//   - Commit is atomic: after a crash at any instant either all of its writes are
//     there or none is.
//   - Commit is durable: when it has returned without an error, its writes outlast
//     the process, and for a backend that says so, the power.
//   - A snapshot is a point: it sees every commit that had returned before it was
//     taken, nothing of later ones, and all or nothing of each.
//   - Keys are ordered by bytes.
//   - What goes in is copied before Commit returns, and what comes out is the
//     caller's: neither side sees the other's later changes.
package storage

import (
	"bytes"
	"context"
	"errors"
	"iter"
)

// Write sets or removes one key.
type Write struct {
	// Key has 1 to [MaxKey] bytes.
	Key []byte
	// Value is what the key holds afterwards; nil removes the key, an empty slice
	// that is not nil is a value.
	Value []byte
}

// Storage is an ordered map that survives. All methods are safe for concurrent
// use, but one Commit runs at a time: the session has one writer.
type Storage interface {
	// Commit applies the writes, in order, as one: the last write of a key counts.
	// It returns once they are as durable as the backend promises. ctx carries
	// values only; a commit that has begun is not cancelled.
	//
	// After a [*RejectedError] nothing was written and the storage works on: its
	// reason is a [*TooLargeError] for writes above the limits of this package, or
	// one of the backend's. After [ErrClosed] nothing was written either. After any
	// other error it is not known whether the commit happened; the caller stops using
	// the storage, and a reopened one has all of the commit or nothing.
	Commit(ctx context.Context, writes []Write) error
	// Snapshot returns the state as of now, and does not wait for the commit that
	// runs. The caller closes it.
	Snapshot() (Snapshot, error)
	// Close ends the storage, after the commit that runs. It does not wait for
	// readers: snapshots that are open are closed with it. Everything fails with
	// [ErrClosed] afterwards, a second Close too.
	Close() error
}

// Snapshot reads one state of a storage. It is safe for concurrent use until it is
// closed.
type Snapshot interface {
	// Get returns the value of a key, and whether it has one.
	Get(key []byte) (value []byte, found bool, err error)
	// Scan yields the pairs of a range, in its order, until the loop breaks. An
	// error is the last thing yielded. The pairs are the caller's.
	Scan(over Range) iter.Seq2[Pair, error]
	// Close lets go of the state, as often as it is called. Reading afterwards fails
	// with [ErrClosed], and so does the next step of a scan.
	Close()
}

// Range is the keys from From, inclusive, to To, exclusive.
type Range struct {
	// From is the first key; empty begins at the lowest.
	From []byte
	// To is behind the last key; empty ends with the highest.
	To []byte
	// Descending yields the highest key first.
	Descending bool
	// KeysOnly leaves out the values.
	KeysOnly bool
}

// Contains says whether a key is in the range.
func (r Range) Contains(key []byte) bool {
	return bytes.Compare(key, r.From) >= 0 && (len(r.To) == 0 || bytes.Compare(key, r.To) < 0)
}

// Pair is one key with its value. The value of a scan over keys only is nil.
type Pair struct{ Key, Value []byte }

// Prefix returns the range of all keys that begin with a prefix.
func Prefix(prefix []byte) Range { return Range{From: prefix, To: After(prefix)} }

// After returns the lowest key that is above all keys with a prefix; nil when there
// is none.
func After(prefix []byte) []byte {
	for i := len(prefix) - 1; i >= 0; i-- {
		if prefix[i] < 0xff {
			after := append([]byte(nil), prefix[:i+1]...)
			after[i]++
			return after
		}
	}
	return nil
}

// ErrClosed is returned by a storage or a snapshot that was closed.
var ErrClosed = errors.New("the storage is closed")

// RejectedError says that a commit was refused before anything was written.
type RejectedError struct{ Reason error }

func (e *RejectedError) Error() string { return "commit refused by the storage: " + e.Reason.Error() }

// Unwrap returns the reason.
func (e *RejectedError) Unwrap() error { return e.Reason }
