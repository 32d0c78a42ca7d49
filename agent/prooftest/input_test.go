package prooftest

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

// TestNothingThatAModelSaysBreaksAConversation has models say what they must not. The
// run ends, what is stored is sound, a client can read it, and the conversation goes on.
func TestNothingThatAModelSaysBreaksAConversation(t *testing.T) {
	calls := func(arguments string, names ...string) *message.Assistant {
		var all []*message.ToolCall
		for _, name := range names {
			all = append(all, faux.Call(name, json.RawMessage(arguments)))
		}
		return faux.Calls(all...)
	}
	sameID := calls(`{}`, "look", "look", "look")
	for _, call := range sameID.ToolCalls() {
		call.ID = "same"
	}
	ended := func(m *message.Assistant, reason message.StopReason, why string) *message.Assistant {
		m.StopReason, m.ErrorMessage = reason, why
		return m
	}
	many := strings.Split(strings.Repeat("look ", rounds(200, 1000)), " ")
	for name, c := range map[string]struct {
		says *message.Assistant
		// results is how many results there are, and failed how many of them failed.
		results, failed int
		unanswered      string
	}{
		"arguments that break off":       {calls(`{"at": "do`, "look"), 1, 1, ""},
		"arguments that are no object":   {calls(`[1]`, "look"), 1, 1, ""},
		"arguments that are no JSON":     {calls(`look at it`, "look"), 1, 1, ""},
		"arguments that are nested deep": {calls(strings.Repeat(`{"a":`, 5000)+"1"+strings.Repeat("}", 5000), "look"), 1, 1, ""},
		"arguments that are not UTF-8":   {calls("{\"at\":\"\xff\xfe\"}", "look"), 1, 0, ""},
		"arguments of a prototype":       {calls(`{"__proto__":{"x":1},"constructor":1}`, "look"), 1, 0, ""},
		"tools that there are not":       {calls(`{}`, "none", "", "look", strings.Repeat("x", 10_000), "pi.tool"), 5, 4, ""},
		"very many calls":                {calls(`{}`, many[:len(many)-1]...), len(many) - 1, 0, ""},
		"calls of one id":                {sameID, 3, 0, ""},
		"no content":                     {faux.Message(), 0, 0, ""},
		"an empty text":                  {faux.Says(""), 0, 0, ""},
		"a text that is not UTF-8":       {faux.Says("a\xffb\xed\xa0\x80c"), 0, 0, ""},
		"control characters":             {faux.Says("a\x00b\x1b[31mc\u202e"), 0, 0, ""},
		"calls that are said to be none": {ended(calls(`{}`, "none"), message.StopReasonStop, ""), 0, 0, ""},
		"a call that was cut off":        {ended(calls(`{"at":1`, "look"), message.StopReasonLength, ""), 0, 0, ""},
		"an error without a reason":      {ended(faux.Message(), message.StopReasonError, ""), 0, 0, agent.ReasonModelError},
		"a handle that is none":          {ended(faux.Message(), message.StopReasonDeferred, ""), 0, 0, agent.ReasonModelError},
	} {
		t.Run(name, func(t *testing.T) {
			provider := faux.New(faux.Options{})
			w := opened(t, new(memory.Storage), provider, agent.Settings{}, look())
			root, err := w.root(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			provider.Set(faux.Answer(c.says), faux.Answer(faux.Says("Sorry.")))
			settled, err := say(within(t), root, "", "Go.")
			if err != nil || settled.Reason != c.unanswered {
				t.Errorf("settled as %+v, %v", settled, err)
			}
			results, failed := 0, 0
			view, err := root.Context(t.Context(), 0)
			if err != nil {
				t.Fatal(err)
			}
			for _, m := range view.Messages {
				if result, is := m.(*message.ToolResult); is && !strings.Contains(string(result.Details), "missing_result") {
					results++
					if result.IsError {
						failed++
					}
				}
			}
			if results != c.results || failed != c.failed {
				t.Errorf("there are %d results, of which %d failed; want %d and %d", results, failed, c.results, c.failed)
			}
			w.verify(t)
			events, err := w.WatchEvents(t.Context(), record.Root)
			if err != nil {
				t.Fatal(err)
			}
			defer events.Close()
			if text, err := json.Marshal(events.Snapshot()); err != nil || !json.Valid(text) {
				t.Errorf("the snapshot cannot be written: %v", err)
			}
			provider.Set(faux.Answer(faux.Says("Yes.")))
			if settled, err := say(within(t), root, "", "Still there?"); err != nil || settled.Status != record.Done {
				t.Errorf("afterwards an input is %+v, %v", settled, err)
			}
		})
	}
}
