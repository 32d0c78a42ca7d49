package durable

import (
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// ForkConversation makes a conversation that has what is visible in another one up to
// an entry, and copies of its documents by their fork policies (section 3.7 of the
// pi-durable specification). Documents as of the entry are those after its commit,
// of the conversation that appended it.
//
// An entry that is not visible in the parent, or that this transaction appends, is a
// [*NotFoundError]. A transaction that also changes a document of the parent whose
// policy is current is refused when it ends: which of the two values the fork gets
// would depend on the order.
func (tx *Tx) ForkConversation(parent record.ConversationID, at record.EntryID, ownership Ownership) (created record.Conversation, err error) {
	err = tx.write(func(r table.Reader) error {
		entry, seq, visible, err := r.Visible(parent, at)
		if err == nil && !visible {
			err = &NotFoundError{What: "entry", ID: int64(at), In: parent}
		}
		if err != nil {
			return err
		}
		copies, err := tx.copies(r, parent, entry.Conversation, seq)
		if err != nil {
			return err
		}
		if created, err = tx.newConversation(r, ownership, &record.ForkPoint{Conversation: parent, At: at}); err != nil {
			return err
		}
		tx.staged.forked = append(tx.staged.forked, parent)
		return tx.stageCopies(copies, created.ID)
	})
	if err == nil {
		err = tx.session.created(tx, created)
	}
	return created, err
}

// copies returns drafts of what a fork gets: the documents of the parent as they are
// now, and those of the conversation that appended the entry as they were after a
// commit, each by its own policy. An address whose policy has changed between them
// is taken from now.
func (tx *Tx) copies(r table.Reader, parent, appended record.ConversationID, seq record.Seq) (found []*Draft, err error) {
	taken := make(map[record.Address]bool)
	take := func(documents iter.Seq2[table.Document, error], policy record.ForkPolicy, at record.Seq) error {
		for stored, err := range documents {
			if err != nil {
				return err
			}
			to := stored.Address
			to.Scope = record.Scope{}
			if stored.Fork != policy || taken[to] {
				continue
			}
			taken[to] = true
			value, version, err := tx.session.revisions.readAt(r, stored, at)
			if err != nil {
				return err
			}
			copied := table.Document{Document: record.Document{Address: to, History: stored.History, Fork: stored.Fork}}
			found = append(found, &Draft{tx: tx, definition: asStored(stored, version), stored: copied, now: value, copied: true})
		}
		return nil
	}
	if err := take(r.Documents(InConversation(parent)), record.ForkCurrent, 0); err != nil {
		return nil, err
	}
	err = take(r.DocumentsAt(InConversation(appended), seq), record.ForkAsOf, seq)
	return found, err
}

// stageCopies makes copies the documents of a conversation.
func (tx *Tx) stageCopies(copies []*Draft, into record.ConversationID) error {
	for _, draft := range copies {
		id, err := tx.mint()
		if err != nil {
			return err
		}
		draft.stored.ID, draft.stored.Scope = record.DocumentID(id), InConversation(into)
		tx.staged.drafts.add(draft)
	}
	return nil
}

// asStored stands in for the definition of a document that is copied without one.
func asStored(stored table.Document, version int) *DocumentDefinition {
	return &DocumentDefinition{
		Kind: stored.Kind, Version: version, Scope: stored.Scope.Kind, History: stored.History, Fork: stored.Fork, Family: stored.Family,
	}
}

// checkForks refuses a transaction that forks a conversation and changes what the
// fork got of it.
func (tx *Tx) checkForks(changes []*documentWrite) error {
	for _, parent := range tx.staged.forked {
		for _, change := range changes {
			d := change.draft.stored
			if d.Fork == record.ForkCurrent && d.Scope == InConversation(parent) {
				return invalid(fmt.Sprintf("a fork of conversation %d", parent),
					"the same commit changes its document %q, which the fork has a copy of: change it in a commit before", d.Kind)
			}
		}
	}
	return nil
}
