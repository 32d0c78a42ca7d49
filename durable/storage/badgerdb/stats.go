package badgerdb

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Stats are measures of a database, for people.
type Stats struct {
	// Format is the version of the folder.
	Format int
	// Tables is how many sorted tables there are, and Keys about how many keys these
	// have: versions and removals that are not sorted out yet count too, and the newest
	// few MB of commits do not.
	Tables int
	Keys   uint64
	// TableBytes is what the tables have, ValueBytes what the logs of large values
	// have and LogBytes what the logs of the newest commits have on the disk.
	TableBytes, ValueBytes, LogBytes uint64
	// DiskBytes is what all files of the folder take on the disk.
	DiskBytes uint64
	// FreeBytes is what is free on the disk, and NeedBytes what commits need of it.
	FreeBytes, NeedBytes uint64
}

// Stats returns measures of the database as of now. It fails with
// [storage.ErrClosed] when that is closed.
func (db *DB) Stats() (Stats, error) {
	db.life.RLock()
	defer db.life.RUnlock()
	if db.ended() {
		return Stats{}, storage.ErrClosed
	}
	stats := Stats{Format: formatVersion, NeedBytes: spareSpace + db.backlog.Load() + admitSpace}
	for _, table := range db.badger.Tables() {
		stats.Tables++
		stats.Keys += uint64(table.KeyCount)
	}
	err := filepath.WalkDir(db.folder.path, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.Type().IsRegular() {
			err = stats.add(path)
		}
		if errors.Is(err, os.ErrNotExist) {
			return nil // badger has removed it meanwhile
		}
		return err
	})
	if err == nil {
		stats.FreeBytes, err = db.options.free(db.folder.path)
	}
	if err != nil {
		return Stats{}, fmt.Errorf("measure database %s: %w", db.folder.path, err)
	}
	return stats, nil
}

// add counts a file in.
func (s *Stats) add(path string) error {
	size, err := onDisk(path)
	if err != nil {
		return err
	}
	s.DiskBytes += size
	switch filepath.Ext(path) {
	case ".sst":
		s.TableBytes += size
	case ".vlog":
		s.ValueBytes += size
	case ".mem":
		s.LogBytes += size
	}
	return nil
}
