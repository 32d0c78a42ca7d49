package host

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"path/filepath"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

// DatabaseExistsError is a database where one was to be restored.
type DatabaseExistsError struct{ Dir string }

func (e *DatabaseExistsError) Error() string {
	return fmt.Sprintf("there is a database at %s: move it aside first, mv %s %s.old, or restore into another world", e.Dir, e.Dir, e.Dir)
}

// RestoreDatabase makes the database of a world, which no harness serves and which
// has none, of a stream that [Database.Backup] wrote. After an error there is none.
//
// Errors: a [*NotAWorldError]; a [*RunningError] when a harness has the world; a
// [*DatabaseExistsError]; a [*storage.BackupError] for a stream that is not a whole
// backup; those of [badgerdb.Open], r and ctx.
func RestoreDatabase(ctx context.Context, dir string, r io.Reader) (copied storage.Copied, err error) {
	layout := Layout{Dir: dir}
	if err := layout.makeState(); err != nil {
		return storage.Copied{}, err
	}
	file, err := lock(layout)
	if err != nil {
		return storage.Copied{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if err := layout.removeUnfinishedRestore(); err != nil {
		return storage.Copied{}, err
	}
	copied, err = badgerdb.Restore(ctx, r, layout.Database(), badgerdb.Options{Logger: slog.New(slog.DiscardHandler)})
	if errors.Is(err, storage.ErrNotEmpty) {
		err = &DatabaseExistsError{Dir: layout.Database()}
	}
	return copied, err
}

// removeUnfinishedRestore removes what a process left that died while it restored a
// database beside the place where it was to be.
func (l Layout) removeUnfinishedRestore() error {
	left, err := filepath.Glob(l.Database() + ".restoring-*")
	for _, folder := range left {
		err = errors.Join(err, os.RemoveAll(folder))
	}
	if err != nil {
		return fmt.Errorf("remove what an earlier restore left: %w", err)
	}
	return nil
}
