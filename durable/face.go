package durable

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// face is a Go value that shows a draft, and that the callback changes in place.
type face struct {
	pointer any
	// seen is what it said when it was last looked at, and text the JSON of that.
	seen *value.Object
	text []byte
	// encode returns the JSON of what it says now, and show makes it say something
	// else unless it does already, and returns that.
	encode func() ([]byte, error)
	show   func(*value.Object) ([]byte, error)
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
	face := face{pointer: shown, encode: func() ([]byte, error) { return encoded(shown) }}
	face.show = func(now *value.Object) ([]byte, error) {
		var fresh T
		if err := value.Decode(now, &fresh); err != nil {
			return nil, err
		}
		text, err := encoded(&fresh)
		if err == nil && !bytes.Equal(text, face.text) {
			*shown = fresh
		}
		return text, err
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
	text, err := f.show(d.now)
	seen := d.now
	if err == nil && !bytes.Equal(text, value.Marshal(d.now)) {
		seen, err = parsedObject(text)
	}
	if err != nil {
		return fmt.Errorf("%s as a %T: %w", d.definition.what(), f.pointer, err)
	}
	f.seen, f.text = seen, text
	return nil
}

// flush takes over what the faces have changed since they were last looked at.
func (d *Draft) flush() error {
	for i := range d.faces {
		face := &d.faces[i]
		var text []byte
		err := guarded(func() (err error) {
			text, err = face.encode()
			return err
		})
		if err == nil && bytes.Equal(text, face.text) {
			continue
		}
		var says *value.Object
		if err == nil {
			says, err = parsedObject(text)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", d.definition.what(), err)
		}
		d.now = merged(d.now, face.seen, says).(*value.Object)
		face.seen, face.text = says, text
	}
	return nil
}
