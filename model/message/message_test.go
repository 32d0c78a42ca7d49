package message

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTextIsThatOfTheTextBlocks(t *testing.T) {
	blocks := Blocks{&Thinking{Thinking: "hm"}, &Text{Text: "one"}, &ToolCall{Name: "read"}, &Image{Data: "AA=="}, &Text{Text: "two"}}
	for _, c := range []struct {
		message Message
		role    Role
		want    string
	}{
		{&System{Content: Content{Text: "prompt"}, Sections: Sections{{Name: "a", Text: "section"}}}, "system", "prompt"},
		{&User{Content: Content{Text: "plain"}}, "user", "plain"},
		{&User{Content: Content{Blocks: blocks}}, "user", "one\ntwo"},
		{&User{Content: Content{Text: "not this", Blocks: Blocks{}}}, "user", ""},
		{&Assistant{Content: blocks}, "assistant", "one\ntwo"},
		{&ToolResult{Content: blocks}, "toolResult", "one\ntwo"},
		{&ToolResult{}, "toolResult", ""},
	} {
		if got := c.message.Text(); got != c.want || c.message.Role() != c.role {
			t.Errorf("%#v says %q as %q", c.message, got, c.message.Role())
		}
	}
}

func TestToolCallsKeepTheirOrder(t *testing.T) {
	first, second := &ToolCall{ID: "1"}, &ToolCall{ID: "2"}
	m := &Assistant{Content: Blocks{first, &Text{Text: "and"}, second}}
	if got := m.ToolCalls(); len(got) != 2 || got[0] != first || got[1] != second {
		t.Errorf("tool calls are %v", got)
	}
	if got := new(Assistant).ToolCalls(); got != nil {
		t.Errorf("tool calls of nothing are %v", got)
	}
}

func TestConstructedMessagesAreWritten(t *testing.T) {
	for _, c := range []struct {
		message Message
		want    string
	}{
		{UserText("hi", 5), `{"role":"user","content":"hi","timestamp":5}`},
		{
			ErrorResult(&ToolCall{ID: "c1", Name: "read"}, "cut off", 5),
			`{"role":"toolResult","toolCallId":"c1","toolName":"read","content":[{"type":"text","text":"cut off"}],"isError":true,"timestamp":5}`,
		},
		{new(ToolResult), `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":0}`},
		{new(System), `{"role":"system","content":"","timestamp":0}`},
		{
			&System{ToolsAdded: []ToolDeclaration{{Name: "now"}}},
			`{"role":"system","content":"","toolsAdded":[{"name":"now","description":"","parameters":{}}],"timestamp":0}`,
		},
		{
			&ToolResult{Content: Blocks{&Text{Text: "a\xffb"}}, Details: json.RawMessage("{ \"a\" : \"b c\" }")},
			`{"role":"toolResult","toolCallId":"","toolName":"","content":[{"type":"text","text":"a` + "\ufffd" + `b"}],"details":{"a":"b c"},"isError":false,"timestamp":0}`,
		},
	} {
		text, err := Encode(c.message)
		if err != nil {
			t.Errorf("%v", err)
		}
		if diff := cmp.Diff(c.want, string(text)); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
	}
}

