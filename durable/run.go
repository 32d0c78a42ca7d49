package durable

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Runs answers the inputs of conversations. A run begins with the inputs that were
// placed, and ends when one of its tasks calls [Tx.EndRun]; while it is active the
// conversation is busy.
type Runs interface {
	// Start creates the task that goes on with a conversation: for the inputs that
	// this commit has placed, or after a round of tools. It belongs to the conversation
	// and is no background task.
	Start(ctx context.Context, tx *Tx, conversation record.ConversationID) (record.TaskID, error)
	// Modes says how many of the inputs that wait a boundary takes. It is asked at
	// each boundary, inside a commit, and must not wait.
	Modes() QueueModes
}

// QueueModes says how many of the inputs that wait a boundary takes, of those that
// steer and of those that follow up.
type QueueModes struct{ Steering, FollowUp QueueMode }

// QueueMode says how many inputs a boundary takes.
type QueueMode string

// How many inputs a boundary takes.
const (
	// OneAtATime takes the one that was handed in first. So does "".
	OneAtATime QueueMode = "one-at-a-time"
	// AllAtOnce takes all.
	AllAtOnce QueueMode = "all"
)

// RunEnd says how a run ends: with an answer, or for a reason without one.
type RunEnd struct {
	// Answer is the entry that answers the inputs; 0 when they are not answered.
	Answer record.EntryID
	// Continue, with an answer, has the run go on with this user's turn instead, when
	// nothing else was waiting: no input and no reset.
	Continue *message.Content
	// Reason and Detail say why the inputs are unanswered. Detail is JSON, or nil.
	Reason string
	Detail json.RawMessage
}

// EndRun ends the run of a conversation: its inputs are settled, and the live document
// says that nothing goes on. It belongs into the commit in which the task of the run
// ends.
//
// After an answer what waits in the inbox is placed, and inputs among it start the
// next run. Without an answer the inbox stays as it is. EndRun returns the task that
// goes on, 0 for none.
//
// A conversation without a run, one whose run is another task's than that whose
// commit this is, and an end that is neither an answer nor a reason are
// [*InvalidError]s.
func (tx *Tx) EndRun(conversation record.ConversationID, end RunEnd) (next record.TaskID, err error) {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	if (end.Answer == 0) == (end.Reason == "") || end.Answer == 0 && end.Continue != nil {
		return 0, invalid("the end of a run", "it has an answer, or a reason why there is none")
	}
	live, err := tx.activeRun(conversation)
	if err != nil {
		return 0, err
	}
	settlement := Settlement{Answer: end.Answer, Reason: end.Reason, Detail: end.Detail}
	if end.Answer == 0 {
		return 0, tx.settleRun(live, settlement)
	}
	placed, err := tx.place(conversation, afterRun)
	if err != nil {
		return 0, err
	}
	if end.Continue != nil && len(placed.inputs) == 0 && !placed.reset {
		turn := &message.User{Content: *end.Continue, Timestamp: tx.session.milliseconds()}
		if _, err := tx.AppendEntry(conversation, EntryDraft{Kind: UserEntry, Model: message.Messages{turn}}); err != nil {
			return 0, err
		}
		return tx.passRun(conversation, live)
	}
	if err := tx.settleRun(live, settlement); err != nil {
		return 0, err
	}
	return tx.startRun(conversation, placed.inputs)
}

// ContinueRun passes the run of a conversation to its next task, after a round of
// tools: writes and inputs that steer are placed, and the inputs join the run. It
// belongs into the commit in which the task of the round ends, and returns the next
// one.
//
// When one of the writes begins the context at itself, the run ends instead: its
// inputs are unanswered for [ReasonReset], inputs that follow up are placed too, and
// what was placed starts the next run. The task is 0 when nothing was.
//
// The errors are those of [Tx.EndRun].
func (tx *Tx) ContinueRun(conversation record.ConversationID) (next record.TaskID, err error) {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	live, err := tx.activeRun(conversation)
	if err != nil {
		return 0, err
	}
	placed, err := tx.place(conversation, afterTools)
	if err != nil {
		return 0, err
	}
	if !placed.reset {
		live.Run.Inputs = append(live.Run.Inputs, placed.inputs...)
		return tx.passRun(conversation, live)
	}
	if err := tx.settleRun(live, Settlement{Reason: ReasonReset}); err != nil {
		return 0, err
	}
	return tx.startRun(conversation, placed.inputs)
}

