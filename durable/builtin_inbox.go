package durable

import (
	"encoding/json"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// InboxDocument is what was handed in to a conversation and waits for its place
// (section 6 of the pi-durable specification). Its whole value is stored whenever it
// is empty.
var InboxDocument = DefineDocument(DocumentSpec[InboxState]{
	Kind: "pi.inbox", Version: 1,
	Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
	Initial: func() InboxState { return InboxState{Items: []InboxItem{}} },
	Checkpoint: func(changed *value.Object, _ delta.Ops, _ int) bool {
		items, _ := changed.Get("items")
		list, _ := items.(value.Array)
		return len(list) == 0
	},
})

// InboxState is what waits in a conversation, in the order of the submissions.
type InboxState struct {
	Items []InboxItem `json:"items"`
}

// InboxMode says what an item of an inbox is.
type InboxMode string

// The modes of the items of an inbox.
const (
	// ModeSteer is an input that is placed after a round of tools.
	ModeSteer InboxMode = "steer"
	// ModeFollowUp is an input that is placed when the run has ended.
	ModeFollowUp InboxMode = "followUp"
	// ModeWrite is an entry that is appended at the next boundary.
	ModeWrite InboxMode = "write"
)

// InboxItem is a submission that waits.
type InboxItem struct {
	ID   record.SubmissionID `json:"id"`
	Mode InboxMode           `json:"mode"`
	// Content is an input's.
	Content *message.Content `json:"content,omitempty"`
	// Entry is the entry of a write, and the kind and data of an input that has a
	// label: the JSON form of an [EntryDraft].
	Entry json.RawMessage `json:"entry,omitempty"`
}

// remove takes items out, if they are there.
func (i *InboxState) remove(ids ...record.SubmissionID) {
	gone := make(map[record.SubmissionID]bool, len(ids))
	for _, id := range ids {
		gone[id] = true
	}
	i.Items = slices.DeleteFunc(i.Items, func(item InboxItem) bool { return gone[item.ID] })
}
