package badgerdb

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Restore makes a new database of a stream that [storage.Backup] wrote. The folder
// must be missing or empty. It gets its name once everything is in it, on the disk,
// and matches the checksum; until then, and after an error, there is none.
//
// A stream that is not a whole backup is a [*storage.BackupError], a folder that has
// something is [storage.ErrNotEmpty].
func Restore(ctx context.Context, r io.Reader, dir string, options Options) (storage.Copied, error) {
	path, err := filepath.Abs(dir)
	if err != nil {
		return storage.Copied{}, fmt.Errorf("restore database %s: %w", dir, err)
	}
	copied, err := restoreBeside(ctx, r, path, options)
	if err != nil {
		return copied, fmt.Errorf("restore database %s: %w", path, err)
	}
	return copied, nil
}

// restoreBeside fills a folder beside the one that is asked for, and then renames it.
func restoreBeside(ctx context.Context, r io.Reader, path string, options Options) (copied storage.Copied, err error) {
	if err := vacant(path); err != nil {
		return copied, err
	}
	parent := filepath.Dir(path)
	if err := os.MkdirAll(parent, 0o700); err != nil {
		return copied, err
	}
	beside, err := os.MkdirTemp(parent, filepath.Base(path)+".restoring-*")
	if err != nil {
		return copied, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.RemoveAll(beside))
		}
	}()
	db, err := Open(beside, options)
	if err != nil {
		return copied, err
	}
	copied, err = storage.Restore(ctx, db, r)
	if err := errors.Join(err, db.Close()); err != nil {
		return copied, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		return copied, err
	}
	if err := os.Rename(beside, path); err != nil {
		return copied, err
	}
	return copied, syncFolder(parent)
}

// vacant returns an error unless a folder is missing or empty.
func vacant(path string) error {
	entries, err := os.ReadDir(path)
	if errors.Is(err, os.ErrNotExist) {
		return nil
	}
	if err == nil && len(entries) > 0 {
		return storage.ErrNotEmpty
	}
	return err
}
