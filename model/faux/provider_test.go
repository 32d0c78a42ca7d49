package faux_test

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestStepsAreTakenInTheOrderOfTheRequests(t *testing.T) {
	provider := newProvider(faux.Options{}, faux.Answer(faux.Says("one")),
		func(_ context.Context, request model.Request, state faux.State) (*message.Assistant, error) {
			return faux.Says(request.Messages[0].Text() + strings.Repeat("!", state.Calls)), nil
		})
	provider.Append(faux.Fail("429 slow down"), func(context.Context, model.Request, faux.State) (*message.Assistant, error) {
		return nil, errors.New("broken")
	})
	var got []string
	for range 5 {
		m := ask(t.Context(), provider, user("hi")).Result()
		got = append(got, string(m.StopReason)+" "+m.Text()+m.ErrorMessage)
	}
	want := []string{"stop one", "stop hi!!", "error 429 slow down", "error broken", "error No more faux responses queued"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if provider.Queued() != 0 || provider.State().Calls != 5 {
		t.Errorf("queued %d, state %+v", provider.Queued(), provider.State())
	}
}

func TestAnAnswerArrivesInPieces(t *testing.T) {
	provider := newProvider(faux.Options{MinTokens: 1, MaxTokens: 2}, faux.Answer(faux.Message(
		&message.Thinking{Thinking: "hm", ThinkingSignature: "sig"},
		&message.Text{Text: "abcd😀éfghij"},
		faux.Call("look", map[string]any{"at": "door"}),
		faux.Call("look", json.RawMessage(`{"at": "do`)),
	)))
	var deltas []string
	var final *message.Assistant
	for event := range ask(t.Context(), provider, user("hi")) {
		if event.Delta != "" {
			deltas = append(deltas, event.Delta)
		}
		final = event.Message
	}
	want := []string{"hm", "abcd😀éf", "ghij", `{"at":"d`, `oor"`, `}`, `{"at`, `": "do`}
	if diff := cmp.Diff(want, deltas); diff != "" {
		t.Error(diff)
	}
	text, err := message.Encode(final)
	if err != nil {
		t.Fatal(err)
	}
	const wanted = `{"role":"assistant","content":[{"type":"thinking","thinking":"hm","thinkingSignature":"sig"},{"type":"text","text":"abcd😀éfghij"},` +
		`{"type":"toolCall","id":"call_1_2","name":"look","arguments":{"at":"door"}},` +
		`{"type":"toolCall","id":"call_1_3","name":"look","arguments":{},"argumentsError":"unexpected end of JSON input\n\nReceived arguments:\n{\"at\": \"do"}],` +
		`"api":"faux","provider":"faux","model":"faux-1","usage":{"input":2,"output":13,"cacheRead":0,"cacheWrite":0,"totalTokens":15,` +
		`"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"stopReason":"toolUse","timestamp":1000,"durationMs":0}`
	if diff := cmp.Diff(wanted, string(text)); diff != "" {
		t.Error(diff)
	}
}

// TestUsageIsThatOfPiAI reads requests and usages of pi-ai 1.6.0.
func TestUsageIsThatOfPiAI(t *testing.T) {
	file, err := os.Open("testdata/pi-ai-usage.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	provider := newProvider(faux.Options{})
	lines := bufio.NewScanner(file)
	for n := 1; lines.Scan(); n++ {
		var asked struct {
			Messages       []json.RawMessage
			SessionID      string
			CacheRetention model.CacheRetention
			Answer         json.RawMessage
			Usage          message.Usage
		}
		if err := json.Unmarshal(lines.Bytes(), &asked); err != nil {
			t.Fatal(err)
		}
		request := model.Request{Model: provider.Models()[0], SessionID: asked.SessionID}
		request.Options.CacheRetention = asked.CacheRetention
		for _, text := range asked.Messages {
			m, err := message.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			request.Messages = append(request.Messages, m)
		}
		answer, err := message.Decode([]byte(`{"role":"assistant","api":"","provider":"","model":"","timestamp":1,"stopReason":"stop","usage":{"input":0,"output":0,"cacheRead":0,` +
			`"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}},"content":` + string(asked.Answer) + `}`))
		if err != nil {
			t.Fatal(err)
		}
		provider.Set(faux.Answer(answer.(*message.Assistant)))
		if diff := cmp.Diff(asked.Usage, provider.Stream(t.Context(), request).Result().Usage); diff != "" {
			t.Errorf("line %d (-pi-ai +here):\n%s", n, diff)
		}
	}
}

func TestPiecesArriveByTheClock(t *testing.T) {
	var slept []time.Duration
	provider := newProvider(faux.Options{
		TokensPerSecond: 10, MinTokens: 2, MaxTokens: 2,
		Sleep: func(_ context.Context, d time.Duration) error { slept = append(slept, d); return nil },
	}, faux.Answer(faux.Says("twelve chars")))
	ask(t.Context(), provider, user("hi")).Result()
	if diff := cmp.Diff([]time.Duration{200 * time.Millisecond, 100 * time.Millisecond}, slept); diff != "" {
		t.Error(diff)
	}
}

func TestAnAbortedAnswerKeepsWhatArrived(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	provider := newProvider(faux.Options{MinTokens: 1, MaxTokens: 1}, faux.Answer(faux.Says("abcdefgh")))
	var final *message.Assistant
	for event := range ask(ctx, provider, user("hi")) {
		if event.Type == model.TextDelta {
			cancel()
		}
		final = event.Message
	}
	if final.StopReason != message.StopReasonAborted || final.ErrorMessage != "Request was aborted" || final.Text() != "abcd" {
		t.Errorf("final message: %+v", final)
	}
}

func TestADeferredAnswerIsFetched(t *testing.T) {
	options := faux.Options{PendingFetches: 1, PollAfter: time.Second}
	provider := newProvider(options, faux.Answer(faux.Says("late")), faux.Answer(faux.Says("never")))
	var models model.Models
	if _, err := models.Set(provider); err != nil {
		t.Fatal(err)
	}
	request := model.Request{Model: provider.Models()[0], Messages: message.Messages{user("hi")}}
	request.Options.Deferred.On = true
	handles := make([]model.DeferredHandle, 2)
	for i := range handles {
		m := models.Stream(t.Context(), request).Result()
		handle, err := model.DeferredOf(m)
		if err != nil || m.StopReason != message.StopReasonDeferred || *handle.PollAfterMs != 1000 {
			t.Fatalf("%v in %+v", err, m)
		}
		handles[i] = handle
	}
	if err := models.CancelDeferred(t.Context(), request.Model, handles[1]); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, handle := range []model.DeferredHandle{handles[0], handles[0], handles[0], handles[1], {ID: "unknown"}} {
		m := models.FetchDeferred(t.Context(), request.Model, handle).Result()
		got = append(got, string(m.StopReason)+" "+m.Text()+m.ErrorMessage)
	}
	want := []string{
		"deferred ", "stop late", "stop late", "error the deferred response " + handles[1].ID + " was cancelled",
		"error unknown faux deferred response: unknown",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if state := provider.State(); state.Fetches != 5 || len(state.Cancelled) != 1 {
		t.Errorf("state: %+v", state)
	}
}

func TestADeferredAnswerOfAScriptOutlivesItsProvider(t *testing.T) {
	options := faux.Options{PendingFetches: 100, Otherwise: faux.Answer(faux.Says("late"))}
	provider := newProvider(options)
	request := model.Request{Model: provider.Models()[0], Messages: message.Messages{user("hi")}}
	request.Options.Deferred.On = true
	handle, err := model.DeferredOf(provider.Stream(t.Context(), request).Result())
	if err != nil {
		t.Fatal(err)
	}
	m := newProvider(options).FetchDeferred(t.Context(), request.Model, handle).Result()
	if m.Text() != "late" || m.StopReason != message.StopReasonStop {
		t.Errorf("fetched %+v", m)
	}
}

func TestCachedPromptsAreBounded(t *testing.T) {
	provider := newProvider(faux.Options{Otherwise: faux.Answer(faux.Says("x"))})
	long := strings.Repeat("x", 8<<20)
	usage := func(session string) message.Usage {
		request := model.Request{Model: provider.Models()[0], SessionID: session, Messages: message.Messages{user(long)}}
		return provider.Stream(t.Context(), request).Result().Usage
	}
	for session := range 20 {
		usage(string(rune('a' + session)))
	}
	if first, last := usage("a"), usage("t"); first.CacheRead != 0 || last.CacheWrite != 0 {
		t.Errorf("the oldest session read %d, the newest wrote %d", first.CacheRead, last.CacheWrite)
	}
}
