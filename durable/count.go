package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Counts is how much a session has stored.
type Counts = table.Counts

// Count counts what a storage holds as of one moment, by its keys. A session may be
// using it. A failure of the storage, or the end of ctx, is an error.
func Count(ctx context.Context, below storage.Storage) (Counts, error) {
	snapshot, err := below.Snapshot()
	if err != nil {
		return Counts{}, err
	}
	defer snapshot.Close()
	return table.Reader{Source: cancelled{snapshot, ctx}}.Count()
}
