package durable

import (
	"context"
	"io"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Backup is [Backup] of what the session is stored in, while it goes on.
func (s *Session) Backup(ctx context.Context, w io.Writer) (storage.Copied, error) {
	if err := s.usable(); err != nil {
		return storage.Copied{}, err
	}
	return Backup(ctx, s.storage, w)
}

// Backup writes everything that a storage holds, as of one moment, as one stream, which
// [storage.Restore] and badgerdb.Restore read. A storage that can tell that its files
// are damaged is not backed up: the backup would look whole. An error of w, of the
// storage or of ctx ends it; what was written is then no backup.
func Backup(ctx context.Context, from storage.Storage, w io.Writer) (storage.Copied, error) {
	if verifier, can := from.(storage.Verifier); can {
		if err := verifier.Verify(); err != nil {
			return storage.Copied{}, err
		}
	}
	snapshot, err := from.Snapshot()
	if err != nil {
		return storage.Copied{}, err
	}
	defer snapshot.Close()
	return storage.Backup(ctx, snapshot, w)
}
