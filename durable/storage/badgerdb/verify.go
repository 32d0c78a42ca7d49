package badgerdb

import (
	"errors"
	"os"
	"slices"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/fb"
	"github.com/dgraph-io/badger/v4/table"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Verify reads all tables and compares them with their checksums; values are compared
// whenever they are read. A table that does not match is a [*DamagedError]. Verify fails
// with [storage.ErrClosed] when the database is closed, which waits for it.
func (db *DB) Verify() error {
	db.life.RLock()
	defer db.life.RUnlock()
	if db.ended() {
		return storage.ErrClosed
	}
	for _, listed := range db.badger.Tables() {
		path := table.NewFilename(listed.ID, db.folder.path)
		err := verifyTable(path)
		if errors.Is(err, os.ErrNotExist) && !db.has(listed) {
			continue // it was sorted into others meanwhile
		}
		if errors.Is(err, os.ErrNotExist) {
			err = errTableMissing
		}
		if err != nil {
			return db.folder.damaged(path, err)
		}
	}
	return nil
}

// has says whether badger still has a table.
func (db *DB) has(one badger.TableInfo) bool {
	return slices.ContainsFunc(db.badger.Tables(), func(other badger.TableInfo) bool { return other.ID == one.ID })
}

// verifyTable returns an error unless a table matches all of its checksums.
func verifyTable(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	index, err := indexOf(file)
	if err != nil {
		return err
	}
	for i := range index.OffsetsLength() {
		var block fb.BlockOffset
		if !index.Offsets(&block, i) {
			return errTableShort
		}
		if err := verifyBlock(file, &block); err != nil {
			return err
		}
	}
	return nil
}
