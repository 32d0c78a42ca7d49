package openai

import (
	"bytes"
	"encoding/json"
)

// chatMessage is a message of a request.
type chatMessage struct {
	Role string `json:"role"`
	// Content is a string or a []part; nil is none.
	Content    any        `json:"content,omitempty"`
	ToolCalls  []chatCall `json:"tool_calls,omitempty"`
	ToolCallID string     `json:"tool_call_id,omitempty"`
	thoughts
}

// part is a text or an image of a message, by its type.
type part struct {
	Type     string    `json:"type"`
	Text     string    `json:"text,omitempty"`
	ImageURL *imageURL `json:"image_url,omitempty"`
}

type imageURL struct {
	URL string `json:"url"`
}

// chatCall is a tool call: whole in a request, and what is added to it in a response,
// where the index tells calls apart.
type chatCall struct {
	Index    int64        `json:"index,omitempty"`
	ID       text         `json:"id"`
	Type     string       `json:"type,omitempty"`
	Function functionCall `json:"function"`
}

type functionCall struct {
	Name      text `json:"name"`
	Arguments text `json:"arguments"`
}

type tool struct {
	Type     string   `json:"type"`
	Function function `json:"function"`
}

type function struct {
	Name        string          `json:"name"`
	Description string          `json:"description"`
	Parameters  json.RawMessage `json:"parameters"`
}

// thoughts are the members by which servers tell what a model thinks; a text of thinking
// has the name of the one it came by as its signature, and goes back by it.
type thoughts struct {
	ReasoningContent text `json:"reasoning_content,omitempty"`
	Reasoning        text `json:"reasoning,omitempty"`
	ReasoningText    text `json:"reasoning_text,omitempty"`
}

// reasoningFields are the names of the members of [thoughts].
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// by returns the member with a name, or nil.
func (t *thoughts) by(name string) *text {
	switch name {
	case "reasoning_content":
		return &t.ReasoningContent
	case "reasoning":
		return &t.Reasoning
	case "reasoning_text":
		return &t.ReasoningText
	}
	return nil
}

// chunk is an event of a response.
type chunk struct {
	Error   json.RawMessage `json:"error"`
	ID      text            `json:"id"`
	Model   text            `json:"model"`
	Choices []choice        `json:"choices"`
	Usage   json.RawMessage `json:"usage"`
}

// choice is one of the answers, of which a request asks for one. Some servers count
// tokens here.
type choice struct {
	Delta        delta           `json:"delta"`
	FinishReason text            `json:"finish_reason"`
	Usage        json.RawMessage `json:"usage"`
}

// delta is what a chunk adds to the answer.
type delta struct {
	Content   text       `json:"content"`
	Refusal   text       `json:"refusal"`
	ToolCalls []chatCall `json:"tool_calls"`
	thoughts
}

// text is a string. Where a server sends another value, that is taken as it is written:
// some send an object where the text of one is due, or a number for an id.
type text string

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (t *text) UnmarshalJSON(value []byte) error {
	switch {
	case value[0] == '"':
		return json.Unmarshal(value, (*string)(t))
	case bytes.Equal(value, []byte("null")):
		*t = ""
	default:
		*t = text(value)
	}
	return nil
}
