package openai_test

import (
	"context"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/model/openai"
)

func TestAResponseIsStreamed(t *testing.T) {
	s := serve(t, events(
		delta(`"role":"assistant","content":""`),
		delta(`"reasoning_content":"hm"`), delta(`"reasoning_content":"m"`),
		delta(`"content":"Hel"`), delta(`"content":"lo 😀"`),
		delta(`"tool_calls":[{"index":0,"id":"a","type":"function","function":{"name":"look","arguments":""}}]`),
		delta(`"tool_calls":[{"index":0,"function":{"arguments":"{\"at\":"}},{"index":1,"id":"b","function":{"name":"go","arguments":"{}"}}]`),
		delta(`"tool_calls":[{"index":0,"function":{"arguments":"1}"}}]`),
		ends("tool_calls"),
		`{"id":"r1","model":"m-2026","choices":[],"usage":{"prompt_tokens":100,"completion_tokens":20,"prompt_tokens_details":{"cached_tokens":60},"completion_tokens_details":{"reasoning_tokens":5}}}`,
	))
	provider := newProvider(t, s, func(c *openai.ProviderConfig, _ *openai.Options) {
		c.Models = []model.Model{{ID: "m", Cost: model.Prices{Rates: model.Rates{Input: 1, Output: 10, CacheRead: 0.1}}}}
	})
	var got []string
	var final *message.Assistant
	for event := range provider.Stream(t.Context(), request(t, provider)) {
		got = append(got, string(event.Type)+" "+strconv.Itoa(event.ContentIndex)+" "+event.Delta)
		final = event.Message
	}
	want := []string{
		"start 0 ", "thinking_start 0 ", "thinking_delta 0 hm", "thinking_delta 0 m", "thinking_end 0 ",
		"text_start 1 ", "text_delta 1 Hel", "text_delta 1 lo 😀", "text_end 1 ",
		"toolcall_start 2 ", `toolcall_delta 2 {"at":`, "toolcall_start 3 ", "toolcall_delta 3 {}", "toolcall_delta 2 1}",
		"toolcall_end 2 ", "toolcall_end 3 ", "done 0 ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	text, err := message.Encode(final)
	if err != nil {
		t.Fatal(err)
	}
	const wanted = `{"role":"assistant","content":[{"type":"thinking","thinking":"hmm","thinkingSignature":"reasoning_content"},{"type":"text","text":"Hello 😀"},` +
		`{"type":"toolCall","id":"a","name":"look","arguments":{"at":1}},{"type":"toolCall","id":"b","name":"go","arguments":{}}],` +
		`"api":"openai-completions","provider":"test","model":"m","responseModel":"m-2026","responseId":"r1",` +
		`"usage":{"input":40,"output":20,"cacheRead":60,"cacheWrite":0,"reasoning":5,"totalTokens":120,` +
		`"cost":{"input":0.00004,"output":0.0002,"cacheRead":0.000006,"cacheWrite":0,"total":0.000246}},` +
		`"stopReason":"toolUse","rawStopReason":"tool_calls","timestamp":1000,"durationMs":0}`
	if diff := cmp.Diff(wanted, string(text)); diff != "" {
		t.Error(diff)
	}
}

// TestServersDiffer reads what compatible servers send, each in its way.
func TestServersDiffer(t *testing.T) {
	many := make([]string, 1000)
	for i := range many {
		many[i] = delta(`"tool_calls":[{"index":` + strconv.Itoa(i) + `,"id":"c` + strconv.Itoa(i) + `","function":{"name":"t","arguments":"{}"}}]`)
	}
	for _, c := range []struct {
		name string
		step http.HandlerFunc
		want string
	}{
		{"stop for calls", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]`), ends("stop")), "toolUse a:x{}"},
		{"one index for all calls", events(
			delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{}"}}]`),
			delta(`"tool_calls":[{"index":0,"id":"b","function":{"name":"y","arguments":"{\"z\":1}"}}]`), ends("tool_calls")), `toolUse a:x{} b:y{"z":1}`},
		{"no ids", events(delta(`"tool_calls":[{"index":0,"function":{"name":"x","arguments":"{}"}},{"index":1,"function":{"name":"y"}}]`), ends("tool_calls")), "toolUse call_1000_0:x{} call_1000_1:y{}"},
		{"equal ids", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x"}},{"index":1,"id":"a","function":{"name":"y"}}]`), ends("tool_calls")), "toolUse a:x{} call_1000_1:y{}"},
		{"arguments that are an object", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":{"z":1}}}]`), ends("tool_calls")), `toolUse a:x{"z":1}`},
		{"arguments that are broken", events(delta(`"tool_calls":[{"index":0,"id":"a","function":{"name":"x","arguments":"{\"z\""}}]`), ends("tool_calls")), "toolUse a:x{}unexpected end of JSON input"},
		{"the other name of thinking", events(delta(`"reasoning":"hm","content":null`), delta(`"reasoning":null,"content":"x"`), ends("stop")), "stop (hm) x"},
		{"thinking by two names", events(delta(`"reasoning":"hm","reasoning_content":"hm"`), ends("stop")), "stop (hm)"},
		{"numbers and objects where texts are due", events(`{"id":7,"choices":[{"delta":{"content":5}}]}`,
			delta(`"content":{"a":1},"tool_calls":[{"index":0,"id":7,"function":{"name":"x","arguments":"{}"}}]`), ends("tool_calls")), `toolUse 5{"a":1} 7:x{}`},
		{"members of another type", events(`{"choices":7}`, `{"choices":[7]}`, `{"choices":[{"index":"x","delta":{"tool_calls":7,"content":"x"}}]}`,
			delta(`"tool_calls":[{"index":"0","id":"a","function":{"name":"x","arguments":"{}"}}]`), ends("tool_calls")), "toolUse x a:x{}"},
		{"a refusal", events(delta(`"refusal":"no"`), ends("stop")), "stop no"},
		{"an error that is null", events(`{"error":null,"choices":[{"delta":{"content":"x"}}]}`, ends("stop")), "stop x"},
		{"comments, and lines that end otherwise", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			io.WriteString(w, ": ping\r\n\r\nevent: message\r\nid: 1\r\ndata: "+delta(`"content":"x"`)+"\r\n\r\n:\n\ndata:"+ends("stop")+"\n\ndata: [DONE]\n\n")
		}, "stop x"},
		{"bytes that come one by one", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			for _, b := range []byte("data: " + delta(`"content":"é😀"`) + "\n\ndata: " + ends("stop") + "\n\ndata: [DONE]\n\n") {
				w.Write([]byte{b})
				w.(http.Flusher).Flush()
			}
		}, "stop é😀"},
		{"no end of the protocol", stream(delta(`"content":"x"`), ends("stop")), "stop x"},
		{"a connection that breaks when all is said", broken("data: " + delta(`"content":"x"`) + "\n\ndata: " + ends("length") + "\n\n"), "length x"},
		{"nothing", events(ends("stop")), "stop"},
		{"a thousand calls", events(append(many, ends("tool_calls"))...), ""},
		{"filtered content", events(delta(`"content":"x"`), ends("content_filter")), "error x provider finish_reason: content_filter"},
		{"an error in the stream", events(delta(`"content":"x"`), `{"error":{"message":"overloaded","code":503}}`), "error x the server ended the response: 503: overloaded"},
		{"an error that is a text", events(`{"error":"out of memory"}`), "error the server ended the response: out of memory"},
		{"no stream", status(200, `{"error":{"message":"wrong place"}}`, "Content-Type", "application/json"), "error the server answered with application/json and no stream: wrong place"},
		{"a page", status(200, "<html>Log in</html>", "Content-Type", "text/html"), "error the server answered with text/html and no stream: <html>Log in</html>"},
		{"no JSON", events(`{"choices":[`), `error the server sent a chunk that is not JSON: {"choices":[`},
		{"another form", events(`[1]`), `error the server sent a chunk that is not JSON: [1]`},
		{"no finish reason", events(delta(`"content":"x"`)), "error x the stream ended without finish_reason"},
		{"a broken connection", broken("data: " + delta(`"content":"x"`) + "\n\ndata: {\"choi"), "error x unexpected EOF"},
		{"a connection that breaks at once", broken(""), "error unexpected EOF"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := ask(t, t.Context(), serve(t, c.step))
			if c.name == "a thousand calls" {
				if calls := m.ToolCalls(); len(calls) != 1000 || calls[999].ID != "c999" || m.StopReason != message.StopReasonToolUse {
					t.Errorf("%d calls, %s", len(calls), m.ErrorMessage)
				}
				return
			}
			if diff := cmp.Diff(c.want, line(m)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestABreakMayBeTriedAgain(t *testing.T) {
	for _, step := range []http.HandlerFunc{
		broken("data: " + delta(`"content":"x"`) + "\n\n"), broken(""), events(delta(`"content":"x"`)), status(500, ""), status(429, "slow down"),
		events(`{"error":{"message":"Overloaded"}}`),
	} {
		if m := ask(t, t.Context(), serve(t, step)); !model.Retryable(m) {
			t.Errorf("not retryable: %s", m.ErrorMessage)
		}
	}
}

func TestTokensAreCountedAsTheServerTellsThem(t *testing.T) {
	for _, c := range []struct {
		sent string
		want string
	}{
		{`"usage":{"prompt_tokens":10,"completion_tokens":2}`, "10 2 0 0 12"},
		{`"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_cache_hit_tokens":4}`, "6 2 4 0 12"},
		{`"usage":{"prompt_tokens":10,"completion_tokens":2,"cached_tokens":4}`, "6 2 4 0 12"},
		{`"usage":{"prompt_tokens":10,"completion_tokens":2,"prompt_tokens_details":{"cached_tokens":3,"cache_write_tokens":5}}`, "2 2 3 5 12"},
		{`"usage":{"prompt_tokens":1,"completion_tokens":"2","prompt_tokens_details":{"cached_tokens":3}}`, "0 0 3 0 3"},
		{`"usage":{"prompt_tokens":-1,"completion_tokens":1e300}`, "0 0 0 0 0"},
		{`"usage":{"prompt_tokens":10},"choices":[{"usage":{"prompt_tokens":11,"completion_tokens":2}}]`, "11 2 0 0 13"},
		{`"usage":{"prompt_tokens":10},"choices":[{"usage":null}]`, "10 0 0 0 10"},
		{`"usage":{"prompt_tokens":10},"choices":[{"usage":7}]`, "10 0 0 0 10"},
		{`"usage":null`, "0 0 0 0 0"},
		{`"usage":7`, "0 0 0 0 0"},
	} {
		m := ask(t, t.Context(), serve(t, events(ends("stop"), `{"id":"r1",`+c.sent+`}`)))
		u := m.Usage
		var got []string
		for _, n := range []int64{u.Input, u.Output, u.CacheRead, u.CacheWrite, u.TotalTokens} {
			got = append(got, strconv.FormatInt(n, 10))
		}
		if strings.Join(got, " ") != c.want || m.StopReason != message.StopReasonStop {
			t.Errorf("%s: %s, want %s; %s", c.sent, strings.Join(got, " "), c.want, m.ErrorMessage)
		}
	}
}

func TestAnAnswerThatIsTooLongFails(t *testing.T) {
	piece := delta(`"content":"` + strings.Repeat("x", 1<<20) + `"`)
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, "data: "+piece+"\n\n"); err != nil {
				return
			}
		}
	})
	if m := ask(t, t.Context(), s); !strings.HasPrefix(m.ErrorMessage, "the response of test/m is longer than 16777216 bytes") {
		t.Errorf("%s %s", m.StopReason, m.ErrorMessage)
	}
}

