package message

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

func TestFlawsAreNamedWithTheirPath(t *testing.T) {
	const (
		usage     = `"usage":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}`
		assistant = `{"role":"assistant","api":"","provider":"","model":"","stopReason":"stop","timestamp":0,` + usage
		result    = `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":0,`
		system    = `{"role":"system","content":"","timestamp":0,`
	)
	for _, c := range []struct{ text, want string }{
		{`"user"`, `want an object, have a string`},
		{`null`, `want an object, have null`},
		{`{}`, `role: missing`},
		{`{"Role":"user"}`, `role: missing`},
		{`{"role":1}`, `role: want a string, have a number`},
		{`{"role":"robot"}`, `role: unknown role "robot"`},
		{`{"role":"` + strings.Repeat("x", 1000) + `"}`, `role: unknown role "` + strings.Repeat("x", 40) + `"`},

		{`{"role":"user"}`, `content: missing`},
		{`{"role":"user","content":""}`, `timestamp: missing`},
		{`{"role":"user","content":"","timestamp":null}`, `timestamp: want a number, have null`},
		{`{"role":"user","content":"","timestamp":"now"}`, `timestamp: want a number, have a string`},
		{`{"role":"user","content":"","timestamp":1.5}`, `timestamp: want a whole number of at most 2^53-1, have 1.5`},
		{`{"role":"user","content":"","timestamp":9007199254740992}`, `timestamp: want a whole number of at most 2^53-1, have 9007199254740992`},
		{`{"role":"user","content":null,"timestamp":1}`, `content: want a string or an array, have null`},
		{`{"role":"user","content":{},"timestamp":1}`, `content: want a string or an array, have an object`},
		{`{"role":"user","content":["a"],"timestamp":1}`, `content[0]: want an object, have a string`},
		{`{"role":"user","content":[{}],"timestamp":1}`, `content[0].type: missing`},
		{`{"role":"user","content":[{"type":[]}],"timestamp":1}`, `content[0].type: want a string, have an array`},
		{`{"role":"user","content":[{"type":"text","text":""},{"type":"text","text":"[{,"},{"type":"x"}],"timestamp":1}`, `content[2]: unknown block type "x"`},
		{`{"role":"user","content":[{"type":"text"}],"timestamp":1}`, `content[0].text: missing`},
		{`{"role":"user","content":[{"type":"text","text":"","textSignature":null}],"timestamp":1}`, `content[0].textSignature: want a string, have null`},
		{`{"role":"user","content":[{"type":"image","data":""}],"timestamp":1}`, `content[0].mimeType: missing`},
		{`{"role":"user","content":[{"type":"thinking","thinking":""}],"timestamp":1}`, `content[0]: user messages have no thinking blocks`},
		{`{"role":"system","content":[{"type":"image"}],"timestamp":1}`, `content[0]: system messages have no image blocks`},

		{system + `"sections":[]}`, `sections: want an object, have an array`},
		{system + `"sections":{"a":"","b":1}}`, `sections.b: want a string or null, have a number`},
		{system + `"toolsAdded":{}}`, `toolsAdded: want an array, have an object`},
		{system + `"toolsAdded":[{"name":"a","description":""}]}`, `toolsAdded[0].parameters: missing`},
		{system + `"toolsAdded":[{"name":"a","description":"","parameters":true}]}`, `toolsAdded[0].parameters: want an object, have a boolean`},
		{system + `"toolsRemoved":[{"name":"a"},"b"]}`, `toolsRemoved[1]: want an object, have a string`},

		{assistant + `}`, `content: missing`},
		{assistant + `,"content":"a"}`, `content: want an array, have a string`},
		{assistant + `,"content":[{"type":"image"}]}`, `content[0]: assistant messages have no image blocks`},
		{assistant + `,"content":[{"type":"toolCall","id":"","name":""}]}`, `content[0].arguments: missing`},
		{assistant + `,"content":[{"type":"toolCall","id":"","name":"","arguments":"{}"}]}`, `content[0].arguments: want an object, have a string`},
		{assistant + `,"content":[{"type":"thinking","thinking":"","redacted":0}]}`, `content[0].redacted: want a boolean, have a number`},
		{assistant + `,"content":[],"stopReason":"end_turn"}`, `stopReason: unknown stop reason "end_turn"`},
		{assistant + `,"content":[],"stopReason":null}`, `stopReason: want a string, have null`},
		{assistant + `,"content":[],"diagnostics":{}}`, `diagnostics: want an array, have an object`},
		{assistant + `,"content":[],"deferred":"x"}`, `deferred: want an object, have a string`},
		{assistant + `,"content":[],"endTurn":null}`, `endTurn: want a boolean, have null`},
		{assistant + `,"content":[],"durationMs":1e999}`, `durationMs: 1e999 is beyond the range of numbers`},
		{assistant + `,"content":[],"usage":null}`, `usage: want an object, have null`},
		{assistant + `,"content":[],"usage":{"input":0.5}}`, `usage.input: want a whole number of at most 2^53-1, have 0.5`},
		{strings.Replace(assistant, `"total":0`, `"total":null`, 1) + `,"content":[]}`, `usage.cost.total: want a number, have null`},
		{strings.Replace(assistant, `"total":0`, `"totals":0`, 1) + `,"content":[]}`, `usage.cost.total: missing`},

		{result + `"usage":{}}`, `usage.input: missing`},
		{result + `"nestedCalls":[]}`, `nestedCalls: want an object, have an array`},
		{result + `"isError":"no"}`, `isError: want a boolean, have a string`},
		{result + `"content":[{"type":"toolCall"}]}`, `content[0]: tool results have no toolCall blocks`},
	} {
		m, err := Decode([]byte(c.text))
		if m != nil {
			t.Errorf("%.200s: a message beside the error", c.text)
		}
		requireFlaw(t, c.text, err, "decode message: "+c.want)
	}
}

