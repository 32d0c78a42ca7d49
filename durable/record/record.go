// Package record has what a session stores: conversations, entries, tasks,
// submissions, documents and events, as plain values with one JSON form.
//
// A record that was committed is never changed in place; a task, submission or
// document that moves on is stored anew under its id. The shapes follow sections 2,
// 3.2 and 5.1 of the pi-durable specification, where fields have the same names in
// JSON.
package record

// Every record has an id from one namespace: no two records of a session share one,
// of whatever kind, and none is used again. Ids are 1 to [MaxID], in the order in
// which they were given out.
type (
	ConversationID int64
	EntryID        int64
	TaskID         int64
	SubmissionID   int64
	DocumentID     int64
	EventID        int64
)

const (
	// Root is the id of the conversation that a session makes first.
	Root ConversationID = 1
	// MaxID is the largest id: what a JavaScript number holds exactly.
	MaxID = 1<<53 - 1
)

// Seq numbers commits. A later commit has a higher number; there may be gaps.
type Seq int64

// Conversation is a transcript. It never changes.
type Conversation struct {
	ID ConversationID `json:"id"`
	// Parent is where a fork left the conversation it came from; nil for others.
	Parent *ForkPoint `json:"parent,omitempty"`
	// Owner is the task whose work it is; nil when nobody's.
	Owner *Owner `json:"owner,omitempty"`
}

// ForkPoint is an entry of a conversation, which a fork still has.
type ForkPoint struct {
	Conversation ConversationID `json:"conversationId"`
	At           EntryID        `json:"at"`
}

// Owner is a task and the conversation it is in.
type Owner struct {
	Conversation ConversationID `json:"conversationId"`
	Task         TaskID         `json:"taskId"`
}
