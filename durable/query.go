package durable

import (
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Order is the direction of a scan, by id. The zero value is the scan's own.
type Order string

// The orders of a scan.
const (
	Ascending  Order = "ascending"  // oldest first
	Descending Order = "descending" // newest first
)

// ConversationQuery asks for conversations, oldest first. The zero value asks for all.
type ConversationQuery struct {
	// OwnerTask and OwnerConversation ask for those that a task owns, and for those
	// whose owner is in a conversation.
	OwnerTask         record.TaskID
	OwnerConversation record.ConversationID
	Order             Order
}

// EntryQuery asks for the entries that are visible in a conversation, newest first.
type EntryQuery struct {
	Conversation record.ConversationID
	// Min and Max are the first and last id, both inclusive; 0 for no bound.
	Min, Max record.EntryID
	Order    Order
}

// TaskQuery asks for tasks, oldest first. The zero value asks for all.
type TaskQuery struct {
	Conversation record.ConversationID
	Kind         string
	Status       record.Status
	// Live leaves out those that have ended.
	Live bool
	// AbortRequested and Background ask for a value, when they are not nil.
	AbortRequested, Background *bool
	Order                      Order
}

// SubmissionQuery asks for submissions, oldest first. The zero value asks for all.
type SubmissionQuery struct {
	Conversation record.ConversationID
	Status       record.SubmissionStatus
	Order        Order
}

func (q ConversationQuery) scan(r table.Reader, from table.IDs) iter.Seq2[record.Conversation, error] {
	return r.Conversations(q.OwnerTask, q.OwnerConversation, from)
}

func (q EntryQuery) scan(r table.Reader, from table.IDs) iter.Seq2[record.Entry, error] {
	from.Min = max(from.Min, int64(q.Min))
	if q.Max != 0 && (from.Max == 0 || int64(q.Max) < from.Max) {
		from.Max = int64(q.Max)
	}
	return r.Entries(q.Conversation, from)
}

func (q TaskQuery) scan(r table.Reader, from table.IDs) iter.Seq2[record.Task, error] {
	live := q.Live || q.Status != "" && q.Status.Live()
	return where(r.Tasks(q.Conversation, live, from), func(t record.Task) bool {
		return (q.Kind == "" || t.Kind == q.Kind) &&
			(q.Status == "" || t.State.Status == q.Status) &&
			(!q.Live || t.State.Status.Live()) &&
			(q.AbortRequested == nil || t.AbortRequested == *q.AbortRequested) &&
			(q.Background == nil || t.Background == *q.Background)
	})
}

func (q SubmissionQuery) scan(r table.Reader, from table.IDs) iter.Seq2[record.Submission, error] {
	open := q.Status != "" && !q.Status.Settled()
	return where(r.Submissions(q.Conversation, open, from), func(s record.Submission) bool {
		return q.Status == "" || s.Status == q.Status
	})
}

// where yields what is wanted of a scan, and its error.
func where[T any](scan iter.Seq2[T, error], wanted func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for value, err := range scan {
			if (err != nil || wanted(value)) && !yield(value, err) {
				return
			}
		}
	}
}

// Cursor says where a page of a scan ended. Its JSON form means nothing to anybody
// but the same scan.
type Cursor struct {
	After int64 `json:"after"`
	Order Order `json:"order"`
}

// Page is a part of a scan.
type Page[T any] struct {
	Items []T
	// Next continues the scan; nil when it has ended.
	Next *Cursor
}

// page cuts a page out of a scan. order is what the query asks for, usual the scan's
// own.
func page[T any](limit int, cursor *Cursor, order, usual Order, id func(T) int64, scan func(table.IDs) iter.Seq2[T, error]) (Page[T], error) {
	if limit < 1 {
		return Page[T]{}, invalid("a page", "its limit is %d, and must be at least 1", limit)
	}
	if order == "" {
		order = usual
	}
	var from table.IDs
	if cursor != nil {
		if order != usual && order != cursor.Order {
			return Page[T]{}, invalid("a page", "its cursor is of a scan that is %s, not %s", cursor.Order, order)
		}
		order = cursor.Order
		if order == Descending {
			from.Max = cursor.After - 1
		} else {
			from.Min = cursor.After + 1
		}
		if from.Max == 0 && from.Min == 0 {
			return Page[T]{}, nil
		}
	}
	from.Descending = order == Descending
	var found Page[T]
	for value, err := range scan(from) {
		if err != nil {
			return Page[T]{}, err
		}
		if len(found.Items) == limit {
			found.Next = &Cursor{After: id(found.Items[limit-1]), Order: order}
			break
		}
		found.Items = append(found.Items, value)
	}
	return found, nil
}

// bounds returns the bounds of a scan from its beginning.
func (o Order) bounds(usual Order) table.IDs {
	if o == "" {
		o = usual
	}
	return table.IDs{Descending: o == Descending}
}

func conversationNumber(c record.Conversation) int64 { return int64(c.ID) }
func entryNumber(e record.Entry) int64               { return int64(e.ID) }
func taskNumber(t record.Task) int64                 { return int64(t.ID) }
func submissionNumber(s record.Submission) int64     { return int64(s.ID) }
