package table

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
)

func (c *checker) task(id record.TaskID, row []byte) {
	where := fmt.Sprintf("task %d", id)
	c.id(where, int64(id))
	var at record.Task
	if !c.decoded(where, row, &at) {
		return
	}
	switch {
	case at.ID != id:
		c.wrong(where, "its row says %d", at.ID)
	case !c.hasConversation(at.Conversation):
		c.wrong(where, "its conversation %d is not there", at.Conversation)
	case at.Kind == "" || at.Version < 1:
		c.wrong(where, "its definition is version %d of %q", at.Version, at.Kind)
	}
	c.taskOwner(where, at)
	c.taskState(where, at.State)
	c.needs(where, "tasks of conversations", tagged(tagTaskWithin, int64(at.Conversation), int64(id)), 0)
	live := tagged(tagTaskLive, id)
	if at.State.Status.Live() {
		c.needs(where, "live tasks", live, 0)
		return
	}
	c.lacks(where, "live tasks", live)
	if len(at.Memos) > 0 {
		c.wrong(where, "it has ended and keeps memos")
	}
}

func (c *checker) taskOwner(where string, at record.Task) {
	if at.Owner == 0 {
		return
	}
	var owner record.Task
	switch {
	case at.Owner >= at.ID:
		c.wrong(where, "it is older than its owner, task %d", at.Owner)
	case !c.row(tagged(tagTask, at.Owner), &owner):
		c.wrong(where, "its owner, task %d, is not there", at.Owner)
	case owner.Conversation != at.Conversation:
		c.wrong(where, "its owner, task %d, is in another conversation, %d", at.Owner, owner.Conversation)
	case at.Background:
		c.wrong(where, "it is in the background and has an owner, task %d", at.Owner)
	case at.State.Status.Live() && !owner.State.Status.Live():
		c.wrong(where, "it is live and its owner, task %d, has ended", at.Owner)
	}
}

func (c *checker) taskState(where string, state record.TaskState) {
	runs := state.Status == record.Pending || state.Status == record.Running || state.Status == record.Waiting
	if !runs && state.Status != record.Completing && state.Status != record.Terminal {
		c.wrong(where, "its status is %q", state.Status)
		return
	}
	switch {
	case runs && !hasPhase(state.Checkpoint):
		c.wrong(where, "it is %s and has no checkpoint with a phase", state.Status)
	case !runs && state.Checkpoint != nil:
		c.wrong(where, "it is %s and has a checkpoint", state.Status)
	case runs && state.Outcome != nil:
		c.wrong(where, "it is %s and has an outcome", state.Status)
	case !runs:
		c.outcome(where, state)
	}
	waits := state.Policy != "" || len(state.On) > 0
	switch {
	case state.Status != record.Waiting && waits:
		c.wrong(where, "it is %s and waits for %v", state.Status, state.On)
	case state.Status == record.Waiting && state.Policy != record.AllSettled && state.Policy != record.FailFast:
		c.wrong(where, "it waits by the policy %q", state.Policy)
	}
	for _, on := range state.On {
		if !c.row(tagged(tagTask, on), new(record.Task)) {
			c.wrong(where, "it waits for task %d, which is not there", on)
		}
	}
}

func hasPhase(checkpoint json.RawMessage) bool {
	var with struct {
		Phase string `json:"phase"`
	}
	return json.Unmarshal(checkpoint, &with) == nil && with.Phase != ""
}

func (c *checker) outcome(where string, state record.TaskState) {
	o := state.Outcome
	if o == nil {
		c.wrong(where, "it is %s and has no outcome", state.Status)
		return
	}
	known := []record.OutcomeStatus{record.Completed, record.Failed, record.Aborted, record.Orphaned, record.Faulted}
	failed := o.Status == record.Failed || o.Status == record.Faulted
	switch {
	case !slices.Contains(known, o.Status):
		c.wrong(where, "its outcome is %q", o.Status)
	case o.Status == record.Completed && o.Result == nil:
		c.wrong(where, "it completed and has no result")
	case failed != (o.Error != nil):
		c.wrong(where, "it ended %s, and its error is there: %t", o.Status, o.Error != nil)
	case o.Status == record.Orphaned && o.Reason == "":
		c.wrong(where, "it is orphaned for no reason")
	}
}

