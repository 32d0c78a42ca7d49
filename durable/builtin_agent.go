package durable

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// AgentDocument is what was chosen for a conversation (section 2.2 of the pi-durable
// specification).
var AgentDocument = DefineDocument(DocumentSpec[AgentState]{
	Kind: "pi.agent", Version: 1,
	Scope: record.ConversationScope, History: record.Rewindable, Fork: record.ForkAsOf,
	Initial:    func() AgentState { return AgentState{} },
	Checkpoint: wholeValues,
})

// wholeValues is the checkpoint of small documents: each change stores the value.
func wholeValues(*value.Object, delta.Ops, int) bool { return true }

// AgentState is what was chosen for a conversation, by name. What is not set follows
// the embedder's defaults.
type AgentState struct {
	Model *ModelRef `json:"model,omitempty"`
	// ThinkingLevel is one of the levels of the model, like "high".
	ThinkingLevel string `json:"thinkingLevel,omitempty"`
	// Extensions are the extensions that take part: exactly these, or the default
	// ones with a few added and removed.
	Extensions *Selection `json:"extensions,omitempty"`
	// Tools filters the tools of those extensions: exactly these, or all but a few.
	Tools *Selection `json:"tools,omitempty"`
	// Instructions are the last section of the prompt.
	Instructions string `json:"instructions,omitempty"`
	// Cwd is the folder in which the tools work.
	Cwd string `json:"cwd,omitempty"`
}

// ModelRef names a language model.
type ModelRef struct {
	Provider string `json:"provider"`
	Model    string `json:"modelId"`
}

// Selection chooses from a list of names. Names that do not exist count for
// nothing until they do.
type Selection struct {
	// Exactly, when it is not nil, is the choice, in its order. In JSON the selection
	// is an array then.
	Exactly []string
	// Add and Remove change the default choice, when Exactly is nil.
	Add, Remove []string
}

// selectionEdit is the JSON form of a selection that is no list.
type selectionEdit struct {
	Add    []string `json:"add,omitempty"`
	Remove []string `json:"remove,omitempty"`
}

// MarshalJSON implements [json.Marshaler].
func (s Selection) MarshalJSON() ([]byte, error) {
	if s.Exactly != nil {
		return json.Marshal(s.Exactly)
	}
	return json.Marshal(selectionEdit{s.Add, s.Remove})
}

// UnmarshalJSON implements [json.Unmarshaler].
func (s *Selection) UnmarshalJSON(text []byte) error {
	if list := []string{}; json.Unmarshal(text, &list) == nil && !null(text) {
		*s = Selection{Exactly: list}
		return nil
	}
	var edit selectionEdit
	if err := json.Unmarshal(text, &edit); err != nil || null(text) {
		return fmt.Errorf("a selection is a list of names, or an object that adds and removes some, and not %s", text)
	}
	*s = Selection{Add: edit.Add, Remove: edit.Remove}
	return nil
}

func null(text []byte) bool { return bytes.Equal(text, []byte("null")) }

// AgentChange changes what is chosen for a conversation. The zero value changes
// nothing. In JSON a member that is there is set, one that is null is cleared.
type AgentChange struct {
	Model         Choice[ModelRef]  `json:"model,omitzero"`
	ThinkingLevel Choice[string]    `json:"thinkingLevel,omitzero"`
	Extensions    Choice[Selection] `json:"extensions,omitzero"`
	Tools         Choice[Selection] `json:"tools,omitzero"`
	Instructions  Choice[string]    `json:"instructions,omitzero"`
	Cwd           Choice[string]    `json:"cwd,omitzero"`
}

// Choice sets something, clears it, or leaves it as it is, which the zero value
// does.
type Choice[T any] struct {
	made  bool
	value *T
}

// Set chooses a value, in place of the one that was chosen.
func Set[T any](value T) Choice[T] { return Choice[T]{made: true, value: &value} }

// Clear takes a choice back.
func Clear[T any]() Choice[T] { return Choice[T]{made: true} }

// IsZero says whether the choice leaves everything as it is.
func (c Choice[T]) IsZero() bool { return !c.made }

// MarshalJSON implements [json.Marshaler].
func (c Choice[T]) MarshalJSON() ([]byte, error) { return json.Marshal(c.value) }

// UnmarshalJSON implements [json.Unmarshaler].
func (c *Choice[T]) UnmarshalJSON(text []byte) error {
	c.made = true
	return json.Unmarshal(text, &c.value)
}

// pointer changes an optional member.
func (c Choice[T]) pointer(member **T) {
	if c.made {
		*member = c.value
	}
}

// plain changes a member whose zero value says that nothing is chosen.
func (c Choice[T]) plain(member *T) {
	if !c.made {
		return
	}
	*member = *new(T)
	if c.value != nil {
		*member = *c.value
	}
}

// Configure changes what is chosen for a conversation: what is set replaces what was
// chosen, whole. It takes effect when the agent is resolved the next time.
//
// The errors are those of [Tx.Draft], and an [*InvalidError] for a selection that
// contradicts itself.
func Configure(tx *Tx, conversation record.ConversationID, change AgentChange) error {
	if err := change.check(); err != nil {
		return err
	}
	agent, err := AgentDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return err
	}
	change.Model.pointer(&agent.Model)
	change.ThinkingLevel.plain(&agent.ThinkingLevel)
	change.Extensions.pointer(&agent.Extensions)
	change.Tools.pointer(&agent.Tools)
	change.Instructions.plain(&agent.Instructions)
	change.Cwd.plain(&agent.Cwd)
	return nil
}

func (c AgentChange) check() error {
	for _, selection := range []*Selection{c.Extensions.value, c.Tools.value} {
		if selection != nil && selection.Exactly != nil && (selection.Add != nil || selection.Remove != nil) {
			return invalid("a change of an agent", "a selection is a list, or adds and removes, and not both")
		}
	}
	if tools := c.Tools.value; tools != nil && tools.Add != nil {
		return invalid("a change of an agent", "tools cannot be added to the default ones: all of them are offered; list some or remove some")
	}
	return nil
}
