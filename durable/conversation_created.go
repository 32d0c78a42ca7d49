package durable

import (
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// created runs what belongs to every new conversation, in the commit that makes it
// (section 2.2 of the pi-durable specification).
func (s *Session) created(tx *Tx, c record.Conversation) error {
	if s.options.Runs != nil {
		if err := tx.builtIns(c); err != nil {
			return err
		}
	}
	if call := s.options.ConversationCreated; call != nil {
		return call(tx.inside, tx, c)
	}
	return nil
}

// builtIns makes the built-in documents of a conversation.
func (tx *Tx) builtIns(c record.Conversation) error {
	in := InConversation(c.ID)
	if _, err := LiveDocument.Edit(tx, in); err != nil {
		return err
	}
	if _, err := InboxDocument.Edit(tx, in); err != nil {
		return err
	}
	if _, err := UsageDocument.Edit(tx, in); err != nil {
		return err
	}
	if _, err := ProviderSession(tx, c.ID); err != nil {
		return err
	}
	return tx.copyAgent(c)
}

// copyAgent makes a conversation's agent: a fork has a copy already, what a task owns
// gets one of that task's conversation, and others are empty.
func (tx *Tx) copyAgent(c record.Conversation) error {
	agent := AgentDocument.Definition
	if c.Parent != nil {
		if copied, err := tx.ReadDocument(agent, InConversation(c.ID), ""); err != nil || copied != nil {
			return err
		}
	}
	var chosen *value.Object
	if c.Parent == nil && c.Owner != nil {
		var err error
		if chosen, err = tx.ReadDocument(agent, InConversation(c.Owner.Conversation), ""); err != nil {
			return err
		}
	}
	draft, err := tx.Draft(agent, InConversation(c.ID), "", nil)
	if err != nil || chosen == nil {
		return err
	}
	return draft.Set(chosen)
}
