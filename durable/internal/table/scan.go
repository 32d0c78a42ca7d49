package table

import (
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// IDs bounds a scan by id: from Min to Max, both inclusive, 0 for no bound.
type IDs struct {
	Min, Max   int64
	Descending bool
}

// over returns the range of keys below a prefix that end with an id within bounds.
func (ids IDs) over(prefix key) storage.Range {
	over := storage.Prefix(prefix)
	over.Descending = ids.Descending
	if ids.Min > 0 {
		over.From = prefix[:len(prefix):len(prefix)].number(ids.Min)
	}
	if ids.Max > 0 && ids.Max < record.MaxID {
		over.To = prefix[:len(prefix):len(prefix)].number(ids.Max + 1)
	}
	return over
}

// rows yields the JSON rows of a table.
func rows[T any](r Reader, what string, over storage.Range) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for pair, err := range r.Source.Scan(over) {
			var row T
			if err == nil {
				if err = json.Unmarshal(pair.Value, &row); err != nil {
					err = &CorruptError{fmt.Sprintf("%s %d", what, lastNumber(pair.Key)), err}
				}
			}
			if !yield(row, err) || err != nil {
				return
			}
		}
	}
}

// indexed yields the rows that an index names by the number at the end of its keys.
func indexed[T any](r Reader, what string, over storage.Range, row func(int64) (T, bool, error)) iter.Seq2[T, error] {
	over.KeysOnly = true
	return func(yield func(T, error) bool) {
		for pair, err := range r.Source.Scan(over) {
			var value T
			if err == nil {
				var found bool
				value, found, err = row(lastNumber(pair.Key))
				if err == nil && !found {
					err = &CorruptError{fmt.Sprintf("%s %d", what, lastNumber(pair.Key)), fmt.Errorf("an index names it, and it is not there")}
				}
			}
			if !yield(value, err) || err != nil {
				return
			}
		}
	}
}

// Conversations yields conversations in the order of their ids: all of them, those
// that a task owns, or those whose owner is in a conversation. task and within may
// be 0.
func (r Reader) Conversations(task record.TaskID, within record.ConversationID, ids IDs) iter.Seq2[record.Conversation, error] {
	row := func(id int64) (record.Conversation, bool, error) {
		return r.Conversation(record.ConversationID(id))
	}
	switch {
	case task != 0 && within != 0:
		return filter(indexed(r, "conversation", ids.over(tagged(tagOwnedByTask, task)), row), func(c record.Conversation) bool {
			return c.Owner != nil && c.Owner.Conversation == within
		})
	case task != 0:
		return indexed(r, "conversation", ids.over(tagged(tagOwnedByTask, task)), row)
	case within != 0:
		return indexed(r, "conversation", ids.over(tagged(tagOwnedWithin, within)), row)
	default:
		return rows[record.Conversation](r, "conversation", ids.over(key{tagConversation}))
	}
}

// Tasks yields tasks in the order of their ids: those of a conversation when within
// is not 0, and only those that are live when live.
func (r Reader) Tasks(within record.ConversationID, live bool, ids IDs) iter.Seq2[record.Task, error] {
	row := func(id int64) (record.Task, bool, error) { return r.Task(record.TaskID(id)) }
	switch {
	case live:
		return filter(indexed(r, "task", ids.over(key{tagTaskLive}), row), func(t record.Task) bool {
			return within == 0 || t.Conversation == within
		})
	case within != 0:
		return indexed(r, "task", ids.over(tagged(tagTaskWithin, within)), row)
	default:
		return rows[record.Task](r, "task", ids.over(key{tagTask}))
	}
}

// Submissions yields submissions in the order of their ids: those of a conversation
// when within is not 0, and only those that are not settled when open.
func (r Reader) Submissions(within record.ConversationID, open bool, ids IDs) iter.Seq2[record.Submission, error] {
	row := func(id int64) (record.Submission, bool, error) { return r.Submission(record.SubmissionID(id)) }
	switch {
	case open:
		return filter(indexed(r, "submission", ids.over(key{tagSubmissionOpen}), row), func(s record.Submission) bool {
			return within == 0 || s.Conversation == within
		})
	case within != 0:
		return indexed(r, "submission", ids.over(tagged(tagSubmissionOf, within)), row)
	default:
		return rows[record.Submission](r, "submission", ids.over(key{tagSubmission}))
	}
}

// filter yields what is wanted of a scan, and its error.
func filter[T any](scan iter.Seq2[T, error], wanted func(T) bool) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		for value, err := range scan {
			if err == nil && !wanted(value) {
				continue
			}
			if !yield(value, err) {
				return
			}
		}
	}
}
