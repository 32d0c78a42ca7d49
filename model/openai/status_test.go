package openai_test

import (
	"context"
	"net"
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

func TestARefusalSaysWhy(t *testing.T) {
	for _, c := range []struct {
		name                string
		step                http.HandlerFunc
		want                string
		retryable, overflow bool
	}{
		{"key", status(401, `{"error":{"message":"Incorrect API key provided: `+testKey+`","type":"invalid_request_error","code":"invalid_api_key"}}`),
			"error 401 Unauthorized: Incorrect API key provided: [key] (invalid_api_key); check the provider's key", false, false},
		{"rate", status(429, `{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}`), "error 429 Too Many Requests: Rate limit reached (rate_limit_exceeded)", true, false},
		{"quota", status(429, `{"error":{"message":"You exceeded your current quota","code":"insufficient_quota"}}`),
			"error 429 Too Many Requests: You exceeded your current quota (insufficient_quota)", false, false},
		{"server", status(500, `{"error":"boom"}`), "error 500 Internal Server Error: boom", true, false},
		{"server without words", status(502, ``), "error 502 status code (no body)", true, false},
		{"a page", status(503, `<html>down</html>`), "error 503 Service Unavailable: <html>down</html>", true, false},
		{"overflow", status(400, `{"error":{"message":"This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens.","code":"context_length_exceeded"}}`),
			"error 400 Bad Request: This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens. (context_length_exceeded)", false, true},
		{"overflow of llama.cpp", status(400, `{"error":{"code":400,"message":"the request exceeds the available context size, try increasing it","type":"exceed_context_size_error"}}`),
			"error 400 Bad Request: the request exceeds the available context size, try increasing it (400)", false, true},
		{"overflow by bytes", status(413, `too big`), "error 413 Request Entity Too Large: too big", false, true},
		{"detail", status(422, `{"detail":[{"loc":["body"],"msg":"field required"}]}`), `error 422 Unprocessable Entity: {"detail":[{"loc":["body"],"msg":"field required"}]}`, false, false},
		{"a wrong path", status(404, `{"detail":"Not Found"}`), "error 404 Not Found: Not Found", false, false},
		{"a long text", status(400, strings.Repeat("é", 70_000)), "error 400 Bad Request: " + strings.Repeat("é", 1000) + " (63536 more bytes)", false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := ask(t, t.Context(), serve(t, c.step))
			if diff := cmp.Diff(c.want, line(m)); diff != "" {
				t.Error(diff)
			}
			if m.StopReason != message.StopReasonError || model.Retryable(m) != c.retryable || model.Overflow(m, 0) != c.overflow {
				t.Errorf("%s: retryable %v, overflow %v", m.ErrorMessage, model.Retryable(m), model.Overflow(m, 0))
			}
		})
	}
}

// TestAKeyGoesToItsServerOnly has a server send the request elsewhere.
func TestAKeyGoesToItsServerOnly(t *testing.T) {
	elsewhere := serve(t, events(ends("stop")))
	to := elsewhere.URL + "/v1/chat/completions"
	for _, code := range []int{http.StatusMovedPermanently, http.StatusTemporaryRedirect, http.StatusPermanentRedirect} {
		m := ask(t, t.Context(), serve(t, status(code, "", "Location", to)))
		want := "error " + strconv.Itoa(code) + " " + http.StatusText(code) + ": the server sends requests to " + to + ", where they do not follow: have the baseUrl name it"
		if line(m) != want || model.Retryable(m) || len(elsewhere.asked()) > 0 {
			t.Errorf("%s, want %s; %d requests elsewhere", line(m), want, len(elsewhere.asked()))
		}
	}
}

