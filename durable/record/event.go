package record

import "encoding/json"

// Event is one line of the session's log of events. It never changes.
type Event struct {
	ID      EventID         `json:"id"`
	Type    string          `json:"type"`
	Payload json.RawMessage `json:"payload"`
	// Time is milliseconds since 1970.
	Time int64 `json:"time"`
	// Extension is who emitted it; "" for a Go program.
	Extension string `json:"extension,omitempty"`
	// Conversation is the one it is about; 0 for none.
	Conversation ConversationID `json:"conversationId,omitempty"`
}

// Consumer is how far a durable consumer of events has got.
type Consumer struct {
	// Owner and Name identify it: an extension, or "" for a Go program, and the
	// name it gave.
	Owner string `json:"owner,omitempty"`
	Name  string `json:"name"`
	// Types and Conversation are the events that it is shown: of one of the types,
	// of all when there are none, and about the conversation, unless that is 0.
	Types        []string       `json:"types,omitempty"`
	Conversation ConversationID `json:"conversationId,omitempty"`
	// After is the last event that is dealt with. Later ones that it is not shown
	// may be passed, too.
	After EventID `json:"after"`
	// Failures counts the failures in a row at the event after that.
	Failures int `json:"failures,omitempty"`
	// Paused is why it does not go on by itself; "" while it does.
	Paused string `json:"paused,omitempty"`
}
