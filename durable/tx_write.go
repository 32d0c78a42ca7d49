package durable

import (
	"encoding/json"
	"fmt"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// maxName is the most bytes that a kind, a key of a family or the name of a request
// has: they are part of the keys of the storage.
const maxName = 1000

// checkName refuses names that cannot be stored.
func checkName(what, name string) error {
	switch {
	case len(name) > maxName:
		return invalid(what, "its name has %d bytes, and may have %d", len(name), maxName)
	case !utf8.ValidString(name):
		return invalid(what, "its name %q is not UTF-8", name)
	}
	return nil
}

// EntryDraft is an entry before it is appended.
type EntryDraft struct {
	Kind  string           `json:"kind"`
	Model message.Messages `json:"model,omitempty"`
	// Data is JSON; nil for none.
	Data json.RawMessage `json:"data,omitempty"`
	// Head begins the context at an entry; Self, at this one. At most one is set.
	Head record.EntryID `json:"head,omitempty"`
	Self bool           `json:"self,omitempty"`
	// Edits change what models are shown for earlier entries.
	Edits []record.Edit `json:"edits,omitempty"`
}

// AppendEntry appends an entry to a conversation. The entry belongs to the task whose
// commit this is, if it is one's.
//
// An unknown conversation, and a head that is not visible in it, is a
// [*NotFoundError]; data that is no JSON in UTF-8, a kind that is empty or long, or an
// edit that is not whole is an [*InvalidError]. Bytes of a message's texts that are not
// UTF-8 become U+FFFD.
func (tx *Tx) AppendEntry(conversation record.ConversationID, draft EntryDraft) (entry record.Entry, err error) {
	err = tx.write(func(r table.Reader) error {
		if err := draft.check(); err != nil {
			return err
		}
		if err := tx.known(r, conversation); err != nil {
			return err
		}
		if draft.Head != 0 {
			if seen, err := tx.sees(r, conversation, draft.Head); err != nil {
				return err
			} else if !seen {
				return &NotFoundError{What: "entry", ID: int64(draft.Head), In: conversation}
			}
		}
		id, err := tx.mint()
		if err != nil {
			return err
		}
		entry = record.Entry{
			ID: record.EntryID(id), Conversation: conversation, Kind: draft.Kind, Model: draft.Model,
			Data: draft.Data, Head: draft.Head, Edits: draft.Edits, Task: tx.bound.task,
		}
		if draft.Self {
			entry.Head = entry.ID
		}
		row, staged, err := table.NewEntryRow(entry)
		if err == nil && deeper(row.JSON(), maxDepth) {
			err = fmt.Errorf("it nests deeper than %d levels", maxDepth)
		}
		if err != nil {
			return invalid("an entry of kind "+draft.Kind, "%s", err)
		}
		entry = staged.Clone()
		tx.staged.entries = append(tx.staged.entries, staged)
		tx.staged.rows = append(tx.staged.rows, row)
		return nil
	})
	if err != nil {
		return record.Entry{}, err
	}
	return entry, nil
}

func (d EntryDraft) check() error {
	what := "an entry of kind " + d.Kind
	switch {
	case d.Kind == "":
		return invalid("an entry", "it has no kind")
	case d.Self && d.Head != 0:
		return invalid(what, "it begins the context at itself and at %d: say one", d.Head)
	}
	if err := checkName("the kind of an entry", d.Kind); err != nil {
		return err
	}
	if err := checkUTF8("the data of "+what, d.Data); err != nil {
		return err
	}
	for _, edit := range d.Edits {
		if edit.Action != record.Omit && edit.Action != record.Replace {
			return invalid(what, "an edit of %d does %q, which is neither %q nor %q", edit.Target, edit.Action, record.Omit, record.Replace)
		}
		if edit.Action == record.Omit && len(edit.Messages) > 0 {
			return invalid(what, "an edit that omits %d has messages", edit.Target)
		}
	}
	return nil
}

// copied returns a value that shares nothing with the caller's.
func copied[T any](from T) (to T, err error) {
	text, err := json.Marshal(from)
	if err == nil {
		err = json.Unmarshal(text, &to)
	}
	return to, err
}

// known returns a [*NotFoundError] unless there is a conversation with this id, or
// the transaction makes it. The caller holds mu.
func (tx *Tx) known(r table.Reader, id record.ConversationID) error {
	_, err := tx.conversation(r, id)
	return err
}

// conversation returns a conversation that is stored or is being made.
func (tx *Tx) conversation(r table.Reader, id record.ConversationID) (record.Conversation, error) {
	for _, c := range tx.staged.conversations {
		if c.ID == id {
			return c, nil
		}
	}
	c, found, err := tx.session.known.read(r, id)
	if err == nil && !found {
		err = &NotFoundError{What: "conversation", ID: int64(id)}
	}
	return c, err
}

// sees says whether an entry is visible in a conversation, as the transaction leaves
// both. The caller holds mu.
func (tx *Tx) sees(r table.Reader, conversation record.ConversationID, id record.EntryID) (bool, error) {
	var in record.ConversationID
	for _, entry := range tx.staged.entries {
		if entry.ID == id {
			in = entry.Conversation
		}
	}
	if in == 0 {
		entry, _, found, err := r.Entry(id)
		if err != nil || !found {
			return false, err
		}
		in = entry.Conversation
	}
	for last := id; ; {
		at, err := tx.conversation(r, conversation)
		if err != nil || conversation == in || at.Parent == nil {
			return conversation == in && id <= last, err
		}
		conversation, last = at.Parent.Conversation, min(last, at.Parent.At)
	}
}

// task returns a task as the transaction leaves it.
func (tx *Tx) task(r table.Reader, id record.TaskID) (record.Task, error) {
	if t, staged := tx.staged.tasks.get(id); staged {
		return t, nil
	}
	t, found, err := r.Task(id)
	if err == nil && !found {
		err = &NotFoundError{What: "task", ID: int64(id)}
	}
	return t, err
}

// Ownership says whose a new conversation or task is. The zero value says nothing
// and is refused.
type Ownership struct {
	kind ownershipKind
	task record.TaskID
}

type ownershipKind int

const (
	unsaid ownershipKind = iota
	ownerless
	ofTask
	ofConversation
)

// Ownerless makes a conversation nobody's.
func Ownerless() Ownership { return Ownership{kind: ownerless} }

// OwnedBy makes a conversation or a task the work of a task: it is aborted with it,
// and the task ends only after it.
func OwnedBy(task record.TaskID) Ownership { return Ownership{kind: ofTask, task: task} }

// OfConversation makes a task its conversation's own.
func OfConversation() Ownership { return Ownership{kind: ofConversation} }

// CreateConversation makes a conversation that is empty.
func (tx *Tx) CreateConversation(ownership Ownership) (created record.Conversation, err error) {
	err = tx.write(func(r table.Reader) error {
		created, err = tx.newConversation(r, ownership, nil)
		return err
	})
	if err == nil {
		err = tx.session.created(tx, created)
	}
	return created, err
}

// newConversation stages a conversation. The caller holds mu.
func (tx *Tx) newConversation(r table.Reader, ownership Ownership, parent *record.ForkPoint) (record.Conversation, error) {
	created := record.Conversation{Parent: parent}
	switch ownership.kind {
	case ownerless:
	case ofTask:
		owner, err := tx.task(r, ownership.task)
		if err != nil {
			return record.Conversation{}, err
		}
		created.Owner = &record.Owner{Conversation: owner.Conversation, Task: owner.ID}
	default:
		return record.Conversation{}, invalid("a new conversation", "its ownership must be Ownerless or OwnedBy a task")
	}
	id, err := tx.mint()
	if err != nil {
		return record.Conversation{}, err
	}
	created.ID = record.ConversationID(id)
	tx.staged.conversations = append(tx.staged.conversations, created)
	if created.Parent != nil { // what is returned shares nothing with what is staged
		parent := *created.Parent
		created.Parent = &parent
	}
	if created.Owner != nil {
		owner := *created.Owner
		created.Owner = &owner
	}
	return created, nil
}
