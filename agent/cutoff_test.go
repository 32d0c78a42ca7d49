package agent_test

import (
	"bytes"
	"context"
	"encoding/json"
	"log/slog"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// endless is a provider that says nothing until it is asked to end, and then what it
// has counted, with some content or none.
type endless struct {
	began   chan struct{}
	content message.Blocks
}

// ID implements [model.Provider].
func (*endless) ID() string { return "endless" }

// Models implements [model.Provider].
func (*endless) Models() []*model.Model {
	return []*model.Model{{ID: "e", Provider: "endless", API: "e"}}
}

// Stream implements [model.Provider].
func (p *endless) Stream(ctx context.Context, _ model.Request) model.Stream {
	return func(yield func(model.Event) bool) {
		p.began <- struct{}{}
		<-ctx.Done()
		yield(model.Event{Type: model.Failed, Message: &message.Assistant{
			Provider: "endless", Model: "e", API: "e", StopReason: message.StopReasonAborted, ErrorMessage: "It was cancelled.",
			Content: p.content, Usage: message.Usage{Input: 7, Output: 2, TotalTokens: 9},
		}})
	}
}

func TestAPartOfAResponseThatCannotBeReadIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := open(t, agent.Options{Session: durable.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}})
	slow := &endless{began: make(chan struct{}, 1)}
	if _, err := h.Models().Set(slow); err != nil {
		t.Fatal(err)
	}
	if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "endless", Model: "e"})}); err != nil {
		t.Fatal(err)
	}
	submission := h.submit("Go.")
	<-slow.began
	err := h.Commit(t.Context(), func(_ context.Context, tx *durable.Tx) error {
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(record.Root))
		if err == nil {
			live.Generation.Message = json.RawMessage(`{"role":"assistant","content":7}`)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.root().Abort(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if settled, err := submission.Wait(within(t)); err != nil || settled.Reason != durable.ReasonAborted {
		t.Errorf("settled as %+v, %v", settled, err)
	}
	h.stop()
	if !strings.Contains(log.String(), "cannot be read") || !strings.Contains(log.String(), "conversation=1") {
		t.Errorf("the log says %q", log.String())
	}
	h.start()
}

func TestWhatAnAbortedRequestUsedIsCounted(t *testing.T) {
	for name, content := range map[string]message.Blocks{"with nothing said": nil, "with a word": {&message.Text{Text: "Well"}}} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{Settings: func() agent.Settings {
				return agent.Settings{Compaction: agent.CompactionPolicy{KeepRecentTokens: 1}}
			}})
			h.model.Set(text("One."), text("Two."))
			h.say("One?")
			h.say("Two?")
			before := len(h.entries(record.Root))
			slow := &endless{began: make(chan struct{}, 1), content: content}
			if _, err := h.Models().Set(slow); err != nil {
				t.Fatal(err)
			}
			if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "endless", Model: "e"})}); err != nil {
				t.Fatal(err)
			}
			counted := func(want int64) {
				t.Helper()
				usage, err := h.Usage(t.Context())
				if err != nil || usage.Models["endless/e"].TotalTokens != want {
					t.Errorf("counted %+v, %v; want %d tokens", usage.Models, err, want)
				}
			}
			task, err := h.Compact(t.Context(), record.Root, "")
			if err != nil {
				t.Fatal(err)
			}
			<-slow.began
			if _, err := h.AbortTask(t.Context(), task); err != nil {
				t.Fatal(err)
			}
			h.ended(task)
			counted(9)
			submission := h.submit("Three?")
			<-slow.began
			if err := h.root().Abort(t.Context(), false); err != nil {
				t.Fatal(err)
			}
			if settled, err := submission.Wait(within(t)); err != nil || settled.Reason != durable.ReasonAborted {
				t.Errorf("settled as %+v, %v", settled, err)
			}
			counted(18)
			entries := h.entries(record.Root)[before:]
			response, is := entries[len(entries)-1].Model[0].(*message.Assistant)
			if !is || response.StopReason != message.StopReasonAborted || len(response.Content) != len(content) || response.ErrorMessage != "It was cancelled." {
				t.Errorf("the transcript ends with %s", written(entries[len(entries)-1].Model[0]))
			}
		})
	}
}
