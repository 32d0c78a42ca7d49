package delta

import (
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// A draft is a copy of a container or string that belongs to one batch: each is
// copied once, however many operations change it. Drafts lie inside of each other
// where values do, until finish replaces them; the nil value embedded makes that
// possible, and nothing outside of this package sees one.

// container is the draft of an object or an array.
type container interface {
	value.Value
	// get returns what lies at a step, or what is wrong.
	get(value.Segment) (value.Value, string)
	// put puts a draft in the place of what get returned.
	put(value.Segment, value.Value)
	set(value.Segment, value.Value) string
	remove(value.Segment) string
	finish() value.Value
}

type objectDraft struct {
	value.Value
	members *value.Builder
	drafts  []string // keys that may hold one
}

type arrayDraft struct {
	value.Value
	items  value.Array
	drafts bool // whether an item may be one
}

type textDraft struct {
	value.Value
	text value.String
	more []byte // that follows
}

// draft returns a new draft of a container, and anything else as it is.
func draft(v value.Value) (at value.Value, made bool) {
	switch v := v.(type) {
	case *value.Object:
		return &objectDraft{members: v.Edit()}, true
	case value.Array:
		return &arrayDraft{items: append(make(value.Array, 0, len(v)+1), v...)}, true
	}
	return v, false
}

// finish returns the value of a draft, and anything else as it is.
func finish(v value.Value) value.Value {
	switch v := v.(type) {
	case container:
		return v.finish()
	case *textDraft:
		return v.whole()
	}
	return v
}

func (o *objectDraft) finish() value.Value {
	for _, key := range o.drafts {
		if v, ok := o.members.Get(key); ok {
			o.members.Set(key, finish(v))
		}
	}
	return o.members.Object()
}

func (o *objectDraft) get(segment value.Segment) (value.Value, string) {
	key, ok := segment.Key()
	if !ok {
		return nil, "an index leads into an object"
	}
	v, ok := o.members.Get(key)
	if !ok {
		return nil, fmt.Sprintf("there is no member %q", key)
	}
	return v, ""
}

func (o *objectDraft) put(segment value.Segment, v value.Value) {
	key, _ := segment.Key()
	o.members.Set(key, v)
	o.drafts = append(o.drafts, key)
}

func (o *objectDraft) set(segment value.Segment, v value.Value) string {
	key, ok := segment.Key()
	if !ok {
		return "an index leads into an object"
	}
	o.members.Set(key, v)
	return ""
}

// remove succeeds for a member that is not there: chord writes such operations when a
// member came and went in one batch.
func (o *objectDraft) remove(segment value.Segment) string {
	key, ok := segment.Key()
	if !ok {
		return "an index leads into an object"
	}
	o.members.Delete(key)
	return ""
}

func (a *arrayDraft) finish() value.Value {
	if a.drafts {
		for i, item := range a.items {
			a.items[i] = finish(item)
		}
	}
	return slices.Clip(a.items)
}

// index returns the index of a step, which is below most.
func (a *arrayDraft) index(segment value.Segment, most int) (int, string) {
	i, ok := segment.Index()
	if !ok {
		return 0, "a key leads into an array"
	}
	if i < 0 || i >= most {
		return 0, fmt.Sprintf("the array has %d items", len(a.items))
	}
	return i, ""
}

func (a *arrayDraft) get(segment value.Segment) (value.Value, string) {
	i, reason := a.index(segment, len(a.items))
	if reason != "" {
		return nil, reason
	}
	return a.items[i], ""
}

func (a *arrayDraft) put(segment value.Segment, v value.Value) {
	i, _ := segment.Index()
	a.items[i] = v
	a.drafts = true
}

func (a *arrayDraft) set(segment value.Segment, v value.Value) string {
	i, reason := a.index(segment, len(a.items)+1)
	if reason != "" {
		return reason
	}
	if i == len(a.items) {
		a.items = append(a.items, v)
	} else {
		a.items[i] = v
	}
	return ""
}

func (a *arrayDraft) remove(segment value.Segment) string {
	i, reason := a.index(segment, len(a.items))
	if reason == "" {
		a.items = slices.Delete(a.items, i, i+1)
	}
	return reason
}

func (a *arrayDraft) splice(op Splice) string {
	if op.Index < 0 || op.Remove < 0 || op.Index > len(a.items) || op.Remove > len(a.items)-op.Index {
		return fmt.Sprintf("the array has %d items, and %d from %d on are to go", len(a.items), op.Remove, op.Index)
	}
	a.items = slices.Replace(a.items, op.Index, op.Index+op.Remove, op.Items...)
	return ""
}

func (a *arrayDraft) permute(order []int) string {
	if len(order) != len(a.items) {
		return fmt.Sprintf("the order has %d items and the array %d", len(order), len(a.items))
	}
	moved := make(value.Array, len(order))
	for i, from := range order {
		if from < 0 || from >= len(order) || a.items[from] == nil {
			return fmt.Sprintf("index %d is not in the order exactly once", from)
		}
		moved[i], a.items[from] = a.items[from], nil
	}
	a.items = moved
	return ""
}

func (t *textDraft) append(text value.String) { t.more = value.AppendText(t.more, text) }

// trim says whether the string was long enough.
func (t *textDraft) trim(units int) bool {
	t.text, t.more = t.whole(), nil
	rest, ok := t.text.Cut(units)
	if ok {
		t.text = rest
	}
	return ok
}

func (t *textDraft) whole() value.String { return t.text.Join(value.String(t.more)) }
