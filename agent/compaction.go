package agent

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/agent/internal/summary"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// compactionReason is why a context is summarized.
type compactionReason string

const (
	compactManual    compactionReason = "manual"
	compactThreshold compactionReason = "threshold"
	compactOverflow  compactionReason = "overflow"
)

// The phases of a compaction. It waits for its next attempt in [phaseRetry].
const (
	phaseSelect    = "select"
	phaseSummarize = "summarize"
)

type compactionInput struct {
	Reason       compactionReason `json:"reason"`
	Instructions string           `json:"instructions,omitempty"`
}

// compactionState is the checkpoint of a compaction (section 8.7 of the pi-durable
// specification). Once there is an attempt it says with what a summary is asked for,
// each time the same.
type compactionState struct {
	Phase   string `json:"phase"`
	Attempt int    `json:"attempt,omitempty"` // from 1
	pinned
	MaxTokens int64 `json:"maxTokens,omitempty"`
	// Tail is the newest entry of the context that is summarized, and FirstKept the first
	// one that stays.
	Tail      record.EntryID `json:"tail,omitempty"`
	FirstKept record.EntryID `json:"firstKept,omitempty"`
	// Until is when the next attempt begins, of the phase retry; in milliseconds since
	// 1970.
	Until int64 `json:"until,omitempty"`
}

// compactionResult is where the summary is: an entry, or what was handed in to be
// placed. There is neither when nothing was summarized.
type compactionResult struct {
	Entry      record.EntryID      `json:"entryId,omitempty"`
	Submission record.SubmissionID `json:"submissionId,omitempty"`
}

type (
	compactionTask = durable.Task[compactionInput, compactionState, compactionResult]
	compactionRun  = durable.Run[compactionInput, compactionState, compactionResult]
	compactionNext = durable.Next[compactionState, compactionResult]
)

func (h *Harness) defineCompaction() compactionTask {
	return durable.DefineTask(durable.TaskSpec[compactionInput, compactionState, compactionResult]{
		Name: registry.TaskCompaction, Version: 1,
		Initial: func(compactionInput) compactionState { return compactionState{Phase: phaseSelect} },
		Phases: map[string]func(context.Context, *compactionRun) error{
			phaseSelect:    h.selectRange,
			phaseSummarize: h.summarize,
			phaseRetry:     h.summarizeLater,
		},
		Abort: func(ctx context.Context, run *compactionRun) error {
			defer h.cutOff.drop(run.TaskID())
			return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next compactionNext, err error) {
				if response := h.cutOff.get(run.TaskID()); response != nil {
					err = durable.AddUsage(tx, run.Conversation(), response)
				}
				return run.Abort(run.Record().AbortReason), errors.Join(err, removeStatus(tx, run.Conversation(), run.TaskID()))
			})
		},
	})
}

// selectRange settles what is summarized, and with what a model is asked for it.
func (h *Harness) selectRange(ctx context.Context, run *compactionRun) error {
	settings := h.Settings()
	agent, err := h.resolved(ctx, run.Runtime)
	if err != nil {
		return err
	}
	view, err := run.Context(ctx, run.Conversation(), 0)
	if err != nil {
		return err
	}
	asked, why := h.modelOf(agent.Model)
	if why != nil {
		return h.endCompaction(ctx, run, run.Fail(failure(ReasonNoModel, why.Error())))
	}
	part, any := summary.Select(view, settings.Compaction.KeepRecentTokens)
	if !any {
		return h.endCompaction(ctx, run, run.Complete(compactionResult{}))
	}
	decision, err := agent.BeforeCompact(ctx, h.asking(run.Runtime), registry.Compaction{
		Reason: string(run.Input.Reason), Entries: part.Entries, Messages: part.Messages, FirstKept: part.FirstKept, Instructions: run.Input.Instructions,
	})
	switch {
	case err != nil:
		return err
	case decision != nil && decision.Decline:
		return h.endCompaction(ctx, run, run.Complete(compactionResult{}))
	case decision != nil:
		return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (compactionNext, error) {
			return h.place(tx, run, decision.Summary, part.FirstKept)
		})
	}
	state := compactionState{
		Phase: phaseSummarize, Attempt: 1, pinned: pinned{agent.Model, model.ThinkingLevel(agent.Thinking), &settings.Stream},
		MaxTokens: settings.Compaction.ReserveTokens * 4 / 5, Tail: view.Tail, FirstKept: part.FirstKept,
	}
	if asked.MaxTokens > 0 {
		state.MaxTokens = min(state.MaxTokens, asked.MaxTokens)
	}
	return run.CommitUnlimited(ctx, func(context.Context, *durable.Tx) (compactionNext, error) { return run.Continue(state), nil })
}

// failure is the error of a task that ends for a reason.
func failure(reason, why string) error {
	detail, err := json.Marshal(map[string]string{"reason": reason})
	if err != nil {
		detail = nil
	}
	return &durable.TaskFailure{Message: why, Detail: detail}
}

