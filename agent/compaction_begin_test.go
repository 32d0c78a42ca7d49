package agent_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestARequestThatIsTooLargeWaitsForASummary(t *testing.T) {
	h := narrow(t, 300)
	h.model.Set(text(size(750)), text("Short."), text("Done."), text("More."))
	h.say("One.")
	if settled := h.say(size(60)); h.answer(settled) != "Done." {
		t.Fatalf("settled as %+v", settled)
	}
	data, err := durable.CompactionEntry.Data(h.summaries()[0])
	if err != nil || data.Reason != "threshold" {
		t.Errorf("the reason is %+v, %v", data, err)
	}
	if got, want := h.shown(), []string{wrapped("Short."), size(60), "Done."}; !slices.Equal(got, want) {
		t.Errorf("the model is shown %.200q", got)
	}
	// What the response before the summary said of its context is over.
	h.say("And?")
	var kinds []string
	for _, task := range h.tasks(registry.TaskCompaction) {
		kinds = append(kinds, fmt.Sprint(task.Owner != 0, task.Background))
	}
	if !slices.Equal(kinds, []string{"true false"}) {
		t.Errorf("the compactions are owned and in the background: %q", kinds)
	}
}

func TestARequestIsSentWhenThereIsNoSummaryOfAThreshold(t *testing.T) {
	h := narrow(t, -1)
	h.model.Set(text(size(750)), response(message.StopReasonLength, "", &message.Text{Text: "Half a summ"}), text("Done."))
	h.say("One.")
	if settled := h.say(size(60)); h.answer(settled) != "Done." {
		t.Errorf("settled as %+v", settled)
	}
	task := h.tasks(registry.TaskCompaction)[0]
	if outcome := task.State.Outcome; outcome.Status != record.Failed || !strings.Contains(string(outcome.Error.Detail), "model_error") {
		t.Errorf("the compaction has ended as %+v", outcome)
	}
	if len(h.summaries()) != 0 || len(h.live().Compactions) != 0 {
		t.Error("half a summary was kept")
	}
}

func TestASummaryIsMadeBesideTheWork(t *testing.T) {
	h := narrow(t, 500)
	either := func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		if strings.Contains(request.Messages[len(request.Messages)-1].Text(), "<conversation>") {
			return faux.Says("Short."), nil
		}
		return faux.Says("Done."), nil
	}
	h.model.Set(text(size(400)), either, either)
	h.say("One.")
	if settled := h.say(size(60)); h.answer(settled) != "Done." {
		t.Fatalf("settled as %+v", settled)
	}
	task := h.tasks(registry.TaskCompaction)[0]
	if ended := h.ended(task.ID); !ended.Background || ended.Owner != 0 || ended.State.Outcome.Status != record.Completed {
		t.Errorf("the compaction is %+v", ended)
	}
	submission := h.submissionOf(task.ID)
	if settled, err := submission.Wait(within(t)); err != nil || settled.Status != record.Done {
		t.Errorf("the summary is %+v, %v", settled, err)
	}
	if got := h.shown(); got[0] != wrapped("Short.") {
		t.Errorf("the model is shown %.200q", got)
	}
}

const tooLong = "prompt is too long: 1200 tokens > 1000 maximum"

