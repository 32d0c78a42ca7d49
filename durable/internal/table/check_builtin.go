package table

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// The documents of conversations that repeat what rows say, and their version whose
// members are known here.
const (
	inboxKind      = "pi.inbox"
	liveKind       = "pi.live"
	builtInVersion = 1
)

// builtIn compares the value of a document that lives with the rows it speaks of.
func (c *checker) builtIn(where string, at Document, now *value.Object) {
	if at.Scope.Kind != record.ConversationScope || at.Family || at.Retired != 0 || at.Version != builtInVersion {
		return
	}
	switch at.Kind {
	case inboxKind:
		c.inbox(where, at.Scope.Conversation, now)
	case liveKind:
		c.live(where, at.Scope.Conversation, now)
	}
}

// inboxState has the members of an inbox that are compared.
type inboxState struct {
	Items []struct {
		ID   record.SubmissionID `json:"id"`
		Mode string              `json:"mode"`
	} `json:"items"`
}

// inbox checks that the inbox of a conversation has the submissions to it that are
// queued, in their order, and no others. All submissions were checked before: their
// keys are lower than those of documents.
func (c *checker) inbox(where string, conversation record.ConversationID, now *value.Object) {
	var state inboxState
	if err := value.Decode(now, &state); err != nil {
		c.wrong(where, "it cannot be read: %s", err)
		return
	}
	has := make(map[record.SubmissionID]bool, len(state.Items))
	last := record.SubmissionID(0)
	for _, item := range state.Items {
		has[item.ID] = true
		var at record.Submission
		switch {
		case !c.row(tagged(tagSubmission, item.ID), &at) || at.Conversation != conversation || at.Status != record.Queued:
			c.wrong(where, "it has submission %d, which is not queued there", item.ID)
		case (at.Type == record.WriteEntry) != (item.Mode == "write"):
			c.wrong(where, "it has submission %d as %q, which is an %s", item.ID, item.Mode, at.Type)
		case item.ID <= last:
			c.wrong(where, "it has submission %d behind submission %d", item.ID, last)
		}
		last = max(last, item.ID)
	}
	for _, id := range c.queued[conversation] {
		if !has[id] {
			c.wrong(where, "submission %d is queued, and not in it", id)
		}
	}
}

// liveState has the members of a live document that are compared.
type liveState struct {
	Run *struct {
		Task   record.TaskID         `json:"taskId"`
		Inputs []record.SubmissionID `json:"inputs"`
	} `json:"run"`
	Tools       []working `json:"tools"`
	Compactions []working `json:"compactions"`
}

// working is something that a task does; 0 for none yet.
type working struct {
	Task record.TaskID `json:"taskId"`
}

// live checks that the run of a conversation is that of a live task, and that the
// other tasks that work in it are there: they may have ended, which whoever waits for
// them notes in a later commit.
func (c *checker) live(where string, conversation record.ConversationID, now *value.Object) {
	var state liveState
	if err := value.Decode(now, &state); err != nil {
		c.wrong(where, "it cannot be read: %s", err)
		return
	}
	if run := state.Run; run != nil {
		if at, found := c.taskIn(conversation, run.Task); !found || !at.State.Status.Live() {
			c.wrong(where, "its run is of task %d, which is not live there", run.Task)
		}
		for _, id := range run.Inputs {
			var at record.Submission
			if !c.row(tagged(tagSubmission, id), &at) || at.Conversation != conversation || at.Type != record.Input || at.Entry == 0 {
				c.wrong(where, "its run answers submission %d, which is no input that has its place there", id)
			}
		}
	}
	for _, one := range slices.Concat(state.Tools, state.Compactions) {
		if _, found := c.taskIn(conversation, one.Task); one.Task != 0 && !found {
			c.wrong(where, "task %d works in it, which is not there", one.Task)
		}
	}
}

func (c *checker) taskIn(conversation record.ConversationID, id record.TaskID) (at record.Task, found bool) {
	found = c.row(tagged(tagTask, id), &at) && at.Conversation == conversation
	return at, found
}
