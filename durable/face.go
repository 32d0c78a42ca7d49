package durable

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// face is a Go value that shows a draft, and that the callback changes in place.
type face struct {
	pointer any
	seen    *value.Object // what it said when it was last looked at
	// encode returns what it says now, and show makes it say something else and
	// returns that.
	encode func() (*value.Object, error)
	show   func(*value.Object) (*value.Object, error)
}

// edit returns the Go value that shows a draft; the same one for the same type, with
// what was changed elsewhere in the transaction.
func edit[T any](tx *Tx, definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (*T, error) {
	draft, err := tx.Draft(definition, in, key, seed)
	if err != nil {
		return nil, err
	}
	tx.mu.Lock()
	defer tx.mu.Unlock()
	if err := draft.usable(); err != nil {
		return nil, err
	}
	if err := draft.flush(); err != nil {
		return nil, err
	}
	for i := range draft.faces {
		if shown, same := draft.faces[i].pointer.(*T); same {
			return shown, draft.refresh(&draft.faces[i])
		}
	}
	shown := new(T)
	face := face{pointer: shown, encode: func() (*value.Object, error) { return objectOf(shown) }}
	face.show = func(now *value.Object) (*value.Object, error) {
		var fresh T
		if err := value.Decode(now, &fresh); err != nil {
			return nil, err
		}
		seen, err := objectOf(&fresh)
		if err == nil && !value.Equal(seen, face.seen) {
			*shown = fresh
		}
		return seen, err
	}
	if err := draft.refresh(&face); err != nil {
		return nil, err
	}
	draft.faces = append(draft.faces, face)
	return shown, nil
}

// refresh has a face show what the draft is.
func (d *Draft) refresh(f *face) error {
	// What the type does not know of the value is not a change that the callback
	// makes: changes are told from what the face itself says of the value.
	seen, err := f.show(d.now)
	if err != nil {
		return fmt.Errorf("%s as a %T: %w", d.definition.what(), f.pointer, err)
	}
	f.seen = seen
	return nil
}

// flush takes over what the faces have changed since they were last looked at.
func (d *Draft) flush() error {
	for i := range d.faces {
		face := &d.faces[i]
		var says *value.Object
		err := guarded(func() (err error) {
			says, err = face.encode()
			return err
		})
		if err != nil {
			return fmt.Errorf("%s: %w", d.definition.what(), err)
		}
		d.now = merged(d.now, face.seen, says).(*value.Object)
		face.seen = says
	}
	return nil
}
