package transcript

import (
	"encoding/json"
	"slices"

	"github.com/seed-d579e5eb/harness/model/message"
)

// arrangement puts messages one by one into the order in which a model is shown them
// (rules 6, 7, 8 and 10). The zero value has none.
type arrangement struct {
	messages message.Messages
	// shared is how many of messages are another arrangement's too, and are copied
	// before one of them is replaced.
	shared int
	// waiting are the calls of the last assistant message that have no result yet.
	waiting []call
	// led says that it is known which message comes first.
	led bool
}

// call is a tool call of a response.
type call struct {
	*message.ToolCall
	timestamp int64 // of the response
	// place is where the result belongs. What stands in for it is put there when no
	// more messages are at hand; it is nil until then.
	place int
}

// share returns an arrangement that goes on from this one, which stays as it is.
func (a *arrangement) share() arrangement {
	return arrangement{messages: a.messages, shared: len(a.messages), waiting: slices.Clone(a.waiting), led: a.led}
}

// arrange adds contributed messages.
func (a *arrangement) arrange(contributions []message.Messages) {
	count := 0
	for _, messages := range contributions {
		count += len(messages)
	}
	a.messages = slices.Grow(a.messages, count)
	for _, messages := range contributions {
		for _, m := range messages {
			a.add(m)
		}
	}
	a.standIn()
}

func (a *arrangement) add(m message.Message) {
	switch m := m.(type) {
	case *message.ToolResult:
		a.answer(m)
	case *message.Assistant:
		a.standIn()
		a.messages, a.led = append(a.messages, m), true
		a.await(m)
	case *message.System:
		if a.led {
			a.messages = append(a.messages, m)
			return
		}
		a.own()
		a.messages, a.led = slices.Insert(a.messages, 0, message.Message(m)), true
	default:
		a.messages = append(a.messages, m)
	}
}

// await keeps a place for the result of each call of a response.
func (a *arrangement) await(response *message.Assistant) {
	a.waiting = a.waiting[:0]
	for _, block := range response.Content {
		if c, ok := block.(*message.ToolCall); ok {
			a.waiting = append(a.waiting, call{c, response.Timestamp, len(a.messages)})
			a.messages = append(a.messages, nil)
		}
	}
}

// answer puts a result in the places of the calls that wait for it, which are
// several only when a response used one id for several calls.
func (a *arrangement) answer(result *message.ToolResult) {
	a.waiting = slices.DeleteFunc(a.waiting, func(c call) bool {
		if c.ID != result.ToolCallID {
			return false
		}
		if c.place < a.shared {
			a.own()
		}
		a.messages[c.place] = result
		return true
	})
}

// own makes messages that may be replaced.
func (a *arrangement) own() {
	if a.shared > 0 {
		a.messages, a.shared = slices.Clone(a.messages), 0
	}
}

// standIn fills the places of the calls that still wait.
func (a *arrangement) standIn() {
	for _, c := range a.waiting {
		if a.messages[c.place] == nil {
			a.messages[c.place] = missingResult(c)
		}
	}
}

// missingResult returns what a model is shown in place of the result that a call
// does not have. Its time is that of the response, so that it is always the same.
func missingResult(c call) *message.ToolResult {
	result := message.ErrorResult(c.ToolCall, "This call has no result: the conversation was cut off before it ended.", c.timestamp)
	result.Details = json.RawMessage(`{"reason":"missing_result"}`)
	return result
}

// Arrange returns contributed messages in the order in which a model is shown them. It
// shares the messages.
func Arrange(contributions []message.Messages) message.Messages {
	var a arrangement
	a.arrange(contributions)
	return a.messages
}
