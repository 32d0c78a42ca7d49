package transcript

import (
	"maps"
	"slices"
	"sync/atomic"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// derivation is a view with what it takes to extend it. It does not change once its
// view was returned.
//
// The derivation that extends it appends to the same arrays: what is behind the
// ends of the slices belongs to the first one that does.
type derivation struct {
	tail          record.EntryID
	headed        bool // the first of entries is the head
	entries       []record.Entry
	contributions []message.Messages
	edits         map[record.EntryID]*record.Edit // the newest of the range, by target
	arrangement

	extended atomic.Bool
}

// view returns the view, whose slices end where they can be appended to.
func (d *derivation) view() View {
	v := View{
		Entries:       slices.Clip(d.entries),
		Contributions: slices.Clip(d.contributions),
		Messages:      slices.Clip(d.messages),
		derived:       d,
	}
	if d.headed {
		v.Head = &v.Entries[0]
	}
	return v
}

// extend returns the derivation with later entries, none of which has a head.
func (d *derivation) extend(entries []record.Entry) *derivation {
	next := &derivation{
		tail:          entries[len(entries)-1].ID,
		headed:        d.headed,
		entries:       d.entries,
		contributions: d.contributions,
		edits:         newestEdits(d.edits, entries),
		arrangement:   d.share(),
	}
	if !d.extended.CompareAndSwap(false, true) {
		next.entries = slices.Clip(next.entries)
		next.contributions = slices.Clip(next.contributions)
		next.messages = slices.Clip(next.messages)
	}
	arranged := len(next.contributions)
	if next.revise(entries) {
		next.arrangement, arranged = arrangement{}, 0
	}
	next.entries = append(next.entries, entries...)
	next.contribute(entries)
	next.arrange(next.contributions[arranged:])
	return next
}

// contribute adds what later entries contribute.
func (d *derivation) contribute(entries []record.Entry) {
	d.contributions = slices.Grow(d.contributions, len(entries))
	for i := range entries {
		d.contributions = append(d.contributions, contribution(&entries[i], d.edits[entries[i].ID]))
	}
}

// revise brings the contributions up to date with the edits that later entries have
// of the ones that are there, and says whether any is another now.
func (d *derivation) revise(later []record.Entry) bool {
	revised := false
	for i := range later {
		for _, edit := range later[i].Edits {
			place, found := d.place(edit.Target)
			if !found {
				continue
			}
			now := contribution(&d.entries[place], d.edits[edit.Target])
			if len(now) == 0 && len(d.contributions[place]) == 0 {
				continue
			}
			if !revised {
				d.contributions, revised = slices.Clone(d.contributions), true
			}
			d.contributions[place] = now
		}
	}
	return revised
}

// place returns the place of an entry in the context.
func (d *derivation) place(id record.EntryID) (int, bool) {
	if !d.headed {
		return find(d.entries, id)
	}
	if d.entries[0].ID == id {
		return 0, true
	}
	place, found := find(d.entries[1:], id)
	return place + 1, found
}

// newestEdits returns the edits with those of later entries. A later edit of an
// entry replaces an earlier one, also one of the same entry.
func newestEdits(edits map[record.EntryID]*record.Edit, later []record.Entry) map[record.EntryID]*record.Edit {
	var newest map[record.EntryID]*record.Edit
	for i := range later {
		for j := range later[i].Edits {
			if newest == nil {
				newest = make(map[record.EntryID]*record.Edit, len(edits)+1)
				maps.Copy(newest, edits)
			}
			edit := &later[i].Edits[j]
			newest[edit.Target] = edit
		}
	}
	if newest == nil {
		return edits
	}
	return newest
}

// contribution returns what an entry contributes with the edit that counts for it,
// or nil.
func contribution(entry *record.Entry, edit *record.Edit) message.Messages {
	messages := entry.Model
	if edit != nil {
		messages = edit.Messages
		if edit.Action == record.Omit {
			messages = nil
		}
	}
	if slices.ContainsFunc(messages, leftOut) {
		messages = slices.DeleteFunc(slices.Clone(messages), leftOut)
	}
	if len(messages) == 0 {
		return nil
	}
	return slices.Clip(messages)
}

// leftOut says whether a message is a response that no model is shown (rule 9).
func leftOut(m message.Message) bool {
	response, ok := m.(*message.Assistant)
	if !ok {
		return false
	}
	switch response.StopReason {
	case message.StopReasonAborted, message.StopReasonError, message.StopReasonDeferred:
		return true
	}
	return false
}
