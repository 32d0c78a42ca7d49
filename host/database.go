package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
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
