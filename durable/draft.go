package durable

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Draft is a document that a transaction edits. What it is when the callback returns
// is compared with what it was; a draft that ends as it began changes nothing.
type Draft struct {
	tx         *Tx
	definition *DocumentDefinition
	stored     table.Document // Last is 0 when the transaction makes it
	before     *value.Object  // as stored, migrated
	now        *value.Object
	migrated   bool
	retired    bool
	copied     bool // by a fork, and not acquired since
	// faces are typed values that the callback changes in place.
	faces []face
}

// face is a Go value that shows a draft.
type face struct {
	pointer any
	seen    *value.Object
	// encode returns what the Go value says now.
	encode func() (*value.Object, error)
}

// drafts are the documents that a transaction has acquired, in that order.
type drafts struct {
	order []*Draft
	// live has the newest draft of each address, until it is retired.
	live map[record.Address]*Draft
}

// Draft acquires a document to edit, which it makes when there is none; seed is for
// the first value of a family's member and may be nil. A transaction has one draft
// of a document, however often it is acquired, and the first seed counts.
//
// An [*InvalidError] is a scope, key or history that is not the definition's, and a
// [*VersionError] a stored value that it cannot read; a [*NotFoundError] is a
// conversation or task that is not there.
func (tx *Tx) Draft(definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (draft *Draft, err error) {
	tx.acquiring.Add(1)
	defer tx.acquiring.Add(-1)
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended != nil {
		return nil, tx.ended
	}
	return tx.draft(definition, in, key, seed)
}

// draft is Draft with mu held.
func (tx *Tx) draft(definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (*Draft, error) {
	if err := definition.Check(); err != nil {
		return nil, err
	}
	at, err := definition.address(in, key)
	if err != nil {
		return nil, err
	}
	if known := tx.staged.drafts.live[at]; known != nil {
		if known.copied {
			return known, known.define(definition)
		}
		if known.definition.Version != definition.Version {
			return nil, invalid(fmt.Sprintf("the document %q", definition.Kind), "this transaction already edits it by version %d", known.definition.Version)
		}
		return known, nil
	}
	r, err := tx.reader()
	if err != nil {
		return nil, err
	}
	if err := tx.mayEdit(r, in); err != nil {
		return nil, err
	}
	stored, found, err := table.Document{}, false, error(nil)
	if !tx.staged.drafts.retiredHere(at) {
		stored, found, err = r.FindDocument(at)
		if err != nil {
			return nil, err
		}
	}
	draft := &Draft{tx: tx, definition: definition, stored: stored}
	if found {
		err = draft.load(r)
	} else {
		err = draft.create(at, seed)
	}
	if err != nil {
		return nil, err
	}
	tx.staged.drafts.add(at, draft)
	return draft, nil
}

// mayEdit refuses documents of what is not there, or has ended.
func (tx *Tx) mayEdit(r table.Reader, in record.Scope) error {
	switch in.Kind {
	case record.ConversationScope:
		return tx.known(r, in.Conversation)
	case record.TaskScope:
		t, err := tx.task(r, in.Task)
		if err == nil && !t.State.Status.Live() {
			err = invalid("a document of a task", "task %d has ended", t.ID)
		}
		return err
	}
	return nil
}

func (d *drafts) add(at record.Address, draft *Draft) {
	if d.live == nil {
		d.live = make(map[record.Address]*Draft)
	}
	d.live[at] = draft
	d.order = append(d.order, draft)
}

// retiredHere says whether the transaction has retired what lived at an address.
func (d *drafts) retiredHere(at record.Address) bool {
	for _, draft := range d.order {
		if draft.retired && draft.stored.Address == at {
			return true
		}
	}
	return false
}

func (d *Draft) load(r table.Reader) error {
	if err := d.definition.fits(d.stored.Document, d.stored.Version); err != nil {
		return err
	}
	stored, err := d.tx.session.revisions.read(r, d.stored)
	if err != nil {
		return err
	}
	d.before, err = d.definition.migrated(stored, d.stored.Version)
	d.now, d.migrated = d.before, d.stored.Version != d.definition.Version
	return err
}

func (d *Draft) create(at record.Address, seed json.RawMessage) error {
	var first *value.Object
	err := guarded(func() (err error) {
		first, err = d.definition.Initial(seed)
		return err
	})
	if err == nil && first == nil {
		err = invalid("the definition", "it returned nothing")
	}
	if err != nil {
		return fmt.Errorf("make the document %q: %w", d.definition.Kind, err)
	}
	id, err := d.tx.mint()
	if err != nil {
		return err
	}
	d.stored = table.Document{Document: record.Document{
		ID: record.DocumentID(id), Address: at, History: d.definition.History, Fork: d.definition.Fork,
	}}
	d.now = first
	return nil
}

// Value returns what the document is now.
func (d *Draft) Value() (*value.Object, error) {
	d.tx.mu.Lock()
	defer d.tx.mu.Unlock()
	if err := d.usable(); err != nil {
		return nil, err
	}
	return d.now, d.flush()
}

// Set makes the document another value.
func (d *Draft) Set(changed *value.Object) error {
	d.tx.mu.Lock()
	defer d.tx.mu.Unlock()
	if err := d.usable(); err != nil {
		return err
	}
	if changed == nil {
		return invalid(fmt.Sprintf("the document %q", d.definition.Kind), "its value must be an object")
	}
	if err := d.flush(); err != nil {
		return err
	}
	d.now = changed
	return nil
}

func (d *Draft) usable() error {
	if d.tx.ended != nil {
		return d.tx.ended
	}
	if d.retired {
		return invalid(fmt.Sprintf("the document %q", d.definition.Kind), "this transaction has retired it")
	}
	return nil
}

// flush takes over what the faces have changed since they were last looked at.
func (d *Draft) flush() error {
	for i := range d.faces {
		face := &d.faces[i]
		says, err := face.encode()
		if err != nil {
			return fmt.Errorf("the document %q: %w", d.definition.Kind, err)
		}
		ops := delta.Diff(face.seen, says)
		if len(ops) == 0 {
			continue
		}
		if value.Equal(face.seen, d.now) {
			d.now = says
		} else {
			changed, err := delta.Apply(d.now, ops)
			if err != nil {
				return fmt.Errorf("the document %q was changed in two ways: %w", d.definition.Kind, err)
			}
			d.now = changed.(*value.Object)
		}
		face.seen = says
	}
	return nil
}

// Retire ends the document at an address, if one lives there, with what a draft of it
// says. Acquired again, even by this transaction, it is made anew.
func (tx *Tx) Retire(definition *DocumentDefinition, in record.Scope, key string) error {
	tx.acquiring.Add(1)
	defer tx.acquiring.Add(-1)
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended != nil {
		return tx.ended
	}
	at, err := definition.address(in, key)
	if err != nil {
		return err
	}
	draft := tx.staged.drafts.live[at]
	if draft == nil {
		if tx.staged.drafts.retiredHere(at) {
			return nil
		}
		r, err := tx.reader()
		if err != nil {
			return err
		}
		if _, found, err := r.FindDocument(at); err != nil || !found {
			return err
		}
		if draft, err = tx.draft(definition, in, key, nil); err != nil {
			return err
		}
	}
	return tx.retire(draft)
}

// retire ends a draft. The caller holds mu.
func (tx *Tx) retire(draft *Draft) error {
	if err := draft.flush(); err != nil {
		return err
	}
	draft.retired, draft.faces = true, nil
	delete(tx.staged.drafts.live, draft.stored.Address)
	return nil
}
