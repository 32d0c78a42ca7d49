package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// ConversationView returns what there is to see of a conversation, as it is stored
// now, as a value of the form
//
//	{"conversation": …, "entries": […], "docs": {"pi.agent": …}}
//
// with the conversation's record; the entries that its context is made of, which are
// the newest one that has a head and, from the entry that it names on, those that
// have none; and its built-in documents, by kind (section 9.3 of the pi-durable
// specification). A document that there is not has no member. A number of an entry
// that JavaScript cannot hold is the nearest that it can.
//
// An unknown conversation is a [*NotFoundError], and a document that a newer program
// wrote a [*VersionError].
func (s *Session) ConversationView(ctx context.Context, id record.ConversationID) (*value.Object, error) {
	var now step
	err := s.view(ctx, func(r table.Reader) (err error) {
		now, _, err = (&conversationSource{session: s, id: id}).load(ctx, r)
		return err
	})
	if err != nil {
		return nil, err
	}
	return now.Value.(*value.Object), nil
}

// WatchConversation watches what [Session.ConversationView] returns, whose errors it
// has. All who watch a conversation share one view of it.
func (s *Session) WatchConversation(ctx context.Context, id record.ConversationID) (*Watch, error) {
	return s.watch(ctx, id, nil, func() source { return &conversationSource{session: s, id: id} })
}

// View is [Session.ConversationView] of the conversation.
func (c *Conversation) View(ctx context.Context) (*value.Object, error) {
	return c.session.ConversationView(ctx, c.id)
}

// Watch is [Session.WatchConversation] of the conversation.
func (c *Conversation) Watch(ctx context.Context) (*Watch, error) {
	return c.session.WatchConversation(ctx, c.id)
}

// builtIn returns the definition of a built-in document; nil for other kinds.
func builtIn(at record.Address) *DocumentDefinition {
	if at.Family {
		return nil
	}
	for _, definition := range []*DocumentDefinition{
		AgentDocument.Definition, LiveDocument.Definition, InboxDocument.Definition, ProviderDocument.Definition, UsageDocument.Definition,
	} {
		if definition.Kind == at.Kind {
			return definition
		}
	}
	return nil
}

// conversationSource is the view of a conversation.
type conversationSource struct {
	session *Session
	id      record.ConversationID

	conversation value.Value
	entries      activeEntries
	docs         *value.Object
	// ids are those of the documents that are shown, by kind.
	ids map[string]record.DocumentID
}

func (c *conversationSource) load(ctx context.Context, r table.Reader) (step, bool, error) {
	conversation, found, err := r.Conversation(c.id)
	if err == nil && !found {
		err = &NotFoundError{What: "conversation", ID: int64(c.id)}
	}
	if err != nil {
		return step{}, false, err
	}
	if c.conversation, err = value.Of(conversation); err != nil {
		return step{}, false, err
	}
	if err := c.entries.load(ctx, r, c.id); err != nil {
		return step{}, false, err
	}
	if err := c.loadDocuments(r); err != nil {
		return step{}, false, err
	}
	return step{Frame: Frame{Value: c.value()}}, true, nil
}

// loadDocuments shows the documents in the order in which they were made, which is
// that in which they come to a view.
func (c *conversationSource) loadDocuments(r table.Reader) error {
	var found []table.Document
	for stored, err := range r.Documents(InConversation(c.id)) {
		if err != nil {
			return err
		}
		if builtIn(stored.Address) != nil {
			found = append(found, stored)
		}
	}
	slices.SortFunc(found, func(a, b table.Document) int { return int(a.ID - b.ID) })
	var docs value.Builder
	c.ids = make(map[string]record.DocumentID)
	for _, stored := range found {
		now, err := c.session.revisions.read(r, stored)
		if err == nil {
			now, err = asBuiltIn(stored.Document, now, stored.Version)
		}
		if err != nil {
			return err
		}
		docs.Set(stored.Kind, now)
		c.ids[stored.Kind] = stored.ID
	}
	c.docs = docs.Object()
	return nil
}

// asBuiltIn returns a stored value as the definition of its kind reads it.
func asBuiltIn(stored record.Document, now *value.Object, version int) (*value.Object, error) {
	definition := builtIn(stored.Address)
	if err := definition.fits(stored, version); err != nil {
		return nil, err
	}
	return definition.migrated(now, version)
}

func (c *conversationSource) value() *value.Object {
	return value.NewObject(
		value.Member{Key: "conversation", Value: c.conversation},
		value.Member{Key: "entries", Value: c.entries.value()},
		value.Member{Key: "docs", Value: c.docs},
	)
}

func (c *conversationSource) advance(p *Publication) (step, bool, error) {
	ops, err := c.appended(p)
	if err != nil {
		return step{}, false, err
	}
	for i := range p.Documents {
		change := &p.Documents[i]
		if change.Record.Scope != InConversation(c.id) || builtIn(change.Record.Address) == nil {
			continue
		}
		more, err := c.changed(change)
		if err != nil {
			return step{}, false, err
		}
		ops = append(ops, more...)
	}
	if len(ops) == 0 {
		return step{}, false, nil
	}
	return step{Frame: Frame{Value: c.value(), Ops: ops}}, true, nil
}

// changed shows the change of a document.
func (c *conversationSource) changed(change *DocumentChange) (delta.Ops, error) {
	kind := change.Record.Kind
	at := value.Path{value.Key("docs"), value.Key(kind)}
	docs := c.docs.Edit()
	defer func() { c.docs = docs.Object() }()
	if change.Retired {
		if c.ids[kind] != change.Record.ID {
			return nil, nil
		}
		docs.Delete(kind)
		delete(c.ids, kind)
		return delta.Ops{delta.Delete{Path: at}}, nil
	}
	now, err := asBuiltIn(change.Record, change.Value, change.Version)
	if err != nil {
		return nil, err
	}
	before, shown := docs.Get(kind)
	docs.Set(kind, now)
	c.ids[kind] = change.Record.ID
	switch {
	case !shown:
		return delta.Ops{delta.Set{Path: at, Value: now}}, nil
	case change.Migrated || now != change.Value:
		return delta.Rebase(delta.Diff(before, now), at), nil
	}
	return delta.Rebase(change.Ops, at), nil
}

// entryValue returns an entry as a part of a view.
func entryValue(entry *record.Entry) (value.Value, error) {
	text, err := json.Marshal(entry)
	if err == nil {
		var shown value.Value
		if shown, err = (value.Parser{Round: true}).Parse(text); err == nil {
			return shown, nil
		}
	}
	return nil, fmt.Errorf("show entry %d: %w", entry.ID, err)
}
