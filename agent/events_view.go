package agent

import (
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// view is what there is to see of a conversation, as [durable.Session.ConversationView]
// has it.
type view struct{ value.Value }

func (v view) document(kind string) value.Value { return at(v.Value, "docs", kind) }

func (v view) live() value.Value { return v.document(durable.LiveDocument.Definition.Kind) }

// agent is what was chosen for the conversation.
func (v view) agent() value.Value { return orObject(v.document(durable.AgentDocument.Definition.Kind)) }

// usage is what the conversation has used.
func (v view) usage() value.Value {
	usage := v.document(durable.UsageDocument.Definition.Kind)
	return value.NewObject(
		value.Member{Key: "models", Value: orObject(at(usage, "models"))},
		value.Member{Key: "tools", Value: orObject(at(usage, "tools"))},
	)
}

// inbox is what waits in the conversation: the ids and modes.
func (v view) inbox() value.Value {
	items, _ := at(v.document(durable.InboxDocument.Definition.Kind), "items").(value.Array)
	short := make(value.Array, 0, len(items))
	for _, item := range items {
		short = append(short, pick(item, "id", "mode"))
	}
	return short
}

// at returns the value at some keys; nil when there is none.
func at(from value.Value, keys ...string) value.Value {
	for _, key := range keys {
		object, is := from.(*value.Object)
		if !is {
			return nil
		}
		found, there := object.Get(key)
		if !there {
			return nil
		}
		from = found
	}
	return from
}

// textAt returns the string at some keys; "" when there is none.
func textAt(from value.Value, keys ...string) string {
	found, _ := at(from, keys...).(value.String)
	return string(found)
}

// number returns the number at some keys, and whether there is one.
func number(from value.Value, keys ...string) (int64, bool) {
	found, is := at(from, keys...).(value.Number)
	return int64(found), is
}

// list returns the items at some keys.
func list(from value.Value, keys ...string) value.Array {
	found, _ := at(from, keys...).(value.Array)
	return found
}

// pick returns an object of some of the members of another one.
func pick(from value.Value, keys ...string) value.Value {
	var picked value.Builder
	for _, key := range keys {
		if found := at(from, key); found != nil {
			picked.Set(key, found)
		}
	}
	return picked.Object()
}

func orEmpty(list value.Value) value.Value {
	if list == nil {
		return value.Array{}
	}
	return list
}

func orObject(object value.Value) value.Value {
	if object == nil {
		return value.NewObject()
	}
	return object
}

func orNull(one value.Value) value.Value {
	if one == nil {
		return value.Null{}
	}
	return one
}

// same says whether two values that may be missing are the same.
func same(a, b value.Value) bool {
	if a == nil || b == nil {
		return a == nil && b == nil
	}
	return value.Equal(a, b)
}
