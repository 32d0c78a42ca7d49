package table

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

func (c *checker) conversation(id record.ConversationID, row []byte) {
	where := fmt.Sprintf("conversation %d", id)
	c.id(where, int64(id))
	var at record.Conversation
	if !c.decoded(where, row, &at) {
		return
	}
	if at.ID != id {
		c.wrong(where, "its row says %d", at.ID)
	}
	if parent := at.Parent; parent != nil {
		switch {
		case parent.Conversation >= id || int64(parent.At) >= int64(id):
			c.wrong(where, "it is older than what it forks: entry %d of conversation %d", parent.At, parent.Conversation)
		case !c.sees(parent.Conversation, parent.At):
			c.wrong(where, "it forks conversation %d at entry %d, which is not visible there", parent.Conversation, parent.At)
		}
	}
	if at.Owner == nil {
		return
	}
	var owner record.Task
	switch {
	case !c.row(tagged(tagTask, at.Owner.Task), &owner):
		c.wrong(where, "its owner, task %d, is not there", at.Owner.Task)
	case owner.Conversation != at.Owner.Conversation:
		c.wrong(where, "its owner, task %d, is in conversation %d, not %d", owner.ID, owner.Conversation, at.Owner.Conversation)
	}
	c.needs(where, "what tasks own", tagged(tagOwnedByTask, int64(at.Owner.Task), int64(id)), 0)
	c.needs(where, "what is owned from a conversation", tagged(tagOwnedWithin, at.Owner.Conversation, id), 0)
}

func (c *checker) ownedByTask(task record.TaskID, id record.ConversationID) {
	var at record.Conversation
	if !c.row(tagged(tagConversation, id), &at) || at.Owner == nil || at.Owner.Task != task {
		c.wrong(fmt.Sprintf("conversation %d in the index of what task %d owns", id, task), "it is not")
	}
}

func (c *checker) ownedWithin(within, id record.ConversationID) {
	var at record.Conversation
	if !c.row(tagged(tagConversation, id), &at) || at.Owner == nil || at.Owner.Conversation != within {
		c.wrong(fmt.Sprintf("conversation %d in the index of what is owned from conversation %d", id, within), "it is not")
	}
}

func (c *checker) entry(conversation record.ConversationID, id record.EntryID, row []byte) {
	where := fmt.Sprintf("entry %d", id)
	c.id(where, int64(id))
	at, seq, err := decodeEntry(id, row)
	if err != nil {
		c.wrong(where, "it cannot be read: %s", err)
		return
	}
	switch {
	case at.ID != id || at.Conversation != conversation:
		c.wrong(where, "its row says entry %d of conversation %d", at.ID, at.Conversation)
	case !c.hasConversation(conversation):
		c.wrong(where, "its conversation %d is not there", conversation)
	case seq < 1 || seq > c.meta.Seq:
		c.wrong(where, "it is of commit %d, and the last one was %d", seq, c.meta.Seq)
	case at.Kind == "":
		c.wrong(where, "it has no kind")
	}
	c.needs(where, "places of entries", tagged(tagEntryPlace, id), int64(conversation))
	if at.Task != 0 && !c.row(tagged(tagTask, at.Task), new(record.Task)) {
		c.wrong(where, "the task %d that appended it is not there", at.Task)
	}
	heads := tagged(tagHead, int64(conversation), int64(id))
	if at.Head == 0 {
		c.lacks(where, "heads", heads)
		return
	}
	c.needs(where, "heads", heads, 0)
	if at.Head > id || !c.sees(conversation, at.Head) {
		c.wrong(where, "its head %d is not visible", at.Head)
	}
}

func (c *checker) entryPlace(id record.EntryID, row []byte) {
	where := fmt.Sprintf("entry %d in the index of places of entries", id)
	if len(row) != 8 {
		c.wrong(where, "it has %d bytes, not 8", len(row))
		return
	}
	if _, found, err := c.r.Source.Get(tagged(tagEntry, lastNumber(row), int64(id))); !c.failed(err) && !found {
		c.wrong(where, "it is not in conversation %d", lastNumber(row))
	}
}

func (c *checker) head(conversation record.ConversationID, id record.EntryID) {
	text, found, err := c.r.Source.Get(tagged(tagEntry, int64(conversation), int64(id)))
	if c.failed(err) {
		return
	}
	where := fmt.Sprintf("entry %d in the index of heads of conversation %d", id, conversation)
	if !found {
		c.wrong(where, "it is not there")
		return
	}
	if at, _, err := decodeEntry(id, text); err == nil && at.Head == 0 {
		c.wrong(where, "it has no head")
	}
}
