package durable

import (
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// ForkConversation makes a conversation that has what is visible in another one up to
// an entry, and copies of its documents by their fork policies (section 3.7 of the
// pi-durable specification). Documents as of the entry are those after its commit,
// of the conversation that appended it.
//
// An entry that is not visible in the parent is a [*NotFoundError]. A transaction
// that also changes a document of the parent whose policy is current is refused
// when it ends: which of the two values the fork gets would depend on the order.
func (tx *Tx) ForkConversation(parent record.ConversationID, at record.EntryID, ownership Ownership) (created record.Conversation, err error) {
	err = tx.write(func(r table.Reader) error {
		entry, seq, visible, err := r.Visible(parent, at)
		if err == nil && !visible {
			err = &NotFoundError{What: "entry", ID: int64(at), In: parent}
		}
		if err != nil {
			return err
		}
		if created, err = tx.newConversation(r, ownership, &record.ForkPoint{Conversation: parent, At: at}); err != nil {
			return err
		}
		if err := tx.copyDocuments(r, r.Documents(InConversation(parent)), record.ForkCurrent, 0, created.ID); err != nil {
			return err
		}
		then := r.DocumentsAt(InConversation(entry.Conversation), seq)
		if err := tx.copyDocuments(r, then, record.ForkAsOf, seq, created.ID); err != nil {
			return err
		}
		tx.staged.forked = append(tx.staged.forked, parent)
		return nil
	})
	if err == nil {
		err = tx.session.created(tx, created)
	}
	return created, err
}

// copyDocuments stages copies of the documents that have a fork policy, as they were
// after a commit, 0 for now.
func (tx *Tx) copyDocuments(r table.Reader, documents iter.Seq2[table.Document, error], policy record.ForkPolicy, at record.Seq, into record.ConversationID) error {
	for stored, err := range documents {
		if err != nil {
			return err
		}
		if stored.Fork != policy {
			continue
		}
		value, version, err := tx.copiedValue(r, stored, at)
		if err != nil {
			return err
		}
		id, err := tx.mint()
		if err != nil {
			return err
		}
		copied := table.Document{Document: record.Document{ID: record.DocumentID(id), Address: stored.Address, History: stored.History, Fork: stored.Fork}}
		copied.Scope = InConversation(into)
		draft := &Draft{tx: tx, definition: asStored(stored, version), stored: copied, now: value, copied: true}
		tx.staged.drafts.add(copied.Address, draft)
	}
	return nil
}

func (tx *Tx) copiedValue(r table.Reader, stored table.Document, at record.Seq) (*value.Object, int, error) {
	if at == 0 {
		now, err := tx.session.revisions.read(r, stored)
		return now, stored.Version, err
	}
	return r.Value(stored, at)
}

// asStored stands in for the definition of a document that is copied without one.
func asStored(stored table.Document, version int) *DocumentDefinition {
	return &DocumentDefinition{
		Kind: stored.Kind, Version: version, Scope: stored.Scope.Kind, History: stored.History, Fork: stored.Fork, Family: stored.Family,
	}
}

// define gives a copy the definition that first edits it.
func (d *Draft) define(definition *DocumentDefinition) error {
	if err := definition.fits(d.stored.Document, d.definition.Version); err != nil {
		return err
	}
	now, err := definition.migrated(d.now, d.definition.Version)
	if err != nil {
		return err
	}
	d.now, d.definition, d.copied = now, definition, false
	return nil
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
