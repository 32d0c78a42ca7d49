package openai_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/model/openai"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frozen is a clock that stands.
func frozen() time.Time { return time.UnixMilli(1000) }

const testKey = "sk-test-1234567890"

// server is a scripted server: each request is answered by the next of its steps, and
// the last one goes on.
type server struct {
	*httptest.Server
	mu       sync.Mutex
	steps    []http.HandlerFunc
	requests []*http.Request
	bodies   []map[string]json.RawMessage
}

func serve(t *testing.T, steps ...http.HandlerFunc) *server {
	t.Helper()
	s := &server{steps: steps}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *server) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(r.Body)
	if err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	var body map[string]json.RawMessage
	if err := json.Unmarshal(text, &body); err != nil {
		http.Error(w, err.Error(), http.StatusTeapot)
		return
	}
	s.mu.Lock()
	step := s.steps[min(len(s.requests), len(s.steps)-1)]
	s.requests = append(s.requests, r)
	s.bodies = append(s.bodies, body)
	s.mu.Unlock()
	step(w, r)
}

// asked returns the bodies of the requests.
func (s *server) asked() []map[string]json.RawMessage {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bodies
}

// header returns a header of the first request.
func (s *server) header(name string) string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.requests[0].Header.Get(name)
}

// events streams data, an event each, and the end of the protocol.
func events(data ...string) http.HandlerFunc { return stream(append(data, "[DONE]")...) }

// stream streams data, an event each, and then ends the connection as it is usual.
func stream(data ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
		for _, text := range data {
			io.WriteString(w, "data: "+text+"\n\n")
			w.(http.Flusher).Flush()
		}
	}
}

// broken streams text as it is, and then breaks the connection.
func broken(text string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		io.WriteString(w, text)
		w.(http.Flusher).Flush()
		panic(http.ErrAbortHandler)
	}
}

// status answers with an error.
func status(code int, body string, headers ...string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		for i := 0; i < len(headers); i += 2 {
			w.Header().Set(headers[i], headers[i+1])
		}
		w.WriteHeader(code)
		io.WriteString(w, body)
	}
}

// delta is a chunk with a delta.
func delta(members string) string {
	return `{"id":"r1","model":"m","choices":[{"index":0,"delta":{` + members + `},"finish_reason":null}]}`
}

// ends is a chunk with a finish reason.
func ends(reason string) string {
	return `{"id":"r1","model":"m","choices":[{"index":0,"delta":{},"finish_reason":"` + reason + `"}]}`
}

// newProvider is a provider of a scripted server, with a key.
func newProvider(t *testing.T, s *server, change func(*openai.ProviderConfig, *openai.Options)) *openai.Provider {
	t.Helper()
	config := openai.ProviderConfig{ID: "test", BaseURL: s.URL + "/v1", KeyEnv: "TEST_KEY"}
	options := openai.Options{Now: frozen, Getenv: func(name string) string {
		return map[string]string{"TEST_KEY": testKey}[name]
	}}
	if change != nil {
		change(&config, &options)
	}
	provider, err := openai.New(config, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(provider.Close)
	return provider
}

// request asks the provider's model m.
func request(t *testing.T, provider *openai.Provider, transcript ...message.Message) model.Request {
	t.Helper()
	var models model.Models
	if _, err := models.Set(provider); err != nil {
		t.Fatal(err)
	}
	found, err := models.Resolve(provider.ID() + "/m")
	if err != nil {
		t.Fatal(err)
	}
	if len(transcript) == 0 {
		transcript = message.Messages{message.UserText("hi", 1)}
	}
	return model.Request{Model: found, Messages: transcript}
}

// ask asks the server, by a provider without anything special.
func ask(t *testing.T, ctx context.Context, s *server) *message.Assistant {
	t.Helper()
	provider := newProvider(t, s, nil)
	return provider.Stream(ctx, request(t, provider)).Result()
}

// line shows a message in one line.
func line(m *message.Assistant) string {
	parts := []string{string(m.StopReason)}
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Text:
			parts = append(parts, block.Text)
		case *message.Thinking:
			parts = append(parts, "("+block.Thinking+")")
		case *message.ToolCall:
			parts = append(parts, block.ID+":"+block.Name+string(block.Arguments)+strings.SplitN(block.ArgumentsError, "\n", 2)[0])
		}
	}
	return strings.TrimSpace(strings.Join(parts, " ") + " " + m.ErrorMessage)
}
