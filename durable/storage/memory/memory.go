// Package memory is a storage that lives as long as its process. It is the
// reference for what package storage promises, and what tests stand on.
package memory

import (
	"bytes"
	"context"
	"iter"
	"sync"
	"sync/atomic"

	"github.com/tidwall/btree"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// pairs is an ordered map whose copies share what neither has changed. Strings are
// ordered by their bytes.
type pairs = btree.Map[string, []byte]

// Storage is a [storage.Storage] in memory. Its zero value is empty and ready to use.
type Storage struct {
	mu     sync.Mutex            // held by the one commit that runs
	now    atomic.Pointer[pairs] // what was committed; nil is nothing; never changed
	closed atomic.Bool
	owned  atomic.Bool // by a session
}

// Claim implements [storage.Exclusive].
func (s *Storage) Claim() error {
	if s.owned.Swap(true) {
		return storage.ErrClaimed
	}
	return nil
}

// Commit implements [storage.Storage].
func (s *Storage) Commit(_ context.Context, writes []storage.Write) error {
	if err := storage.Check(writes); err != nil {
		return &storage.RejectedError{Reason: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Load() {
		return storage.ErrClosed
	}
	next := s.copied()
	for _, write := range writes {
		if write.Value == nil {
			next.Delete(string(write.Key))
		} else {
			next.Set(string(write.Key), bytes.Clone(write.Value))
		}
	}
	s.now.Store(next)
	return nil
}

// Snapshot implements [storage.Storage].
func (s *Storage) Snapshot() (storage.Snapshot, error) {
	if s.closed.Load() {
		return nil, storage.ErrClosed
	}
	at := s.now.Load()
	if at == nil {
		at = new(pairs)
	}
	return &snapshot{of: s, at: at}, nil
}

// Close implements [storage.Storage].
func (s *Storage) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed.Swap(true) {
		return storage.ErrClosed
	}
	return nil
}

// Clone returns a new storage that holds what was committed so far, also when s is
// closed: what a process would find that opens the storage after this one died.
func (s *Storage) Clone() *Storage {
	s.mu.Lock()
	defer s.mu.Unlock()
	clone := new(Storage)
	clone.now.Store(s.copied())
	return clone
}

// copied returns a map of its own with what was committed. The caller holds mu,
// since copying marks the original.
func (s *Storage) copied() *pairs {
	if now := s.now.Load(); now != nil {
		return now.Copy()
	}
	return new(pairs)
}

// snapshot is one state of a storage.
type snapshot struct {
	of     *Storage
	at     *pairs
	closed atomic.Bool
}

func (s *snapshot) Get(key []byte) ([]byte, bool, error) {
	if s.ended() {
		return nil, false, storage.ErrClosed
	}
	value, found := s.at.Get(string(key))
	return bytes.Clone(value), found, nil
}

func (s *snapshot) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		visit := func(key string, value []byte) bool {
			switch {
			case s.ended():
				yield(storage.Pair{}, storage.ErrClosed)
				return false
			case over.Descending && len(over.To) > 0 && key >= string(over.To):
				return true // the walk down begins at To itself
			case !over.Contains([]byte(key)):
				return false
			case over.KeysOnly:
				return yield(storage.Pair{Key: []byte(key)}, nil)
			}
			return yield(storage.Pair{Key: []byte(key), Value: bytes.Clone(value)}, nil)
		}
		switch {
		case s.ended():
			yield(storage.Pair{}, storage.ErrClosed)
		case !over.Descending:
			s.at.Ascend(string(over.From), visit)
		case len(over.To) > 0:
			s.at.Descend(string(over.To), visit)
		default:
			s.at.Reverse(visit)
		}
	}
}

func (s *snapshot) Close() { s.closed.Store(true) }

// ended says whether the snapshot or its storage was closed.
func (s *snapshot) ended() bool { return s.closed.Load() || s.of.closed.Load() }

var _ storage.Storage = (*Storage)(nil)
