package agent

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// attempted is a request that has ended.
type attempted struct {
	agent    *registry.Agent
	model    *model.Model
	view     durable.ContextView // what the model was shown, before hooks
	response *message.Assistant
}

// classify decides what a response is, and what comes next.
func (h *Harness) classify(ctx context.Context, run *generationRun, a attempted) error {
	if a.response.StopReason == message.StopReasonDeferred {
		return h.deferResponse(ctx, run, a.response)
	}
	a.response = distinctCalls(a.response)
	if err := a.agent.AfterResponse(ctx, h.asking(run.Runtime), a.response); err != nil {
		return err
	}
	switch a.response.StopReason {
	case message.StopReasonStop, message.StopReasonLength:
		return h.answer(ctx, run, a)
	case message.StopReasonToolUse:
		if len(a.response.ToolCalls()) == 0 {
			return h.answer(ctx, run, a)
		}
		return h.beginRound(ctx, run, a)
	case message.StopReasonError:
		return h.failed(ctx, run, a)
	}
	return h.unanswered(ctx, run, ReasonModelError, said(a.response), a.response)
}

// failed decides what becomes of a run whose request failed.
func (h *Harness) failed(ctx context.Context, run *generationRun, a attempted) error {
	settings := h.Settings()
	if model.Overflow(a.response, a.model.ContextWindow) {
		if h.compactionHelps(run, settings, a.view) {
			return h.compactBefore(ctx, run, compactOverflow, a.response)
		}
		return h.unanswered(ctx, run, ReasonModelError, said(a.response), a.response)
	}
	delay, again := settings.Retry.delay(run.State.Attempt)
	if !again || !model.Retryable(a.response) {
		return h.unanswered(ctx, run, ReasonModelError, said(a.response), a.response)
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		if _, err := appendResponse(tx, run.Conversation(), a.response); err != nil {
			return next, err
		}
		state := run.State.next(phaseRetry)
		state.Until = h.clock.Now().Add(delay).UnixMilli()
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		live.Generation = &durable.GenerationState{Attempt: state.Attempt, Retry: &durable.RetryState{At: state.Until, Error: said(a.response)}}
		return run.Continue(state), nil
	})
}

// said is why a response is not an answer, in the provider's words.
func said(response *message.Assistant) string {
	if response.ErrorMessage != "" {
		return response.ErrorMessage
	}
	return fmt.Sprintf("the model %s/%s ended its response as %q and gave no reason", response.Provider, response.Model, response.StopReason)
}

// answer ends a run with a response, unless a hook has it go on.
func (h *Harness) answer(ctx context.Context, run *generationRun, a attempted) error {
	goesOn, err := a.agent.OnYield(ctx, h.asking(run.Runtime), a.response)
	if err != nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		entry, err := appendResponse(tx, run.Conversation(), a.response)
		if err != nil {
			return next, err
		}
		if _, err := tx.EndRun(run.Conversation(), durable.RunEnd{Answer: entry.ID, Continue: goesOn}); err != nil {
			return next, err
		}
		return run.Complete(generationResult{entry.ID}), nil
	})
}

// distinctCalls returns a response whose calls have ids that are all there and all
// different, as results need them. It is the same one when they are.
func distinctCalls(response *message.Assistant) *message.Assistant {
	taken := make(map[string]bool)
	var changed message.Blocks
	for i, block := range response.Content {
		call, is := block.(*message.ToolCall)
		if !is {
			continue
		}
		id := call.ID
		for n := 2; id == "" || taken[id]; n++ {
			id = fmt.Sprintf("%s#%d", call.ID, n)
		}
		taken[id] = true
		if id == call.ID {
			continue
		}
		if changed == nil {
			changed = slices.Clone(response.Content)
		}
		other := *call
		other.ID = id
		changed[i] = &other
	}
	if changed == nil {
		return response
	}
	other := *response
	other.Content = changed
	return &other
}

// retry waits until it is time for the next attempt, which is prepared anew.
func (h *Harness) retry(ctx context.Context, run *generationRun) error {
	if err := run.Sleep(ctx, time.UnixMilli(run.State.Until)); err != nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		state := run.State.next(phasePrepare)
		state.Attempt++
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		live.Generation = attempt(nil, state.Attempt)
		return run.Continue(state), nil
	})
}
