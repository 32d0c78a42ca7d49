package message_test

import (
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/model/message"
)

// A conversation is read, answered and written.
func Example() {
	const text = `[{"role":"user","content":"Is it raining?","timestamp":1767225600000,"origin":"phone"}]`
	var conversation message.Messages
	if err := json.Unmarshal([]byte(text), &conversation); err != nil {
		fmt.Println(err)
		return
	}
	call := &message.ToolCall{ID: "call_1", Name: "weather"}
	answer := &message.Assistant{
		Content:    message.Blocks{&message.Text{Text: "I look."}, call},
		Model:      "faux-1",
		StopReason: message.StopReasonToolUse,
		Timestamp:  1767225601000,
	}
	conversation = append(conversation, answer, message.ErrorResult(call, "no network", 1767225602000))

	for _, m := range conversation {
		switch m := m.(type) {
		case *message.User:
			fmt.Printf("%s (from %s)\n", m.Text(), m.Extra[0].Value)
		case *message.Assistant:
			fmt.Printf("%s, %d call\n", m.Text(), len(m.ToolCalls()))
		default:
			fmt.Printf("%s: %s\n", m.Role(), m.Text())
		}
	}
	last, err := message.Encode(conversation[2])
	fmt.Println(string(last), err)
	// Output:
	// Is it raining? (from "phone")
	// I look., 1 call
	// toolResult: no network
	// {"role":"toolResult","toolCallId":"call_1","toolName":"weather","content":[{"type":"text","text":"no network"}],"isError":true,"timestamp":1767225602000} <nil>
}
