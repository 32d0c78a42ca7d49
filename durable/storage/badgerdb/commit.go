package badgerdb

import (
	"context"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// keyPrefix begins all keys in badger, which has some of its own.
const keyPrefix = 'k'

// stored returns the key that badger has for a key.
func stored(key []byte) []byte {
	return append(append(make([]byte, 0, len(key)+1), keyPrefix), key...)
}

// Commit implements [storage.Storage]. It is refused with a [*DiskFullError] when
// space runs low, unless it was admitted.
func (db *DB) Commit(_ context.Context, writes []storage.Write) error {
	if err := storage.Check(writes); err != nil {
		return &storage.RejectedError{Reason: err}
	}
	db.writer.Lock()
	defer db.writer.Unlock()
	if db.ended() {
		return storage.ErrClosed
	}
	if db.fault != nil {
		return db.fault
	}
	if len(writes) == 0 {
		return nil
	}
	var size storage.Size
	size.Add(writes...)
	db.measure()
	if db.admitted.Load() >= int64(size.Bytes) {
		defer db.admitted.Add(-int64(size.Bytes))
	} else if err := db.room(uint64(size.Bytes)); err != nil {
		return &storage.RejectedError{Reason: err}
	}
	if err := db.write(writes); err != nil {
		db.fault = fmt.Errorf("commit to database %s: %w: open it again to see whether it is there", db.folder.path, err)
		return db.fault
	}
	db.advance()
	return nil
}

// write is one transaction of badger. A single writer without conflict detection has
// no conflicts, and the limits of package storage are below those of badger, so that
// every error is a fault of the disk.
func (db *DB) write(writes []storage.Write) error {
	txn := db.badger.NewTransaction(true)
	defer txn.Discard()
	for _, write := range writes {
		var err error
		if write.Value == nil {
			err = txn.Delete(stored(write.Key))
		} else {
			err = txn.Set(stored(write.Key), write.Value)
		}
		if err != nil {
			return err
		}
	}
	if err := txn.Commit(); err != nil {
		return err
	}
	return db.log.failedSync()
}

// Admit implements [storage.Admitter]. It asks for more space than Commit, so that
// what was admitted is taken while the disk fills up.
func (db *DB) Admit(size storage.Size) error {
	if err := db.room(admitSpace + uint64(size.Bytes)); err != nil {
		return &storage.RejectedError{Reason: err}
	}
	db.admitted.Store(int64(size.Bytes))
	return nil
}
