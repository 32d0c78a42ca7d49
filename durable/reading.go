package durable

import (
	"errors"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// snapshot returns what is stored now. A storage that fails to give it, or to read from
// it afterwards, has failed the session, whoever reads: what is read decides what is
// committed, and nobody can tell what else is lost. A row that is read and makes no
// sense is an error of its reader.
func (s *Session) snapshot() (storage.Snapshot, error) { return s.reading(s.fail) }

// reading is snapshot with what is told of a failure, and returns the error for the
// reader.
func (s *Session) reading(failed func(error) error) (storage.Snapshot, error) {
	below, err := s.storage.Snapshot()
	if err != nil {
		return nil, failed(err)
	}
	return &reading{below, failed}, nil
}

// reading is a snapshot that tells of errors. That it was closed is none: a reader may
// go on for a moment when what it reads for has ended.
type reading struct {
	storage.Snapshot
	failed func(error) error
}

func (r *reading) told(err error) error {
	if err == nil || errors.Is(err, storage.ErrClosed) {
		return err
	}
	return r.failed(err)
}

// Get implements [storage.Snapshot].
func (r *reading) Get(key []byte) ([]byte, bool, error) {
	value, found, err := r.Snapshot.Get(key)
	return value, found, r.told(err)
}

// Scan implements [storage.Snapshot].
func (r *reading) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		for pair, err := range r.Snapshot.Scan(over) {
			if !yield(pair, r.told(err)) {
				return
			}
		}
	}
}

// unreadError is a failure of the storage where locks are held that ending the session
// takes. Whoever holds them ends it.
type unreadError struct{ cause error }

func (e *unreadError) Error() string { return e.cause.Error() }
func (e *unreadError) Unwrap() error { return e.cause }
