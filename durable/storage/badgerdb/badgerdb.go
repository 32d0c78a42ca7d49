// Package badgerdb is a storage in a folder of the disk, by the database badger. Its
// commits outlast the process and the power: each is synced before Commit returns.
//
// What that stands on: the disk keeps what it said is synced, and syncing a new file
// keeps its name too, as ext4, xfs and btrfs do. Badger maps its files into memory,
// so a disk that fills up ends the process; commits are refused before that
// ([DiskFullError]), and nothing that was acknowledged is lost when it happens all
// the same.
//
// The folder belongs to one process at a time. Its file "owner" is locked by the one
// that has it, and "format" says that the folder is ours and which version of it;
// the other files are badger's.
package badgerdb

import (
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/options"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Options are what a database may be opened with. The zero value is good.
type Options struct {
	// Logger gets what badger warns of, and what goes wrong in the background; nil
	// drops it.
	Logger *slog.Logger

	patience time.Duration                                 // of Close; 0 is closePatience
	after    func(time.Duration) <-chan time.Time          // nil is time.After
	free     func(folder string) (bytes uint64, err error) // nil is freeSpace
	unsynced bool                                          // commits return before they are on the disk
}

const (
	memTableSize = 16 << 20
	memTables    = 3
	// valueLogSize is where badger begins a new file for large values. It maps twice as
	// much, and moves the mapping under its readers when a commit that begins below
	// this ends behind that: so a whole commit fits, with what badger adds to each value.
	valueLogSize = storage.MaxCommit + 1<<20
	// closePatience is how long Close waits. It has some 16 MB to write and up to 100
	// to sort.
	closePatience = 30 * time.Second
)

// settings are badger's, for a database that reads much more than it writes.
// Conflicts need no detecting, since there is one writer. Tables are mapped as they
// are, so that a cache of blocks would only be slower; that of indices holds those of
// a few GB.
func (o Options) settings(folder string, log *badgerLog) badger.Options {
	return badger.DefaultOptions(folder).
		WithLogger(log).
		WithSyncWrites(!o.unsynced).
		WithDetectConflicts(false).
		WithMetricsEnabled(false).
		WithMemTableSize(memTableSize).
		WithNumMemtables(memTables).
		WithBlockCacheSize(0).
		WithIndexCacheSize(64 << 20).
		WithCompression(options.None).
		WithValueLogFileSize(valueLogSize).
		WithValueThreshold(storage.Inline + 1).
		WithVerifyValueChecksum(true).
		WithNumCompactors(2).
		WithCompactL0OnClose(true)
}

// DB is a [storage.Storage] in a folder.
type DB struct {
	folder  *folder
	badger  *badger.DB
	log     *badgerLog
	options Options

	backlog atomic.Uint64 // bytes that badger may sort at once, measured last
	// admitted is how many bytes of commits were admitted and have not been written.
	admitted atomic.Int64

	writer sync.Mutex // held by the commit that runs
	fault  error      // of a commit, after which there are no others; belongs to writer

	life sync.RWMutex // held to use badger beside commits and snapshots; exclusively to close it

	mu     sync.Mutex
	closed bool
	now    *view // what was committed last
	open   map[*snapshot]struct{}

	owned      atomic.Bool   // by a session
	stop       chan struct{} // closed when the database closes
	background sync.WaitGroup
}

// Claim implements [storage.Exclusive].
func (db *DB) Claim() error {
	if db.owned.Swap(true) {
		return storage.ErrClaimed
	}
	return nil
}

// Open opens the database in a folder, and makes both when there is none. What was
// acknowledged before a crash is there.
//
// A folder that another process uses is an [*InUseError], one that is not a database
// of this program or of a newer one a [*FormatError], one whose files are missing or
// make no sense mostly a [*DamagedError], and too little space to open it a
// [*DiskFullError].
func Open(dir string, options Options) (*DB, error) {
	if options.Logger == nil {
		options.Logger = slog.New(slog.DiscardHandler)
	}
	if options.after == nil {
		options.after = time.After
	}
	if options.free == nil {
		options.free = freeSpace
	}
	if options.patience == 0 {
		options.patience = closePatience
	}
	at, err := take(dir)
	if err != nil {
		return nil, err
	}
	db := &DB{
		folder: at, options: options, log: &badgerLog{logger: options.Logger},
		open: make(map[*snapshot]struct{}), stop: make(chan struct{}),
	}
	if err := db.start(); err != nil {
		at.release()
		return nil, err
	}
	return db, nil
}

// start opens badger.
func (db *DB) start() error {
	if err := db.folder.prepare(); err != nil {
		return err
	}
	if err := db.folder.checkFiles(db.options.Logger); err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	settings := db.options.settings(db.folder.path, db.log)
	backlog, err := db.folder.toSort(settings)
	if err != nil {
		return fmt.Errorf("open database: %w", err)
	}
	db.backlog.Store(backlog)
	if err := db.room(0); err != nil {
		return err
	}
	opened, err := badger.Open(settings)
	if err != nil {
		return db.folder.unopened(err)
	}
	db.badger = opened
	db.measure()
	db.now = &view{txn: opened.NewTransaction(false), users: 1}
	db.background.Go(db.collectAtTimes)
	return nil
}

// StuckStoreError is a database that does not close. Badger tries to write for ever
// when its folder has gone or its disk fails; what was committed was synced before,
// and is read again from its log if that is still there.
type StuckStoreError struct {
	// Dir is the folder of the database.
	Dir string
	// Waited is how long Close did.
	Waited time.Duration
}

func (e *StuckStoreError) Error() string {
	return fmt.Sprintf("database %s did not close within %s; is its folder still there, and its disk writable?", e.Dir, e.Waited)
}

// Close implements [storage.Storage]. After a [*StuckStoreError] the goroutine that
// closes is left behind on purpose: nothing of badger can be interrupted. It ends
// when writing succeeds, or with the process, and the folder is in use until then.
func (db *DB) Close() error {
	db.mu.Lock()
	if db.closed {
		db.mu.Unlock()
		return storage.ErrClosed
	}
	db.closed = true
	var readers []*snapshot
	for reader := range db.open {
		readers = append(readers, reader)
	}
	db.mu.Unlock()
	close(db.stop)

	ended := make(chan error, 1)
	go func() { ended <- db.shut(readers) }() // waited for below, or left behind
	select {
	case err := <-ended:
		return err
	case <-db.options.after(db.options.patience):
		return &StuckStoreError{Dir: db.folder.path, Waited: db.options.patience}
	}
}

// shut ends everything that uses badger, and then that.
func (db *DB) shut(readers []*snapshot) error {
	for _, reader := range readers {
		reader.Close()
	}
	db.writer.Lock()
	defer db.writer.Unlock()
	db.background.Wait()
	db.life.Lock()
	defer db.life.Unlock()
	db.release(db.now)
	err := db.badger.Close()
	db.folder.release()
	if err != nil {
		return fmt.Errorf("close database %s: %w", db.folder.path, err)
	}
	return nil
}

// ended says whether Close was called.
func (db *DB) ended() bool {
	db.mu.Lock()
	defer db.mu.Unlock()
	return db.closed
}

var (
	_ storage.Storage  = (*DB)(nil)
	_ storage.Admitter = (*DB)(nil)
)
