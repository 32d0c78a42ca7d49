package durable

import (
	"encoding/json"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// SubmissionDraft is what can be handed in to a conversation: an [Input] or a
// [Write].
type SubmissionDraft interface {
	// draft returns the submission, queued, and the item that waits for it.
	draft() (record.Submission, InboxItem, error)
}

// Input is a user's turn, which asks for an answer.
type Input struct {
	// Request is the caller's own name for it. A conversation takes it once: handing
	// it in again finds the first submission. "" for none.
	Request string
	Content message.Content
	// WhenBusy says what happens while a run is active.
	WhenBusy WhenBusy
	// Label, when it is not nil, says what the entry is.
	Label *Label
}

// WhenBusy says what happens to an input while a run is active.
type WhenBusy string

// What happens to an input while a run is active.
const (
	// FollowUp has it wait for the end of the run. So does "".
	FollowUp WhenBusy = "followUp"
	// Steer gives it to the run after a round of tools.
	Steer WhenBusy = "steer"
	// Reject refuses it with a [*ConversationBusyError].
	Reject WhenBusy = "reject"
)

// Label makes the entry of an input one of another kind than [UserEntry].
type Label struct {
	// Kind does not begin with "pi.".
	Kind string
	// Data is JSON; nil for none.
	Data json.RawMessage
}

// Write is an entry to append, which starts nothing.
type Write struct {
	// Request is as an [Input] has it.
	Request string
	Entry   EntryDraft
}

// ConversationBusyError is an input that was to be refused while a run is active.
// Nothing of it was stored.
type ConversationBusyError struct{ Conversation record.ConversationID }

func (e *ConversationBusyError) Error() string {
	return fmt.Sprintf("ConversationBusy: conversation %d answers another input: wait until it is idle, or submit to follow or steer", e.Conversation)
}

func (i Input) draft() (record.Submission, InboxItem, error) {
	item := InboxItem{Mode: ModeFollowUp, Content: &i.Content}
	switch i.WhenBusy {
	case Steer:
		item.Mode = ModeSteer
	case "", FollowUp, Reject:
	default:
		return record.Submission{}, item, invalid("an input", "what it does when the conversation is busy is %q, and must be followUp, steer or reject", i.WhenBusy)
	}
	if label := i.Label; label != nil {
		if strings.HasPrefix(label.Kind, builtInPrefix) {
			return record.Submission{}, item, invalid("the label of an input", "its kind %q is the engine's own: choose one that does not begin with %q", label.Kind, builtInPrefix)
		}
		var err error
		if item.Entry, err = drafted(EntryDraft{Kind: label.Kind, Data: label.Data}); err != nil {
			return record.Submission{}, item, err
		}
	}
	if _, err := message.Encode(&message.User{Content: i.Content}); err != nil {
		return record.Submission{}, item, invalid("the content of an input", "%s", err)
	}
	return queued(record.Input, i.Request), item, nil
}

func (w Write) draft() (record.Submission, InboxItem, error) {
	entry, err := drafted(w.Entry)
	return queued(record.WriteEntry, w.Request), InboxItem{Mode: ModeWrite, Entry: entry}, err
}

func queued(kind record.SubmissionType, request string) record.Submission {
	return record.Submission{Type: kind, Status: record.Queued, Request: request}
}

// drafted returns the JSON form of an entry that can be appended.
func drafted(entry EntryDraft) (json.RawMessage, error) {
	if err := entry.check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(entry)
	if err == nil && !utf8.Valid(text) {
		err = errNotUTF8
	}
	if err != nil {
		return nil, invalid("an entry of kind "+entry.Kind, "%s", err)
	}
	return text, nil
}
