package summary

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// maxResult is how many characters of a tool's result a model is shown when it
// summarizes.
const maxResult = 2000

// Text writes a conversation for a model that is to summarize it, not to go on with it.
// System messages are left out.
func Text(messages message.Messages) string {
	var parts []string
	add := func(label, text string) {
		if text != "" {
			parts = append(parts, "["+label+"]: "+text)
		}
	}
	for _, m := range messages {
		switch m := m.(type) {
		case *message.User:
			add("User", m.Text())
		case *message.Assistant:
			add("Assistant thinking", thinking(m))
			add("Assistant", m.Text())
			add("Assistant tool calls", calls(m))
		case *message.ToolResult:
			add("Tool result", shortened(m.Text()))
		}
	}
	return strings.Join(parts, "\n\n")
}

func thinking(m *message.Assistant) string {
	var thoughts []string
	for _, block := range m.Content {
		if t, is := block.(*message.Thinking); is && t.Thinking != "" {
			thoughts = append(thoughts, t.Thinking)
		}
	}
	return strings.Join(thoughts, "\n")
}

func calls(m *message.Assistant) string {
	var written []string
	for _, call := range m.ToolCalls() {
		written = append(written, call.Name+"("+arguments(call.Arguments)+")")
	}
	return strings.Join(written, "; ")
}

// arguments writes an object as key=value, and whatever else as it is.
func arguments(text json.RawMessage) string {
	parsed, err := value.Parse(text)
	object, is := parsed.(*value.Object)
	if err != nil || !is {
		return string(bytes.TrimSpace(text))
	}
	var pairs []string
	for key, argument := range object.All() {
		pairs = append(pairs, key+"="+string(value.Marshal(argument)))
	}
	return strings.Join(pairs, ", ")
}

// shortened returns the beginning of a long text, and says how much there was more.
func shortened(text string) string {
	if len(text) <= maxResult {
		return text
	}
	characters := []rune(text)
	if len(characters) <= maxResult {
		return text
	}
	return fmt.Sprintf("%s\n(%d more characters are left out)", string(characters[:maxResult]), len(characters)-maxResult)
}
