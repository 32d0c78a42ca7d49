package badgerdb

import (
	"errors"
	"time"

	"github.com/dgraph-io/badger/v4"
)

const (
	// collectEvery is how often space of large values that are gone is freed.
	collectEvery = time.Hour
	// collectFrom is the part of a value log file that must be gone before the rest is
	// moved.
	collectFrom = 0.5
)

// collectAtTimes frees space at once and from time to time until the database
// closes.
func (db *DB) collectAtTimes() {
	for {
		db.collect()
		select {
		case <-db.stop:
			return
		case <-db.options.after(collectEvery):
		}
	}
}

// collect frees the space of large values that were removed or replaced, as far as
// badger knows of them: it learns that when it sorts tables. It moves what is left of
// a file before it removes that, for which there must be space.
func (db *DB) collect() {
	for {
		select {
		case <-db.stop:
			return
		default:
		}
		if err := db.room(2 * valueLogSize); err != nil {
			db.options.Logger.Warn("database frees no space of removed values", "error", err)
			return
		}
		err := db.badger.RunValueLogGC(collectFrom)
		if errors.Is(err, badger.ErrNoRewrite) || errors.Is(err, badger.ErrRejected) {
			return
		}
		if err != nil {
			db.options.Logger.Warn("database could not free space of removed values", "error", err)
			return
		}
	}
}
