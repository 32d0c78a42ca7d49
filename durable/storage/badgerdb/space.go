package badgerdb

import (
	"fmt"

	"golang.org/x/sys/unix"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// How much must be free on the disk, in bytes.
const (
	// openSpace is what opening may write: the logs of the process before become
	// tables.
	openSpace = (memTables + 1) * memTableSize
	// commitSpace is what badger may write in the background while nothing is
	// committed: its memory becomes tables, and tables are sorted into new ones before
	// the old ones go.
	commitSpace = 256 << 20
	// admitSpace leaves room for a whole group of commits that were admitted.
	admitSpace = commitSpace + storage.MaxCommit
)

// DiskFullError says that the database is not written to because little space is
// left on its disk; badger would die of a disk that is full. It can be read and
// backed up.
type DiskFullError struct {
	// Dir is the folder of the database.
	Dir string
	// Free is how many bytes there are, and Need how many there should be.
	Free, Need uint64
}

func (e *DiskFullError) Error() string {
	return fmt.Sprintf("database %s: only %d MiB are free on its disk and %d are needed; free some space", e.Dir, e.Free>>20, e.Need>>20)
}

// room returns an error unless there is some space.
func (db *DB) room(need uint64) error {
	free, err := db.options.free(db.folder.path)
	if err != nil {
		return fmt.Errorf("database %s: look for free space: %w", db.folder.path, err)
	}
	if free < need {
		return &DiskFullError{Dir: db.folder.path, Free: free, Need: need}
	}
	return nil
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
