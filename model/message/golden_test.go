package message

import (
	"bytes"
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCanonicalTextIsWrittenAsItWasRead(t *testing.T) {
	for n, line := range lines(t, "canonical.jsonl") {
		m, err := Decode(line)
		if err != nil {
			t.Errorf("line %d: %v", n+1, err)
			continue
		}
		text, err := Encode(m)
		if err != nil {
			t.Errorf("line %d: %v", n+1, err)
		}
		if diff := cmp.Diff(string(line), string(text)); diff != "" {
			t.Errorf("line %d (-read +written):\n%s", n+1, diff)
		}
	}
}

// TestMessagesOfPiAIKeepTheirValue reads what pi-ai 1.6.0 wrote, whose members have
// another order.
func TestMessagesOfPiAIKeepTheirValue(t *testing.T) {
	for n, line := range lines(t, "pi-ai.jsonl") {
		m, err := Decode(line)
		if err != nil {
			t.Errorf("line %d: %v", n+1, err)
			continue
		}
		text, err := Encode(m)
		if err != nil {
			t.Errorf("line %d: %v", n+1, err)
			continue
		}
		if diff := cmp.Diff(valueOf(t, line), valueOf(t, text)); diff != "" {
			t.Errorf("line %d (-read +written):\n%s", n+1, diff)
		}
	}
}

func TestListOfMessagesIsWrittenAsItWasRead(t *testing.T) {
	text := append(append([]byte("["), bytes.Join(lines(t, "canonical.jsonl"), []byte(","))...), ']')
	var list Messages
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	written, err := list.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(text), string(written)); diff != "" {
		t.Errorf("(-read +written):\n%s", diff)
	}
}

func TestMessagesAreWrittenByManyAtOnce(t *testing.T) {
	for n, line := range lines(t, "canonical.jsonl") {
		m, err := Decode(line)
		if err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		var writers sync.WaitGroup
		for range 4 {
			writers.Go(func() {
				if text, err := Encode(m); err != nil || !bytes.Equal(text, line) {
					t.Errorf("line %d: %v: %s", n+1, err, text)
				}
			})
		}
		writers.Wait()
	}
}

