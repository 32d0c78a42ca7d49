package record

import (
	"encoding/json"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Entry is one step of a transcript. It never changes.
type Entry struct {
	ID           EntryID        `json:"id"`
	Conversation ConversationID `json:"conversationId"`
	// Kind names what it is, like "pi.user".
	Kind string `json:"kind"`
	// Model is what a language model is shown for it; empty when nothing.
	Model message.Messages `json:"model,omitempty"`
	// Data is JSON of the kind's own; nil when it has none.
	Data json.RawMessage `json:"data,omitempty"`
	// Head, when not 0, begins the context at the entry it names, which may be
	// this one.
	Head EntryID `json:"head,omitempty"`
	// Edits change what models are shown for earlier entries.
	Edits []Edit `json:"edits,omitempty"`
	// Task is the task whose commit appended it; 0 when none did.
	Task TaskID `json:"byTaskId,omitempty"`
}

// Edit replaces what models are shown for an entry.
type Edit struct {
	Target EntryID `json:"target"`
	Action Action  `json:"action"`
	// Messages are shown instead, when the action is [Replace].
	Messages message.Messages `json:"messages,omitempty"`
}

// Action is what an edit does.
type Action string

// The actions of an edit.
const (
	Omit    Action = "omit"
	Replace Action = "replace"
)
