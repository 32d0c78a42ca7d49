package delta

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// Apply returns what a batch makes of a value. The value and the operations stay as
// they are; what did not change is shared. A batch for a nil value starts with a
// Replace, and an empty batch returns the value given.
//
// It fails with an *Error, and then returns nothing, when an operation does not fit:
// a path that leads nowhere, a key or index that is not there, a string too short, an
// order that is no permutation, a value nested deeper than value.MaxDepth.
func Apply(base value.Value, ops Ops) (value.Value, error) {
	root := base
	for i, op := range ops {
		problem := check(i, op)
		if problem == nil {
			var reason string
			if root, reason = apply(root, op); reason == "" {
				continue
			}
			problem = &Error{Verb: op.verb(), Path: op.where(), Reason: reason}
		}
		problem.Op = i
		return nil, problem
	}
	return finish(root), nil
}

// apply carries out one operation on a root, which may be a draft, and returns the
// root that came of it, or what is wrong.
func apply(root value.Value, op Op) (value.Value, string) {
	path := op.where()
	switch op := op.(type) {
	case Replace:
		return op.Value, allowed(0, op.Value)
	case Set:
		if reason := allowed(len(path), op.Value); reason != "" {
			return nil, reason
		}
		return change(root, path, func(c container, last value.Segment) string { return c.set(last, op.Value) })
	case Delete:
		return change(root, path, func(c container, last value.Segment) string { return c.remove(last) })
	case Append:
		return change(root, path, func(c container, last value.Segment) string {
			return text(c, last, func(t *textDraft) bool { t.append(op.Text); return true })
		})
	case Trim:
		return change(root, path, func(c container, last value.Segment) string {
			return text(c, last, func(t *textDraft) bool { return t.trim(op.Units) })
		})
	case Splice:
		if reason := allowed(len(path)+1, op.Items...); reason != "" {
			return nil, reason
		}
		return items(root, path, func(a *arrayDraft) string { return a.splice(op) })
	case Permute:
		return items(root, path, func(a *arrayDraft) string { return a.permute(op.Order) })
	}
	return nil, "there is no such operation"
}

// allowed says what is wrong with values at a depth.
func allowed(depth int, values ...value.Value) string {
	for _, v := range values {
		if v == nil {
			return "it holds no value"
		}
		if depth > value.MaxDepth || value.Deeper(v, value.MaxDepth-depth) {
			return fmt.Sprintf("values would nest deeper than %d levels", value.MaxDepth)
		}
	}
	return ""
}

// change makes drafts of the containers on a path and changes the innermost one.
func change(root value.Value, path value.Path, how func(container, value.Segment) string) (value.Value, string) {
	last := len(path) - 1
	root, at, reason := open(root, path[:last])
	if reason != "" {
		return nil, reason
	}
	c, ok := at.(container)
	if !ok {
		return nil, nowhere(at, path[:last])
	}
	return root, how(c, path[last])
}

// items makes drafts of the containers on a path, and changes the array there.
func items(root value.Value, path value.Path, how func(*arrayDraft) string) (value.Value, string) {
	root, at, reason := open(root, path)
	if reason != "" {
		return nil, reason
	}
	array, ok := at.(*arrayDraft)
	if !ok {
		return nil, "there is no array, but " + found(at)
	}
	return root, how(array)
}

// text changes the string in a container.
func text(c container, last value.Segment, how func(*textDraft) bool) string {
	at, reason := c.get(last)
	if reason != "" {
		return reason
	}
	draft, ok := at.(*textDraft)
	if !ok {
		s, ok := at.(value.String)
		if !ok {
			return "there is no string, but " + found(at)
		}
		draft = &textDraft{text: s}
		c.put(last, draft)
	}
	if !how(draft) {
		return fmt.Sprintf("the string has only %d code units", draft.whole().Units())
	}
	return ""
}

// open makes drafts of what lies on a path, and returns the root and what lies at its
// end.
func open(root value.Value, path value.Path) (value.Value, value.Value, string) {
	root, _ = draft(root)
	at := root
	for i, segment := range path {
		c, ok := at.(container)
		if !ok {
			return nil, nil, nowhere(at, path[:i])
		}
		inner, reason := c.get(segment)
		if reason != "" {
			return nil, nil, reason
		}
		var made bool
		if at, made = draft(inner); made {
			c.put(segment, at)
		}
	}
	return root, at, ""
}

func nowhere(at value.Value, path value.Path) string {
	return fmt.Sprintf("the path leads into %s at %s", found(at), path)
}

// found names a value or the draft of one.
func found(v value.Value) string {
	switch v.(type) {
	case *arrayDraft, value.Array:
		return "an array"
	case *objectDraft, *value.Object:
		return "an object"
	case *textDraft, value.String:
		return "a string"
	case value.Null:
		return "null"
	case nil:
		return "no value"
	}
	return "a " + value.Kind(v)
}
