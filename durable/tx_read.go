package durable

import (
	"cmp"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// row reads one row of a table.
func row[T any](tx *Tx, operation string, read func(table.Reader) (T, bool, error)) (found T, there bool, err error) {
	err = tx.read(operation, func(r table.Reader) error {
		found, there, err = read(r)
		return err
	})
	return found, there, err
}

// Conversation returns a conversation, and whether there is one with this id.
func (tx *Tx) Conversation(id record.ConversationID) (record.Conversation, bool, error) {
	return row(tx, "Conversation", func(r table.Reader) (record.Conversation, bool, error) { return r.Conversation(id) })
}

// Entry returns an entry, and whether there is one with this id.
func (tx *Tx) Entry(id record.EntryID) (record.Entry, bool, error) {
	return row(tx, "Entry", func(r table.Reader) (record.Entry, bool, error) {
		entry, _, found, err := r.Entry(id)
		return entry, found, err
	})
}

// Task returns a task, and whether there is one with this id.
func (tx *Tx) Task(id record.TaskID) (record.Task, bool, error) {
	return row(tx, "Task", func(r table.Reader) (record.Task, bool, error) { return r.Task(id) })
}

// Submission returns a submission, and whether there is one with this id.
func (tx *Tx) Submission(id record.SubmissionID) (record.Submission, bool, error) {
	return row(tx, "Submission", func(r table.Reader) (record.Submission, bool, error) { return r.Submission(id) })
}

// SubmissionByRequest returns the submission to a conversation that has a request's
// name, and whether there is one.
func (tx *Tx) SubmissionByRequest(conversation record.ConversationID, request string) (record.Submission, bool, error) {
	return row(tx, "SubmissionByRequest", func(r table.Reader) (record.Submission, bool, error) {
		return r.SubmissionByRequest(conversation, request)
	})
}

// LatestHead returns the newest entry with a head that is visible in a conversation,
// and whether there is one.
func (tx *Tx) LatestHead(conversation record.ConversationID) (record.Entry, bool, error) {
	return row(tx, "LatestHead", func(r table.Reader) (record.Entry, bool, error) { return r.LatestHead(conversation, 0) })
}

// scan yields rows of a table. The loop may use the transaction; what it writes is
// not seen by the scan. One that the end of the transaction has cut off says why that
// ended.
func scan[T any](tx *Tx, operation string, over func(table.Reader) iter.Seq2[T, error]) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var found iter.Seq2[T, error]
		err := tx.read(operation, func(r table.Reader) error {
			found = over(r)
			return nil
		})
		if err != nil {
			var none T
			yield(none, err)
			return
		}
		found(func(row T, err error) bool {
			if err != nil {
				err = cmp.Or(tx.reason(), err)
			}
			return yield(row, err)
		})
	}
}

// Conversations yields conversations; a failure ends it.
func (tx *Tx) Conversations(q ConversationQuery) iter.Seq2[record.Conversation, error] {
	return scan(tx, "Conversations", func(r table.Reader) iter.Seq2[record.Conversation, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// Entries yields the entries that are visible in a conversation; a failure ends it.
func (tx *Tx) Entries(q EntryQuery) iter.Seq2[record.Entry, error] {
	return scan(tx, "Entries", func(r table.Reader) iter.Seq2[record.Entry, error] {
		return q.scan(r, q.Order.bounds(Descending))
	})
}

// Tasks yields tasks; a failure ends it.
func (tx *Tx) Tasks(q TaskQuery) iter.Seq2[record.Task, error] {
	return scan(tx, "Tasks", func(r table.Reader) iter.Seq2[record.Task, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// Submissions yields submissions; a failure ends it.
func (tx *Tx) Submissions(q SubmissionQuery) iter.Seq2[record.Submission, error] {
	return scan(tx, "Submissions", func(r table.Reader) iter.Seq2[record.Submission, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// ConversationPage returns at most limit conversations from a cursor on, nil for the
// beginning.
func (tx *Tx) ConversationPage(q ConversationQuery, limit int, from *Cursor) (Page[record.Conversation], error) {
	return txPage(tx, "ConversationPage", limit, from, q.Order, Ascending, conversationNumber, q.scan)
}

// EntryPage returns at most limit entries from a cursor on, nil for the beginning.
func (tx *Tx) EntryPage(q EntryQuery, limit int, from *Cursor) (Page[record.Entry], error) {
	return txPage(tx, "EntryPage", limit, from, q.Order, Descending, entryNumber, q.scan)
}

// TaskPage returns at most limit tasks from a cursor on, nil for the beginning.
func (tx *Tx) TaskPage(q TaskQuery, limit int, from *Cursor) (Page[record.Task], error) {
	return txPage(tx, "TaskPage", limit, from, q.Order, Ascending, taskNumber, q.scan)
}

func txPage[T any](tx *Tx, operation string, limit int, from *Cursor, order, usual Order, id func(T) int64, over func(table.Reader, table.IDs) iter.Seq2[T, error]) (found Page[T], err error) {
	err = tx.read(operation, func(r table.Reader) error {
		found, err = page(limit, from, order, usual, id, func(ids table.IDs) iter.Seq2[T, error] { return over(r, ids) })
		return err
	})
	return found, err
}
