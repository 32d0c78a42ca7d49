package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestAConversationWithoutAModelIsUnanswered(t *testing.T) {
	for name, chosen := range map[string]durable.AgentChange{
		"none":    {},
		"unknown": {Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "gone"})},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{})
			if _, err := h.Root(t.Context(), durable.ConversationOptions{Agent: chosen}); err != nil {
				t.Fatal(err)
			}
			settled := h.say("Hello?")
			if settled.Status != record.Unanswered || settled.Reason != agent.ReasonNoModel || len(settled.Detail) == 0 {
				t.Errorf("settled as %+v", settled)
			}
			h.check("user: Hello?")
		})
	}
}

// response is a step whose response ends in a certain way.
func response(reason message.StopReason, why string, blocks ...message.Block) faux.Step {
	m := faux.Message(blocks...)
	m.StopReason, m.ErrorMessage = reason, why
	return faux.Answer(m)
}

func TestAResponseIsClassifiedByHowItEnds(t *testing.T) {
	said := &message.Text{Text: "said"}
	for name, c := range map[string]struct {
		step   faux.Step
		status record.SubmissionStatus
		reason string
		last   string
	}{
		"stop":                   {response(message.StopReasonStop, "", said), record.Done, "", "assistant (stop) said"},
		"length":                 {response(message.StopReasonLength, "", said), record.Done, "", "assistant (length) said"},
		"tool use without calls": {response(message.StopReasonToolUse, "", said), record.Done, "", "assistant (toolUse) said"},
		"nothing at all":         {response(message.StopReasonStop, ""), record.Done, "", "assistant (stop)"},
		"an error that stays":    {response(message.StopReasonError, "invalid key"), record.Unanswered, agent.ReasonModelError, "assistant (error) !invalid key"},
		"a quota":                {response(message.StopReasonError, "429 insufficient_quota"), record.Unanswered, agent.ReasonModelError, "assistant (error) !429 insufficient_quota"},
		"an overflow":            {response(message.StopReasonError, "prompt is too long"), record.Unanswered, agent.ReasonModelError, "assistant (error) !prompt is too long"},
		"aborted by itself":      {response(message.StopReasonAborted, "went away"), record.Unanswered, agent.ReasonModelError, "assistant (aborted) !went away"},
	} {
		t.Run(name, func(t *testing.T) {
			h := open(t, agent.Options{})
			h.model.Set(c.step)
			settled := h.say("Speak.")
			if settled.Status != c.status || settled.Reason != c.reason {
				t.Errorf("settled as %+v", settled)
			}
			h.check("user: Speak.", c.last)
			if why := h.entries(record.Root)[1].Model[0].(*message.Assistant).ErrorMessage; c.reason != "" && string(settled.Detail) != fmt.Sprintf("%q", why) {
				t.Errorf("the detail is %s", settled.Detail)
			}
		})
	}
}

// hooks is an extension of hooks.
func hooks(list ...registry.Hook) extension {
	return extension{"hooks", registry.Instance{Hooks: list}}
}

func TestARequestThatFailsForAPassingReasonIsMadeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var asked []time.Duration
		began := time.Now()
		h := open(t, agent.Options{Settings: func() agent.Settings {
			return agent.Settings{Retry: agent.RetryPolicy{MaxRetries: 4, MaxDelay: 6 * time.Second}}
		}}, hooks(registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, registry.HookContext, message.Messages) (message.Messages, error) {
			asked = append(asked, time.Since(began).Round(time.Second))
			return nil, nil
		}}))
		busy := response(message.StopReasonError, "overloaded")
		h.model.Set(busy, busy, busy, text("Now."))
		if settled := h.say("Now?"); h.answer(settled) != "Now." {
			t.Errorf("settled as %+v", settled)
		}
		if want := []time.Duration{0, 2 * time.Second, 6 * time.Second, 12 * time.Second}; !slices.Equal(asked, want) {
			t.Errorf("asked after %v, want %v", asked, want)
		}
		usage, err := h.Usage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		var total message.Usage
		for _, entry := range h.entries(record.Root) {
			if m, is := entry.Model[0].(*message.Assistant); is {
				total = total.Add(m.Usage)
			}
		}
		if counted := usage.Models["faux/faux-1"]; counted.TotalTokens != total.TotalTokens || total.TotalTokens == 0 {
			t.Errorf("counted %d tokens of the %d that all attempts used", counted.TotalTokens, total.TotalTokens)
		}
	})
}

