package agent

import (
	"context"
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

// document is where the slot is, and the name of the list that has it. A round may
// have very many slots, so that only this one is read and written.
func (s slot) document() (definition *durable.DocumentDefinition, in record.Scope, list string) {
	if s.caller != 0 {
		return NestedDocument.Definition, durable.InTask(s.caller), "calls"
	}
	return durable.LiveDocument.Definition, durable.InConversation(s.conversation), "tools"
}

// find returns the slots of a document, and the place of this one; -1 when it is gone.
func (s slot) find(document *value.Object, list string) (slots value.Array, at int) {
	found, _ := document.Get(list)
	slots, _ = found.(value.Array)
	return slots, slices.IndexFunc(slots, func(one value.Value) bool {
		object, is := one.(*value.Object)
		if !is {
			return false
		}
		task, _ := object.Get("taskId")
		return task == value.Number(s.task)
	})
}

// edit changes the slot; nothing happens when it is gone.
func (s slot) edit(tx *durable.Tx, change func(*NestedSlot)) error {
	definition, in, list := s.document()
	draft, err := tx.Draft(definition, in, "", nil)
	if err != nil {
		return err
	}
	now, err := draft.Value()
	if err != nil {
		return err
	}
	slots, at := s.find(now, list)
	if at < 0 {
		return nil
	}
	var shown NestedSlot
	if err := value.Decode(slots[at], &shown); err != nil {
		return err
	}
	change(&shown)
	slots = slices.Clone(slots)
	if slots[at], err = s.written(shown); err != nil {
		return err
	}
	edited := now.Edit()
	edited.Set(list, slots)
	return draft.Set(edited.Object())
}

// written returns a slot as its document has it.
func (s slot) written(shown NestedSlot) (value.Value, error) {
	if s.caller != 0 {
		return value.Of(shown)
	}
	return value.Of(shown.ToolSlot)
}

// read returns the slot as it is stored; an empty one when it is gone.
func (s slot) read(ctx context.Context, from durable.Documents) (shown NestedSlot, err error) {
	definition, in, list := s.document()
	stored, err := from.ReadDocument(ctx, definition, in, "")
	if err != nil {
		return shown, err
	}
	slots, at := s.find(stored, list)
	if at < 0 {
		return shown, nil
	}
	return shown, value.Decode(slots[at], &shown)
}

// clearPublished takes out what was published.
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