func TestAPromptThatWasTooLongIsSummarizedAndAskedAgain(t *testing.T) {
	overflow := response(message.StopReasonError, tooLong)
	for name, c := range map[string]struct {
		steps  []faux.Step
		hook   func() (*registry.CompactionDecision, error)
		answer string
	}{
		"a summary helps":      {[]faux.Step{overflow, text("Short."), text("Done.")}, nil, "Done."},
		"it is too long again": {[]faux.Step{overflow, text("Short."), overflow}, nil, ""},
		"there is no summary":  {[]faux.Step{overflow, response(message.StopReasonError, "bad request")}, nil, ""},
		"a tool in its place":  {[]faux.Step{overflow, calls("look", `{}`)}, nil, ""},
		"an empty summary":     {[]faux.Step{overflow, text("  ")}, nil, ""},
		"a hook declines":      {[]faux.Step{overflow}, func() (*registry.CompactionDecision, error) { return &registry.CompactionDecision{Decline: true}, nil }, ""},
		"a hook has the summary": {[]faux.Step{overflow, text("Done.")}, func() (*registry.CompactionDecision, error) {
			return &registry.CompactionDecision{Summary: "Mine."}, nil
		}, "Done."},
		"a passing failure of it": {[]faux.Step{overflow, response(message.StopReasonError, "overloaded"), text("Short."), text("Done.")}, nil, "Done."},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				var extensions []extension
				if c.hook != nil {
					extensions = append(extensions, hooks(registry.Hook{Kind: registry.HookBeforeCompact, BeforeCompact: func(context.Context, registry.HookContext, registry.Compaction) (*registry.CompactionDecision, error) {
						return c.hook()
					}}))
				}
				h := narrow(t, -1, extensions...)
				h.model.Set(append([]faux.Step{text(size(300))}, c.steps...)...)
				h.say("One.")
				settled := h.say("Two.")
				if got := h.answer(settled); got != c.answer {
					t.Errorf("answered with %q: %+v", got, settled)
				}
				if c.answer == "" && (settled.Reason != agent.ReasonModelError || !strings.Contains(string(settled.Detail), "prompt is too long")) {
					t.Errorf("settled as %+v", settled)
				}
				if live := h.live(); live.Run != nil || live.Generation != nil || len(live.Compactions) != 0 {
					t.Errorf("going on is %+v", live)
				}
				if left := h.model.Queued(); left != 0 {
					t.Errorf("%d responses were not asked for", left)
				}
			})
		})
	}
}

func TestAnAbortOfARunEndsTheCompactionThatItWaitsFor(t *testing.T) {
	h := narrow(t, -1)
	asked := make(chan struct{})
	h.model.Set(text(size(750)), func(ctx context.Context, _ model.Request, _ faux.State) (*message.Assistant, error) {
		close(asked)
		<-ctx.Done()
		return nil, context.Cause(ctx)
	})
	h.say("One.")
	submission := h.submit(size(60))
	<-asked
	if err := h.root().Abort(t.Context(), false); err != nil {
		t.Fatal(err)
	}
	if settled, err := submission.Wait(within(t)); err != nil || settled.Reason != durable.ReasonAborted {
		t.Errorf("settled as %+v, %v", settled, err)
	}
	if live := h.live(); live.Run != nil || len(live.Compactions) != 0 {
		t.Errorf("left is %+v", live)
	}
}

func TestWhatAResponseBeforeASummarySaidOfItsContextIsOver(t *testing.T) {
	h := narrow(t, -1)
	h.model.Set(text(size(610)), text(size(34)), text("Short."), text("Done."))
	h.say("One.")
	h.say(size(150))
	h.compact("")
	if settled := h.say("And?"); h.answer(settled) != "Done." {
		t.Errorf("settled as %+v", settled)
	}
	if all := h.tasks(registry.TaskCompaction); len(all) != 1 {
		t.Errorf("the context was summarized %d times", len(all))
	}
}

func TestOneSummaryIsMadeBesideTheWorkAtATime(t *testing.T) {
	h := narrow(t, 700)
	goOn := make(chan struct{})
	either := func(ctx context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
		if !strings.Contains(request.Messages[len(request.Messages)-1].Text(), "<conversation>") {
			return faux.Says(size(50)), nil
		}
		select {
		case <-goOn:
			return faux.Says("Short."), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	h.model.Set(text(size(200)), either, either, either, either)
	h.say("One.")
	h.say(size(60))
	h.say(size(60))
	all := h.tasks(registry.TaskCompaction)
	if len(all) != 1 || all[0].State.Status == record.Terminal {
		t.Errorf("the compactions are %+v", all)
	}
	close(goOn)
	for _, task := range all {
		h.ended(task.ID)
	}
}
