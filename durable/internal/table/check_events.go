package table

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

func (c *checker) event(id record.EventID, row []byte) {
	where := fmt.Sprintf("event %d", id)
	c.id(where, int64(id))
	var at record.Event
	if !c.decoded(where, row, &at) {
		return
	}
	switch {
	case at.ID != id:
		c.wrong(where, "its row says %d", at.ID)
	case at.Type == "":
		c.wrong(where, "it has no type")
	case at.Conversation != 0 && !c.hasConversation(at.Conversation):
		c.wrong(where, "its conversation %d is not there", at.Conversation)
	}
	c.needs(where, "its type", eventOf(at.Type).number(int64(id)), 0)
	if at.Conversation == 0 {
		return
	}
	name, found, err := c.r.Source.Get(tagged(tagEventAbout, int64(at.Conversation), int64(id)))
	switch {
	case c.failed(err):
	case !found:
		c.wrong(where, "it is not in the index of its conversation")
	case string(name) != at.Type:
		c.wrong(where, "the index of its conversation says that its type is %q", name)
	}
}

func (c *checker) eventOf(name string, id record.EventID) {
	var at record.Event
	if !c.row(tagged(tagEvent, id), &at) || at.Type != name {
		c.wrong(fmt.Sprintf("event %d in the index of type %q", id, name), "there is no such event")
	}
}

func (c *checker) eventAbout(conversation record.ConversationID, id record.EventID) {
	var at record.Event
	if !c.row(tagged(tagEvent, id), &at) || at.Conversation != conversation {
		c.wrong(fmt.Sprintf("event %d in the index of conversation %d", id, conversation), "there is no such event")
	}
}

func (c *checker) consumer(owner, name string, row []byte) {
	where := fmt.Sprintf("consumer %q of %q", name, owner)
	var at record.Consumer
	if !c.decoded(where, row, &at) {
		return
	}
	switch {
	case at.Owner != owner || at.Name != name:
		c.wrong(where, "its row says %q of %q", at.Name, at.Owner)
	case at.After < 0 || int64(at.After) > c.meta.ID:
		c.wrong(where, "it is behind event %d, and the last id given out was %d", at.After, c.meta.ID)
	case at.Failures < 0:
		c.wrong(where, "it has failed %d times", at.Failures)
	}
}
