package agent

import (
	"encoding/json"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// NestedDocument has the calls that a running call makes of other tools. It is the
// document of the calling task, and ends with it.
var NestedDocument = durable.DefineDocument(durable.DocumentSpec[NestedState]{
	Kind: "pi.nested", Version: 1,
	Scope:   record.TaskScope,
	Initial: func() NestedState { return NestedState{Calls: []NestedSlot{}} },
	Checkpoint: func(_ *value.Object, _ delta.Ops, deltas int) bool {
		return deltas >= maxNestedDeltas
	},
})

// maxNestedDeltas is how many changes of nested calls follow on a whole value.
const maxNestedDeltas = 200

// NestedState are the calls that a call has made, in the order in which it made them.
type NestedState struct {
	Calls []NestedSlot `json:"calls"`
}

// NestedSlot is a call that another one made.
type NestedSlot struct {
	durable.ToolSlot
	// Key is what the calling tool calls it, and Arguments what it asked for.
	Key       string          `json:"key"`
	Arguments json.RawMessage `json:"arguments"`
	// IsError and DurationMs are those of the result, once there is one.
	IsError    bool     `json:"isError,omitempty"`
	DurationMs *float64 `json:"durationMs,omitempty"`
	// Error is the beginning of what went wrong.
	Error string `json:"error,omitempty"`
}

// slot is the place of a call in what is shown of what goes on.
type slot struct {
	conversation record.ConversationID
	task         record.TaskID
	// caller is the task of the call that made this one, 0 for a model's.
	caller record.TaskID
}

func slotOf(task record.Task, kind calledBy) slot {
	s := slot{conversation: task.Conversation, task: task.ID}
	if kind == calledByTool {
		s.caller = task.Owner
	}
	return s
}

// edit changes the slot; nothing happens when it is gone.
func (s slot) edit(tx *durable.Tx, change func(*NestedSlot)) error {
	if s.caller != 0 {
		nested, err := NestedDocument.Edit(tx, durable.InTask(s.caller))
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(nested.Calls, func(c NestedSlot) bool { return c.Task == s.task }); at >= 0 {
			change(&nested.Calls[at])
		}
		return nil
	}
	live, err := durable.LiveDocument.Edit(tx, durable.InConversation(s.conversation))
	if err != nil {
		return err
	}
	if at := s.in(live); at >= 0 {
		shown := NestedSlot{ToolSlot: live.Tools[at]}
		change(&shown)
		live.Tools[at] = shown.ToolSlot
	}
	return nil
}

func (s slot) in(live *durable.LiveState) int {
	return slices.IndexFunc(live.Tools, func(t durable.ToolSlot) bool { return t.Task == s.task })
}

// clear takes out what was published.
func clearPublished(s *NestedSlot) {
	s.Output, s.DroppedBytes, s.DroppedLines, s.Details, s.Diagnostics = "", 0, 0, nil, nil
}

// releaseCall ends the slot of a call that ended by no code of its own. It has no
// result.
func (h *Harness) releaseCall(tx *durable.Tx, task record.Task) error {
	var input toolInput
	if err := json.Unmarshal(task.Input, &input); err != nil {
		return err
	}
	return slotOf(task, input.Kind).edit(tx, func(s *NestedSlot) {
		clearPublished(s)
		s.Status = durable.SlotDone
	})
}
