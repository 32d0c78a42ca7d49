package record

import "encoding/json"

// Submission is something that was handed in to a conversation, and what became of
// it.
type Submission struct {
	ID           SubmissionID   `json:"id"`
	Conversation ConversationID `json:"conversationId"`
	// Request is the caller's own name for it, unique in the conversation; "" when
	// it has none.
	Request string           `json:"requestId,omitempty"`
	Type    SubmissionType   `json:"type"`
	Status  SubmissionStatus `json:"status"`
	// Entry is what was placed for it; 0 until then.
	Entry EntryID `json:"entry,omitempty"`
	// Answer is the entry that answers an input that is done.
	Answer EntryID `json:"answer,omitempty"`
	// Reason and Detail say why it is unanswered.
	Reason string          `json:"reason,omitempty"`
	Detail json.RawMessage `json:"detail,omitempty"`
}

// SubmissionType is what was handed in.
type SubmissionType string

// The types of submissions.
const (
	// Input is a user's turn, which asks for an answer.
	Input SubmissionType = "input"
	// WriteEntry is an entry to append, which asks for none.
	WriteEntry SubmissionType = "write"
)

// SubmissionStatus is how far a submission has got.
type SubmissionStatus string

// The states of a submission. The last two are settled.
const (
	Queued     SubmissionStatus = "queued"
	Placed     SubmissionStatus = "placed"
	Done       SubmissionStatus = "done"
	Unanswered SubmissionStatus = "unanswered"
)

// Settled says whether nothing more will become of it.
func (s SubmissionStatus) Settled() bool { return s == Done || s == Unanswered }
