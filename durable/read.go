package durable

import (
	"context"
	"errors"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// view calls read with everything that is stored now. What is adopted and not
// stored yet is not seen. A storage that cannot be read is a [*FailedError].
func (s *Session) view(ctx context.Context, read func(table.Reader) error) error {
	if err := context.Cause(ctx); err != nil {
		return err
	}
	if err := s.usable(); err != nil {
		return err
	}
	snapshot, err := s.snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	err = read(table.Reader{Source: snapshot})
	if errors.Is(err, storage.ErrClosed) {
		return s.fail(err)
	}
	return err
}

func stored[T any](ctx context.Context, s *Session, read func(table.Reader) (T, bool, error)) (found T, there bool, err error) {
	err = s.view(ctx, func(r table.Reader) error {
		found, there, err = read(r)
		return err
	})
	return found, there, err
}

// storedToTheEnd is stored for what is asked while the session closes too, as long as
// its storage can be read.
func storedToTheEnd[T any](ctx context.Context, s *Session, read func(table.Reader) (T, bool, error)) (found T, there bool, err error) {
	if found, there, err = stored(ctx, s, read); !errors.Is(err, ErrClosed) {
		return found, there, err
	}
	snapshot, err := s.snapshot()
	if err != nil {
		return found, false, err
	}
	defer snapshot.Close()
	found, there, err = read(table.Reader{Source: snapshot})
	if errors.Is(err, storage.ErrClosed) {
		err = s.fail(err)
	}
	return found, there, err
}

// ConversationRecord returns a conversation, and whether there is one with this id.
func (s *Session) ConversationRecord(ctx context.Context, id record.ConversationID) (record.Conversation, bool, error) {
	return stored(ctx, s, func(r table.Reader) (record.Conversation, bool, error) { return r.Conversation(id) })
}

// Entry returns an entry, and whether there is one with this id.
func (s *Session) Entry(ctx context.Context, id record.EntryID) (record.Entry, bool, error) {
	return stored(ctx, s, func(r table.Reader) (record.Entry, bool, error) {
		entry, _, found, err := r.Entry(id)
		return entry, found, err
	})
}

// Task returns a task, and whether there is one with this id.
func (s *Session) Task(ctx context.Context, id record.TaskID) (record.Task, bool, error) {
	return stored(ctx, s, func(r table.Reader) (record.Task, bool, error) { return r.Task(id) })
}

func storedScan[T any](ctx context.Context, s *Session, over func(table.Reader) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		stopped := false
		err := s.view(ctx, func(r table.Reader) error {
			for value, err := range over(r) {
				if err != nil {
					return err
				}
				if err := context.Cause(ctx); err != nil {
					return err
				}
				if stopped = !yield(value, nil); stopped {
					return nil
				}
			}
			return nil
		})
		if err != nil && !stopped {
			var none T
			yield(none, err)
		}
	}
}

// Conversations yields conversations as of one moment; a failure ends it.
func (s *Session) Conversations(ctx context.Context, q ConversationQuery) iter.Seq2[record.Conversation, error] {
	return storedScan(ctx, s, func(r table.Reader) iter.Seq2[record.Conversation, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// Entries yields the entries that are visible in a conversation as of one moment; a
// failure ends it.
func (s *Session) Entries(ctx context.Context, q EntryQuery) iter.Seq2[record.Entry, error] {
	return storedScan(ctx, s, func(r table.Reader) iter.Seq2[record.Entry, error] {
		return q.scan(r, q.Order.bounds(Descending))
	})
}

// Tasks yields tasks as of one moment; a failure ends it.
func (s *Session) Tasks(ctx context.Context, q TaskQuery) iter.Seq2[record.Task, error] {
	return storedScan(ctx, s, func(r table.Reader) iter.Seq2[record.Task, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// Submissions yields submissions as of one moment; a failure ends it.
func (s *Session) Submissions(ctx context.Context, q SubmissionQuery) iter.Seq2[record.Submission, error] {
	return storedScan(ctx, s, func(r table.Reader) iter.Seq2[record.Submission, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// ConversationPage returns at most limit conversations from a cursor on, nil for the
// beginning.
func (s *Session) ConversationPage(ctx context.Context, q ConversationQuery, limit int, from *Cursor) (Page[record.Conversation], error) {
	return storedPage(ctx, s, limit, from, q.Order, Ascending, conversationNumber, q.scan)
}

// EntryPage returns at most limit entries from a cursor on, nil for the beginning.
func (s *Session) EntryPage(ctx context.Context, q EntryQuery, limit int, from *Cursor) (Page[record.Entry], error) {
	return storedPage(ctx, s, limit, from, q.Order, Descending, entryNumber, q.scan)
}

// TaskPage returns at most limit tasks from a cursor on, nil for the beginning.
func (s *Session) TaskPage(ctx context.Context, q TaskQuery, limit int, from *Cursor) (Page[record.Task], error) {
	return storedPage(ctx, s, limit, from, q.Order, Ascending, taskNumber, q.scan)
}

// SubmissionPage returns at most limit submissions from a cursor on, nil for the
// beginning.
func (s *Session) SubmissionPage(ctx context.Context, q SubmissionQuery, limit int, from *Cursor) (Page[record.Submission], error) {
	return storedPage(ctx, s, limit, from, q.Order, Ascending, submissionNumber, q.scan)
}

func storedPage[T any](ctx context.Context, s *Session, limit int, from *Cursor, order, usual Order, id func(T) int64, over func(table.Reader, table.IDs) iter.Seq2[T, error]) (found Page[T], err error) {
	err = s.view(ctx, func(r table.Reader) error {
		found, err = page(limit, from, order, usual, id, func(ids table.IDs) iter.Seq2[T, error] { return over(r, ids) })
		return err
	})
	return found, err
}
