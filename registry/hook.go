package registry

import (
	"context"
	"encoding/json"
)

// Hook is a handler for one kind. BeforeTool is set for [HookToolCall],
// AfterTool for [HookToolResult]; the other kinds have neither.
type Hook struct {
	Kind HookKind // in either spelling
	// BeforeTool judges a call before it runs. An error, a panic or its time
	// limit blocks the call.
	BeforeTool func(ctx context.Context, at HookContext, call ToolCallEvent) (Decision, error)
	// AfterTool sees a call's result and may give another; nil keeps it. It
	// does not change the one it got. An error is reported and keeps the result.
	AfterTool func(ctx context.Context, at HookContext, call ToolCallEvent, result *Result) (*Result, error)
	Where     Position
}

// HookContext says where a hook runs.
type HookContext struct {
	Extension    string // whose hook it is
	Agent        string
	Conversation string
	Depth        int // of nested calls
	Settings     json.RawMessage
}

// ToolCallEvent is a tool call as a hook sees it.
type ToolCallEvent struct {
	ID        string
	Tool      string
	Arguments json.RawMessage // as the earlier hooks left them; not to be changed in place
	Parent    *ParentCall
}

// ParentCall identifies the call from which a nested call was made.
type ParentCall struct {
	TaskID int64  `json:"taskId"`
	CallID string `json:"callId"`
}

// Verdict is how a gate judges a call. A higher one wins over a lower.
type Verdict int

const (
	VerdictNone  Verdict = iota // no opinion
	VerdictAllow                // fine
	VerdictAsk                  // a person has to approve
	VerdictBlock                // the call does not run, and no later gate is asked
)

// String gives "nothing", "allow", "ask" or "block".
func (v Verdict) String() string {
	switch v {
	case VerdictAllow:
		return "allow"
	case VerdictAsk:
		return "ask"
	case VerdictBlock:
		return "block"
	}
	return "nothing"
}

// Decision is what a gate says about a call. The zero value says nothing.
type Decision struct {
	Verdict   Verdict
	Reason    string          // for [VerdictAsk] and [VerdictBlock]
	Arguments json.RawMessage // replaces the call's arguments for later hooks and the tool; nil keeps them. Without effect beside a block
}

// Approval asks a person about a call, on exactly what will run.
type Approval struct {
	Call    ToolCallEvent // with the final arguments
	Reasons []AskReason   // of each gate that asked, in order
}

// AskReason is why one extension's gate wants a call approved.
type AskReason struct {
	Extension string
	Reason    string
}

// Approver answers an [Approval]. An error blocks the call like a refusal, with
// its message.
type Approver func(ctx context.Context, ask Approval) (approved bool, err error)
