package agent

import (
	"context"
	"encoding/json"
	"errors"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// Why inputs are unanswered, beside the reasons of package durable.
const (
	// ReasonNoModel is a conversation without a model, or with one that is not there.
	ReasonNoModel = "no_model"
	// ReasonModelError is a model that failed; the detail is what the provider said.
	ReasonModelError = "model_error"
)

// The phases of a generation.
const (
	phasePrepare = "prepare"
	phaseRequest = "request"
	phaseRetry   = "retry"
	phasePoll    = "poll"
	phaseTools   = "tools"
)

// generationState is the checkpoint of a generation: its phase, and what that needs
// (section 8.3 of the pi-durable specification).
type generationState struct {
	Phase string `json:"phase"`
	// Attempt counts requests, from 1; 0 in the phase tools.
	Attempt int `json:"attempt,omitempty"`
	// Compacted is the compaction that the generation has waited for. It waits for one
	// only. Overflow is why, when that was a prompt that was too long; it is there until
	// the summary was looked for.
	Compacted record.TaskID `json:"compacted,omitempty"`
	Overflow  string        `json:"overflow,omitempty"`

	// What the request is made with, and the newest entry that it shows; of the phases
	// request and poll.
	pinned
	Cutoff record.EntryID `json:"cutoff,omitempty"`

	// When the next attempt begins, of the phase retry, and when the provider is asked for
	// a response by its handle, of the phase poll; in milliseconds since 1970.
	Until  int64                 `json:"until,omitempty"`
	Handle *model.DeferredHandle `json:"handle,omitempty"`
	PollAt int64                 `json:"pollAt,omitempty"`

	// The round of the phase tools: the response that called, the tasks of calls that
	// have begun, and the ids of those that have not.
	Assistant record.EntryID  `json:"assistant,omitempty"`
	Tools     []record.TaskID `json:"tools,omitempty"`
	Pending   []string        `json:"pending,omitempty"`
}

// next returns the state of another phase of the same attempt.
func (s generationState) next(phase string) generationState {
	return generationState{Phase: phase, Attempt: s.Attempt, Compacted: s.Compacted}
}

// generationResult is the response with which a generation has ended.
type generationResult struct {
	Entry record.EntryID `json:"entryId"`
}

type (
	generationTask = durable.Task[struct{}, generationState, generationResult]
	generationRun  = durable.Run[struct{}, generationState, generationResult]
	generationNext = durable.Next[generationState, generationResult]
)

func (h *Harness) defineGeneration() generationTask {
	return durable.DefineTask(durable.TaskSpec[struct{}, generationState, generationResult]{
		Name: registry.TaskGeneration, Version: 1,
		Initial: func(struct{}) generationState { return generationState{Phase: phasePrepare, Attempt: 1} },
		Phases: map[string]func(context.Context, *generationRun) error{
			phasePrepare: h.prepare,
			phaseRequest: h.request,
			phaseRetry:   h.retry,
			phasePoll:    h.poll,
			phaseTools:   h.afterRound,
		},
		Abort: h.abortGeneration,
	})
}

// runs has generations answer the inputs of conversations.
type runs struct{ *Harness }

// Start implements [durable.Runs].
func (r runs) Start(_ context.Context, tx *durable.Tx, conversation record.ConversationID) (record.TaskID, error) {
	return r.generation.Create(tx, struct{}{}, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation})
}

// Modes implements [durable.Runs].
func (r runs) Modes() durable.QueueModes {
	s := r.Harness.Settings()
	return durable.QueueModes{Steering: s.Steering, FollowUp: s.FollowUp}
}

// unanswered ends a run without an answer. response, which may be nil, is the failed
// response that ends it.
func (h *Harness) unanswered(ctx context.Context, run *generationRun, reason, why string, response *message.Assistant) error {
	detail, err := json.Marshal(why)
	if err != nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		if response != nil {
			if _, err := appendResponse(tx, run.Conversation(), response); err != nil {
				return next, err
			}
		}
		_, err = tx.EndRun(run.Conversation(), durable.RunEnd{Reason: reason, Detail: detail})
		return run.Fail(errors.New(why)), err
	})
}

// appendResponse appends a response, whatever became of it, and counts its usage.
func appendResponse(tx *durable.Tx, conversation record.ConversationID, response *message.Assistant) (record.Entry, error) {
	entry, err := tx.AppendEntry(conversation, durable.EntryDraft{Kind: durable.AssistantEntry, Model: message.Messages{response}})
	if err != nil {
		return entry, err
	}
	return entry, durable.AddUsage(tx, conversation, response)
}