// TestTypesStandAloneInJSON writes and reads each type by itself, and twice: the
// value that fields of other types hold, and the pointer.
func TestTypesStandAloneInJSON(t *testing.T) {
	const usage = `{"input":1,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
	requireJSON(t, System{Timestamp: 1}, `{"role":"system","content":"","timestamp":1}`)
	requireJSON(t, *UserText("<hi>", 1), `{"role":"user","content":"\u003chi\u003e","timestamp":1}`)
	requireJSON(t, Assistant{Content: Blocks{}, Usage: Usage{Input: 1}, StopReason: StopReasonStop},
		`{"role":"assistant","content":[],"api":"","provider":"","model":"","usage":`+usage+`,"stopReason":"stop","timestamp":0}`)
	requireJSON(t, ToolResult{Content: Blocks{}}, `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":0}`)
	requireJSON(t, Text{Text: "a"}, `{"type":"text","text":"a"}`)
	requireJSON(t, Thinking{Redacted: true}, `{"type":"thinking","thinking":"","redacted":true}`)
	requireJSON(t, ToolCall{ID: "c", Arguments: json.RawMessage(`{"a":1}`)}, `{"type":"toolCall","id":"c","name":"","arguments":{"a":1}}`)
	requireJSON(t, Image{MimeType: "image/png"}, `{"type":"image","data":"","mimeType":"image/png"}`)
	requireJSON(t, Usage{Input: 1}, usage)
	requireJSON(t, Cost{Total: 0.5}, `{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0.5}`)
	requireJSON(t, ToolDeclaration{Name: "read", Parameters: json.RawMessage("{}")}, `{"name":"read","description":"","parameters":{}}`)
	requireJSON(t, ToolReference{Name: "read", Extra: Extra{{"", json.RawMessage("1")}}}, `{"name":"read","":1}`)
	requireJSON(t, Content{Text: "a"}, `"a"`)
	requireJSON(t, Content{Blocks: Blocks{&Thinking{}}}, `[{"type":"thinking","thinking":""}]`)
	requireJSON(t, Blocks{&Image{}, &ToolCall{Arguments: json.RawMessage("{}")}},
		`[{"type":"image","data":"","mimeType":""},{"type":"toolCall","id":"","name":"","arguments":{}}]`)
	requireJSON(t, Sections{{Name: "b", Text: "1"}, {Name: "a", Removed: true}}, `{"b":"1","a":null}`)
	requireJSON(t, Messages{UserText("a", 1)}, `[{"role":"user","content":"a","timestamp":1}]`)
}

func requireJSON[T any](t *testing.T, value T, want string) {
	t.Helper()
	for _, written := range []any{value, &value, struct{ V T }{value}} {
		text, err := json.Marshal(written)
		if err != nil {
			t.Errorf("%T: %v", value, err)
		}
		if got := string(text); got != want && got != `{"V":`+want+`}` {
			t.Errorf("%T is written as %s, want %s", value, text, want)
		}
	}
	var read T
	if err := json.Unmarshal([]byte(want), &read); err != nil {
		t.Errorf("%T: %v", value, err)
	}
	if diff := cmp.Diff(value, read); diff != "" {
		t.Errorf("(-written +read):\n%s", diff)
	}
}

func TestFieldsReplaceMembersThatWereReadEmpty(t *testing.T) {
	m, err := Decode([]byte(`{"role":"user","content":[{"type":"text","text":"a","textSignature":"","x":1}],"timestamp":1}`))
	if err != nil {
		t.Fatal(err)
	}
	block := m.(*User).Content.Blocks[0].(*Text)
	if value, ok := block.Extra.Get("textSignature"); !ok || string(value) != `""` {
		t.Errorf("the empty signature is %s, %v", value, ok)
	}
	if value, ok := block.Extra.Get("y"); ok {
		t.Errorf("a member that is not there is %s", value)
	}
	block.TextSignature = "s"
	text, err := Encode(m)
	if err != nil {
		t.Fatal(err)
	}
	if want := `{"role":"user","content":[{"type":"text","text":"a","textSignature":"s","x":1}],"timestamp":1}`; string(text) != want {
		t.Errorf("written as %s", text)
	}
}

// TestDecodedMessagesShareNothing changes the text after it was read, and appends to
// what was read.
func TestDecodedMessagesShareNothing(t *testing.T) {
	line := lines(t, "canonical.jsonl")[13]
	text := append([]byte(nil), line...)
	m, err := Decode(text)
	if err != nil {
		t.Fatal(err)
	}
	clear(text)
	result := m.(*ToolResult)
	_ = append(result.Details, "garbage"...)
	_ = append(result.Extra[0].Value, "garbage"...)
	if text, err = Encode(m); err != nil || string(text) != string(line) {
		t.Errorf("written as %s: %v", text, err)
	}
}
