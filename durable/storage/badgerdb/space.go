package badgerdb

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/dgraph-io/badger/v4"
	"github.com/dgraph-io/badger/v4/table"
	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Badger writes in the background, whether or not something is committed: its memory
// becomes tables, and tables are sorted into new ones before the old ones go. The most
// space is taken when all new tables (level 0) are sorted into the first of the sorted
// levels, which depends on how much there is (DB.backlog).
const (
	// spareSpace is for what does not depend on it: to write the memory out and sort
	// that too, and one table of a lower level with all it overlaps.
	spareSpace = 2*(memTables+1)*memTableSize + 64<<20
	// admitSpace is for a whole group of commits that were admitted before.
	admitSpace = storage.MaxCommit
)

// DiskFullError says that the database is not written to, or not opened, because
// little space is left on its disk; badger would die of a disk that is full. A
// database that is open can be read and backed up.
type DiskFullError struct {
	// Dir is the folder of the database.
	Dir string
	// Free is how many bytes there are, and Need how many there should be.
	Free, Need uint64
}

func (e *DiskFullError) Error() string {
	return fmt.Sprintf("database %s: only %d MiB are free on its disk and %d are needed; free some space", e.Dir, e.Free>>20, e.Need>>20)
}

// room returns an error unless there is space for the background and for more.
func (db *DB) room(more uint64) error {
	free, err := db.options.free(db.folder.path)
	if err != nil {
		return fmt.Errorf("database %s: look for free space: %w", db.folder.path, err)
	}
	if need := spareSpace + db.backlog.Load() + more; free < need {
		return &DiskFullError{Dir: db.folder.path, Free: free, Need: need}
	}
	return nil
}

// measure finds out how much may be sorted at once.
func (db *DB) measure() {
	var bytes int64
	for _, level := range db.badger.Levels() {
		if level.Level == 0 || level.IsBaseLevel {
			bytes += level.Size
		}
	}
	db.backlog.Store(uint64(bytes))
}

// toSort returns how much may be sorted at once when a folder is opened: the logs of
// commits, the new tables, and the first of the sorted levels that has any. A list of
// tables that makes no sense or does not fit the tables is a [*DamagedError].
func (f *folder) toSort(settings badger.Options) (uint64, error) {
	logs, err := filepath.Glob(f.file("*.mem"))
	if err != nil {
		return 0, err
	}
	bytes := uint64(0)
	for _, log := range logs {
		size, err := onDisk(log)
		if err != nil {
			return 0, err
		}
		bytes += size
	}
	list, err := os.Open(f.file(tableList))
	if errors.Is(err, os.ErrNotExist) {
		return bytes, nil
	}
	if err != nil {
		return 0, err
	}
	defer list.Close()
	manifest, _, err := badger.ReplayManifestFile(list, 0, settings)
	if err != nil {
		return 0, &DamagedError{Dir: f.path, File: tableList, Reason: err.Error()}
	}
	logged, err := f.committed()
	if err != nil {
		return 0, err
	}
	if err := f.checkTables(manifest, logged); err != nil {
		return 0, err
	}
	levels := make([]uint64, settings.MaxLevels)
	for id, listed := range manifest.Tables {
		size, err := onDisk(table.NewFilename(id, f.path))
		if err != nil {
			return 0, err
		}
		levels[listed.Level] += size
	}
	bytes += levels[0]
	for _, level := range levels[1:] {
		if level > 0 {
			return bytes + level, nil
		}
	}
	return bytes, nil
}

// freeSpace returns how many bytes an unprivileged process may still write to the
// file system of a folder. It takes microseconds, so nothing remembers it.
func freeSpace(folder string) (uint64, error) {
	var st unix.Statfs_t
	if err := unix.Statfs(folder, &st); err != nil {
		return 0, err
	}
	return st.Bavail * uint64(st.Frsize), nil
}

// onDisk returns what a file takes on the disk, in bytes. Badger's logs have holes.
func onDisk(path string) (uint64, error) {
	var st unix.Stat_t
	if err := unix.Stat(path, &st); err != nil {
		return 0, &os.PathError{Op: "stat", Path: path, Err: err}
	}
	return uint64(st.Blocks) * 512, nil
}