// summarize asks for the summary, and decides what the response is. A request that was
// cut off is made again.
func (h *Harness) summarize(ctx context.Context, run *compactionRun) error {
	asked, why := h.modelOf(run.State.Model)
	if why != nil {
		return h.endCompaction(ctx, run, run.Fail(failure(ReasonNoModel, why.Error())))
	}
	view, err := run.Context(ctx, run.Conversation(), run.State.Tail)
	if err != nil {
		return err
	}
	part, there := summary.Before(view, run.State.FirstKept)
	if !there {
		return fmt.Errorf("entry %d is not in the context of conversation %d as of entry %d", run.State.FirstKept, run.Conversation(), run.State.Tail)
	}
	session, err := providerSession(ctx, run.Runtime)
	if err != nil {
		return err
	}
	request := run.State.request(asked, summary.Request(part.Messages, run.Input.Instructions, h.milliseconds()), session)
	request.MaxTokens = run.State.MaxTokens
	request.Options.Deferred, request.Options.CacheRetention = model.Deferral{}, model.CacheNone
	response := h.models.Stream(ctx, request).Result()
	if cause := context.Cause(ctx); cause != nil {
		if errors.Is(cause, durable.ErrTaskAborted) {
			h.cutOff.put(run.TaskID(), response)
		}
		return cause
	}
	return h.summarized(ctx, run, response)
}

// summarized stores what a response was good for.
func (h *Harness) summarized(ctx context.Context, run *compactionRun, response *message.Assistant) error {
	text := response.Text()
	delay, again := h.Settings().Retry.delay(run.State.Attempt)
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next compactionNext, err error) {
		if err := durable.AddUsage(tx, run.Conversation(), response); err != nil {
			return next, err
		}
		switch {
		case response.StopReason == message.StopReasonStop && strings.TrimSpace(text) != "" && len(response.ToolCalls()) == 0:
			return h.place(tx, run, text, run.State.FirstKept)
		case response.StopReason == message.StopReasonError && again && model.Retryable(response):
			state := run.State
			state.Phase, state.Until = phaseRetry, h.clock.Now().Add(delay).UnixMilli()
			err := editStatus(tx, run.Conversation(), run.TaskID(), func(s *durable.CompactionStatus) {
				s.Attempt, s.Retry = state.Attempt, &durable.RetryState{At: state.Until, Error: said(response)}
			})
			return run.Continue(state), err
		}
		return run.Fail(failure(ReasonModelError, notSummary(response))), removeStatus(tx, run.Conversation(), run.TaskID())
	})
}

// notSummary says why a response is no summary.
func notSummary(response *message.Assistant) string {
	switch {
	case response.StopReason == message.StopReasonStop && len(response.ToolCalls()) == 0:
		return "the model gave an empty summary"
	case response.StopReason == message.StopReasonStop, response.StopReason == message.StopReasonToolUse:
		return "the model called a tool instead of giving a summary"
	case response.StopReason == message.StopReasonLength:
		return "the summary is incomplete: it reached the limit of tokens"
	}
	return said(response)
}

// summarizeLater waits until it is time for the next attempt.
func (h *Harness) summarizeLater(ctx context.Context, run *compactionRun) error {
	if err := run.Sleep(ctx, time.UnixMilli(run.State.Until)); err != nil {
		return err
	}
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (compactionNext, error) {
		state := run.State
		state.Phase, state.Attempt, state.Until = phaseSummarize, state.Attempt+1, 0
		err := editStatus(tx, run.Conversation(), run.TaskID(), func(s *durable.CompactionStatus) {
			s.Attempt, s.Retry = state.Attempt, nil
		})
		return run.Continue(state), err
	})
}

// place puts a summary in the place of what is before an entry, and ends the compaction:
// at once where a generation waits for it, and otherwise at the next boundary of the
// conversation.
func (h *Harness) place(tx *durable.Tx, run *compactionRun, text string, firstKept record.EntryID) (next compactionNext, err error) {
	draft, err := durable.CompactionEntry.Draft(durable.CompactionData{Reason: string(run.Input.Reason)})
	if err != nil {
		return next, err
	}
	draft.Head, draft.Model = firstKept, message.Messages{summary.Turn(text, h.milliseconds())}
	if err := removeStatus(tx, run.Conversation(), run.TaskID()); err != nil {
		return next, err
	}
	if run.Record().Owner != 0 {
		entry, err := tx.AppendEntry(run.Conversation(), draft)
		return run.Complete(compactionResult{Entry: entry.ID}), err
	}
	submission, err := tx.Submit(run.Conversation(), durable.Write{Request: fmt.Sprintf("compaction:%d", run.TaskID()), Entry: draft})
	return run.Complete(compactionResult{Submission: submission.ID}), err
}

// endCompaction ends a compaction that has no summary.
func (h *Harness) endCompaction(ctx context.Context, run *compactionRun, end compactionNext) error {
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (compactionNext, error) {
		return end, removeStatus(tx, run.Conversation(), run.TaskID())
	})
}

// releaseCompaction takes the status of a compaction that ended by no code of its own
// out of the live document.
func (h *Harness) releaseCompaction(tx *durable.Tx, task record.Task) error {
	return removeStatus(tx, task.Conversation, task.ID)
}

// editStatus changes what is shown of a compaction that is under way.
func editStatus(tx *durable.Tx, conversation record.ConversationID, task record.TaskID, change func(*durable.CompactionStatus)) error {
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(conversation))
	if err != nil {
		return err
	}
	for i := range live.Compactions {
		if live.Compactions[i].Task == task {
			change(&live.Compactions[i])
		}
	}
	return nil
}

func removeStatus(tx *durable.Tx, conversation record.ConversationID, task record.TaskID) error {
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(conversation))
	if err != nil {
		return err
	}
	live.Compactions = slices.DeleteFunc(live.Compactions, func(s durable.CompactionStatus) bool { return s.Task == task })
	return nil
}
