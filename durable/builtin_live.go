package durable

import (
	"encoding/json"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// LiveDocument is what goes on in a conversation at the moment (section 8.2 of the
// pi-durable specification). Its whole value is stored whenever no response and no
// tool is under way, and after every 200 changes.
var LiveDocument = DefineDocument(DocumentSpec[LiveState]{
	Kind: "pi.live", Version: 1,
	Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
	Initial: func() LiveState { return LiveState{} },
	Checkpoint: func(changed *value.Object, _ delta.Ops, deltas int) bool {
		return deltas >= maxLiveDeltas || nothingRuns(changed)
	},
})

// maxLiveDeltas is how many changes of a live document follow on a whole value.
const maxLiveDeltas = 200

// LiveState is what goes on in a conversation at the moment.
type LiveState struct {
	// Run is set while the conversation is busy.
	Run *RunState `json:"run,omitempty"`
	// Generation is the attempt at a response that is under way.
	Generation *GenerationState `json:"generation,omitempty"`
	// Tools is the round of tool calls that is under way, in the order of the calls.
	Tools []ToolSlot `json:"tools,omitempty"`
	// Compactions are those that are under way, in the order of their tasks.
	Compactions []CompactionStatus `json:"compactions,omitempty"`
}

// RunState says who answers which inputs.
type RunState struct {
	Task record.TaskID `json:"taskId"`
	// Inputs are the submissions that the run settles when it ends.
	Inputs []record.SubmissionID `json:"inputs"`
}

// GenerationState is an attempt at a response.
type GenerationState struct {
	// Attempt counts from 1.
	Attempt int `json:"attempt"`
	// Message is what there is of the response: an assistant's message.
	Message json.RawMessage `json:"message,omitempty"`
	// Retry is set while the next attempt is waited for.
	Retry *RetryState `json:"retry,omitempty"`
	// Deferred is set while the provider is asked for the response from time to time.
	Deferred *DeferredState `json:"deferred,omitempty"`
}

// RetryState is an attempt to come: when, in milliseconds since 1970, and what went wrong.
type RetryState struct {
	At    int64  `json:"at"`
	Error string `json:"error"`
}

// DeferredState says when a provider is asked next, in milliseconds since 1970.
type DeferredState struct {
	PollAt int64 `json:"pollAt"`
}

// SlotStatus is how far a tool call has got.
type SlotStatus string

// The states of a tool call.
const (
	SlotPending SlotStatus = "pending"
	SlotRunning SlotStatus = "running"
	SlotDone    SlotStatus = "done"
)

// ToolSlot is one call of a round.
type ToolSlot struct {
	Call string `json:"callId"`
	Name string `json:"name"`
	// Task is 0 for a call that has not begun, and for one that was never offered.
	Task   record.TaskID `json:"taskId,omitempty"`
	Status SlotStatus    `json:"status"`
	// Output is what is kept of the output while the tool runs, and Dropped how much
	// is not.
	Output       string `json:"output,omitempty"`
	DroppedBytes int64  `json:"droppedBytes,omitempty"`
	DroppedLines int64  `json:"droppedLines,omitempty"`
	// Details and Diagnostics are what the tool has said so far.
	Details     json.RawMessage   `json:"details,omitempty"`
	Diagnostics []json.RawMessage `json:"diagnostics,omitempty"`
	// Entry is the result, once there is one.
	Entry record.EntryID `json:"entry,omitempty"`
}

// CompactionStatus is a compaction that is under way.
type CompactionStatus struct {
	Task record.TaskID `json:"taskId"`
	// Reason is "manual", "threshold" or "overflow".
	Reason string `json:"reason"`
	// Blocking says that the run waits for it.
	Blocking bool        `json:"blocking"`
	Attempt  int         `json:"attempt"`
	Retry    *RetryState `json:"retry,omitempty"`
}

// nothingRuns says that a live document has neither a response nor a tool that is
// under way.
func nothingRuns(live *value.Object) bool {
	if _, generates := live.Get("generation"); generates {
		return false
	}
	tools, _ := live.Get("tools")
	slots, _ := tools.(value.Array)
	for _, slot := range slots {
		if slot, is := slot.(*value.Object); is {
			if status, _ := slot.Get("status"); status == value.String(SlotRunning) {
				return false
			}
		}
	}
	return true
}
