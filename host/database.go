package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"log/slog"
	"os"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

// Database is what the session of a world is stored in.
type Database struct {
	dir     string // its folder; "" when it has none
	storage storage.Storage
	lock    *os.File // holds the world; nil when a host does
}

// NoDatabaseError is a world that no harness has served yet.
type NoDatabaseError struct{ Dir string }

func (e *NoDatabaseError) Error() string {
	return fmt.Sprintf("world %s has no database yet: harness run makes one", e.Dir)
}

// OpenDatabase opens the database of a world that no harness serves. It has the
// world to itself until it is closed, and makes no folder.
//
// Errors: a [*NotAWorldError]; a [*RunningError] when a harness has the world; a
// [*NoDatabaseError]; those of [badgerdb.Open].
func OpenDatabase(dir string) (_ *Database, err error) {
	layout := Layout{Dir: dir}
	if err := layout.Check(); err != nil {
		return nil, err
	}
	if _, err := os.Stat(layout.State()); errors.Is(err, fs.ErrNotExist) {
		return nil, &NoDatabaseError{Dir: dir}
	}
	file, err := lock(layout)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, file.Close())
		}
	}()
	if _, err := os.Stat(layout.Database()); errors.Is(err, fs.ErrNotExist) {
		return nil, &NoDatabaseError{Dir: dir}
	} else if err != nil {
		return nil, fmt.Errorf("open database: %w", err)
	}
	db, err := openBadger(layout, slog.New(slog.DiscardHandler))
	if err != nil {
		return nil, err
	}
	return &Database{dir: layout.Database(), storage: db, lock: file}, nil
}

// Close gives the world up. The database of a [Host] is the host's, and stays open.
func (d *Database) Close() error {
	if d.lock == nil {
		return nil
	}
	err := d.storage.Close()
	if errors.Is(err, storage.ErrClosed) {
		err = nil // by a session over it
	}
	return errors.Join(err, d.lock.Close())
}

// Database returns what the session is stored in. It is for as long as the host is
// open.
func (h *Host) Database() *Database {
	d := &Database{storage: h.storage}
	if _, is := h.storage.(*badgerdb.DB); is {
		d.dir = h.layout.Database()
	}
	return d
}

// Backup writes everything that is stored, as of one moment, as one stream, which
// [RestoreDatabase] reads; see [durable.Backup]. The session goes on meanwhile.
func (d *Database) Backup(ctx context.Context, w io.Writer) (storage.Copied, error) {
	return durable.Backup(ctx, d.storage, w)
}

// Check reads all of it, as of one moment, and yields what is wrong; see
// [durable.Check]. That a file of the database is damaged ends it with an error, and
// so does the end of ctx. The session goes on meanwhile.
func (d *Database) Check(ctx context.Context) iter.Seq2[durable.Violation, error] {
	return func(yield func(durable.Violation, error) bool) {
		if verifier, can := d.storage.(storage.Verifier); can {
			if err := verifier.Verify(); err != nil {
				yield(durable.Violation{}, err)
				return
			}
		}
		durable.Check(ctx, d.storage)(yield)
	}
}

// DatabaseStats are measures of a database, for people.
type DatabaseStats struct {
	durable.Counts
	// Disk is nil for a database that has no folder.
	Disk *DiskStats `json:"disk,omitempty"`
}

// DiskStats say what a database takes of its disk, in bytes; see [badgerdb.Stats].
type DiskStats struct {
	Folder string `json:"folder"`
	// Format is the version of the folder.
	Format int `json:"format"`
	// Used is what all of its files take: sorted tables, large values, and the log of
	// the newest commits, beside small files.
	Used   uint64 `json:"used"`
	Tables uint64 `json:"tables"`
	Values uint64 `json:"values"`
	Log    uint64 `json:"log"`
	// Free is what the disk has left, and Need what there must be for commits.
	Free uint64 `json:"free"`
	Need uint64 `json:"need"`
}

// Stats returns measures as of now.
func (d *Database) Stats(ctx context.Context) (stats DatabaseStats, err error) {
	if stats.Counts, err = durable.Count(ctx, d.storage); err != nil {
		return DatabaseStats{}, err
	}
	db, is := d.storage.(*badgerdb.DB)
	if !is {
		return stats, nil
	}
	disk, err := db.Stats()
	if err != nil {
		return DatabaseStats{}, err
	}
	stats.Disk = &DiskStats{
		Folder: d.dir, Format: disk.Format, Used: disk.DiskBytes,
		Tables: disk.TableBytes, Values: disk.ValueBytes, Log: disk.LogBytes,
		Free: disk.FreeBytes, Need: disk.NeedBytes,
	}
	return stats, nil
}

// ReadStatus returns the document of a world that no harness serves, from its
// database. The errors are those of [OpenDatabase], but that there is none is none,
// and what the database says.
func ReadStatus(ctx context.Context, dir string) (status Status, err error) {
	database, err := OpenDatabase(dir)
	var none *NoDatabaseError
	if errors.As(err, &none) {
		return StoredStatus(Record{}), nil
	}
	if err != nil {
		return Status{}, err
	}
	defer func() { err = errors.Join(err, database.Close()) }()
	session, err := durable.Open(ctx, database.storage, durable.Options{})
	if err != nil {
		return Status{}, fmt.Errorf("open world %s: %w", dir, err)
	}
	defer func() { err = errors.Join(err, session.Close(context.WithoutCancel(ctx))) }()
	kept, err := readRecord(ctx, session)
	return StoredStatus(kept), err
}
