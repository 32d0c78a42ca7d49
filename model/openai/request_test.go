package openai_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/model/openai"
)

// asked makes a request and returns its body, with its members by name.
func asked(t *testing.T, change func(*openai.ProviderConfig), adjust func(*model.Request), transcript ...message.Message) map[string]json.RawMessage {
	t.Helper()
	s := serve(t, events(ends("stop")))
	provider := newProvider(t, s, func(c *openai.ProviderConfig, _ *openai.Options) {
		if change != nil {
			change(c)
		}
	})
	made := request(t, provider, transcript...)
	if adjust != nil {
		adjust(&made)
	}
	if m := provider.Stream(t.Context(), made).Result(); m.StopReason != message.StopReasonStop {
		t.Fatal(m.ErrorMessage)
	}
	return s.asked()[0]
}

// same compares JSON with what is wanted of it, order and all, but for white space.
func same(t *testing.T, want string, got json.RawMessage) {
	t.Helper()
	var compact bytes.Buffer
	if err := json.Compact(&compact, []byte(want)); err != nil {
		t.Fatal(err)
	}
	var value, wanted any
	if err := json.Unmarshal(got, &value); err != nil {
		t.Fatalf("%v in %s", err, got)
	}
	if err := json.Unmarshal(compact.Bytes(), &wanted); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(wanted, value); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func transcript() []message.Message {
	long := strings.Repeat("x", 50)
	return []message.Message{
		&message.System{
			Sections:   message.Sections{{Name: "a", Text: "Be kind."}, {Name: "b", Text: "Be short."}},
			ToolsAdded: []message.ToolDeclaration{{Name: "look", Description: "Looks.", Parameters: json.RawMessage(`{"type":"object","properties":{"z":{},"a":{}}}`)}, {Name: "old"}},
		},
		&message.User{Content: message.Content{Blocks: message.Blocks{&message.Text{Text: "see"}, &message.Image{Data: "AAAA", MimeType: "image/png"}}}},
		&message.Assistant{
			Provider: "test", Model: "m",
			Content: message.Blocks{
				&message.Thinking{Thinking: "hm", ThinkingSignature: "reasoning"}, &message.Text{Text: "I look."},
				&message.ToolCall{ID: "a", Name: "look", Arguments: json.RawMessage(`{"z":1}`)}, &message.ToolCall{ID: long, Name: "look"},
			},
		},
		&message.ToolResult{ToolCallID: "a", ToolName: "look", Content: message.Blocks{&message.Text{Text: "one"}, &message.Image{Data: "BBBB", MimeType: "image/png"}}},
		&message.ToolResult{ToolCallID: long, ToolName: "look"},
		&message.Assistant{Provider: "other", Model: "m", Content: message.Blocks{&message.Thinking{Thinking: "not to be sent", ThinkingSignature: "reasoning"}, &message.Text{Text: "Seen."}}},
		&message.Assistant{Content: message.Blocks{&message.Thinking{Thinking: "nothing said"}}},
		&message.System{Sections: message.Sections{{Name: "a", Removed: true}, {Name: "b", Text: "Be long."}}, ToolsRemoved: []message.ToolReference{{Name: "old"}}},
		message.UserText("go on", 1),
	}
}

func TestATranscriptIsSentInTheProtocolsForm(t *testing.T) {
	body := asked(t, func(c *openai.ProviderConfig) {
		c.Models = []model.Model{{ID: "m", Input: []string{model.InputText, model.InputImage}}}
	}, nil, transcript()...)
	same(t, `[
		{"role":"system","content":"Be long."},
		{"role":"user","content":[{"type":"text","text":"see"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},
		{"role":"assistant","content":"I look.","reasoning":"hm","tool_calls":[
			{"id":"a","type":"function","function":{"name":"look","arguments":"{\"z\":1}"}},
			{"id":"call_1090cb317ea9638d","type":"function","function":{"name":"look","arguments":"{}"}}]},
		{"role":"tool","tool_call_id":"a","content":"one"},
		{"role":"tool","tool_call_id":"call_1090cb317ea9638d","content":"(no output)"},
		{"role":"user","content":[{"type":"text","text":"The images of the tool results:"},{"type":"image_url","image_url":{"url":"data:image/png;base64,BBBB"}}]},
		{"role":"assistant","content":"Seen."},
		{"role":"user","content":"go on"}
	]`, body["messages"])
	same(t, `[{"type":"function","function":{"name":"look","description":"Looks.","parameters":{"type":"object","properties":{"z":{},"a":{}}}}}]`, body["tools"])
	if !bytes.Contains(body["tools"], []byte(`{"type":"object","properties":{"z":{},"a":{}}}`)) {
		t.Errorf("the parameters have another order: %s", body["tools"])
	}
	same(t, `true`, body["stream"])
	same(t, `{"include_usage":true}`, body["stream_options"])
	same(t, `"m"`, body["model"])
	for _, name := range []string{"max_tokens", "max_completion_tokens", "temperature", "tool_choice", "prompt_cache_key", "reasoning_effort"} {
		if value, ok := body[name]; ok {
			t.Errorf("%s is sent: %s", name, value)
		}
	}
}

func TestSystemMessagesStayWhereTheyAreWhenTheServerTakesThem(t *testing.T) {
	body := asked(t, func(c *openai.ProviderConfig) {
		c.Compat = json.RawMessage(`{"supportsMidConvoSystemMessages": true}`)
	}, nil, transcript()...)
	var messages []json.RawMessage
	if err := json.Unmarshal(body["messages"], &messages); err != nil {
		t.Fatal(err)
	}
	same(t, `{"role":"system","content":"Be kind.\n\nBe short."}`, messages[0])
	same(t, `{"role":"user","content":[{"type":"text","text":"see"},{"type":"text","text":"(an image of type image/png, which this model cannot see)"}]}`, messages[1])
	same(t, `{"role":"system","content":"The section \"a\" of the system prompt is removed.\n\nThe section \"b\" of the system prompt is now:\n\nBe long."}`, messages[7])
}

// TestAPromptThatGrowsKeepsItsBytes sends a transcript and then more of it.
func TestAPromptThatGrowsKeepsItsBytes(t *testing.T) {
	mid := func(c *openai.ProviderConfig) {
		c.Compat = json.RawMessage(`{"supportsMidConvoSystemMessages": true}`)
	}
	whole := transcript()
	var before json.RawMessage
	for n := 1; n <= len(whole); n++ {
		messages := asked(t, mid, nil, whole[:n]...)["messages"]
		prefix := bytes.TrimSuffix(before, []byte("]"))
		// The images of results move behind the results that follow.
		if n != 5 && !bytes.HasPrefix(messages, prefix) {
			t.Errorf("the first %d messages:\n%s\nthe first %d:\n%s", n-1, before, n, messages)
		}
		before = messages
	}
}

func TestOptionsAreSent(t *testing.T) {
	word := "extreme"
	thinking := model.Model{ID: "m", Reasoning: true, ThinkingLevelMap: map[model.ThinkingLevel]*string{model.ThinkingXHigh: &word}}
	set := func(m model.Model, compat string) func(*openai.ProviderConfig) {
		return func(c *openai.ProviderConfig) {
			c.Models, c.Compat = []model.Model{m}, json.RawMessage(compat)
		}
	}
	level := func(level model.ThinkingLevel) func(*model.Request) {
		return func(r *model.Request) { r.Reasoning = level }
	}
	for _, c := range []struct {
		name   string
		change func(*openai.ProviderConfig)
		adjust func(*model.Request)
		member string
		want   string // empty: not sent
	}{
		{"limit", nil, func(r *model.Request) { r.MaxTokens = 7 }, "max_tokens", `7`},
		{"limit by its other name", set(thinking, `{"maxTokensField":"max_completion_tokens"}`), func(r *model.Request) { r.MaxTokens = 7 }, "max_completion_tokens", `7`},
		{"temperature", nil, func(r *model.Request) { r.Temperature = new(0.0) }, "temperature", `0`},
		{"choice without tools", nil, func(r *model.Request) { r.ToolChoice = model.ToolChoiceNone }, "tool_choice", ""},
		{"choice", nil, func(r *model.Request) { r.Messages = transcript(); r.ToolChoice = model.ToolChoiceNone }, "tool_choice", `"none"`},
		{"no count of tokens", set(thinking, `{"supportsUsageInStreaming":false}`), nil, "stream_options", ""},
		{"no key for the cache of others", nil, func(r *model.Request) { r.SessionID = "s" }, "prompt_cache_key", ""},
		{"no thinking by a model that cannot", nil, level(model.ThinkingHigh), "reasoning_effort", ""},
		{"no thinking", set(thinking, `{}`), level(model.ThinkingOff), "reasoning_effort", ""},
		{"no thinking by a model that always thinks", set(model.Model{ID: "m", Reasoning: true, ThinkingLevelMap: map[model.ThinkingLevel]*string{model.ThinkingOff: nil}}, `{}`), nil, "reasoning_effort", ""},
		{"no thinking by the model's word", set(model.Model{ID: "m", Reasoning: true, ThinkingLevelMap: map[model.ThinkingLevel]*string{model.ThinkingOff: &word}}, `{}`), nil, "reasoning_effort", `"extreme"`},
		{"thinking", set(thinking, `{}`), level(model.ThinkingHigh), "reasoning_effort", `"high"`},
		{"thinking by the model's word", set(thinking, `{}`), level(model.ThinkingXHigh), "reasoning_effort", `"extreme"`},
		{"thinking that is clamped", set(thinking, `{}`), level(model.ThinkingMax), "reasoning_effort", `"extreme"`},
		{"thinking without effort", set(thinking, `{"supportsReasoningEffort":false}`), level(model.ThinkingLow), "reasoning_effort", ""},
		{"thinking of OpenRouter", set(thinking, `{"thinkingFormat":"openrouter"}`), level(model.ThinkingLow), "reasoning", `{"effort":"low"}`},
		{"no thinking of OpenRouter", set(thinking, `{"thinkingFormat":"openrouter"}`), nil, "reasoning", `{"effort":"none"}`},
		{"thinking of DeepSeek", set(thinking, `{"thinkingFormat":"deepseek"}`), level(model.ThinkingLow), "thinking", `{"type":"enabled"}`},
		{"no thinking of DeepSeek", set(thinking, `{"thinkingFormat":"deepseek"}`), nil, "thinking", `{"type":"disabled"}`},
		{"thinking of Qwen", set(thinking, `{"thinkingFormat":"qwen"}`), level(model.ThinkingLow), "enable_thinking", `true`},
		{"what the model adds", set(model.Model{ID: "m", SamplingParams: json.RawMessage(`{"top_k":5,"stream_options":{"x":1}}`)}, `{}`), nil, "top_k", `5`},
		{"what the model adds for a level", set(model.Model{ID: "m", Reasoning: true, SamplingParams: json.RawMessage(`{"top_k":5}`),
			SamplingParamsByThinkingLevel: map[model.ThinkingLevel]json.RawMessage{model.ThinkingHigh: json.RawMessage(`{"top_k":7}`)}}, `{}`), level(model.ThinkingHigh), "top_k", `7`},
		{"what the model replaces", set(model.Model{ID: "m", SamplingParams: json.RawMessage(`{"stream_options":{"x":1}}`)}, `{}`), nil, "stream_options", `{"x":1}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			body := asked(t, c.change, c.adjust)
			value, sent := body[c.member]
			switch {
			case c.want == "" && sent:
				t.Errorf("%s is sent: %s", c.member, value)
			case c.want != "" && !sent:
				t.Errorf("%s is not sent", c.member)
			case sent:
				same(t, c.want, value)
			}
		})
	}
}

func TestTheBaseURLIsWhereThePathsBegin(t *testing.T) {
	for base, want := range map[string]string{
		"": "/chat/completions", "/v1": "/v1/chat/completions", "/v1/": "/v1/chat/completions", "/a%2Fb/v1": "/a%2Fb/v1/chat/completions",
	} {
		s := serve(t, events(ends("stop")))
		provider := newProvider(t, s, func(c *openai.ProviderConfig, _ *openai.Options) { c.BaseURL = s.URL + base })
		m := provider.Stream(t.Context(), request(t, provider)).Result()
		if got := s.requests[0]; got.RequestURI != want || got.Method != http.MethodPost || m.StopReason != message.StopReasonStop {
			t.Errorf("%s: %s %s, %s", base, got.Method, got.RequestURI, line(m))
		}
	}
}

func TestHeadersAreSent(t *testing.T) {
	s := serve(t, events(ends("stop")))
	provider := newProvider(t, s, func(c *openai.ProviderConfig, _ *openai.Options) {
		c.Headers = map[string]string{"X-A": "provider", "X-B": "provider", "X-C": "provider"}
		c.Models = []model.Model{{ID: "m", Headers: map[string]string{"X-B": "model", "X-D": "model"}}}
	})
	made := request(t, provider)
	value := "request"
	made.Options.Headers = map[string]*string{"X-C": &value, "X-D": nil}
	provider.Stream(t.Context(), made).Result()
	for name, want := range map[string]string{
		"X-A": "provider", "X-B": "model", "X-C": "request", "X-D": "", "Authorization": "Bearer " + testKey,
		"User-Agent": "harness", "Content-Type": "application/json", "Accept": "text/event-stream",
	} {
		if got := s.header(name); got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}
