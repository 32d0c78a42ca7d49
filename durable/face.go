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
func edit[T any](tx *Tx, definition *DocumentDefinition, in record.Scope, key string, seed json.RawMessage) (shown *T, err error) {
	draft, err := tx.Draft(definition, in, key, seed)
	if err != nil {
		return nil, err
	}
	err = draft.use(func() error {
		for _, face := range draft.faces {
			if known, same := face.pointer.(*T); same {
				shown = known
				return draft.refresh(face)
			}
		}
		shown = new(T)
		face := faceOf(shown)
		if err := draft.refresh(face); err != nil {
			return err
		}
		draft.faces = append(draft.faces, face)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return shown, nil
}

func faceOf[T any](shown *T) *face {
	f := &face{pointer: shown, encode: func() ([]byte, error) { return encoded(shown) }}
	f.show = func(now *value.Object) ([]byte, error) {
		var fresh T
		if err := value.Decode(now, &fresh); err != nil {
			return nil, err
		}
		text, err := encoded(&fresh)
		if err == nil && !bytes.Equal(text, f.text) {
			*shown = fresh
		}
		return text, err
	}
	return f
}

// refresh has a face show what the draft is. The caller holds mu, which is given up
// while the type's code runs.
func (d *Draft) refresh(f *face) error {
	var text []byte
	err := d.outside(func() error {
		return guarded(func() (err error) {
			text, err = f.show(d.now)
			return err
		})
	})
	// What the type does not know of the value is not a change that the callback
	// makes: changes are told from what the face itself says of the value.
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

// flush takes over what the faces have changed since they were last looked at. The
// caller holds mu, which is given up while the types' code runs.
func (d *Draft) flush() error {
	for _, face := range d.faces {
		var text []byte
		err := d.outside(func() error {
			return guarded(func() (err error) {
				text, err = face.encode()
				return err
			})
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
