package badgerdb

import (
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/dgraph-io/badger/v4"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// view is the state after one commit, which snapshots share: badger would let each
// new transaction wait for the commit that runs.
type view struct {
	txn   *badger.Txn
	users int // belongs to DB.mu; at 0 the transaction is discarded
}

// advance makes the state after a commit the one that snapshots are taken of.
func (db *DB) advance() {
	next := &view{txn: db.badger.NewTransaction(false), users: 1}
	db.mu.Lock()
	before := db.now
	db.now = next
	db.mu.Unlock()
	db.release(before)
}

// release takes one user from a view.
func (db *DB) release(v *view) {
	db.mu.Lock()
	v.users--
	last := v.users == 0
	db.mu.Unlock()
	if last {
		v.txn.Discard()
	}
}

// Snapshot implements [storage.Storage]. It does not wait for the commit that runs.
func (db *DB) Snapshot() (storage.Snapshot, error) {
	db.mu.Lock()
	defer db.mu.Unlock()
	if db.closed {
		return nil, storage.ErrClosed
	}
	db.now.users++
	s := &snapshot{db: db, view: db.now, scans: make(map[*badger.Iterator]struct{})}
	db.open[s] = struct{}{}
	return s, nil
}

// snapshot reads a view. Each step of a scan is a use of its own, so that closing
// waits for no loop.
type snapshot struct {
	db   *DB
	view *view

	use    sync.RWMutex // held to use badger; exclusively to close
	closed bool

	mu    sync.Mutex
	scans map[*badger.Iterator]struct{} // those that are open
}

func (s *snapshot) Close() {
	s.use.Lock()
	defer s.use.Unlock()
	if s.closed {
		return
	}
	s.closed = true
	for scan := range s.scans {
		scan.Close()
	}
	s.db.mu.Lock()
	delete(s.db.open, s)
	s.db.mu.Unlock()
	s.db.release(s.view)
}

func (s *snapshot) Get(key []byte) ([]byte, bool, error) {
	s.use.RLock()
	defer s.use.RUnlock()
	if s.closed {
		return nil, false, storage.ErrClosed
	}
	if len(key) > storage.MaxKey {
		return nil, false, nil
	}
	// A value may move to another file between finding and reading it. It does not do
	// that twice in a row.
	value, err := s.get(key)
	var lost *unreadableError
	if errors.As(err, &lost) {
		value, err = s.get(key)
	}
	if errors.Is(err, badger.ErrKeyNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read database %s: %w", s.db.folder.path, err)
	}
	return value, true, nil
}

func (s *snapshot) get(key []byte) ([]byte, error) {
	item, err := s.view.txn.Get(stored(key))
	if err != nil {
		return nil, err
	}
	return valueOf(item)
}

// unreadableError is a value that is not where it should be, or does not match its
// checksum. Badger tells that to its log only.
type unreadableError struct{ key []byte }

func (e *unreadableError) Error() string {
	return fmt.Sprintf("the value of key %.60q cannot be read, it is missing or damaged: restore a backup", e.key)
}

// valueOf returns the caller's own copy of a value, which is not nil.
func valueOf(item *badger.Item) ([]byte, error) {
	value, err := item.ValueCopy(nil)
	if err != nil {
		return nil, err
	}
	if len(value) == 0 && item.ValueSize() != 0 {
		return nil, &unreadableError{item.KeyCopy(nil)[1:]}
	}
	if value == nil {
		value = []byte{}
	}
	return value, nil
}

func (s *snapshot) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		scan, err := s.begin(over)
		if err != nil {
			yield(storage.Pair{}, err)
			return
		}
		defer s.end(scan)
		for {
			pair, more, err := s.step(scan, over)
			if err != nil {
				yield(storage.Pair{}, err)
				return
			}
			if !more || !yield(pair, nil) {
				return
			}
		}
	}
}

// begin opens a scan at the first key of a range.
func (s *snapshot) begin(over storage.Range) (*badger.Iterator, error) {
	s.use.RLock()
	defer s.use.RUnlock()
	if s.closed {
		return nil, storage.ErrClosed
	}
	scan := s.view.txn.NewIterator(badger.IteratorOptions{Prefix: []byte{keyPrefix}, Reverse: over.Descending})
	s.mu.Lock()
	s.scans[scan] = struct{}{}
	s.mu.Unlock()
	switch {
	case !over.Descending:
		scan.Seek(stored(over.From))
	case len(over.To) == 0:
		scan.Seek([]byte{keyPrefix + 1})
	default:
		scan.Seek(stored(over.To))
		if scan.Valid() && string(scan.Item().Key()[1:]) == string(over.To) {
			scan.Next()
		}
	}
	return scan, nil
}

// step returns the pair that a scan is at, or false behind the range, and moves on.
func (s *snapshot) step(scan *badger.Iterator, over storage.Range) (storage.Pair, bool, error) {
	s.use.RLock()
	defer s.use.RUnlock()
	if s.closed {
		return storage.Pair{}, false, storage.ErrClosed
	}
	if !scan.Valid() {
		return storage.Pair{}, false, nil
	}
	item := scan.Item()
	pair := storage.Pair{Key: item.KeyCopy(nil)[1:]}
	if !over.Contains(pair.Key) {
		return storage.Pair{}, false, nil
	}
	if !over.KeysOnly {
		var err error
		if pair.Value, err = valueOf(item); err != nil {
			return storage.Pair{}, false, fmt.Errorf("scan database %s: %w", s.db.folder.path, err)
		}
	}
	scan.Next()
	return pair, true, nil
}

// end closes a scan, unless closing the snapshot did.
func (s *snapshot) end(scan *badger.Iterator) {
	s.use.RLock()
	defer s.use.RUnlock()
	if s.closed {
		return
	}
	s.mu.Lock()
	delete(s.scans, scan)
	s.mu.Unlock()
	scan.Close()
}
