package agent

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// abortGeneration ends a run that was aborted. The calls of its round have ended by
// then; those that never began have a result that says so.
func (h *Harness) abortGeneration(ctx context.Context, run *generationRun) error {
	if run.State.Phase == phasePoll {
		h.cancelDeferred(ctx, run)
	}
	calls, err := h.callsThatNeverBegan(ctx, run)
	if err != nil {
		return err
	}
	defer h.cutOff.drop(run.TaskID())
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		response, err := h.takePartial(tx, run.Conversation())
		if whole := h.cutOff.get(run.TaskID()); whole != nil {
			response = whole
		}
		if err == nil && response != nil {
			err = appendAborted(tx, run.Conversation(), response)
		}
		if err != nil {
			return next, err
		}
		for _, call := range calls {
			result := registry.ErrorResult(registry.CodeAborted, "The run was aborted before this call began.")
			if _, err := appendResult(tx, run.Conversation(), h.shaped(call.ID, call.Name, result, registry.OutputLimits{})); err != nil {
				return next, err
			}
		}
		_, err = tx.EndRun(run.Conversation(), durable.RunEnd{Reason: durable.ReasonAborted})
		return run.Abort(run.Record().AbortReason), err
	})
}

// callsThatNeverBegan returns the calls of the round that have no task.
func (h *Harness) callsThatNeverBegan(ctx context.Context, run *generationRun) (calls []*message.ToolCall, err error) {
	for _, id := range run.State.Pending {
		call, err := calledIn(ctx, run.Runtime, run.State.Assistant, id)
		if err != nil {
			return nil, err
		}
		calls = append(calls, call)
	}
	return calls, nil
}

// settled cleans up after a task that ended by no code of its own.
func (h *Harness) settled(ctx context.Context, tx *durable.Tx, task record.Task) error {
	var err error
	switch task.Kind {
	case registry.TaskGeneration:
		err = h.releaseGeneration(tx, task)
	case registry.TaskTool:
		err = h.releaseCall(tx, task)
	case registry.TaskCompaction:
		err = h.releaseCompaction(tx, task)
	}
	if err != nil || h.options.Session.Settled == nil {
		return err
	}
	return h.options.Session.Settled(ctx, tx, task)
}

// releaseGeneration keeps what there is of the response. The run itself is ended by the
// session.
func (h *Harness) releaseGeneration(tx *durable.Tx, task record.Task) error {
	live, _, err := durable.LiveDocument.Get(tx, durable.InConversation(task.Conversation))
	if err != nil || live.Run == nil || live.Run.Task != task.ID {
		return err
	}
	return h.convertPartial(tx, task.Conversation)
}
