package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model/message"
)

// ContextView is what counts of a conversation for a model (section 2.1 of the
// pi-durable specification). What it holds is shared with other views, and not to be
// changed; its slices can be appended to.
type ContextView struct {
	// Head is the entry that the context begins with; nil when it begins with the
	// conversation.
	Head *record.Entry
	// Entries are Head, if there is one, and then the others in the order of their
	// ids.
	Entries []record.Entry
	// Contributions are what each of Entries contributes, with the edits applied and
	// without responses that failed; nil for nothing.
	Contributions []message.Messages
	// Messages are what a model is shown: the contributions, with results behind their
	// calls and the prompt in front.
	Messages message.Messages
	// Tail is the newest entry that is visible in the conversation, or the one that
	// the context was asked for as of; 0 when there is none.
	Tail record.EntryID
}

// Before returns what a model would be shown of the first n of Entries alone: what a
// summary that takes their place is made of.
func (v ContextView) Before(n int) message.Messages { return transcript.Arrange(v.Contributions[:n]) }

// Context returns the context of a conversation as of an entry, or now when it is 0:
// that with which a fork at the entry begins.
//
// A conversation that is not there, and an entry that is not visible in it, are
// [*NotFoundError]s.
func (s *Session) Context(ctx context.Context, conversation record.ConversationID, at record.EntryID) (found ContextView, err error) {
	err = s.view(ctx, func(r table.Reader) error {
		if _, there, err := r.Conversation(conversation); err != nil || !there {
			if err == nil {
				err = &NotFoundError{What: "conversation", ID: int64(conversation)}
			}
			return err
		}
		if at != 0 {
			if _, _, visible, err := r.Visible(conversation, at); err != nil || !visible {
				if err == nil {
					err = &NotFoundError{What: "entry", ID: int64(at), In: conversation}
				}
				return err
			}
		}
		view, err := s.contexts.read(r, conversation, at)
		found = ContextView{Head: view.Head, Entries: view.Entries, Contributions: view.Contributions, Messages: view.Messages, Tail: view.Tail()}
		return err
	})
	return found, err
}

// Context is [Session.Context] for this conversation.
func (c *Conversation) Context(ctx context.Context, at record.EntryID) (ContextView, error) {
	return c.session.Context(ctx, c.id, at)
}

// contexts remembers the newest context that was read of each conversation, so that
// the next one costs what came since. It is safe for concurrent use.
type contexts struct {
	recent[record.ConversationID, derived]
}

// derived is a context, and how many bytes the entries have that were read for it.
type derived struct {
	transcript.View
	size int
}

// newer says whether it is worth more than one that is remembered.
func (d derived) newer(before derived) bool { return d.Tail() > before.Tail() }

// read returns the context as of an entry that is visible in the conversation, or 0.
func (c *contexts) read(r table.Reader, conversation record.ConversationID, at record.EntryID) (transcript.View, error) {
	before, known := c.get(conversation)
	if known && (at == 0 || at >= before.Tail()) {
		later, err := visible(r, conversation, before.Tail()+1, at)
		if err != nil {
			return transcript.View{}, err
		}
		if view, extended := before.Extend(later.entries); extended {
			c.keep(conversation, derived{view, before.size + later.size})
			return view, nil
		}
	}
	head, _, err := r.LatestHead(conversation, at)
	if err != nil {
		return transcript.View{}, err
	}
	all, err := visible(r, conversation, head.Head, at)
	if err != nil {
		return transcript.View{}, err
	}
	view := transcript.Derive(all.entries)
	c.keep(conversation, derived{view, all.size})
	return view, nil
}

// keep remembers a context, unless it is so large that it would displace many.
func (c *contexts) keep(conversation record.ConversationID, d derived) {
	if d.Tail() != 0 && d.size <= c.limit/4 {
		c.put(conversation, d, d.size, d.newer)
	}
}

// span is a part of a transcript, and how many bytes it has in the storage.
type span struct {
	entries []record.Entry
	size    int
}

// visible reads the entries that are visible in a conversation from one on, up to
// another, 0 for the newest.
func visible(r table.Reader, conversation record.ConversationID, from, to record.EntryID) (found span, err error) {
	r.Source = counting{r.Source, &found.size}
	for entry, err := range r.Entries(conversation, table.IDs{Min: int64(from), Max: int64(to)}) {
		if err != nil {
			return span{}, err
		}
		found.entries = append(found.entries, entry)
	}
	return found, nil
}

// counting counts the bytes of what is scanned.
type counting struct {
	table.Source
	bytes *int
}

// Scan implements [table.Source].
func (c counting) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		for pair, err := range c.Source.Scan(over) {
			*c.bytes += len(pair.Key) + len(pair.Value)
			if !yield(pair, err) {
				return
			}
		}
	}
}
