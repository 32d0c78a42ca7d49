package durable

import (
	"encoding/json"
	"fmt"

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
	before     *value.Object  // as stored, migrated; nil when the transaction makes it
	now        *value.Object
	migrated   bool
	retired    bool
	copied     bool // by a fork, and not acquired since
	acquiring  bool // code from outside makes, migrates or shows its value
	// faces are typed values that the callback changes in place.
	faces []*face
}

// drafts are the documents that a transaction has acquired, in that order.
type drafts struct {
	order []*Draft
	// live has the newest draft of each address, until it is retired, and retired the
	// addresses of which one was.
	live    map[record.Address]*Draft
	retired map[record.Address]bool
}

// add puts a draft with its value at its address.
func (d *drafts) add(draft *Draft) {
	d.order = append(d.order, draft)
	d.begin(draft)
}

// begin puts a draft at its address.
func (d *drafts) begin(draft *Draft) {
	if d.live == nil {
		d.live = make(map[record.Address]*Draft)
	}
	d.live[draft.stored.Address] = draft
}

// retire takes a draft away from its address.
func (d *drafts) retire(draft *Draft) {
	draft.retired, draft.faces = true, nil
	delete(d.live, draft.stored.Address)
	if d.retired == nil {
		d.retired = make(map[record.Address]bool)
	}
	d.retired[draft.stored.Address] = true
}