func TestRetriesEndWithThePolicy(t *testing.T) {
	for _, policy := range []agent.RetryPolicy{{Disabled: true}, {MaxRetries: 2}} {
		synctest.Test(t, func(t *testing.T) {
			h := open(t, agent.Options{Settings: func() agent.Settings { return agent.Settings{Retry: policy} }})
			busy := response(message.StopReasonError, "overloaded")
			h.model.Set(busy, busy, busy, busy)
			if settled := h.say("Now?"); settled.Reason != agent.ReasonModelError {
				t.Errorf("settled as %+v", settled)
			}
			if asked := 4 - h.model.Queued(); asked != 1+policy.MaxRetries {
				t.Errorf("asked %d times with %+v", asked, policy)
			}
		})
	}
}

func TestARetryIsWaitedForAcrossARestart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{})
		h.model.Set(response(message.StopReasonError, "overloaded"), text("Now."))
		began := time.Now()
		submission := h.submit("Now?")
		rest()
		retry := h.live().Generation.Retry
		if retry == nil || !near(retry.At, began.Add(2*time.Second)) || retry.Error != "overloaded" {
			t.Fatalf("waits for %+v", retry)
		}
		<-time.After(time.Second)
		h.reopen()
		<-time.After(5 * time.Second)
		if asked := h.model.Queued(); asked != 1 {
			t.Error("a request was made before the harness was asked for progress")
		}
		submission, err := h.Submission(t.Context(), submission.ID())
		if err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(t.Context()); err != nil || h.answer(settled) != "Now." {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		if took := time.Since(began).Round(time.Second); took != 6*time.Second {
			t.Errorf("the second attempt began after %v", took)
		}
	})
}

func TestADeferredResponseIsAskedForUntilItIsThere(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{})
		later := faux.New(faux.Options{ID: "later", PendingFetches: 2, PollAfter: 30 * time.Second})
		if _, err := h.Models().Set(later); err != nil {
			t.Fatal(err)
		}
		root := h.root()
		if err := root.Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "later", Model: "faux-1"})}); err != nil {
			t.Fatal(err)
		}
		h.options.Settings = func() agent.Settings {
			return agent.Settings{Stream: model.StreamOptions{Deferred: model.Deferral{On: true}}}
		}
		h.reopen()
		later.Set(text("At last."))
		began := time.Now()
		submission := h.submit("When?")
		rest()
		if waits := h.live().Generation.Deferred; waits == nil || !near(waits.PollAt, began.Add(30*time.Second)) {
			t.Fatalf("waits for %+v", waits)
		}
		<-time.After(40 * time.Second)
		h.reopen()
		submission, err := h.Submission(t.Context(), submission.ID())
		if err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(t.Context()); err != nil || h.answer(settled) != "At last." {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		if took := time.Since(began).Round(time.Second); took != 90*time.Second {
			t.Errorf("it was there after %v", took)
		}
		h.check("user: When?", "assistant (stop) At last.")
	})
}

func TestAnAbortCancelsADeferredResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{Settings: func() agent.Settings {
			return agent.Settings{Stream: model.StreamOptions{Deferred: model.Deferral{On: true}}}
		}})
		h.model.Set(text("Never."))
		submission := h.submit("When?")
		rest()
		if err := h.root().Abort(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(t.Context()); err != nil || settled.Reason != durable.ReasonAborted {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		if cancelled := h.model.State().Cancelled; len(cancelled) != 1 {
			t.Errorf("cancelled %v", cancelled)
		}
	})
}

func TestWhatThereIsOfAResponseIsStoredNowAndThen(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{})
		slow := faux.New(faux.Options{ID: "slow", TokensPerSecond: 100})
		if _, err := h.Models().Set(slow); err != nil {
			t.Fatal(err)
		}
		if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "slow", Model: "faux-1"})}); err != nil {
			t.Fatal(err)
		}
		var stored []time.Time
		stop := h.SubscribeCommits(func(p *durable.Publication) {
			for _, d := range p.Documents {
				if d.Record.Kind != durable.LiveDocument.Definition.Kind || d.Value == nil {
					continue
				}
				if generation, _ := d.Value.Get("generation"); generation != nil && strings.Contains(fmt.Sprint(generation), "message") {
					stored = append(stored, time.Now())
				}
			}
		})
		defer stop()
		slow.Set(text(strings.Repeat("word", 100)))
		h.say("Talk.")
		if len(stored) < 8 || len(stored) > 12 {
			t.Errorf("a response of a second was stored %d times", len(stored))
		}
		for i := 1; i < len(stored); i++ {
			if apart := stored[i].Sub(stored[i-1]); apart < 100*time.Millisecond {
				t.Errorf("two commits are %v apart", apart)
			}
		}
	})
}

