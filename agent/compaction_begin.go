package agent

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/agent/internal/summary"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// compactionNeed is what a request needs of compaction.
type compactionNeed int

const (
	compactNothing compactionNeed = iota
	compactBeside                 // a summary is to be begun beside the request
	compactFirst                  // the request is to wait for a summary
)

// Compact has the older part of a conversation's context summarized, and returns the
// task that does it once it is stored. The conversation goes on meanwhile; the summary
// gets its place at the next boundary, or at once when nothing goes on. There is none
// when the context is smaller than what is kept of it. instructions say what the summary
// should look at, and may be "". It asks for progress.
//
// The errors are those of [durable.Session.Commit] and a [*durable.NotFoundError] for an
// unknown conversation.
func (h *Harness) Compact(ctx context.Context, conversation record.ConversationID, instructions string) (task record.TaskID, err error) {
	if _, err := h.Conversation(ctx, conversation); err != nil {
		return 0, err
	}
	input := compactionInput{Reason: compactManual, Instructions: instructions}
	err = h.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
		task, err = h.beginCompaction(tx, input, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation})
		return err
	})
	if err != nil {
		return 0, err
	}
	return task, h.Resume()
}

// beginCompaction makes the task of a compaction and shows that it is under way.
func (h *Harness) beginCompaction(tx *durable.Tx, input compactionInput, options durable.TaskOptions) (record.TaskID, error) {
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(options.Conversation))
	if err != nil {
		return 0, err
	}
	task, err := h.compaction.Create(tx, input, options)
	if err != nil {
		return 0, err
	}
	live.Compactions = append(live.Compactions, durable.CompactionStatus{
		Task: task, Reason: string(input.Reason), Blocking: options.Ownership != durable.OfConversation(), Attempt: 1,
	})
	return task, nil
}

// compactInBackground begins a summary beside the work of a conversation.
func (h *Harness) compactInBackground(tx *durable.Tx, conversation record.ConversationID) error {
	_, err := h.beginCompaction(tx, compactionInput{Reason: compactThreshold}, durable.TaskOptions{
		Ownership: durable.OfConversation(), Conversation: conversation, Background: true,
	})
	return err
}

// compactBefore has the generation wait for a summary and prepare its request again
// afterwards. response, for an overflow, is the failed response, which is appended.
func (h *Harness) compactBefore(ctx context.Context, run *generationRun, reason compactionReason, response *message.Assistant) error {
	return run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next generationNext, err error) {
		state := run.State.next(phasePrepare)
		if response != nil {
			if _, err := appendResponse(tx, run.Conversation(), response); err != nil {
				return next, err
			}
			state.Overflow = said(response)
			live, err := durable.LiveDocument.Edit(tx, durable.InConversation(run.Conversation()))
			if err != nil {
				return next, err
			}
			live.Generation = nil
		}
		state.Compacted, err = h.beginCompaction(tx, compactionInput{Reason: reason}, durable.TaskOptions{
			Ownership: durable.OwnedBy(run.TaskID()), Conversation: run.Conversation(),
		})
		return run.Wait(state, record.AllSettled, state.Compacted), err
	})
}

// compactionNeeded says what the request that is being prepared needs.
func (h *Harness) compactionNeeded(ctx context.Context, run *generationRun, settings Settings, asked *model.Model, view durable.ContextView, planned []durable.EntryDraft) (compactionNeed, error) {
	policy := settings.Compaction
	if policy.Disabled || asked.ContextWindow <= 0 || run.State.Compacted != 0 {
		return compactNothing, nil
	}
	tokens := estimated(view, planned)
	most := asked.ContextWindow - policy.ReserveTokens
	need := compactNothing
	switch {
	case tokens > most:
		need = compactFirst
	case policy.BackgroundTokens > 0 && tokens > most-policy.BackgroundTokens:
		live, _, err := durable.LiveDocument.Read(ctx, run, durable.InConversation(run.Conversation()))
		if err != nil || len(live.Compactions) > 0 {
			return compactNothing, err
		}
		need = compactBeside
	}
	if need == compactNothing {
		return need, nil
	}
	if _, any := summary.Select(view, policy.KeepRecentTokens); !any {
		return compactNothing, nil
	}
	return need, nil
}

// estimated returns about how many tokens a request has: what the newest response said
// of its own, and an estimate of what came since. A response from before the context was
// begun anew says nothing of it.
func estimated(view durable.ContextView, planned []durable.EntryDraft) (tokens int64) {
	messages := view.Messages
	if newest := newestUsage(view); newest != nil {
		tokens = model.ContextTokens(newest.Usage)
		if i := slices.Index(messages, message.Message(newest)); i >= 0 {
			messages = messages[i+1:]
		}
	}
	for _, m := range messages {
		tokens += model.EstimateMessage(m)
	}
	for _, draft := range planned {
		for _, m := range draft.Model {
			tokens += model.EstimateMessage(m)
		}
	}
	return tokens
}

// newestUsage returns the newest response that says how large its context was; nil for
// none.
func newestUsage(view durable.ContextView) *message.Assistant {
	for i, entry := range slices.Backward(view.Entries) {
		if view.Head != nil && entry.ID <= view.Head.ID {
			return nil
		}
		for _, m := range slices.Backward(view.Contributions[i]) {
			if response, is := m.(*message.Assistant); is && model.ContextTokens(response.Usage) > 0 {
				return response
			}
		}
	}
	return nil
}

// compactionHelps says whether a request whose prompt was too long may be made again
// after a summary.
func (h *Harness) compactionHelps(run *generationRun, settings Settings, view durable.ContextView) bool {
	if settings.Compaction.Disabled || run.State.Compacted != 0 {
		return false
	}
	_, any := summary.Select(view, settings.Compaction.KeepRecentTokens)
	return any
}

// overflowStays says whether the generation has waited for a summary because its
// prompt was too long, and there is none.
func (h *Harness) overflowStays(ctx context.Context, run *generationRun) (bool, error) {
	if run.State.Overflow == "" {
		return false, nil
	}
	task, there, err := run.Task(ctx, run.State.Compacted)
	if err != nil || !there {
		return true, err
	}
	result, err := h.compaction.Result(task)
	return err != nil || result.Entry == 0, nil
}
