package message

import (
	"encoding/json"
	"math"
	"testing"
)

func TestWhatCannotBeReadIsNotWritten(t *testing.T) {
	raw := func(text string) json.RawMessage { return json.RawMessage(text) }
	answer := func(change func(*Assistant)) *Assistant {
		m := &Assistant{StopReason: StopReasonStop}
		change(m)
		return m
	}
	user := func(blocks ...Block) *User { return &User{Content: Content{Blocks: blocks}} }
	call := func(call ToolCall) *Assistant {
		return answer(func(m *Assistant) { m.Content = Blocks{&call} })
	}
	for _, c := range []struct {
		message Message
		want    string
	}{
		{nil, `missing`},
		{(*User)(nil), `missing`},
		{&User{Timestamp: 1 << 53}, `timestamp: want a whole number of at most 2^53-1, have 9007199254740992`},
		{&User{Timestamp: -1 << 53}, `timestamp: want a whole number of at most 2^53-1, have -9007199254740992`},
		{&User{Content: Content{Text: "a", Blocks: Blocks{}}}, `content: both text and blocks are set`},
		{user(&Text{}, nil), `content[1]: missing`},
		{user((*Text)(nil)), `content[0]: missing`},
		{user(&ToolCall{}), `content[0]: user messages have no toolCall blocks`},
		{&ToolResult{Content: Blocks{&Thinking{}}}, `content[0]: tool results have no thinking blocks`},
		{user(&Text{Extra: Extra{{"a", raw("1")}, {"a", raw("1")}}}), `content[0].a: the name is taken, by a field or another member`},
		{user(&Text{Extra: Extra{{"type", raw(`"text"`)}}}), `content[0].type: the name is taken, by a field or another member`},
		{user(&Text{Extra: Extra{{"text", raw(`""`)}}}), `content[0].text: the name is taken, by a field or another member`},
		{user(&Text{Extra: Extra{{"textSignature", raw(`"a"`)}}}), `content[0].textSignature: the name is taken, by a field or another member`},
		{user(&Text{Extra: Extra{{"textSignature", raw(`false`)}}}), `content[0].textSignature: the name is taken, by a field or another member`},
		{user(&Text{Extra: Extra{{"a", nil}}}), `content[0].a: byte 0: unexpected end of JSON input`},
		{user(&Text{Extra: Extra{{"a", raw("{]")}}}), `content[0].a: byte 2: invalid character ']' looking for beginning of object key string`},
		{user(&Text{Extra: Extra{{"a", raw("\"\xff\"")}}}), `content[0].a: byte 1: not UTF-8`},
		{&System{Sections: Sections{{Name: "a"}, {Name: "a", Removed: true}}}, `sections.a: the name is taken, by a field or another member`},
		{&System{Sections: Sections{{Name: "a", Text: "b", Removed: true}}}, `sections.a: both removed and text are set`},
		{&System{ToolsAdded: []ToolDeclaration{{Parameters: raw("[]")}}}, `toolsAdded[0].parameters: want an object, have an array`},
		{&System{ToolsRemoved: []ToolReference{{Extra: Extra{{"name", raw("1")}}}}}, `toolsRemoved[0].name: the name is taken, by a field or another member`},
		{new(Assistant), `stopReason: unknown stop reason ""`},
		{answer(func(m *Assistant) { m.StopReason = "done" }), `stopReason: unknown stop reason "done"`},
		{answer(func(m *Assistant) { m.DurationMs = new(math.Inf(-1)) }), `durationMs: JSON has no number -Inf`},
		{answer(func(m *Assistant) { m.Usage.Cost.Total = math.NaN() }), `usage.cost.total: JSON has no number NaN`},
		{answer(func(m *Assistant) { m.Usage.Reasoning = new(int64(math.MaxInt64)) }), `usage.reasoning: want a whole number of at most 2^53-1, have 9223372036854775807`},
		{answer(func(m *Assistant) { m.Deferred = raw("null") }), `deferred: want an object, have null`},
		{answer(func(m *Assistant) { m.Diagnostics = raw("{}") }), `diagnostics: want an array, have an object`},
		{call(ToolCall{Arguments: raw(" 1 ")}), `content[0].arguments: want an object, have a number`},
		{call(ToolCall{Arguments: raw(`{"a":1}{`)}), `content[0].arguments: byte 8: invalid character '{' after top-level value`},
		{&ToolResult{Details: raw("{")}, `details: byte 1: unexpected end of JSON input`},
		{&ToolResult{Usage: &Usage{Cost: Cost{Input: math.Inf(1)}}}, `usage.cost.input: JSON has no number +Inf`},
	} {
		text, err := Encode(c.message)
		if text != nil {
			t.Errorf("%s: %s beside the error", c.want, text)
		}
		requireFlaw(t, c.want, err, "encode message: "+c.want)
	}
}

func TestListsNameTheMessageThatCannotBeWritten(t *testing.T) {
	_, err := Messages{UserText("a", 1), nil}.MarshalJSON()
	requireFlaw(t, "nil", err, `encode messages: [1]: missing`)
	_, err = Content{Blocks: Blocks{&Text{}, nil}}.MarshalJSON()
	requireFlaw(t, "nil", err, `encode content: [1]: missing`)
}