func TestAResponseThatIsCutOffBecomesAnEntry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{})
		slow := faux.New(faux.Options{ID: "slow", TokensPerSecond: 100})
		if _, err := h.Models().Set(slow); err != nil {
			t.Fatal(err)
		}
		if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "slow", Model: "faux-1"})}); err != nil {
			t.Fatal(err)
		}
		slow.Set(text(strings.Repeat("word", 100)), text("Short."))
		submission := h.submit("Talk.")
		<-time.After(450 * time.Millisecond)
		h.reopen()
		submission, err := h.Submission(t.Context(), submission.ID())
		if err != nil {
			t.Fatal(err)
		}
		settled, err := submission.Wait(t.Context())
		if err != nil || h.answer(settled) != "Short." {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		entries := h.entries(record.Root)
		if len(entries) != 3 {
			t.Fatal(h.transcript())
		}
		cut := entries[1].Model[0].(*message.Assistant)
		if cut.StopReason != message.StopReasonAborted || !strings.HasPrefix(cut.Text(), "wordword") || len(cut.Text()) >= 400 {
			t.Errorf("the entry is %s", written(cut))
		}
		if asked := h.model.State(); asked.Calls != 0 {
			t.Error("another model was asked")
		}
	})
}

func TestAnAbortKeepsWhatThereIsOfTheResponse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := open(t, agent.Options{})
		slow := faux.New(faux.Options{ID: "slow", TokensPerSecond: 100})
		if _, err := h.Models().Set(slow); err != nil {
			t.Fatal(err)
		}
		if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "slow", Model: "faux-1"})}); err != nil {
			t.Fatal(err)
		}
		slow.Set(text(strings.Repeat("word", 100)))
		submission := h.submit("Talk.")
		<-time.After(450 * time.Millisecond)
		if err := h.root().Abort(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		if settled, err := submission.Wait(t.Context()); err != nil || settled.Reason != durable.ReasonAborted {
			t.Errorf("settled as %+v, %v", settled, err)
		}
		entries := h.entries(record.Root)
		if len(entries) != 2 || !strings.HasPrefix(written(entries[1].Model[0]), " (aborted) wordword") {
			t.Error(h.transcript())
		}
		if live := h.live(); live.Run != nil || live.Generation != nil {
			t.Errorf("afterwards the conversation has %+v", live)
		}
	})
}

func TestARequestHasTheSessionAndTheLevelOfThinking(t *testing.T) {
	h := open(t, agent.Options{})
	var asked []model.Request
	step := func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		asked = append(asked, request)
		return faux.Says("Yes."), nil
	}
	h.model.Set(step, step)
	h.say("One?")
	if err := h.root().Configure(t.Context(), durable.AgentChange{ThinkingLevel: durable.Set("high")}); err != nil {
		t.Fatal(err)
	}
	h.reopen()
	h.say("Two?")
	if len(asked) != 2 || asked[0].SessionID == "" || asked[0].SessionID != asked[1].SessionID {
		t.Fatalf("asked with %+v", asked)
	}
	if asked[0].Reasoning != "" || asked[1].Reasoning != model.ThinkingHigh {
		t.Errorf("thinking was %q and %q", asked[0].Reasoning, asked[1].Reasoning)
	}
}

func TestTheModelOfARequestStaysThroughChanges(t *testing.T) {
	h := open(t, agent.Options{})
	other := faux.New(faux.Options{ID: "other"})
	if _, err := h.Models().Set(other); err != nil {
		t.Fatal(err)
	}
	other.Set(text("Second."))
	choose := durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "other", Model: "faux-1"})}
	h.model.Set(func(ctx context.Context, _ model.Request, _ faux.State) (*message.Assistant, error) {
		root, err := h.Conversation(ctx, record.Root)
		if err == nil {
			err = root.Configure(ctx, choose)
		}
		return faux.Says("First."), err
	})
	if got := h.answer(h.say("One?")); got != "First." {
		t.Errorf("the first answer is %q", got)
	}
	if got := h.answer(h.say("Two?")); got != "Second." {
		t.Errorf("the second answer is %q", got)
	}
}

