package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Format is the version of the layout of the tables.
const Format = 1

// Writer turns the changes of one commit into writes. The zero value is a commit
// without changes. A record is put at most once.
type Writer struct {
	writes []storage.Write
	err    error
}

// Writes ends the commit: it returns its writes, with meta among them, or the first
// record that has no JSON form.
func (w *Writer) Writes(meta Meta) ([]storage.Write, error) {
	meta.Format = Format
	w.set(key{tagMeta}, meta.appendJSON(nil))
	return w.writes, w.err
}

func (w *Writer) set(k key, value []byte) {
	if value == nil {
		value = []byte{}
	}
	w.writes = append(w.writes, storage.Write{Key: k, Value: value})
}

func (w *Writer) index(k key) { w.set(k, nil) }

func (w *Writer) remove(k key) { w.writes = append(w.writes, storage.Write{Key: k}) }

func (w *Writer) row(k key, row any) {
	text, err := json.Marshal(row)
	if err != nil && w.err == nil {
		w.err = fmt.Errorf("a record cannot be stored: %w", err)
	}
	w.set(k, text)
}

// Conversation puts a new conversation.
func (w *Writer) Conversation(c record.Conversation) {
	w.row(tagged(tagConversation, c.ID), c)
	if c.Owner != nil {
		w.index(tagged(tagOwnedByTask, int64(c.Owner.Task), int64(c.ID)))
		w.index(tagged(tagOwnedWithin, c.Owner.Conversation, c.ID))
	}
}

// EntryRow is what is stored of an entry, but for the number of the commit.
type EntryRow struct{ bytes []byte }

// seqSize is how many bytes the number of the commit has, with which the row begins.
const seqSize = 8

// NewEntryRow returns the row of an entry, and the entry as it is read from it, which
// shares nothing with what was given. Its data is a part of the row, and must not be
// changed before that is stored.
func NewEntryRow(e record.Entry) (EntryRow, record.Entry, error) {
	const others = 128 // about what the members have that are short
	row, frozen, err := e.Freeze(make([]byte, seqSize, seqSize+others+len(e.Data)))
	return EntryRow{row}, frozen, err
}

// JSON returns the entry's JSON, which is a part of the row.
func (r EntryRow) JSON() []byte { return r.bytes[seqSize:] }

// Entry puts a new entry with its row, of the commit with a number.
func (w *Writer) Entry(e record.Entry, row EntryRow, seq record.Seq) {
	binary.BigEndian.PutUint64(row.bytes, uint64(seq))
	w.set(tagged(tagEntry, int64(e.Conversation), int64(e.ID)), row.bytes)
	w.set(tagged(tagEntryPlace, e.ID), binary.BigEndian.AppendUint64(nil, uint64(e.Conversation)))
	if e.Head != 0 {
		w.index(tagged(tagHead, int64(e.Conversation), int64(e.ID)))
	}
}

// Task puts a task; fresh says that it is new.
func (w *Writer) Task(t record.Task, fresh bool) {
	w.row(tagged(tagTask, t.ID), t)
	if fresh {
		w.index(tagged(tagTaskWithin, int64(t.Conversation), int64(t.ID)))
	}
	live := tagged(tagTaskLive, t.ID)
	switch {
	case !t.State.Status.Live() && !fresh:
		w.remove(live)
	case t.State.Status.Live() && fresh:
		w.index(live)
	}
}

// Submission puts a submission; fresh says that it is new.
func (w *Writer) Submission(s record.Submission, fresh bool) {
	w.row(tagged(tagSubmission, s.ID), s)
	if fresh {
		w.index(tagged(tagSubmissionOf, int64(s.Conversation), int64(s.ID)))
		if s.Request != "" {
			w.set(tagged(tagRequest, s.Conversation).text(s.Request), binary.BigEndian.AppendUint64(nil, uint64(s.ID)))
		}
	}
	open := tagged(tagSubmissionOpen, s.ID)
	switch {
	case s.Status.Settled() && !fresh:
		w.remove(open)
	case !s.Status.Settled() && fresh:
		w.index(open)
	}
}
