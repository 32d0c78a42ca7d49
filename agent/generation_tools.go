package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// beginRound has the calls of a response run, and waits for them: all at once or, when
// one of them must be alone, one after another. A call of a tool that the request did
// not offer has its result at once.
func (h *Harness) beginRound(ctx context.Context, run *generationRun, a attempted) error {
	offered := make(map[string]bool)
	for _, tool := range model.Tools(a.view.Messages) {
		offered[tool.Name] = true
	}
	calls := a.response.ToolCalls()
	oneByOne := h.oneByOne(a.agent, calls)
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		entry, err := appendResponse(tx, run.Conversation(), a.response)
		if err != nil {
			return next, err
		}
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		state := generationState{Phase: phaseTools, Assistant: entry.ID}
		live.Generation, live.Tools = nil, make([]durable.ToolSlot, 0, len(calls))
		for _, call := range calls {
			slot := durable.ToolSlot{Call: call.ID, Name: call.Name, Status: durable.SlotPending}
			switch {
			case !offered[call.Name]:
				slot.Status = durable.SlotDone
				slot.Entry, err = h.refuse(tx, run.Conversation(), call)
			case oneByOne && len(state.Tools) > 0:
				state.Pending = append(state.Pending, call.ID)
			default:
				slot.Task, err = h.beginCall(tx, run, entry.ID, call.ID)
				state.Tools = append(state.Tools, slot.Task)
			}
			if err != nil {
				return next, err
			}
			live.Tools = append(live.Tools, slot)
		}
		return run.Wait(state, record.AllSettled, state.Tools...), nil
	})
}

// oneByOne says whether the calls of a round run one after another.
func (h *Harness) oneByOne(agent *registry.Agent, calls []*message.ToolCall) bool {
	if h.Settings().ToolExecution == registry.ExecutionSequential {
		return true
	}
	return slices.ContainsFunc(calls, func(call *message.ToolCall) bool {
		tool := agent.Tool(call.Name)
		return tool != nil && tool.ExecutionMode == registry.ExecutionSequential
	})
}

// refuse appends the result of a call of a tool that was not offered.
func (h *Harness) refuse(tx *durable.Tx, conversation record.ConversationID, call *message.ToolCall) (record.EntryID, error) {
	why := registry.ErrorResult(registry.CodeToolUnavailable, fmt.Sprintf("Tool %q is not available.", call.Name))
	return appendResult(tx, conversation, h.shaped(call.ID, call.Name, why, registry.OutputLimits{}))
}

// beginCall makes the task of a call.
func (h *Harness) beginCall(tx *durable.Tx, run *generationRun, response record.EntryID, call string) (record.TaskID, error) {
	return h.call.Create(tx, toolInput{Kind: calledByModel, Assistant: response, Call: call}, durable.TaskOptions{Ownership: durable.OwnedBy(run.TaskID())})
}

// afterRound goes on when the calls that it waited for have ended: with the next one,
// with the next generation, or with the end of the run.
func (h *Harness) afterRound(ctx context.Context, run *generationRun) error {
	if len(run.State.Pending) > 0 {
		return h.nextCall(ctx, run)
	}
	results, asked, err := h.roundOf(ctx, run)
	if err != nil {
		return err
	}
	agent, err := h.resolved(ctx, run.Runtime)
	if err != nil {
		return err
	}
	if err := agent.AfterTools(ctx, h.asking(run.Runtime), run.State.Assistant, results); err != nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		if err := offer(tx, run.Conversation(), asked.addTools); err != nil {
			return next, err
		}
		if asked.handoff != nil {
			begin := durable.EntryDraft{Kind: durable.ResetEntry, Self: true, Model: message.Messages{message.UserText(*asked.handoff, h.milliseconds())}}
			if _, err := tx.AppendEntry(run.Conversation(), begin); err != nil {
				return next, err
			}
		}
		if asked.terminate || asked.handoff != nil {
			_, err = tx.EndRun(run.Conversation(), durable.RunEnd{Answer: run.State.Assistant})
		} else {
			_, err = tx.ContinueRun(run.Conversation())
		}
		return run.Complete(generationResult{run.State.Assistant}), err
	})
}

// nextCall begins the next call of a round whose calls run one after another.
func (h *Harness) nextCall(ctx context.Context, run *generationRun) error {
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		state := run.State
		call := state.Pending[0]
		task, err := h.beginCall(tx, run, state.Assistant, call)
		if err != nil {
			return next, err
		}
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next, err
		}
		for i := range live.Tools {
			if live.Tools[i].Call == call && live.Tools[i].Task == 0 {
				live.Tools[i].Task = task
			}
		}
		state.Pending, state.Tools = state.Pending[1:], append(slices.Clone(state.Tools), task)
		return run.Wait(state, record.AllSettled, task), nil
	})
}

// roundAsks is what the results of a round ask of the run together.
type roundAsks struct {
	addTools  []string
	handoff   *string
	terminate bool
}

// roundOf returns the results of the round, in the order of the calls, and what they
// ask of the run.
func (h *Harness) roundOf(ctx context.Context, run *generationRun) (results []record.EntryID, asked roundAsks, err error) {
	live, _, err := durable.LiveDocument.Read(ctx, run, durable.InConversation(run.Conversation()))
	if err != nil {
		return nil, asked, err
	}
	asked.terminate = len(live.Tools) > 0
	for _, slot := range live.Tools {
		if slot.Entry != 0 {
			results = append(results, slot.Entry)
		}
		asked.terminate = asked.terminate && slot.Task != 0
	}
	outcomes, err := run.Outcomes(ctx, run.State.Tools...)
	if err != nil {
		return nil, asked, err
	}
	// The tasks are in the order of the calls.
	for i, outcome := range outcomes {
		control, err := controlOf(run.State.Tools[i], outcome)
		if err != nil {
			return nil, asked, err
		}
		asked.terminate = asked.terminate && control.Terminate
		asked.addTools = append(asked.addTools, control.AddTools...)
		if control.Handoff != nil {
			asked.handoff = control.Handoff
		}
	}
	return results, asked, nil
}

// controlOf returns what the result of a call asks of the run: nothing when the call
// has none.
func controlOf(task record.TaskID, outcome record.Outcome) (asked control, err error) {
	if outcome.Status != record.Completed {
		return asked, nil
	}
	var result toolResult
	if err := json.Unmarshal(outcome.Result, &result); err != nil {
		return asked, fmt.Errorf("the result of task %d: %w", task, err)
	}
	if result.Control != nil {
		asked = *result.Control
	}
	return asked, nil
}

// offer adds tools to those that were chosen for a conversation.
func offer(tx *durable.Tx, conversation record.ConversationID, names []string) error {
	if len(names) == 0 {
		return nil
	}
	agent, err := durable.AgentDocument.Edit(tx, durable.InConversation(conversation))
	if err != nil || agent.Tools == nil {
		return err
	}
	chosen := *agent.Tools
	for _, name := range names {
		if chosen.Exactly != nil && !slices.Contains(chosen.Exactly, name) {
			chosen.Exactly = append(slices.Clip(chosen.Exactly), name)
		}
		chosen.Remove = slices.DeleteFunc(slices.Clone(chosen.Remove), func(removed string) bool { return removed == name })
	}
	agent.Tools = &chosen
	return nil
}
