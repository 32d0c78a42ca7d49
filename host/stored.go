package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
)

// ReadStatus returns the document of a world that no harness serves, from its
// database. It has the world to itself meanwhile, and makes no folder. Errors: a [*NotAWorldError]; a
// [*RunningError] when a harness has the world; what the database says.
func ReadStatus(ctx context.Context, dir string) (status Status, err error) {
	layout := Layout{Dir: dir}
	if err := layout.Check(); err != nil {
		return Status{}, err
	}
	if _, err := os.Stat(layout.State()); errors.Is(err, fs.ErrNotExist) {
		return StoredStatus(Record{}), nil
	}
	file, err := lock(layout)
	if err != nil {
		return Status{}, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	if _, err := os.Stat(layout.Database()); errors.Is(err, fs.ErrNotExist) {
		return StoredStatus(Record{}), nil
	} else if err != nil {
		return Status{}, fmt.Errorf("open database: %w", err)
	}
	store, err := OpenStore(layout.Database(), slog.New(slog.DiscardHandler))
	if err != nil {
		return Status{}, err
	}
	defer func() { err = errors.Join(err, store.Close()) }()
	record, err := store.Load(ctx)
	return StoredStatus(record), err
}