// endless sends one piece and then nothing until the client leaves.
func endless(left chan<- struct{}) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		stream(delta(`"content":"x"`))(w, r)
		<-r.Context().Done()
		close(left)
	}
}

func TestACancelledRequestIsAborted(t *testing.T) {
	left := make(chan struct{})
	s := serve(t, endless(left))
	provider := newProvider(t, s, nil)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	var final *message.Assistant
	for event := range provider.Stream(ctx, request(t, provider)) {
		if event.Type == model.TextDelta {
			cancel()
		}
		final = event.Message
	}
	<-left
	if got := line(final); got != "aborted x Request was aborted" {
		t.Error(got)
	}
}

func TestLeavingTheLoopEndsTheRequest(t *testing.T) {
	left := make(chan struct{})
	provider := newProvider(t, serve(t, endless(left)), nil)
	for event := range provider.Stream(t.Context(), request(t, provider)) {
		if event.Type == model.TextDelta {
			break
		}
	}
	<-left
}

// TestASilentServerIsGivenUp does not end before the server's handlers have, which they
// do when the client has left.
func TestASilentServerIsGivenUp(t *testing.T) {
	const short = 20 * time.Millisecond
	for _, c := range []struct {
		name    string
		idle    time.Duration
		timeout int64
		step    http.HandlerFunc
	}{
		{"within a response", short, 0, endless(make(chan struct{}))},
		{"before it", short, 0, mute},
		{"before it, by the request's limit", time.Hour, short.Milliseconds(), mute},
		{"within an error, by the request's limit", time.Hour, short.Milliseconds(), func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(http.StatusBadRequest)
			w.(http.Flusher).Flush()
			mute(w, r)
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			provider := newProvider(t, serve(t, c.step), func(_ *openai.ProviderConfig, o *openai.Options) { o.Idle = c.idle })
			asked := request(t, provider)
			asked.Options.TimeoutMs = c.timeout
			m := provider.Stream(t.Context(), asked).Result()
			if m.ErrorMessage != "timed out: the server sent nothing for 20ms" {
				t.Error(line(m))
			}
			if !model.Retryable(m) {
				t.Error("not retryable")
			}
		})
	}
}

// mute never answers.
func mute(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }
