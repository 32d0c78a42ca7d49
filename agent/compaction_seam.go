package agent

import (
	"context"
	"errors"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// Why a context is summarized.
const (
	compactManual    = "manual"
	compactThreshold = "threshold"
	compactOverflow  = "overflow"
)

// compactionNeed is what a request needs of compaction.
type compactionNeed int

const (
	compactNothing compactionNeed = iota
	compactBeside                 // a summary is to be begun beside the request
	compactFirst                  // the request is to wait for a summary
)

type compactionInput struct {
	Reason       string `json:"reason"`
	Instructions string `json:"instructions,omitempty"`
}

type compactionState struct {
	Phase string `json:"phase"`
}

type compactionResult struct {
	Entry      record.EntryID      `json:"entryId,omitempty"`
	Submission record.SubmissionID `json:"submissionId,omitempty"`
}

type compactionTask = durable.Task[compactionInput, compactionState, compactionResult]

func (h *Harness) defineCompaction() compactionTask {
	return durable.DefineTask(durable.TaskSpec[compactionInput, compactionState, compactionResult]{
		Name: registry.TaskCompaction, Version: 1,
		Initial: func(compactionInput) compactionState { return compactionState{Phase: "select"} },
		Phases: map[string]func(context.Context, *durable.Run[compactionInput, compactionState, compactionResult]) error{
			"select": func(context.Context, *durable.Run[compactionInput, compactionState, compactionResult]) error {
				return errors.New("there is no compaction yet")
			},
		},
	})
}

// compactionNeeded says what the request that is being prepared needs.
func (h *Harness) compactionNeeded(ctx context.Context, run *generationRun, settings Settings, asked *model.Model, view durable.ContextView, planned []durable.EntryDraft) (compactionNeed, error) {
	return compactNothing, nil
}

// compactBefore has the generation wait for a summary and prepare its request again
// afterwards. response, for an overflow, is the failed response, which is appended.
func (h *Harness) compactBefore(ctx context.Context, run *generationRun, reason string, response *message.Assistant) error {
	return errors.New("there is no compaction yet")
}

// compactInBackground begins a summary that the conversation owns.
func (h *Harness) compactInBackground(ctx context.Context, tx *durable.Tx, conversation record.ConversationID) error {
	return nil
}

// compactionHelps says whether a request whose prompt was too long may be made again
// after a summary.
func (h *Harness) compactionHelps(run *generationRun, settings Settings, view durable.ContextView) bool {
	return false
}

// overflowStays says whether the generation has waited for a summary because its
// prompt was too long, and there is none.
func (h *Harness) overflowStays(ctx context.Context, run *generationRun) (bool, error) {
	return false, nil
}

// releaseCompaction takes the status of a compaction that ended by no code of its own
// out of the live document.
func (h *Harness) releaseCompaction(tx *durable.Tx, task record.Task) error {
	return nil
}
