// Package transcript derives what a model is shown of a conversation from the
// conversation's entries.
//
// [Derive] makes a [View] from all entries of the range that counts, and
// [View.Extend] the next one from the entries that came since, at the cost of those.
// Both are functions of what they are given, and follow the rules of section 2.1 of
// the pi-durable specification:
//
//  1. The head is the newest entry that has a head.
//  2. The range begins with the entry that the head names; without a head, with the
//     conversation.
//  3. It ends with the entry that the context is wanted as of.
//  4. The newest edit in the range of an entry decides what that one contributes.
//  5. The head comes first, and then those entries of the range that have no head.
//  6. System messages stay where they were committed.
//  7. The results that were committed before the next assistant message move right
//     behind the assistant message that called for them, in the order of its calls.
//  8. A call without a result gets one that says so, and a result without a call is
//     left out.
//  9. Responses that were aborted, failed or were deferred are left out, as are
//     entries without messages.
//  10. A system message that only users' messages precede comes first.
package transcript

import (
	"cmp"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// View is the context of a conversation as of one of its entries. The zero value is
// the context of a conversation without entries.
//
// Messages and slices are shared with the entries that the view was derived from
// and with other views: they are not to be changed, but can be appended to. A view
// is safe for concurrent use.
type View struct {
	// Head is the entry that the context begins with; nil when it begins with the
	// conversation.
	Head *record.Entry
	// Entries are the entries of the context: Head, if there is one, and then the
	// others in the order of their ids.
	Entries []record.Entry
	// Contributions are the messages that each of Entries contributes, after edits
	// and without those that rule 9 leaves out, as committed: before the rules that
	// place messages. It is nil for an entry that contributes none.
	Contributions []message.Messages
	// Messages are what a model is shown.
	Messages message.Messages

	derived *derivation // nil in the zero value
}

// Derive returns the context as of the last entry that it is given.
//
// The entries are those that are visible in the conversation up to that one, in the
// order of their ids. They may begin with the entry that their newest head names:
// what precedes it has no part in the context. They are not changed, and the caller
// does not change them afterwards either.
func Derive(entries []record.Entry) View {
	if len(entries) == 0 {
		return View{}
	}
	d := &derivation{entries: slices.Clip(entries), tail: entries[len(entries)-1].ID}
	if head := newestHead(entries); head >= 0 {
		first, _ := find(entries, entries[head].Head)
		d.headed = true
		d.entries = withoutHeads(entries[head], entries[first:])
		entries = entries[first:]
	}
	d.edits = newestEdits(nil, entries)
	d.contribute(d.entries)
	d.arrange(d.contributions)
	return d.view()
}

// Extend returns the context as of a later entry than that of v, which stays as it
// is. The result equals that of [Derive] for the entries of both.
//
// The entries are those that are visible in the conversation after [View.Tail], up
// to that later one, in the order of their ids. Derive says what holds for them.
//
// It returns false when the newest head among them names an entry that v knew or
// passed over: the context has another beginning now, and the caller derives it from
// there.
func (v View) Extend(entries []record.Entry) (View, bool) {
	switch head := newestHead(entries); {
	case len(entries) == 0:
		return v, true
	case v.derived == nil, head >= 0 && entries[head].Head > v.Tail():
		return Derive(entries), true
	case head >= 0:
		return View{}, false
	}
	return v.derived.extend(entries).view(), true
}

// Tail returns the id of the entry that v is the context as of; 0 when there is
// none.
func (v View) Tail() record.EntryID {
	if v.derived == nil {
		return 0
	}
	return v.derived.tail
}

// newestHead returns the place of the newest entry that has a head, or -1.
func newestHead(entries []record.Entry) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].Head != 0 {
			return i
		}
	}
	return -1
}

// withoutHeads returns the head and the entries of its range that have none.
func withoutHeads(head record.Entry, entries []record.Entry) []record.Entry {
	active := append(make([]record.Entry, 0, len(entries)), head)
	for i := range entries {
		if entries[i].Head == 0 {
			active = append(active, entries[i])
		}
	}
	return active
}

// find returns the place of an entry among entries in the order of their ids, or of
// the first behind it.
func find(entries []record.Entry, id record.EntryID) (int, bool) {
	return slices.BinarySearchFunc(entries, id, func(entry record.Entry, id record.EntryID) int {
		return cmp.Compare(entry.ID, id)
	})
}
