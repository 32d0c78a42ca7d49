package model

import "github.com/seed-d579e5eb/harness/model/message"

// EventType says what an event tells.
type EventType string

// The types of events.
const (
	Start         EventType = "start"
	TextStart     EventType = "text_start"
	TextDelta     EventType = "text_delta"
	TextEnd       EventType = "text_end"
	ThinkingStart EventType = "thinking_start"
	ThinkingDelta EventType = "thinking_delta"
	ThinkingEnd   EventType = "thinking_end"
	ToolCallStart EventType = "toolcall_start"
	ToolCallDelta EventType = "toolcall_delta"
	ToolCallEnd   EventType = "toolcall_end"
	Done          EventType = "done"
	Failed        EventType = "error"
)

// Event is one step of a response. It may be kept.
type Event struct {
	Type EventType
	// ContentIndex is the place of the block in the message's content, for the events of
	// blocks. Blocks may interleave.
	ContentIndex int
	// Delta is what a delta adds: text, or a piece of the JSON of arguments.
	Delta string
	// Content is the whole text, in the end of a text and of thinking.
	Content string
	// ToolCall is the whole call, in the end of one.
	ToolCall *message.ToolCall
	// Message is the final message, in Done and Failed. Its stop reason is stop, length,
	// toolUse or deferred in Done; error or aborted in Failed.
	Message *message.Assistant

	of *Writer
}

// Final says whether the event is the last one.
func (e Event) Final() bool { return e.Type == Done || e.Type == Failed }

// Partial returns the message as far as it is written, with the stop reason pending
// until the end. It is the message as it is now: asked for within the loop, that is
// as of this event. The arguments of a call that is not complete are what can be read
// of them, and those of a long call may lag behind a little. It may be asked for by any
// goroutine and at any time; what is returned may be kept, and costs little.
func (e Event) Partial() *message.Assistant {
	if e.Message != nil || e.of == nil {
		return e.Message
	}
	return e.of.Message()
}
