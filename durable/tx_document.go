package durable

import (
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// ReadDocument returns what a document is for the transaction, with what it has
// changed, nil when there is none. It does not make one. The errors are those of
// [Tx.Draft].
func (tx *Tx) ReadDocument(definition *DocumentDefinition, in record.Scope, key string) (found *value.Object, err error) {
	err = tx.stage(func(r table.Reader) error {
		at, err := definition.address(in, key)
		if err != nil {
			return err
		}
		draft, err := tx.acquired(at)
		if err != nil {
			return err
		}
		if draft != nil {
			if err := draft.flush(); err != nil {
				return err
			}
			if err := definition.fits(draft.stored.Document, draft.definition.Version); err != nil {
				return err
			}
			now, version := draft.now, draft.definition.Version
			return tx.outside(func() (err error) {
				found, err = definition.migrated(now, version)
				return err
			})
		}
		if tx.staged.drafts.retired[at] {
			return nil
		}
		return tx.outside(func() (err error) { // it may migrate
			found, _, err = tx.session.document(r, definition, in, key)
			return err
		})
	})
	return found, err
}

// Get returns the document as it is for the transaction, and whether there is one. It
// never makes one.
func (d Document[T]) Get(tx *Tx, in record.Scope) (T, bool, error) {
	return readAs[T](tx.ReadDocument(d.Definition, in, ""))
}

// Get is [Document.Get] for the member with a key.
func (f Family[T, Seed]) Get(tx *Tx, in record.Scope, key string) (T, bool, error) {
	return readAs[T](tx.ReadDocument(f.Definition, in, key))
}
