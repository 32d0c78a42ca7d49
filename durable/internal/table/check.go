package table

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Violation is something in a database that no session writes.
type Violation struct {
	// Where names the row, like "entry 12", and What says what is wrong with it.
	Where, What string
}

// Check yields what is wrong in a database, in the order of its keys: rows that
// cannot be read or contradict each other, indices that miss a row or name one that is
// not there, and keys of no table. An error of the source ends it. The source is one
// snapshot.
//
// It reads every row once, and what a row refers to once for each reference. It
// remembers one bit for each id, and the submissions that are queued.
func Check(r Reader) iter.Seq2[Violation, error] {
	return func(yield func(Violation, error) bool) {
		c := &checker{r: r, ids: make(map[int64]uint64), queued: make(map[record.ConversationID][]record.SubmissionID), yield: yield}
		c.header()
		for pair, err := range r.Source.Scan(storage.Range{}) {
			if c.failed(err) || c.stopped {
				return
			}
			c.pair(pair)
		}
	}
}

// checker goes through a database once.
type checker struct {
	r    Reader
	meta Meta
	ids  map[int64]uint64 // those seen, one bit each
	// queued are the submissions that wait, of each conversation in their order.
	queued  map[record.ConversationID][]record.SubmissionID
	before  Document // the one of the last key of the histories
	yield   func(Violation, error) bool
	stopped bool
}

// wrong reports a violation.
func (c *checker) wrong(where, what string, values ...any) {
	if !c.stopped {
		c.stopped = !c.yield(Violation{where, fmt.Sprintf(what, values...)}, nil)
	}
}

// failed reports an error that ends the check, and says whether there was one. What
// cannot be decoded is a violation of the row that has it, and no error of those that
// refer to it.
func (c *checker) failed(err error) bool {
	if err != nil && !c.stopped {
		c.yield(Violation{}, err)
		c.stopped = true
	}
	return err != nil
}

func (c *checker) header() {
	text, found, err := c.r.Source.Get(key{tagMeta})
	if c.failed(err) {
		return
	}
	if !found {
		for range c.r.Source.Scan(storage.Range{KeysOnly: true}) {
			c.wrong("meta", "it is not there")
			return
		}
		return
	}
	switch err := json.Unmarshal(text, &c.meta); {
	case err != nil:
		c.wrong("meta", "it cannot be read: %s", err)
	case c.meta.Format != Format:
		c.wrong("meta", "its format is %d, not %d", c.meta.Format, Format)
	case c.meta.Seq < 1 || c.meta.ID < 1 || c.meta.ID > record.MaxID:
		c.wrong("meta", "it says commit %d and id %d", c.meta.Seq, c.meta.ID)
	}
}

// pair checks one key with its value.
func (c *checker) pair(pair storage.Pair) {
	tag, k := pair.Key[0], reading{rest: pair.Key[1:]}
	var check func()
	switch tag {
	case tagRequest:
		conversation, request := record.ConversationID(k.number()), k.text()
		check = func() { c.request(conversation, request, pair.Value) }
	case tagDocumentAt:
		at := k.address()
		check = func() { c.documentAt(at, pair.Value) }
	case tagDocumentHistory:
		at, id := k.address(), record.DocumentID(k.number())
		check = func() { c.documentHistory(at, id) }
	case tagEventOf:
		name, id := k.text(), record.EventID(k.number())
		check = func() { c.eventOf(name, id) }
	case tagConsumer:
		owner, name := k.text(), k.text()
		check = func() { c.consumer(owner, name, pair.Value) }
	default:
		var numbers [2]int64
		n := columns(tag)
		k.bad = n < 0
		for i := range n {
			numbers[i] = k.number()
		}
		check = func() { c.numbered(tag, numbers[0], numbers[1], pair.Value) }
	}
	if k.bad || len(k.rest) > 0 {
		c.wrong(fmt.Sprintf("key %x", pair.Key), "no table has such a key")
		return
	}
	check()
}

// columns returns how many numbers follow a tag; -1 when there is no such table.
func columns(tag byte) int {
	switch tag {
	case tagMeta:
		return 0
	case tagConversation, tagEntryPlace, tagTask, tagTaskLive, tagSubmission, tagSubmissionOpen, tagDocument, tagEvent:
		return 1
	case tagOwnedByTask, tagOwnedWithin, tagEntry, tagHead, tagTaskWithin, tagSubmissionOf, tagContent, tagEventAbout:
		return 2
	}
	return -1
}

