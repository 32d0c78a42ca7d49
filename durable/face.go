package durable

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
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

// merged returns a value with what changed between two views of it, which may not
// show all of it, and may show members that it does not have. Of what changed in both
// the view's counts.
func merged(now, seen, says value.Value) value.Value {
	if value.Equal(seen, says) {
		return now
	}
	if value.Equal(seen, now) {
		return says
	}
	switch says := says.(type) {
	case *value.Object:
		now, one := now.(*value.Object)
		seen, two := seen.(*value.Object)
		if one && two {
			return mergedObject(now, seen, says)
		}
	case value.Array:
		now, one := now.(value.Array)
		seen, two := seen.(value.Array)
		if one && two && len(now) == len(seen) {
			return mergedArray(now, seen, says)
		}
	}
	return says
}

func mergedObject(now, seen, says *value.Object) value.Value {
	b := now.Edit()
	for key := range seen.All() {
		if _, stays := says.Get(key); !stays {
			b.Delete(key)
		}
	}
	for key, member := range says.All() {
		before, shown := seen.Get(key)
		if !shown {
			b.Set(key, member)
			continue
		}
		if value.Equal(before, member) {
			continue
		}
		if has, ok := b.Get(key); ok {
			member = merged(has, before, member)
		}
		b.Set(key, member)
	}
	return b.Object()
}

// mergedArray moves the items with what the views do not show of them.
func mergedArray(now, seen, says value.Array) value.Value {
	if moved, err := delta.Apply(now, delta.Diff(seen, says)); err == nil {
		return moved
	}
	if len(says) != len(seen) {
		return says
	}
	items := make(value.Array, len(says))
	for i := range says {
		items[i] = merged(now[i], seen[i], says[i])
	}
	return items
}
