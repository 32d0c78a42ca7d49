package model_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestAModelHasTheFormOfPiAI(t *testing.T) {
	for _, text := range []string{
		`{"id":"m","name":"M","api":"a","provider":"p","baseUrl":"http://x","reasoning":false,"input":["text"],"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0},"contextWindow":1,"maxTokens":2}`,
		`{"id":"m","name":"M","api":"a","provider":"p","baseUrl":"http://x","reasoning":true,"thinkingLevelMap":{"high":"h","off":null},"input":["text","image"],"inputLimits":{"maxRequestBytes":5},` +
			`"cost":{"input":1.5,"output":2,"cacheRead":0.25,"cacheWrite":3,"tiers":[{"input":1,"output":2,"cacheRead":3,"cacheWrite":4,"inputTokensAbove":100}]},"promptCache":{"short":300},` +
			`"contextWindow":1,"maxTokens":2,"headers":{"a":"b"},"samplingParams":{"top_k":1},"samplingParamsByThinkingLevel":{"low":{"x":1}},"compat":{"y":2}}`,
	} {
		var m model.Model
		if err := json.Unmarshal([]byte(text), &m); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(m)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(written)); diff != "" {
			t.Error(diff)
		}
	}
}

func TestOptionsHaveTheFormOfPiAI(t *testing.T) {
	for _, text := range []string{
		`{}`,
		`{"deferred":true}`,
		`{"transport":"sse","timeoutMs":5,"maxRetries":2,"maxRetryDelayMs":0,"headers":{"a":"b","c":null},"metadata":{"x":[1]},"cacheRetention":"long","deferred":{"window":"1h"}}`,
	} {
		var options model.StreamOptions
		if err := json.Unmarshal([]byte(text), &options); err != nil {
			t.Fatal(err)
		}
		written, err := json.Marshal(options)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(text, string(written)); diff != "" {
			t.Error(diff)
		}
	}
	var options model.StreamOptions
	if err := json.Unmarshal([]byte(`{"deferred":false}`), &options); err != nil || options.Deferred.On {
		t.Errorf("%v %+v", err, options)
	}
	for _, text := range []string{`{"deferred":1}`, `{"deferred":"1h"}`, `{"deferred":{"window":1}}`, `{"deferred":[]}`} {
		if err := json.Unmarshal([]byte(text), &options); err == nil {
			t.Errorf("%s is taken", text)
		}
	}
}

func TestADeferredResponseHasAHandle(t *testing.T) {
	const text = `{"provider":"p","modelId":"m","api":"a","id":"x","expiresAt":5,"pollAfterMs":6,"data":{"y":[1]}}`
	handle, err := model.DeferredOf(&message.Assistant{Deferred: json.RawMessage(text)})
	if err != nil {
		t.Fatal(err)
	}
	written, err := json.Marshal(handle)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(text, string(written)); diff != "" {
		t.Error(diff)
	}
	for _, text := range []string{"", `{"id":1}`} {
		if _, err := model.DeferredOf(&message.Assistant{Provider: "p", Model: "m", Deferred: json.RawMessage(text)}); err == nil {
			t.Errorf("%q is a handle", text)
		}
	}
}

func TestConnectionsThatBrokeInGoMayBeTriedAgain(t *testing.T) {
	for text, want := range map[string]bool{
		`Post "http://x/v1": dial tcp: lookup x: no such host`:                                  true,
		`Post "http://x/v1": dial tcp 1.2.3.4:80: i/o timeout`:                                  true,
		`Post "https://x/v1": net/http: TLS handshake timeout`:                                  true,
		`Post "http://x/v1": EOF`:                                                               true,
		`unexpected EOF`:                                                                        true,
		`http2: server sent GOAWAY and closed the connection; LastStreamID=1`:                   true,
		`stream error: stream ID 1; INTERNAL_ERROR; received from peer`:                         true,
		`http: server closed idle connection`:                                                   true,
		`write tcp 1.2.3.4:5->6.7.8.9:443: write: broken pipe`:                                  true,
		`read tcp 1.2.3.4:5->6.7.8.9:443: read: connection timed out`:                           true,
		`Post "https://x/v1": tls: failed to verify certificate: x509: certificate has expired`: false,
		`Post "http://x/v1": unsupported protocol scheme ""`:                                    false,
		`no key for provider "x": set the environment variable X_KEY`:                           false,
	} {
		m := &message.Assistant{StopReason: message.StopReasonError, ErrorMessage: text}
		if model.Retryable(m) != want || model.Overflow(m, 0) {
			t.Errorf("%s: retryable %v", text, !want)
		}
	}
}

func TestOverflowShowsByUsage(t *testing.T) {
	for _, c := range []struct {
		reason              message.StopReason
		input, read, output int64
		window              int64
		want                bool
	}{
		{message.StopReasonStop, 60, 41, 1, 100, true},
		{message.StopReasonStop, 60, 40, 1, 100, false},
		{message.StopReasonStop, 600, 0, 1, 0, false},
		{message.StopReasonLength, 99, 0, 0, 100, true},
		{message.StopReasonLength, 98, 0, 0, 100, false},
		{message.StopReasonLength, 99, 0, 1, 100, false},
		{message.StopReasonToolUse, 200, 0, 1, 100, false},
	} {
		m := &message.Assistant{StopReason: c.reason, Usage: message.Usage{Input: c.input, CacheRead: c.read, Output: c.output}}
		if model.Overflow(m, c.window) != c.want {
			t.Errorf("%+v", c)
		}
	}
	cut := &message.Assistant{StopReason: message.StopReasonLength, Usage: message.Usage{Output: 5}}
	if !model.RecoverableLength(cut, 6) || model.RecoverableLength(cut, 5) || model.RecoverableLength(cut, 0) {
		t.Error("a cut answer is recoverable below what was asked for, and only there")
	}
}

func TestArgumentsThatCannotBeStoredAreWrong(t *testing.T) {
	deep := func(levels int) string {
		text := ""
		for range levels - 1 {
			text += `[`
		}
		text = `{"a":` + text
		for range levels - 1 {
			text += `]`
		}
		return text + "}"
	}
	for _, c := range []struct{ text, want string }{
		{deep(model.MaxArgumentsDepth), ""},
		{deep(model.MaxArgumentsDepth + 1), "the arguments nest deeper than 500 levels"},
		{`{"a":[1e308]}`, ""},
		{`{"a":[1e309]}`, "the number 1e309 is beyond the range of numbers"},
		{`{"a":"1e309"}`, ""},
		{`[1]`, "tool arguments must be a JSON object"},
		{`{"a":`, "unexpected end of JSON input"},
	} {
		arguments, flaw := model.ParseArguments(c.text)
		want := c.want
		if want != "" {
			want += "\n\nReceived arguments:\n" + c.text
		}
		if flaw != want || want != "" && string(arguments) != "{}" {
			t.Errorf("%.40s: %s %s", c.text, arguments, flaw)
		}
	}
	long := `{"a":"` + string(make([]byte, 10_000)) // NUL is a character like any other
	if _, flaw := model.ParseArguments(long); len(flaw) > 9000 {
		t.Errorf("the flaw of a long text has %d bytes", len(flaw))
	}
}