func (c *checker) taskLive(id record.TaskID) {
	var at record.Task
	if !c.row(tagged(tagTask, id), &at) || !at.State.Status.Live() {
		c.wrong(fmt.Sprintf("task %d in the index of live tasks", id), "it is not live")
	}
}

func (c *checker) taskWithin(conversation record.ConversationID, id record.TaskID) {
	var at record.Task
	if !c.row(tagged(tagTask, id), &at) || at.Conversation != conversation {
		c.wrong(fmt.Sprintf("task %d in the index of tasks of conversation %d", id, conversation), "it is not there")
	}
}

func (c *checker) submission(id record.SubmissionID, row []byte) {
	where := fmt.Sprintf("submission %d", id)
	c.id(where, int64(id))
	var at record.Submission
	if !c.decoded(where, row, &at) {
		return
	}
	switch {
	case at.ID != id:
		c.wrong(where, "its row says %d", at.ID)
	case !c.hasConversation(at.Conversation):
		c.wrong(where, "its conversation %d is not there", at.Conversation)
	}
	if at.Status == record.Queued {
		c.queued[at.Conversation] = append(c.queued[at.Conversation], id)
	}
	c.submissionState(where, at)
	c.needs(where, "submissions to conversations", tagged(tagSubmissionOf, int64(at.Conversation), int64(id)), 0)
	open := tagged(tagSubmissionOpen, id)
	if at.Status.Settled() {
		c.lacks(where, "open submissions", open)
	} else {
		c.needs(where, "open submissions", open, 0)
	}
	if at.Request != "" {
		c.needs(where, "requests", tagged(tagRequest, at.Conversation).text(at.Request), int64(id))
	}
}

// submissionState checks that what a submission has fits its type and status.
func (c *checker) submissionState(where string, at record.Submission) {
	input := at.Type == record.Input
	if !input && at.Type != record.WriteEntry {
		c.wrong(where, "its type is %q", at.Type)
		return
	}
	var entry, answer, reason bool // which it must have
	optional := false              // whether it may have an entry
	switch at.Status {
	case record.Queued:
	case record.Placed:
		entry = true
		if !input {
			c.wrong(where, "it is a write, and placed without being done")
		}
	case record.Done:
		entry, answer = true, input
	case record.Unanswered:
		reason, optional = true, input
	default:
		c.wrong(where, "its status is %q", at.Status)
		return
	}
	if has := at.Entry != 0; has != entry && !(has && optional) {
		c.wrong(where, "it is %s, and has an entry: %t", at.Status, has)
	}
	if has := at.Answer != 0; has != answer {
		c.wrong(where, "it is %s, and has an answer: %t", at.Status, has)
	}
	if has := at.Reason != ""; has != reason {
		c.wrong(where, "it is %s, and has a reason: %t", at.Status, has)
	}
	for _, id := range []record.EntryID{at.Entry, at.Answer} {
		if id != 0 && !c.sees(at.Conversation, id) {
			c.wrong(where, "its entry %d is not visible in conversation %d", id, at.Conversation)
		}
	}
}

func (c *checker) submissionOpen(id record.SubmissionID) {
	var at record.Submission
	if !c.row(tagged(tagSubmission, id), &at) || at.Status.Settled() {
		c.wrong(fmt.Sprintf("submission %d in the index of open submissions", id), "it is not open")
	}
}

func (c *checker) submissionOf(conversation record.ConversationID, id record.SubmissionID) {
	var at record.Submission
	if !c.row(tagged(tagSubmission, id), &at) || at.Conversation != conversation {
		c.wrong(fmt.Sprintf("submission %d in the index of submissions to conversation %d", id, conversation), "it is not there")
	}
}

func (c *checker) request(conversation record.ConversationID, request string, row []byte) {
	var at record.Submission
	if !c.row(tagged(tagSubmission, lastNumber(row)), &at) || at.Conversation != conversation || at.Request != request {
		c.wrong(fmt.Sprintf("request %q to conversation %d", request, conversation), "it names submission %d, which is not its", lastNumber(row))
	}
}
