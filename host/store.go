package host

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/seed-d579e5eb/harness/vfs"
)

// Record is what survives a restart of the harness.
type Record struct {
	// Good is the commit that was promoted last; "" when none was.
	Good string `json:"good,omitempty"`
	// Current is the newest tip that was seen, and Error why it is not Good.
	Current string `json:"current,omitempty"`
	Error   string `json:"error,omitempty"`
	// Proven is the newest commit that outlived its probation.
	Proven string `json:"proven,omitempty"`
	// Trial is the commit on probation, if any.
	Trial *Trial `json:"trial,omitempty"`
	// Skipped is a commit that is not loaded again by itself, and why.
	Skipped *Skipped `json:"skipped,omitempty"`
	// LoadedAt and Duration describe the load of Good.
	LoadedAt time.Time     `json:"loadedAt,omitzero"`
	Duration time.Duration `json:"duration,omitempty"`
	// History has the newest loads, oldest first.
	History []LoadRecord `json:"history,omitempty"`
}

// StatusStore keeps the [Record]. It is safe for concurrent use.
type StatusStore interface {
	// Load returns the record stored last; the zero Record when there is none.
	Load(ctx context.Context) (Record, error)
	// Save returns once the record is on the disk. An error means that the old
	// one stands.
	Save(ctx context.Context, record Record) error
	Close() error
}

// MemoryStore keeps the record as long as the process lives. Its zero value is
// ready to use.
type MemoryStore struct {
	mu     sync.Mutex
	record Record
}

// Load implements [StatusStore].
func (s *MemoryStore) Load(context.Context) (Record, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.record, nil
}

// Save implements [StatusStore].
func (s *MemoryStore) Save(_ context.Context, record Record) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.record = record
	return nil
}

// Close implements [StatusStore].
func (s *MemoryStore) Close() error { return nil }

// recordKey is the one key of the database.
var recordKey = []byte("status")

// badgerStore keeps the record in a badger database.
type badgerStore struct {
	db       *badger.DB
	dir      string
	patience time.Duration
	left     sync.WaitGroup // what closes the database
}

// DiskFullError says that the database is not written to because the disk is
// nearly full. Badger would die of a disk that is.
type DiskFullError struct {
	Dir  string
	Free uint64
	Need uint64
}

func (e *DiskFullError) Error() string {
	return fmt.Sprintf("database %s: only %d MiB are free on its disk and %d are needed; free some space", e.Dir, e.Free>>20, e.Need>>20)
}

const (
	memTableSize = 1 << 20
	valueLogSize = 4 << 20
	// freeSpace is what badger may fill before anything is compacted.
	freeSpace = 3*memTableSize + 2*valueLogSize
)

// OpenStore opens the database in a folder, which it makes when there is none.
// A database that another process has open is an error. The caller closes the
// store.
func OpenStore(dir string, logger *slog.Logger) (StatusStore, error) {
	store := &badgerStore{dir: dir, patience: closePatience}
	settings := badger.DefaultOptions(dir).
		WithLogger(badgerLog{logger}).
		WithSyncWrites(true).
		WithMetricsEnabled(false).
		WithMemTableSize(memTableSize).
		WithNumMemtables(2).
		WithBlockCacheSize(0).
		WithIndexCacheSize(0).
		WithCompression(options.None).
		WithValueLogFileSize(valueLogSize).
		WithValueThreshold(64 << 10).
		WithNumCompactors(2).
		WithCompactL0OnClose(true)
	db, err := badger.Open(settings)
	if err != nil {
		return nil, fmt.Errorf("open database %s: %w", dir, err)
	}
	store.db = db
	return store, nil
}

func (s *badgerStore) Load(context.Context) (record Record, err error) {
	err = s.db.View(func(txn *badger.Txn) error {
		item, err := txn.Get(recordKey)
		if errors.Is(err, badger.ErrKeyNotFound) {
			return nil
		}
		if err != nil {
			return err
		}
		return item.Value(func(value []byte) error { return json.Unmarshal(value, &record) })
	})
	if err != nil {
		return Record{}, fmt.Errorf("read status from database %s: %w", s.dir, err)
	}
	return record, nil
}

func (s *badgerStore) Save(_ context.Context, record Record) error {
	if free, err := vfs.FreeSpace(s.dir); err == nil && free < freeSpace {
		return &DiskFullError{Dir: s.dir, Free: free, Need: freeSpace}
	}
	text, err := json.Marshal(record)
	if err != nil {
		return fmt.Errorf("store status: %w", err)
	}
	if err := s.db.Update(func(txn *badger.Txn) error { return txn.Set(recordKey, text) }); err != nil {
		return fmt.Errorf("store status in database %s: %w", s.dir, err)
	}
	return nil
}

// closePatience is how long closing the database may take. What it still has to
// write are a few KiB.
const closePatience = 5 * time.Second

// StuckStoreError is a database that does not close. Badger tries to write for ever
// when its folder has gone or its disk fails; what was saved was synced before, and
// is read again from its log if that is still there.
type StuckStoreError struct {
	Dir    string
	Waited time.Duration
}

func (e *StuckStoreError) Error() string {
	return fmt.Sprintf("database %s did not close within %s; is its folder still there, and its disk writable?", e.Dir, e.Waited)
}

// Close closes the database. After a [*StuckStoreError] the goroutine that closes it
// is left behind on purpose: nothing of badger can be interrupted. It ends when
// writing succeeds, or with the process.
func (s *badgerStore) Close() error {
	closed := make(chan error, 1)
	s.left.Go(func() { closed <- s.db.Close() })
	limit := time.NewTimer(s.patience)
	defer limit.Stop()
	select {
	case err := <-closed:
		s.left.Wait()
		return err
	case <-limit.C:
		return &StuckStoreError{Dir: s.dir, Waited: s.patience}
	}
}

// badgerLog shows badger's warnings and errors.
type badgerLog struct{ logger *slog.Logger }

func (l badgerLog) Errorf(format string, args ...any) {
	l.logger.Error("database", "message", fmt.Sprintf(format, args...))
}

func (l badgerLog) Warningf(format string, args ...any) {
	l.logger.Warn("database", "message", fmt.Sprintf(format, args...))
}

func (l badgerLog) Infof(string, ...any)  {}
func (l badgerLog) Debugf(string, ...any) {}

var (
	_ StatusStore   = (*MemoryStore)(nil)
	_ StatusStore   = (*badgerStore)(nil)
	_ badger.Logger = badgerLog{}
)
