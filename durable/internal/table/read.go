package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"
	"strconv"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Source is what tables are read from: a snapshot of a storage, or something over
// one.
type Source interface {
	Get(key []byte) (value []byte, found bool, err error)
	Scan(over storage.Range) iter.Seq2[storage.Pair, error]
}

// Reader reads tables. It is as safe for concurrent use as its source. What it
// returns is the caller's.
type Reader struct{ Source Source }

// CorruptError is something in a storage that no session wrote.
type CorruptError struct {
	// What names the row, like "entry 12".
	What   string
	Reason error
}

func (e *CorruptError) Error() string {
	return fmt.Sprintf("the database is damaged: %s: %s; restore a backup", e.What, e.Reason)
}

// Unwrap returns the reason.
func (e *CorruptError) Unwrap() error { return e.Reason }

// Meta is how far a session has got.
type Meta struct {
	// Format is the version of the layout of the tables.
	Format int `json:"format"`
	// Seq is the last commit, and ID the last id that was given out.
	Seq record.Seq `json:"seq"`
	ID  int64      `json:"id"`
}

func (m Meta) appendJSON(to []byte) []byte {
	to = strconv.AppendInt(append(to, `{"format":`...), int64(m.Format), 10)
	to = strconv.AppendInt(append(to, `,"seq":`...), int64(m.Seq), 10)
	to = strconv.AppendInt(append(to, `,"id":`...), m.ID, 10)
	return append(to, '}')
}

// Meta returns the zero Meta for a storage that no session has written to.
func (r Reader) Meta() (meta Meta, err error) {
	_, err = r.row(&meta, "meta", key{tagMeta})
	return meta, err
}

// row reads JSON.
func (r Reader) row(into any, what string, k key) (bool, error) {
	text, found, err := r.Source.Get(k)
	if err != nil || !found {
		return false, err
	}
	if err := json.Unmarshal(text, into); err != nil {
		return false, &CorruptError{what, err}
	}
	return true, nil
}

// Conversation returns a conversation, and whether it is there.
func (r Reader) Conversation(id record.ConversationID) (c record.Conversation, found bool, err error) {
	found, err = r.row(&c, fmt.Sprintf("conversation %d", id), tagged(tagConversation, id))
	return c, found, err
}

// Entry returns an entry with the commit that appended it, and whether it is there.
func (r Reader) Entry(id record.EntryID) (record.Entry, record.Seq, bool, error) {
	place, found, err := r.Source.Get(tagged(tagEntryPlace, id))
	if err != nil || !found {
		return record.Entry{}, 0, false, err
	}
	conversation := record.ConversationID(lastNumber(place))
	text, found, err := r.Source.Get(tagged(tagEntry, int64(conversation), int64(id)))
	if err != nil {
		return record.Entry{}, 0, false, err
	}
	if !found {
		return record.Entry{}, 0, false, &CorruptError{fmt.Sprintf("entry %d", id), fmt.Errorf("it is not in conversation %d", conversation)}
	}
	entry, seq, err := decodeEntry(id, text)
	return entry, seq, err == nil, err
}

func decodeEntry(id record.EntryID, text []byte) (entry record.Entry, seq record.Seq, err error) {
	if len(text) < seqSize {
		return entry, 0, &CorruptError{fmt.Sprintf("entry %d", id), fmt.Errorf("%d bytes", len(text))}
	}
	if err := entry.UnmarshalJSON(text[seqSize:]); err != nil {
		return entry, 0, &CorruptError{fmt.Sprintf("entry %d", id), err}
	}
	return entry, record.Seq(binary.BigEndian.Uint64(text)), nil
}

// Task returns a task, and whether it is there.
func (r Reader) Task(id record.TaskID) (t record.Task, found bool, err error) {
	found, err = r.row(&t, fmt.Sprintf("task %d", id), tagged(tagTask, id))
	return t, found, err
}

// Submission returns a submission, and whether it is there.
func (r Reader) Submission(id record.SubmissionID) (s record.Submission, found bool, err error) {
	found, err = r.row(&s, fmt.Sprintf("submission %d", id), tagged(tagSubmission, id))
	return s, found, err
}

// SubmissionByRequest returns the submission that has a request's name, and whether
// there is one.
func (r Reader) SubmissionByRequest(conversation record.ConversationID, request string) (record.Submission, bool, error) {
	place, found, err := r.Source.Get(tagged(tagRequest, conversation).text(request))
	if err != nil || !found {
		return record.Submission{}, false, err
	}
	return r.Submission(record.SubmissionID(lastNumber(place)))
}
