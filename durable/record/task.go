package record

import "encoding/json"

// Task is a state machine that survives restarts, attached to a conversation.
type Task struct {
	ID           TaskID         `json:"id"`
	Conversation ConversationID `json:"conversationId"`
	// Kind is the name of its definition, and Version that of what is stored.
	Kind    string          `json:"kind"`
	Version int             `json:"version"`
	Input   json.RawMessage `json:"input"`
	// Owner is the task whose work it is; 0 when it is the conversation's.
	Owner TaskID `json:"owner,omitempty"`
	// Background keeps a conversation's task out of aborts and idleness.
	Background bool `json:"background"`
	// AbandonOnRestart has a task aborted, with the reason "restart", when the
	// session is opened again before it ended.
	AbandonOnRestart bool `json:"abandonOnRestart,omitempty"`
	// AbortRequested is the mark of an abort, and AbortReason why, if it was said.
	AbortRequested bool   `json:"abortRequested"`
	AbortReason    string `json:"abortReason,omitempty"`
	// StartedAt and EndedAt are milliseconds since 1970: when it first ran, and when
	// it ended; 0 until then.
	StartedAt int64 `json:"startedAt,omitempty"`
	EndedAt   int64 `json:"endedAt,omitempty"`
	// Restarts counts how often in a row it was cut off without having got on.
	Restarts int       `json:"restarts,omitempty"`
	State    TaskState `json:"state"`
	// Memos are small values that survive with a live task, by name.
	Memos map[string]json.RawMessage `json:"memos,omitempty"`
}

// Status is where a task stands.
type Status string

// The states of a task. It is live in all but the last.
const (
	Pending    Status = "pending"
	Running    Status = "running"
	Waiting    Status = "waiting"
	Completing Status = "completing"
	Terminal   Status = "terminal"
)

// Live says whether a task with this status has not ended.
func (s Status) Live() bool { return s != Terminal }

// TaskState is a status and what belongs to it.
type TaskState struct {
	Status Status `json:"status"`
	// Checkpoint is set while pending, running or waiting: a JSON object whose
	// member "phase" names what runs next.
	Checkpoint json.RawMessage `json:"checkpoint,omitempty"`
	// On and Policy are set while waiting.
	On     []TaskID   `json:"on,omitempty"`
	Policy JoinPolicy `json:"policy,omitempty"`
	// Outcome is set when completing or terminal.
	Outcome *Outcome `json:"outcome,omitempty"`
}

// JoinPolicy says how a task waits for others.
type JoinPolicy string

// The ways of waiting for several tasks.
const (
	// AllSettled waits until all have ended.
	AllSettled JoinPolicy = "allSettled"
	// FailFast does too, and aborts the others once one does not complete.
	FailFast JoinPolicy = "failFast"
)

// OutcomeStatus is how a task ended.
type OutcomeStatus string

// The ways in which a task ends.
const (
	Completed OutcomeStatus = "completed"
	Failed    OutcomeStatus = "failed"
	Aborted   OutcomeStatus = "aborted"
	Orphaned  OutcomeStatus = "orphaned"
	Faulted   OutcomeStatus = "faulted"
)

// Outcome is the receipt of a task that ended.
type Outcome struct {
	Status OutcomeStatus `json:"status"`
	// Result is JSON: of a completed task always set, of a failed or aborted one
	// perhaps.
	Result json.RawMessage `json:"result,omitempty"`
	// Error is set for failed and faulted ones.
	Error *TaskError `json:"error,omitempty"`
	// Reason is set for orphaned ones, and perhaps for aborted ones.
	Reason string `json:"reason,omitempty"`
}

// TaskError is why a task failed.
type TaskError struct {
	Message string          `json:"message"`
	Detail  json.RawMessage `json:"detail,omitempty"`
}