// requireFlaw asks for an *Error with a text.
func requireFlaw(t *testing.T, what string, err error, want string) {
	t.Helper()
	if _, ok := errors.AsType[*Error](err); !ok {
		t.Errorf("%.200s: %v (%T) is no *Error", what, err, err)
	} else if err.Error() != want {
		t.Errorf("%.200s\nhas  %v\nwant %s", what, err, want)
	}
}

func TestBrokenJSONIsNamedWithItsPlace(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{``, `byte 0: unexpected end of JSON input`},
		{`{"role":"user",}`, `byte 16: invalid character '}' looking for beginning of object key string`},
		{`{"role":"user","content":NaN}`, `byte 26: invalid character 'N' looking for beginning of value`},
		{`{"role":"user"`, `byte 14: unexpected end of JSON input`},
		{`{"role":"user"} {}`, `byte 17: invalid character '{' after top-level value`},
		{"{\"role\":\"us\xffer\"}", `byte 11: not UTF-8`},
		{strings.Repeat("[", 20000), `byte 10001: invalid character '[' exceeded max depth`},
	} {
		_, err := Decode([]byte(c.text))
		requireFlaw(t, c.text, err, "decode message: "+c.want)
		if _, ok := errors.AsType[*json.SyntaxError](err); !ok && !strings.Contains(c.want, "UTF-8") {
			t.Errorf("%.200s: %v holds no *json.SyntaxError", c.text, err)
		}
	}
}

func TestFlawsInListsAreNamedWithTheIndex(t *testing.T) {
	list := Messages{UserText("kept", 1)}
	err := json.Unmarshal([]byte(`[{"role":"user","content":"","timestamp":1},{"role":"user","content":[{"type":"x"}],"timestamp":1}]`), &list)
	requireFlaw(t, "list", err, `decode messages: [1].content[0]: unknown block type "x"`)
	requireFlaw(t, "null", json.Unmarshal([]byte("null"), &list), `decode messages: want an array, have null`)
	if len(list) != 1 || list[0].Text() != "kept" {
		t.Errorf("the list was changed to %v", list)
	}
}

// TestTypesReadTheirOwnKindOnly reads with the methods that encoding/json calls.
func TestTypesReadTheirOwnKindOnly(t *testing.T) {
	for _, c := range []struct {
		into       json.Unmarshaler
		text, want string
	}{
		{new(System), `{"role":"user"}`, `decode system message: role: want "system", have "user"`},
		{new(User), `{"content":""}`, `decode user message: role: missing`},
		{new(Assistant), `[]`, `decode assistant message: want an object, have an array`},
		{new(ToolResult), `{"role":"toolResult"}`, `decode tool result: toolCallId: missing`},
		{new(Text), `{"type":"image"}`, `decode text block: type: want "text", have "image"`},
		{new(Thinking), `{"type":"thinking"}`, `decode thinking block: thinking: missing`},
		{new(ToolCall), `{"type":"toolCall"}`, `decode tool call: id: missing`},
		{new(Image), `{"type":"image","data":1}`, `decode image block: data: want a string, have a number`},
		{new(Usage), `{}`, `decode usage: input: missing`},
		{new(Cost), `0`, `decode cost: want an object, have a number`},
		{new(ToolDeclaration), `{"name":""}`, `decode tool declaration: description: missing`},
		{new(ToolReference), `{}`, `decode tool reference: name: missing`},
		{new(Content), `[{"type":"x"}]`, `decode content: [0]: unknown block type "x"`},
		{new(Blocks), `""`, `decode blocks: want an array, have a string`},
		{new(Sections), `{"a":[]}`, `decode sections: a: want a string or null, have an array`},
	} {
		requireFlaw(t, c.text, c.into.UnmarshalJSON([]byte(c.text)), c.want)
	}
}
