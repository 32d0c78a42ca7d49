package record

// Document is one lifetime of a document: from its creation to its retirement. A
// document that is made again at the same address is another one.
type Document struct {
	ID DocumentID `json:"id"`
	Address
	// Created is the commit that made it, and Retired the one that ended it, 0 while
	// it lives. It is there from Created, inclusive, to Retired, exclusive.
	Created Seq `json:"createdAt"`
	Retired Seq `json:"retiredAt,omitempty"`
	// History and Fork are set for a conversation's document.
	History History    `json:"history,omitempty"`
	Fork    ForkPolicy `json:"fork,omitempty"`
}

// Address is where a document is found.
type Address struct {
	// Kind is the name of its definition.
	Kind  string `json:"kind"`
	Scope Scope  `json:"scope"`
	// Key tells the members of a family apart; Family says that there is one, which
	// may be "".
	Key    string `json:"key,omitempty"`
	Family bool   `json:"family,omitempty"`
}

// ScopeKind is what a document belongs to.
type ScopeKind string

// The kinds of scopes.
const (
	SessionScope      ScopeKind = "session"
	ConversationScope ScopeKind = "conversation"
	TaskScope         ScopeKind = "task"
)

// Scope is what a document belongs to, and lives and ends with. Conversation and
// Task are set for their kinds only.
type Scope struct {
	Kind         ScopeKind      `json:"kind"`
	Conversation ConversationID `json:"conversationId,omitempty"`
	Task         TaskID         `json:"taskId,omitempty"`
}

// History says what is kept of a conversation's document.
type History string

// The histories of a conversation's document.
const (
	// Latest keeps the current value.
	Latest History = "latest"
	// Rewindable keeps the value at every entry.
	Rewindable History = "rewindable"
)

// ForkPolicy says what a fork gets of a conversation's document.
type ForkPolicy string

// The fork policies.
const (
	// ForkCurrent copies the value that the parent has now.
	ForkCurrent ForkPolicy = "current"
	// ForkInitial copies nothing: the fork makes its own at first use.
	ForkInitial ForkPolicy = "initial"
	// ForkAsOf copies the value as of the entry that is forked at; the document is
	// rewindable.
	ForkAsOf ForkPolicy = "asOf"
)
