package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Violation is something in a database that no session writes: damage, or a fault of
// this program.
type Violation struct {
	// Where names the row, like "entry 12", and What says what is wrong with it.
	Where, What string
}

func (v Violation) String() string { return v.Where + ": " + v.What }

// Check reads the whole database that a storage holds and yields what is wrong in it,
// in a fixed order. It looks at ids, references between rows, indices, states of
// tasks and submissions, replays every document, and compares the inboxes and runs of
// conversations with the submissions and tasks that they name. A failure of the storage, or the
// end of ctx, ends it with an error. It may run beside a session that uses the
// storage, and sees one moment.
func Check(ctx context.Context, below storage.Storage) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		snapshot, err := below.Snapshot()
		if err != nil {
			yield(Violation{}, err)
			return
		}
		defer snapshot.Close()
		for found, err := range table.Check(table.Reader{Source: cancelled{snapshot, ctx}}) {
			if !yield(Violation(found), err) {
				return
			}
		}
	}
}

// Check is the function Check for what the session has stored.
func (s *Session) Check(ctx context.Context) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		if err := s.usable(); err != nil {
			yield(Violation{}, err)
			return
		}
		Check(ctx, s.storage)(yield)
	}
}

// cancelled is a snapshot whose scans end with a context.
type cancelled struct {
	storage.Snapshot
	ctx context.Context
}

// Scan implements [storage.Snapshot].
func (c cancelled) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		for pair, err := range c.Snapshot.Scan(over) {
			if err == nil {
				err = context.Cause(c.ctx)
			}
			if !yield(pair, err) || err != nil {
				return
			}
		}
	}
}