// Draft acquires a document to edit, which it makes when there is none; seed is for
// the first value of a family's member and may be nil. A transaction has one draft
// of a document, however often it is acquired, and the first seed counts.
//
// An [*InvalidError] is a scope, key or history that is not the definition's, or a
// task that has ended; a [*VersionError] is a stored value that the definition cannot
// read, and a [*NotFoundError] a conversation or task that is not there. A definition
// that fails, panics, or makes what is no JSON, a [*NotJSONError], makes nothing.
func (tx *Tx) Draft(definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (*Draft, error) {
	tx.acquiring.Add(1)
	defer tx.acquiring.Add(-1)
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if tx.ended != nil {
		return nil, tx.ended
	}
	return tx.acquire(definition, in, key, seed)
}

// acquire is Draft with mu held. It is given up while the definition's code runs.
func (tx *Tx) acquire(definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (*Draft, error) {
	at, err := definition.address(in, key)
	if err != nil {
		return nil, err
	}
	known, err := tx.acquired(at)
	if err != nil {
		return nil, err
	}
	if known != nil {
		if err := known.reuse(definition); err != nil {
			return nil, err
		}
		return known, nil
	}
	r := tx.reader()
	if err := tx.mayEdit(r, at.Scope); err != nil {
		return nil, err
	}
	draft := &Draft{tx: tx, definition: definition}
	draft.stored.Address = at
	tx.staged.drafts.begin(draft)
	if err := draft.fill(r, seed); err != nil {
		delete(tx.staged.drafts.live, at)
		return nil, err
	}
	tx.staged.drafts.order = append(tx.staged.drafts.order, draft)
	return draft, nil
}

// acquired returns the draft that lives at an address; nil when there is none. It
// waits for one that is being acquired. The caller holds mu.
func (tx *Tx) acquired(at record.Address) (*Draft, error) {
	for {
		known := tx.staged.drafts.live[at]
		if known == nil || !known.acquiring {
			return known, nil
		}
		if err := tx.await(); err != nil {
			return nil, err
		}
	}
}

// await waits until an acquisition has ended, and fails with why the transaction has
// when that comes first. The caller holds mu.
func (tx *Tx) await() error {
	ended := tx.ended
	tx.changed.Wait()
	if tx.ended != ended {
		return tx.ended
	}
	return nil
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

// fill gives a draft the value that is stored at its address, or a first one.
func (d *Draft) fill(r table.Reader, seed json.RawMessage) error {
	if !d.tx.staged.drafts.retired[d.stored.Address] {
		stored, found, err := r.FindDocument(d.stored.Address)
		if err != nil {
			return err
		}
		if found {
			d.stored = stored
			return d.load(r)
		}
	}
	first, err := d.made(func() (*value.Object, error) { return d.definition.initial(seed) })
	if err != nil {
		return err
	}
	d.now, d.stored.History, d.stored.Fork = first, d.definition.History, d.definition.Fork
	id, err := d.tx.mint()
	d.stored.ID = record.DocumentID(id)
	return err
}

func (d *Draft) load(r table.Reader) error {
	if err := d.definition.fits(d.stored.Document, d.stored.Version); err != nil {
		return err
	}
	stored, err := d.tx.session.revisions.read(r, d.stored)
	if err != nil {
		return err
	}
	d.before = stored
	if d.migrated = d.stored.Version != d.definition.Version; d.migrated {
		d.before, err = d.made(func() (*value.Object, error) {
			return d.definition.migrated(stored, d.stored.Version)
		})
	}
	d.now = d.before
	return err
}

// reuse checks that a draft that was acquired before is what a definition means. A
// copy that a fork made becomes the definition's.
func (d *Draft) reuse(definition *DocumentDefinition) error {
	version := d.definition.Version
	if !d.copied {
		if err := definition.means(d.stored.Document); err != nil {
			return err
		}
		if definition.Version != version {
			return invalid(definition.what(), "this transaction already edits it by version %d", version)
		}
		return nil
	}
	if err := definition.fits(d.stored.Document, version); err != nil {
		return err
	}
	now, err := d.made(func() (*value.Object, error) { return definition.migrated(d.now, version) })
	if err != nil {
		return err
	}
	d.now, d.definition, d.copied = now, definition, false
	return nil
}

// made returns a value that a definition makes, without mu.
func (d *Draft) made(by func() (*value.Object, error)) (made *value.Object, err error) {
	err = d.outside(func() (err error) {
		made, err = by()
		return err
	})
	return made, err
}

// outside is [Tx.outside] for code that makes or shows the draft's value. The draft is
// nobody's meanwhile.
func (d *Draft) outside(call func() error) error {
	d.acquiring = true
	defer func() {
		d.acquiring = false
		d.tx.changed.Broadcast()
	}()
	return d.tx.outside(call)
}

// Value returns what the document is now.
func (d *Draft) Value() (now *value.Object, err error) {
	err = d.use(func() error {
		now = d.now
		return nil
	})
	return now, err
}

// Set makes the document another value. One that no JSON stands for is a
// [*NotJSONError].
func (d *Draft) Set(changed *value.Object) error {
	return d.use(func() error {
		if err := checkChange(changed, d.now); err != nil {
			return fmt.Errorf("%s: %w", d.definition.what(), err)
		}
		d.now = changed
		return nil
	})
}

// use calls what works on the draft with mu held, when the draft has what its faces
// have changed.
func (d *Draft) use(work func() error) error {
	d.tx.acquiring.Add(1)
	defer d.tx.acquiring.Add(-1)
	d.tx.mu.Lock()
	defer d.tx.mu.Unlock()
	for d.acquiring {
		if err := d.tx.await(); err != nil {
			return err
		}
	}
	if err := d.usable(); err != nil {
		return err
	}
	if err := d.flush(); err != nil {
		return err
	}
	return work()
}

func (d *Draft) usable() error {
	if d.tx.ended != nil {
		return d.tx.ended
	}
	if d.retired {
		return invalid(d.definition.what(), "this transaction has retired it")
	}
	return nil
}

// Retire ends the document at an address, if one lives there; what the transaction
// has changed of it is not kept. Acquired again, even by this transaction, it is made
// anew.
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
	known, err := tx.acquired(at)
	if err != nil {
		return err
	}
	if known != nil {
		if err := definition.means(known.stored.Document); err != nil {
			return err
		}
		tx.staged.drafts.retire(known)
		return nil
	}
	if tx.staged.drafts.retired[at] {
		return nil
	}
	r := tx.reader()
	stored, found, err := r.FindDocument(at)
	if err != nil || !found {
		return err
	}
	// One of an older version may be ended without a migration.
	if err := definition.means(stored.Document); err != nil {
		return err
	}
	if stored.Version > definition.Version {
		return definition.fits(stored.Document, stored.Version)
	}
	tx.retireStored(stored)
	return nil
}

// retireStored ends a document that the transaction has not acquired.
func (tx *Tx) retireStored(stored table.Document) {
	draft := &Draft{tx: tx, definition: asStored(stored, stored.Version), stored: stored}
	tx.staged.drafts.order = append(tx.staged.drafts.order, draft)
	tx.staged.drafts.retire(draft)
}

// retireAll ends all documents of a scope, those that the transaction makes too. The
// caller holds mu.
func (tx *Tx) retireAll(r table.Reader, in record.Scope) error {
	for _, draft := range tx.staged.drafts.order {
		if !draft.retired && draft.stored.Scope == in {
			tx.staged.drafts.retire(draft)
		}
	}
	for stored, err := range r.Documents(in) {
		if err != nil {
			return err
		}
		if !tx.staged.drafts.retired[stored.Address] {
			tx.retireStored(stored)
		}
	}
	return nil
}
