package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Conversation is a way to one conversation of an open session. It holds nothing of
// it: any two of one id do the same. It is safe for concurrent use.
type Conversation struct {
	session *Session
	id      record.ConversationID
}

// Conversation returns the conversation with an id, or a [*NotFoundError].
func (s *Session) Conversation(ctx context.Context, id record.ConversationID) (*Conversation, error) {
	_, found, err := s.ConversationRecord(ctx, id)
	if err == nil && !found {
		err = &NotFoundError{What: "conversation", ID: int64(id)}
	}
	if err != nil {
		return nil, err
	}
	return &Conversation{s, id}, nil
}

// ID returns the conversation's id.
func (c *Conversation) ID() record.ConversationID { return c.id }

// Commit is [Session.Commit] for a change in this conversation: new tasks that name no
// conversation belong to it.
func (c *Conversation) Commit(ctx context.Context, change func(ctx context.Context, tx *Tx) error) error {
	return c.session.commit(ctx, scope{conversation: c.id}, change)
}

// Agent returns what is chosen for the conversation.
func (c *Conversation) Agent(ctx context.Context) (AgentState, error) {
	agent, _, err := AgentDocument.Read(ctx, c.session, InConversation(c.id))
	return agent, err
}

// Configure is [Configure] in a commit of its own.
func (c *Conversation) Configure(ctx context.Context, change AgentChange) error {
	return c.Commit(ctx, func(_ context.Context, tx *Tx) error { return Configure(tx, c.id, change) })
}

// Entries yields the conversation's entries, as [Session.Entries] does. The query's
// conversation is this one, whatever it says.
func (c *Conversation) Entries(ctx context.Context, q EntryQuery) iter.Seq2[record.Entry, error] {
	q.Conversation = c.id
	return c.session.Entries(ctx, q)
}

// EntryPage returns a page of the conversation's entries, as [Session.EntryPage]
// does. The query's conversation is this one, whatever it says.
func (c *Conversation) EntryPage(ctx context.Context, q EntryQuery, limit int, from *Cursor) (Page[record.Entry], error) {
	q.Conversation = c.id
	return c.session.EntryPage(ctx, q, limit, from)
}

// Abort aborts what goes on in the conversation, and withdraws the inputs that wait
// there: all that is reached without crossing background tasks or, with background,
// whatever is below the conversation now. Writes that wait stay. It asks for progress
// and returns when all of that has ended and the conversation is idle. The errors are
// those of [Session.WaitForTask].
func (c *Conversation) Abort(ctx context.Context, background bool) error {
	return c.session.abortIn(ctx, c.id, background)
}

// WaitForIdle asks for progress and waits until no task is live below the
// conversation but background ones, and what is below them. The errors are those of
// [Session.WaitForTask].
func (c *Conversation) WaitForIdle(ctx context.Context) error { return c.session.idleIn(ctx, c.id) }

// Reset has the context begin anew, with a user's turn that says handoff, or with
// nothing when handoff is "". It is a write like any other: while the conversation is
// busy it waits in the inbox, and Reset returns once it is stored there.
func (c *Conversation) Reset(ctx context.Context, handoff string) error {
	entry := EntryDraft{Kind: ResetEntry, Self: true}
	if handoff != "" {
		entry.Model = message.Messages{message.UserText(handoff, c.session.milliseconds())}
	}
	_, err := c.Submit(ctx, Write{Entry: entry})
	return err
}
