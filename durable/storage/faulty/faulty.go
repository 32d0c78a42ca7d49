// Package faulty is a storage around another one for tests: it fails where it is
// told to, and knows what the other one has stored. It stands around any backend.
package faulty

import (
	"context"
	"iter"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Faults say what goes wrong. The zero value lets everything pass. Functions are
// called by whoever commits or reads, and may wait.
type Faults struct {
	// Before is called with the number of a commit, from 1, before the storage gets it.
	// What it returns is the commit's error, and nothing is written: a
	// [*storage.RejectedError], or any other for one that is not known to be lost.
	Before func(n int, writes []storage.Write) error
	// After is called once the storage has returned from a commit without an error.
	// What it returns is the commit's error, although everything is written.
	After func(n int, writes []storage.Write) error
	// Read is called before a snapshot is taken, a key is read and a step of a scan is
	// made. What it returns is the error of that.
	Read func() error
	// Early has Commit return before the storage has, as one does that does not sync:
	// a test that a caller waits for the disk must fail with it.
	Early bool
}

// At returns a function for [Faults] that returns an error for the nth call only.
func At(n int, err error) func(int, []storage.Write) error {
	return func(number int, _ []storage.Write) error {
		if number == n {
			return err
		}
		return nil
	}
}

// Storage is a [storage.Storage] that fails.
type Storage struct {
	inner  storage.Storage
	faults Faults
	early  sync.WaitGroup

	mu     sync.Mutex
	begun  int
	stored int
	// underway has for each key the newest commit of it, while that is.
	underway map[string]int
}

// Around returns a storage that passes on what faults let pass. It closes the inner
// one.
func Around(inner storage.Storage, faults Faults) *Storage {
	return &Storage{inner: inner, faults: faults, underway: make(map[string]int)}
}

// Commit implements [storage.Storage].
func (s *Storage) Commit(ctx context.Context, writes []storage.Write) error {
	s.mu.Lock()
	s.begun++
	n := s.begun
	for _, write := range writes {
		s.underway[string(write.Key)] = n
	}
	s.mu.Unlock()
	if s.faults.Before != nil {
		if err := s.faults.Before(n, writes); err != nil {
			return err
		}
	}
	if s.faults.Early {
		s.early.Go(func() { _ = s.pass(ctx, n, writes) })
		return nil
	}
	return s.pass(ctx, n, writes)
}

// pass gives a commit to the inner storage.
func (s *Storage) pass(ctx context.Context, n int, writes []storage.Write) error {
	if err := s.inner.Commit(ctx, writes); err != nil {
		return err
	}
	s.mu.Lock()
	s.stored++
	for _, write := range writes {
		if s.underway[string(write.Key)] == n {
			delete(s.underway, string(write.Key))
		}
	}
	s.mu.Unlock()
	if s.faults.After != nil {
		return s.faults.After(n, writes)
	}
	return nil
}

// Begun returns how many commits there were, also those that failed.
func (s *Storage) Begun() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun
}

// Stored returns from how many commits the inner storage has returned without an
// error.
func (s *Storage) Stored() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.stored
}

// Synced says whether the inner storage has returned from every commit so far that
// wrote a key. Whoever was told of such a commit must find it so.
func (s *Storage) Synced(key []byte) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.underway[string(key)] == 0
}

// Admit implements [storage.Admitter], for an inner storage that does.
func (s *Storage) Admit(size storage.Size) error {
	if guarded, guards := s.inner.(storage.Admitter); guards {
		return guarded.Admit(size)
	}
	return nil
}

// Snapshot implements [storage.Storage].
func (s *Storage) Snapshot() (storage.Snapshot, error) {
	if s.faults.Read == nil {
		return s.inner.Snapshot()
	}
	if err := s.faults.Read(); err != nil {
		return nil, err
	}
	inner, err := s.inner.Snapshot()
	if err != nil {
		return nil, err
	}
	return &snapshot{inner, s.faults.Read}, nil
}

// Close implements [storage.Storage].
func (s *Storage) Close() error {
	s.early.Wait()
	return s.inner.Close()
}

// snapshot fails where reading does.
type snapshot struct {
	storage.Snapshot
	read func() error
}

func (s *snapshot) Get(key []byte) ([]byte, bool, error) {
	if err := s.read(); err != nil {
		return nil, false, err
	}
	return s.Snapshot.Get(key)
}

func (s *snapshot) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		for pair, err := range s.Snapshot.Scan(over) {
			if err == nil {
				err = s.read()
			}
			if err != nil {
				yield(storage.Pair{}, err)
				return
			}
			if !yield(pair, nil) {
				return
			}
		}
	}
}

var (
	_ storage.Storage  = (*Storage)(nil)
	_ storage.Admitter = (*Storage)(nil)
)