// TestARequestFollowsItsServer has a server send the request to another of its paths,
// which some do for a slash at the end.
func TestARequestFollowsItsServer(t *testing.T) {
	for _, c := range []struct {
		code, requests int
		want           string
	}{
		{http.StatusTemporaryRedirect, 2, "stop"},
		{http.StatusPermanentRedirect, 2, "stop"},
		{http.StatusSeeOther, 1, "error 303 See Other"}, // it would be another request
	} {
		s := serve(t, status(c.code, "", "Location", "/v2"), events(ends("stop")))
		m := ask(t, t.Context(), s)
		bodies := s.asked()
		if !strings.HasPrefix(line(m), c.want) || len(bodies) != c.requests || !cmp.Equal(bodies[0], bodies[len(bodies)-1]) {
			t.Errorf("%d: %s, requests %s", c.code, line(m), bodies)
		}
	}
	circle := serve(t, status(http.StatusTemporaryRedirect, "", "Location", "/v2"))
	if m := ask(t, t.Context(), circle); !strings.HasPrefix(line(m), "error 307 ") || len(circle.asked()) != 10 {
		t.Errorf("%s, %d requests", line(m), len(circle.asked()))
	}
}

func TestAServerThatIsNotThereMayBeTriedAgain(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	provider, err := openai.New(openai.ProviderConfig{ID: "test", BaseURL: "http://" + address}, openai.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer provider.Close()
	if m := provider.Stream(t.Context(), request(t, provider)).Result(); !model.Retryable(m) || !strings.Contains(m.ErrorMessage, "connection refused") {
		t.Error(m.ErrorMessage)
	}
}

func TestAttemptsAreMadeWithinOneRequest(t *testing.T) {
	busy := status(429, "busy")
	for _, c := range []struct {
		name    string
		retries int
		limit   *int64
		steps   []http.HandlerFunc
		slept   []time.Duration
		want    string
	}{
		{"none", 0, nil, []http.HandlerFunc{busy}, nil, "error 429 Too Many Requests: busy"},
		{"doubling", 3, nil, []http.HandlerFunc{busy, status(500, ""), broken(""), events(ends("stop"))}, []time.Duration{500 * time.Millisecond, time.Second}, "error unexpected EOF"},
		{"too many", 1, nil, []http.HandlerFunc{busy}, []time.Duration{500 * time.Millisecond}, "error 429 Too Many Requests: busy"},
		{"what will not pass", 3, nil, []http.HandlerFunc{status(400, "bad")}, nil, "error 400 Bad Request: bad"},
		{"what the server says will not pass", 3, nil, []http.HandlerFunc{status(500, "bad", "X-Should-Retry", "false")}, nil, "error 500 Internal Server Error: bad"},
		{"what the server says will pass", 1, nil, []http.HandlerFunc{status(400, "bad", "X-Should-Retry", "true"), events(ends("stop"))}, []time.Duration{500 * time.Millisecond}, "stop"},
		{"seconds", 1, nil, []http.HandlerFunc{status(429, "busy", "Retry-After", "7"), events(ends("stop"))}, []time.Duration{7 * time.Second}, "stop"},
		{"milliseconds", 1, nil, []http.HandlerFunc{status(429, "busy", "Retry-After", "7", "Retry-After-Ms", "20"), events(ends("stop"))}, []time.Duration{20 * time.Millisecond}, "stop"},
		{"a date that has passed", 1, nil, []http.HandlerFunc{status(429, "busy", "Retry-After", "Fri, 31 Dec 1999 23:59:59 GMT"), events(ends("stop"))}, []time.Duration{0}, "stop"},
		{"nonsense", 1, nil, []http.HandlerFunc{status(429, "busy", "Retry-After", "soon"), events(ends("stop"))}, []time.Duration{500 * time.Millisecond}, "stop"},
		{"longer than is allowed", 1, nil, []http.HandlerFunc{status(429, "busy", "Retry-After", "90")}, nil,
			"error the server asks for a retry delay of 1m30s, and 1m0s is the most that is allowed: 429 Too Many Requests: busy"},
		{"without a limit", 1, new(int64(0)), []http.HandlerFunc{status(429, "busy", "Retry-After", "90"), events(ends("stop"))}, []time.Duration{90 * time.Second}, "stop"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var slept []time.Duration
			provider := newProvider(t, serve(t, c.steps...), func(_ *openai.ProviderConfig, o *openai.Options) {
				o.Sleep = func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil }
			})
			made := request(t, provider)
			made.Options.MaxRetries, made.Options.MaxRetryDelayMs = c.retries, c.limit
			if got := line(provider.Stream(t.Context(), made).Result()); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			if diff := cmp.Diff(c.slept, slept); diff != "" {
				t.Error(diff)
			}
		})
	}
}
