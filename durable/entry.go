package durable

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// The kinds of the built-in entries (section 8.1 of the pi-durable specification).
// Kinds of others do not begin with "pi.".
const (
	// UserEntry is a user's turn.
	UserEntry = "pi.user"
	// AssistantEntry is a response, whatever became of it.
	AssistantEntry = "pi.assistant"
	// SystemEntry changes the prompt or the tools.
	SystemEntry = "pi.system"
	// ResetEntry begins the context at itself, with a user's turn or with nothing.
	ResetEntry = "pi.reset"
	// ToolResultEntry is the result of a tool call.
	ToolResultEntry EntryKind[ToolResultData] = "pi.tool-result"
	// CompactionEntry is the summary of what was before the entry that its head
	// names.
	CompactionEntry EntryKind[CompactionData] = "pi.compaction"
)

const builtInPrefix = "pi."

// ToolResultData is the data of a [ToolResultEntry].
type ToolResultData struct {
	// Diagnostics are JSON objects; empty rather than nil.
	Diagnostics []json.RawMessage `json:"diagnostics"`
}

// CompactionData is the data of a [CompactionEntry].
type CompactionData struct {
	// Reason is "manual", "threshold" or "overflow".
	Reason string `json:"reason"`
}

// EntryKind is a kind of entries whose data has the JSON form of a D. A kind without
// data is a string.
type EntryKind[D any] string

// Is says whether an entry is of the kind.
func (k EntryKind[D]) Is(entry record.Entry) bool { return entry.Kind == string(k) }

// Data returns an entry's data. An entry of another kind is an [*InvalidError], and
// data that is no D is an error.
func (k EntryKind[D]) Data(entry record.Entry) (data D, err error) {
	what := fmt.Sprintf("entry %d", entry.ID)
	if !k.Is(entry) {
		return data, invalid(what, "its kind is %q, not %q", entry.Kind, string(k))
	}
	if err := json.Unmarshal(entry.Data, &data); err != nil {
		return data, fmt.Errorf("%s of kind %q: its data is no %T: %w", what, entry.Kind, data, err)
	}
	return data, nil
}

// Draft returns an entry of the kind with data, to be appended.
func (k EntryKind[D]) Draft(data D) (EntryDraft, error) {
	text, err := marshalled(data)
	if err != nil {
		return EntryDraft{}, invalid(fmt.Sprintf("an entry of kind %q", string(k)), "%s", err)
	}
	return EntryDraft{Kind: string(k), Data: text}, nil
}

// Entry returns an entry, and whether there is one of the kind with this id.
func (k EntryKind[D]) Entry(tx *Tx, id record.EntryID) (record.Entry, bool, error) {
	entry, found, err := tx.Entry(id)
	if err != nil || !found || !k.Is(entry) {
		return record.Entry{}, false, err
	}
	return entry, true, nil
}

// entryDraft is the JSON form of a draft: its head is an id or "self".
type entryDraft struct {
	Kind  string          `json:"kind"`
	Model json.RawMessage `json:"model,omitempty"`
	Data  json.RawMessage `json:"data,omitempty"`
	Head  json.RawMessage `json:"head,omitempty"`
	Edits []record.Edit   `json:"edits,omitempty"`
}

const selfHead = `"self"`

// MarshalJSON implements [json.Marshaler]. A draft that begins the context at itself
// has the head "self".
func (d EntryDraft) MarshalJSON() ([]byte, error) {
	form := entryDraft{Kind: d.Kind, Data: d.Data, Edits: d.Edits}
	if len(d.Model) > 0 {
		var err error
		if form.Model, err = json.Marshal(d.Model); err != nil {
			return nil, err
		}
	}
	switch {
	case d.Self:
		form.Head = json.RawMessage(selfHead)
	case d.Head != 0:
		form.Head = fmt.Appendf(nil, "%d", d.Head)
	}
	return json.Marshal(form)
}

// UnmarshalJSON implements [json.Unmarshaler].
func (d *EntryDraft) UnmarshalJSON(text []byte) error {
	var form entryDraft
	if err := json.Unmarshal(text, &form); err != nil {
		return err
	}
	read := EntryDraft{Kind: form.Kind, Data: form.Data, Edits: form.Edits}
	if len(form.Model) > 0 {
		if err := json.Unmarshal(form.Model, &read.Model); err != nil {
			return fmt.Errorf("model: %w", err)
		}
	}
	switch {
	case string(form.Head) == selfHead:
		read.Self = true
	case len(form.Head) > 0:
		if err := json.Unmarshal(form.Head, &read.Head); err != nil {
			return fmt.Errorf("head: %w", err)
		}
	}
	*d = read
	return nil
}