func TestOnYieldHasARunGoOn(t *testing.T) {
	var seen []string
	goOn := func(name string, turns ...string) registry.Hook {
		return registry.Hook{Kind: registry.HookOnYield, OnYield: func(_ context.Context, _ registry.HookContext, answer *message.Assistant) (*message.Content, error) {
			seen = append(seen, name+" saw "+answer.Text())
			if len(turns) == 0 {
				return nil, errors.New("no idea")
			}
			turn := turns[0]
			turns = turns[1:]
			return &message.Content{Text: turn}, nil
		}}
	}
	h := open(t, agent.Options{}, hooks(goOn("a"), goOn("b", "And then?")))
	h.model.Set(text("First."), text("Then."))
	settled := h.say("Tell.")
	if h.answer(settled) != "Then." {
		t.Errorf("settled as %+v", settled)
	}
	h.check("user: Tell.", "assistant (stop) First.", "user: And then?", "assistant (stop) Then.")
	if want := []string{"a saw First.", "b saw First.", "a saw Then.", "b saw Then."}; !slices.Equal(seen, want) {
		t.Errorf("the hooks: %v", seen)
	}
}

func TestWhatAHookYieldsGivesWayToWhatWaits(t *testing.T) {
	var h *harness
	h = open(t, agent.Options{}, hooks(registry.Hook{Kind: registry.HookOnYield, OnYield: func(ctx context.Context, _ registry.HookContext, answer *message.Assistant) (*message.Content, error) {
		if answer.Text() != "First." {
			return nil, nil
		}
		root, err := h.Conversation(ctx, record.Root)
		if err == nil {
			_, err = root.Submit(ctx, durable.Input{Content: message.Content{Text: "Me first."}})
		}
		return &message.Content{Text: "And then?"}, err
	}}))
	h.model.Set(text("First."), text("Then."))
	h.say("Tell.")
	h.idle()
	h.check("user: Tell.", "assistant (stop) First.", "user: Me first.", "assistant (stop) Then.")
}

func TestHooksSeeTheRequestAndTheResponse(t *testing.T) {
	var h *harness
	var seen []string
	h = open(t, agent.Options{}, hooks(
		registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(ctx context.Context, at registry.HookContext, messages message.Messages) (message.Messages, error) {
			count, err := durable.MemoOnce(ctx, at.Runtime, "hook.count", len(messages))
			seen = append(seen, fmt.Sprint(at.Extension, " ", at.Conversation, " ", count))
			return append(slices.Clip(messages), message.UserText("Quickly.", 1)), err
		}},
		registry.Hook{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, registry.HookContext, message.Messages) (message.Messages, error) {
			return nil, errors.New("broken")
		}},
		registry.Hook{Kind: registry.HookAfterResponse, AfterResponse: func(_ context.Context, _ registry.HookContext, m *message.Assistant) error {
			seen = append(seen, string(m.StopReason))
			return nil
		}},
	))
	h.model.Set(func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		return faux.Says(request.Messages[len(request.Messages)-1].Text()), nil
	})
	if got := h.answer(h.say("Go.")); got != "Quickly." {
		t.Errorf("the model was shown %q", got)
	}
	if want := []string{"hooks 1 1", "stop"}; !slices.Equal(seen, want) {
		t.Errorf("the hooks saw %q", seen)
	}
	h.check("user: Go.", "assistant (stop) Quickly.")
}

// halting is a provider whose response has a text, and then waits before it ends.
type halting struct {
	*faux.Provider
	end func(w *model.Writer) error
}

// ID implements [model.Provider].
func (halting) ID() string { return "halting" }

// Models implements [model.Provider].
func (halting) Models() []*model.Model {
	return []*model.Model{{ID: "h", Provider: "halting", API: "halting", Input: []string{model.InputText}}}
}

// Stream implements [model.Provider].
func (p halting) Stream(ctx context.Context, request model.Request) model.Stream {
	return model.Produce(ctx, request, nil, func(w *model.Writer) error {
		part, err := w.Text()
		if err == nil {
			err = part.Append("half")
		}
		if err != nil {
			return err
		}
		return p.end(w)
	})
}

func TestAGenerationThatGoesWrongKeepsWhatThereIsOfTheResponse(t *testing.T) {
	h := open(t, agent.Options{})
	_, err := h.Models().Set(halting{end: func(w *model.Writer) error {
		for !strings.Contains(string(h.live().Generation.Message), "half") {
			time.Sleep(time.Millisecond)
		}
		w.Update(func(m *message.Assistant) { m.Diagnostics = json.RawMessage(`{not json`) })
		return w.Done(message.StopReasonStop)
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := h.root().Configure(t.Context(), durable.AgentChange{Model: durable.Set(durable.ModelRef{Provider: "halting", Model: "h"})}); err != nil {
		t.Fatal(err)
	}
	settled := h.say("Talk.")
	if settled.Status != record.Unanswered || settled.Reason != durable.ReasonFaulted {
		t.Errorf("settled as %+v", settled)
	}
	h.check("user: Talk.", "assistant (aborted) half !The response was cut off.")
}
