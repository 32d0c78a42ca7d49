package agent

import (
	"context"
	"fmt"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// pollAfter is after how long a provider is asked for a deferred response when it does
// not say.
const pollAfter = 5 * time.Second

// deferResponse has a generation ask for its response from time to time.
func (h *Harness) deferResponse(ctx context.Context, run *generationRun, response *message.Assistant) error {
	handle, err := model.DeferredOf(response)
	if err != nil {
		failed := *response
		failed.StopReason, failed.ErrorMessage = message.StopReasonError, err.Error()
		return h.unanswered(ctx, run, ReasonModelError, failed.ErrorMessage, &failed)
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		state := run.State
		state.Phase, state.Handle = phasePoll, &handle
		return h.pollLater(tx, run, state)
	})
}

// pollLater sets when the provider is asked next: later than the last time.
func (h *Harness) pollLater(tx *durable.Tx, run *generationRun, state generationState) (next generationNext, err error) {
	wait := pollAfter
	if given := state.Handle.PollAfterMs; given != nil && *given > 0 {
		wait = time.Duration(*given) * time.Millisecond
	}
	state.PollAt = max(h.clock.Now().Add(wait).UnixMilli(), state.PollAt+1)
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
	if err != nil {
		return next, err
	}
	live.Generation = &durable.GenerationState{Attempt: state.Attempt, Deferred: &durable.DeferredState{PollAt: state.PollAt}}
	return run.Continue(state), nil
}

// poll asks the provider for a deferred response once it is time.
func (h *Harness) poll(ctx context.Context, run *generationRun) error {
	if run.State.Handle == nil {
		return fmt.Errorf("the checkpoint of task %d has no handle of the deferred response", run.TaskID())
	}
	if err := run.Sleep(ctx, time.UnixMilli(run.State.PollAt)); err != nil {
		return err
	}
	asked, why := h.modelOf(run.State.Model)
	if why != nil {
		return h.unanswered(ctx, run, ReasonNoModel, why.Error(), nil)
	}
	response := h.models.FetchDeferred(ctx, asked, *run.State.Handle).Result()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if response.StopReason == message.StopReasonDeferred {
		return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (generationNext, error) {
			state := run.State
			if handle, err := model.DeferredOf(response); err == nil {
				state.Handle = &handle
			}
			return h.pollLater(tx, run, state)
		})
	}
	agent, view, err := h.asked(ctx, run)
	if err != nil {
		return err
	}
	return h.classify(ctx, run, attempted{agent, asked, view, response})
}

// cancelDeferred tells the provider that a response is not needed any more.
func (h *Harness) cancelDeferred(ctx context.Context, run *generationRun) {
	asked, why := h.modelOf(run.State.Model)
	if run.State.Handle == nil || why != nil {
		return
	}
	if err := h.models.CancelDeferred(ctx, asked, *run.State.Handle); err != nil {
		run.Report(fmt.Errorf("cancel the deferred response %s of %s: %w", run.State.Handle.ID, asked.FullName(), err))
	}
}