// numbered checks a key whose tag is followed by numbers.
func (c *checker) numbered(tag byte, a, b int64, row []byte) {
	switch tag {
	case tagConversation:
		c.conversation(record.ConversationID(a), row)
	case tagOwnedByTask:
		c.ownedByTask(record.TaskID(a), record.ConversationID(b))
	case tagOwnedWithin:
		c.ownedWithin(record.ConversationID(a), record.ConversationID(b))
	case tagEntry:
		c.entry(record.ConversationID(a), record.EntryID(b), row)
	case tagEntryPlace:
		c.entryPlace(record.EntryID(a), row)
	case tagHead:
		c.head(record.ConversationID(a), record.EntryID(b))
	case tagTask:
		c.task(record.TaskID(a), row)
	case tagTaskLive:
		c.taskLive(record.TaskID(a))
	case tagTaskWithin:
		c.taskWithin(record.ConversationID(a), record.TaskID(b))
	case tagSubmission:
		c.submission(record.SubmissionID(a), row)
	case tagSubmissionOpen:
		c.submissionOpen(record.SubmissionID(a))
	case tagSubmissionOf:
		c.submissionOf(record.ConversationID(a), record.SubmissionID(b))
	case tagDocument:
		c.document(record.DocumentID(a), row)
	case tagContent:
		c.content(record.DocumentID(a), record.Seq(b))
	case tagEvent:
		c.event(record.EventID(a), row)
	case tagEventAbout:
		c.eventAbout(record.ConversationID(a), record.EventID(b))
	}
}

// id notes that a row has an id.
func (c *checker) id(where string, id int64) {
	switch {
	case id < 1 || id > c.meta.ID:
		c.wrong(where, "its id was not given out: the last one was %d", c.meta.ID)
	case c.ids[id>>6]&(1<<(id&63)) != 0:
		c.wrong(where, "another record has its id")
	}
	c.ids[id>>6] |= 1 << (id & 63)
}

// decoded reads the JSON of a row and reports when that fails.
func (c *checker) decoded(where string, text []byte, into any) bool {
	err := json.Unmarshal(text, into)
	if err != nil {
		c.wrong(where, "it cannot be read: %s", err)
	}
	return err == nil
}

// needs reports a key that is not there, or does not hold a number.
func (c *checker) needs(where, index string, k key, number int64) {
	text, found, err := c.r.Source.Get(k)
	if c.failed(err) {
		return
	}
	switch {
	case !found:
		c.wrong(where, "it is not in the index of %s", index)
	case number != 0 && !holds(text, number):
		c.wrong(where, "the index of %s names another row", index)
	}
}

// lacks reports a key that is there and should not be.
func (c *checker) lacks(where, index string, k key) {
	if _, found, err := c.r.Source.Get(k); !c.failed(err) && found {
		c.wrong(where, "it is in the index of %s", index)
	}
}

func holds(text []byte, number int64) bool {
	return len(text) == 8 && int64(binary.BigEndian.Uint64(text)) == number
}

// row reads the JSON row that another refers to. One that cannot be read counts as
// not there.
func (c *checker) row(k key, into any) bool {
	text, found, err := c.r.Source.Get(k)
	return !c.failed(err) && found && json.Unmarshal(text, into) == nil
}

func (c *checker) hasConversation(id record.ConversationID) bool {
	return c.row(tagged(tagConversation, id), new(record.Conversation))
}

// sees says whether an entry is visible in a conversation.
func (c *checker) sees(conversation record.ConversationID, id record.EntryID) bool {
	place, found, err := c.r.Source.Get(tagged(tagEntryPlace, id))
	if c.failed(err) || !found || len(place) != 8 {
		return false
	}
	owner := record.ConversationID(lastNumber(place))
	if _, found, err := c.r.Source.Get(tagged(tagEntry, int64(owner), int64(id))); c.failed(err) || !found {
		return false
	}
	last := record.EntryID(record.MaxID)
	for {
		var at record.Conversation
		if !c.row(tagged(tagConversation, conversation), &at) {
			return false
		}
		if conversation == owner {
			return id <= last
		}
		if at.Parent == nil || at.Parent.Conversation >= conversation {
			return false
		}
		conversation, last = at.Parent.Conversation, min(last, at.Parent.At)
	}
}

// reading takes a key apart. It is bad once the key is not what is read from it.
type reading struct {
	rest []byte
	bad  bool
}

func (k *reading) number() int64 {
	if len(k.rest) < 8 {
		k.bad = true
		return 0
	}
	n := int64(binary.BigEndian.Uint64(k.rest))
	k.rest = k.rest[8:]
	return n
}

func (k *reading) byte() byte {
	if len(k.rest) == 0 {
		k.bad = true
		return 0
	}
	b := k.rest[0]
	k.rest = k.rest[1:]
	return b
}

func (k *reading) text() string {
	var text []byte
	for !k.bad {
		b := k.byte()
		if b != 0 {
			text = append(text, b)
			continue
		}
		switch k.byte() {
		case 0x01:
			return string(text)
		case 0xff:
			text = append(text, 0)
		default:
			k.bad = true
		}
	}
	return ""
}

func (k *reading) address() (at record.Address) {
	switch k.byte() {
	case 's':
		at.Scope.Kind = record.SessionScope
	case 'c':
		at.Scope = record.Scope{Kind: record.ConversationScope, Conversation: record.ConversationID(k.number())}
	case 't':
		at.Scope = record.Scope{Kind: record.TaskScope, Task: record.TaskID(k.number())}
	default:
		k.bad = true
	}
	at.Kind = k.text()
	switch k.byte() {
	case 'd':
	case 'f':
		at.Family, at.Key = true, k.text()
	default:
		k.bad = true
	}
	return at
}
