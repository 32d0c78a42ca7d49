package durable

import (
	"context"
	"errors"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// ConversationOptions say how a new conversation begins. The zero value leaves it as
// it is made.
type ConversationOptions struct {
	// Agent changes what is chosen for it, which is empty or a copy before that.
	Agent AgentChange
	// Init changes anything in the commit that makes the conversation, after all else.
	// Its error refuses the commit. Tables cannot be read any more there.
	Init func(ctx context.Context, tx *Tx, id record.ConversationID) error
}

// begin applies the options to a conversation that the transaction has just made.
func (o ConversationOptions) begin(ctx context.Context, tx *Tx, id record.ConversationID) error {
	if o.Agent != (AgentChange{}) {
		if err := Configure(tx, id, o.Agent); err != nil {
			return err
		}
	}
	if o.Init == nil {
		return nil
	}
	return o.Init(ctx, tx, id)
}

// Root returns the conversation with the id [record.Root], which is nobody's. The first
// call makes it; the options count for that one only.
func (s *Session) Root(ctx context.Context, options ConversationOptions) (*Conversation, error) {
	root, err := s.Conversation(ctx, record.Root)
	if _, none := errors.AsType[*NotFoundError](err); !none {
		return root, err
	}
	return s.newConversation(ctx, options, (*Tx).root)
}

// root makes the conversation with the id [record.Root]; id is 0 when it is there
// already.
func (tx *Tx) root() (id record.ConversationID, err error) {
	root := record.Conversation{ID: record.Root}
	there := false
	err = tx.write(func(r table.Reader) error {
		if _, there, err = r.Conversation(record.Root); err == nil && !there {
			tx.staged.conversations = append(tx.staged.conversations, root)
		}
		return err
	})
	if err != nil || there {
		return 0, err
	}
	return root.ID, tx.session.created(tx, root)
}

// CreateConversation makes a conversation and all that belongs to it in one commit.
func (s *Session) CreateConversation(ctx context.Context, ownership Ownership, options ConversationOptions) (*Conversation, error) {
	return s.newConversation(ctx, options, func(tx *Tx) (record.ConversationID, error) {
		created, err := tx.CreateConversation(ownership)
		return created.ID, err
	})
}

// Fork makes a conversation that has what is visible in this one up to an entry, and
// all that belongs to it, in one commit; see [Tx.ForkConversation].
func (c *Conversation) Fork(ctx context.Context, at record.EntryID, ownership Ownership, options ConversationOptions) (*Conversation, error) {
	return c.session.newConversation(ctx, options, func(tx *Tx) (record.ConversationID, error) {
		created, err := tx.ForkConversation(c.id, at, ownership)
		return created.ID, err
	})
}

// newConversation makes a conversation, unless create returns that it is there.
func (s *Session) newConversation(ctx context.Context, options ConversationOptions, create func(*Tx) (record.ConversationID, error)) (*Conversation, error) {
	made := &Conversation{session: s, id: record.Root}
	err := s.commit(ctx, scope{}, func(ctx context.Context, tx *Tx) error {
		id, err := create(tx)
		if err != nil || id == 0 {
			return err
		}
		made.id = id
		return options.begin(ctx, tx, id)
	})
	if err != nil {
		return nil, err
	}
	return made, nil
}