// TestOtherTextBecomesCanonical shows each freedom of JSON that is not kept.
func TestOtherTextBecomesCanonical(t *testing.T) {
	for _, c := range []struct{ name, read, written string }{
		{
			"white space", " {\n\"role\" : \"user\" , \"content\" : [ ] ,\t\"timestamp\" : 1 , \"x\" : { \"a\" : [ 1 , \"b c\" ] } } ",
			`{"role":"user","content":[],"timestamp":1,"x":{"a":[1,"b c"]}}`,
		},
		{
			"order of members", `{"x":1,"timestamp":1,"content":"a","b":2,"role":"user"}`,
			`{"role":"user","content":"a","timestamp":1,"x":1,"b":2}`,
		},
		{
			"the last of equal names, at the place of the first", `{"role":"robot","x":1,"content":[],"y":2,"x":3,"content":"a","timestamp":1,"role":"user"}`,
			`{"role":"user","content":"a","timestamp":1,"x":3,"y":2}`,
		},
		{
			"escapes", `{"\u0072ole":"us\u0065r","content":"\u00e9\/\ud83d\ude00\u003c\u2028\u000a","timestamp":1,"\u0078":"\u0079"}`,
			`{"role":"user","content":"é/😀<` + "\u2028" + `\n","timestamp":1,"x":"\u0079"}`,
		},
		{
			"lone surrogates", `{"role":"user","content":"a\ud800b\udc00","timestamp":1,"x":"\ud800"}`,
			`{"role":"user","content":"a` + "\ufffdb\ufffd" + `","timestamp":1,"x":"\ud800"}`,
		},
		{
			"numbers", `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":1.0e3,"durationMs":1.50e-7,"x":1.0}`,
			`{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":1000,"durationMs":1.5e-7,"x":1.0}`,
		},
		{
			"zeros", `{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":-0,"durationMs":-0.0}`,
			`{"role":"toolResult","toolCallId":"","toolName":"","content":[],"isError":false,"timestamp":0,"durationMs":0}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			m, err := Decode([]byte(c.read))
			if err != nil {
				t.Fatal(err)
			}
			text, err := Encode(m)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.written, string(text)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestMembersOfManyExtrasAreReadOnce(t *testing.T) {
	var text strings.Builder
	text.WriteString(`{"role":"user","content":"","timestamp":1`)
	for _, value := range []string{"1", "2"} {
		for i := range 100 {
			text.WriteString(`,"x` + strings.Repeat("x", i) + `":` + value)
		}
	}
	text.WriteString("}")
	m, err := Decode([]byte(text.String()))
	if err != nil {
		t.Fatal(err)
	}
	extra := m.(*User).Extra
	if len(extra) != 100 || extra[99].Name != strings.Repeat("x", 100) {
		t.Fatalf("%d members, the last of which is %q", len(extra), extra[len(extra)-1].Name)
	}
	for _, member := range extra {
		if string(member.Value) != "2" {
			t.Errorf("%s is %s", member.Name, member.Value)
		}
	}
}

// TestMembersLandInTheirFields reads each type of message and block once.
func TestMembersLandInTheirFields(t *testing.T) {
	text := lines(t, "canonical.jsonl")
	for _, c := range []struct {
		line int
		want Message
	}{
		{4, &User{
			Content:   Content{Blocks: Blocks{&Text{Text: "what is this?"}, &Image{Data: "aGVsbG8=", MimeType: "image/png"}}},
			Timestamp: 9007199254740991,
		}},
		{8, &System{
			Content: Content{Blocks: Blocks{&Text{Text: "be"}, &Text{Text: "brief"}}},
			Sections: Sections{
				{Name: "z", Text: "<z>last</z>"}, {Name: "10", Text: "ten"}, {Name: "a b", Removed: true}, {Name: "9"}, {Text: "no name"},
			},
			Timestamp: 1,
		}},
		{9, &System{
			ToolsAdded: []ToolDeclaration{
				{
					Name: "read", Description: "Reads a file.",
					Parameters: json.RawMessage(`{"type":"object","properties":{"z":{"type":"string"},"a":{"type":"integer","minimum":1e2}},"required":["z"]}`),
					Extra:      Extra{{"constrainedSampling", json.RawMessage("false")}},
				},
				{Name: "now", Parameters: json.RawMessage("{}")},
			},
			ToolsRemoved: []ToolReference{{Name: "write"}, {Name: "edit", Extra: Extra{{"since", json.RawMessage("2")}}}},
			Timestamp:    1,
			Extra:        Extra{{"byTask", json.RawMessage("7")}},
		}},
		{11, &Assistant{
			Content: Blocks{
				&Thinking{Thinking: "hm", ThinkingSignature: "sig"},
				&Thinking{ThinkingSignature: "gone", Redacted: true},
				&Text{Text: "I look."},
				&ToolCall{
					ID: "c1", Name: "read", Arguments: json.RawMessage(`{"path":"a.txt","lines":[1,2.50,1e400,"\ud800"],"2":1,"1":2}`),
					ThoughtSignature: "t", Namespace: "files", ArgumentsError: "cut off",
				},
			},
			API: "anthropic-messages", Provider: "anthropic", Model: "m-1", ResponseModel: "m-1-0101", ResponseID: "r",
			ThinkingLevel: "high", ProviderThinkingLevel: "max", Diagnostics: json.RawMessage(`[{"type":"x","timestamp":3}]`),
			Usage: Usage{
				Input: 1200, Output: 340, CacheRead: 1000, CacheWrite: 7, CacheWrite1h: new(int64), Reasoning: new(int64), TotalTokens: 2547,
				Cost: Cost{
					Input: 0.0036, Output: 0.0051, CacheRead: 0.0003, CacheWrite: 0.00002625, Total: 0.00902625, TotalFromProvider: true,
					Extra: Extra{{"currency", json.RawMessage(`"USD"`)}},
				},
				Extra: Extra{{"audio", json.RawMessage("3")}},
			},
			StopReason: StopReasonToolUse, Deferred: json.RawMessage(`{"id":"d"}`), ErrorMessage: "none", RawStopReason: "tool_use",
			EndTurn: new(false), Timestamp: 1767225600000, DurationMs: new(1234.5),
		}},
		{14, &ToolResult{
			ToolCallID: "c1", ToolName: "read",
			Content: Blocks{&Text{Text: "42"}, &Image{Data: "AA==", MimeType: "image/gif"}},
			Details: json.RawMessage(`{"z":1,"a":[null,true,1.0]}`), Usage: &Usage{Input: 1, Output: 2, TotalTokens: 3},
			NestedCalls: json.RawMessage(`{"calls":[],"complete":true}`), IsError: true, Timestamp: 1, DurationMs: new(0.25),
			Extra: Extra{{"attempt", json.RawMessage("2")}},
		}},
		{15, &ToolResult{Content: Blocks{}, Details: json.RawMessage("null"), Timestamp: 1}},
	} {
		m, err := Decode(text[c.line-1])
		if err != nil {
			t.Errorf("line %d: %v", c.line, err)
			continue
		}
		if diff := cmp.Diff(c.want, m); diff != "" {
			t.Errorf("line %d (-want +got):\n%s", c.line, diff)
		}
	}
}
