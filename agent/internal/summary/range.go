// Package summary decides which part of a context a summary takes the place of, and
// writes what a model is asked for it (section 8.7 of the pi-durable specification).
package summary

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Range is the part of a context that a summary takes the place of.
type Range struct {
	// Entries are that part: the head of the context, if it has one, and what follows
	// up to FirstKept, which is the first entry that stays.
	Entries   []record.Entry
	FirstKept record.EntryID
	// Messages are what a model is shown for Entries.
	Messages message.Messages
}

// Select returns the older part of a context, so that about keep tokens of the newest
// messages stay, and whether there is anything in it. What stays begins with a user's
// turn or a response whose results stay with it.
func Select(view durable.ContextView, keep int64) (Range, bool) {
	from := heads(view)
	begin := reached(view, from, keep)
	if begin < 0 {
		return Range{}, false
	}
	cut := -1
	for _, candidate := range candidates(view, from) {
		cut = candidate
		if candidate >= begin {
			break
		}
	}
	if cut < 0 || !slices.ContainsFunc(view.Contributions[from:cut], func(m message.Messages) bool { return len(m) > 0 }) {
		return Range{}, false
	}
	return before(view, cut), true
}

// Before returns the part of a context before an entry, and whether the entry is in it.
func Before(view durable.ContextView, firstKept record.EntryID) (Range, bool) {
	from := heads(view)
	cut := slices.IndexFunc(view.Entries[from:], func(e record.Entry) bool { return e.ID == firstKept })
	if cut < 0 {
		return Range{}, false
	}
	return before(view, from+cut), true
}

func before(view durable.ContextView, cut int) Range {
	return Range{Entries: view.Entries[:cut:cut], FirstKept: view.Entries[cut].ID, Messages: view.Before(cut)}
}

// heads is how many of the entries have a head: none, or the first.
func heads(view durable.ContextView) int {
	if view.Head != nil {
		return 1
	}
	return 0
}

// reached returns the entry from which on the context has so many tokens; -1 when it
// has fewer.
func reached(view durable.ContextView, from int, keep int64) int {
	var tokens int64
	for i := len(view.Entries) - 1; i >= from; i-- {
		for _, m := range view.Contributions[i] {
			tokens += model.EstimateMessage(m)
		}
		if tokens >= keep {
			return i
		}
	}
	return -1
}

// candidates returns the entries with which what stays can begin, in their order. A
// user's turn that stands between a response and one of its results is none: the result
// would lose its call.
func candidates(view durable.ContextView, from int) (found []int) {
	waiting := make(map[string]bool) // the calls of the last response
	since := 0                       // of found, those after it
	for i := from; i < len(view.Entries); i++ {
		for n, m := range view.Contributions[i] {
			switch m := m.(type) {
			case *message.Assistant:
				clear(waiting)
				for _, call := range m.ToolCalls() {
					waiting[call.ID] = true
				}
				if n == 0 {
					found = append(found, i)
				}
				since = len(found)
			case *message.User:
				if n == 0 {
					found = append(found, i)
				}
			case *message.ToolResult:
				if waiting[m.ToolCallID] {
					found = found[:min(since, len(found))]
				}
			}
		}
	}
	return found
}