// activeRun returns the live document of a conversation whose run this commit may
// change.
func (tx *Tx) activeRun(conversation record.ConversationID) (*LiveState, error) {
	what := fmt.Sprintf("the run of conversation %d", conversation)
	live, err := LiveDocument.Edit(tx, InConversation(conversation))
	switch {
	case err != nil:
		return nil, err
	case live.Run == nil:
		return nil, invalid(what, "there is none")
	case tx.bound.task != 0 && tx.bound.task != live.Run.Task:
		return nil, invalid(what, "it is task %d's, not task %d's", live.Run.Task, tx.bound.task)
	}
	return live, nil
}

// settleRun settles the inputs of a run, and clears what goes on.
func (tx *Tx) settleRun(live *LiveState, settlement Settlement) error {
	for _, input := range live.Run.Inputs {
		if err := tx.SettleSubmission(input, settlement); err != nil {
			return err
		}
	}
	live.Run, live.Generation, live.Tools = nil, nil, nil
	return nil
}

// passRun gives a run to its next task.
func (tx *Tx) passRun(conversation record.ConversationID, live *LiveState) (record.TaskID, error) {
	next, err := tx.nextTask(conversation)
	switch {
	case err != nil:
		return 0, err
	case live.Run == nil:
		return 0, invalid("the start of a run", "it ended the run of conversation %d that it was to go on with", conversation)
	}
	live.Run.Task, live.Generation, live.Tools = next, nil, nil
	return next, nil
}

// nextTask creates the task that goes on with a run. Whoever creates it may hand
// something in: the conversation is busy by now.
func (tx *Tx) nextTask(conversation record.ConversationID) (record.TaskID, error) {
	runs := tx.session.options.Runs
	if runs == nil {
		return 0, invalid(fmt.Sprintf("the run of conversation %d", conversation), "this session was opened without Options.Runs, so that nothing would go on with it")
	}
	tx.inbox.Unlock()
	defer tx.inbox.Lock()
	return runs.Start(tx.inside, tx, conversation)
}

// startRun begins a run with inputs that were placed, if there are any.
func (tx *Tx) startRun(conversation record.ConversationID, inputs []record.SubmissionID) (record.TaskID, error) {
	if len(inputs) == 0 {
		return 0, nil
	}
	live, err := LiveDocument.Edit(tx, InConversation(conversation))
	if err != nil {
		return 0, err
	}
	live.Run = &RunState{Inputs: inputs}
	return tx.passRun(conversation, live)
}

// hasRun says whether the run of a task's conversation is the task's. Every task that
// ends is asked about, so that only that much of the document is read.
func (tx *Tx) hasRun(task record.Task) (bool, error) {
	live, err := tx.ReadDocument(LiveDocument.Definition, InConversation(task.Conversation), "")
	if err != nil {
		return false, err
	}
	run, _ := live.Get("run")
	state, is := run.(*value.Object)
	if !is {
		return false, nil
	}
	by, _ := state.Get("taskId")
	return by == value.Number(task.ID), nil
}

// releaseRun ends the run of a task that ended without saying how: it went wrong,
// nothing was left that could run it (section 5.4 of the pi-durable specification), or
// it forgot to, which would leave the conversation busy for good. Other tasks have
// none, and nothing happens.
func (tx *Tx) releaseRun(task record.Task, outcome record.Outcome) error {
	tx.inbox.Lock()
	defer tx.inbox.Unlock()
	if has, err := tx.hasRun(task); err != nil || !has {
		return err
	}
	live, err := LiveDocument.Edit(tx, InConversation(task.Conversation))
	if err != nil {
		return err
	}
	settlement, detail := Settlement{Reason: ReasonFaulted}, "the run's task ended and did not end the run"
	switch {
	case outcome.Status == record.Orphaned:
		settlement.Reason, detail = outcome.Reason, ""
	case outcome.Status == record.Aborted:
		settlement.Reason, detail = ReasonAborted, ""
	case outcome.Error != nil:
		detail = outcome.Error.Message
	}
	if detail != "" {
		if settlement.Detail, err = json.Marshal(detail); err != nil {
			return err
		}
	}
	return tx.settleRun(live, settlement)
}
