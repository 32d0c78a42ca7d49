package faux

import (
	"context"
	"encoding/json"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Answer is the step that answers with a message, whatever it is asked.
func Answer(m *message.Assistant) Step {
	return func(context.Context, model.Request, State) (*message.Assistant, error) { return m, nil }
}

// Fail is the step whose response fails with an error message.
func Fail(errorMessage string) Step {
	return Answer(&message.Assistant{StopReason: message.StopReasonError, ErrorMessage: errorMessage})
}

// Message is a response of blocks. Its stop reason is toolUse when it has tool calls,
// else stop; it may be changed by the caller.
func Message(blocks ...message.Block) *message.Assistant {
	m := &message.Assistant{Content: blocks, StopReason: message.StopReasonStop}
	if len(m.ToolCalls()) > 0 {
		m.StopReason = message.StopReasonToolUse
	}
	return m
}

// Says is a response of text alone.
func Says(text string) *message.Assistant { return Message(&message.Text{Text: text}) }

// Calls is a response of tool calls alone.
func Calls(calls ...*message.ToolCall) *message.Assistant {
	blocks := make([]message.Block, len(calls))
	for i, call := range calls {
		blocks[i] = call
	}
	return Message(blocks...)
}

// Call is a tool call. The arguments are text that is streamed as it is, of
// [encoding/json.RawMessage], or any value that has JSON; one that has none is a panic.
// The provider
// gives it an id.
func Call(name string, arguments any) *message.ToolCall {
	if raw, ok := arguments.(json.RawMessage); ok {
		return &message.ToolCall{Name: name, Arguments: raw}
	}
	text, err := json.Marshal(arguments)
	if err != nil {
		panic("faux: the arguments of " + name + ": " + err.Error())
	}
	return &message.ToolCall{Name: name, Arguments: text}
}
