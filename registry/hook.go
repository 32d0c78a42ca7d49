package registry

import (
	"context"
	"encoding/json"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Hook is a handler for one kind. The field of its kind is set: BeforeTool for
// [HookToolCall], AfterTool for [HookToolResult], the field of the same name for the
// other kinds of the engine, and Handler for a task of an extension's own.
//
// A hook does not change in place what it is given. It may be asked twice about the
// same thing, before and after a crash. Unless said otherwise its error is reported
// and counts as no opinion.
type Hook struct {
	Kind HookKind // in either spelling

	// BeforeTool judges a call before it runs. An error, a panic or its time
	// limit blocks the call.
	BeforeTool func(ctx context.Context, at HookContext, call ToolCallEvent) (Decision, error)
	// AfterTool sees a call's result and may give another; nil keeps it.
	AfterTool func(ctx context.Context, at HookContext, call ToolCallEvent, result *Result) (*Result, error)
	// OnAbort sees the result of a call that was aborted and may give another; nil
	// keeps it.
	OnAbort func(ctx context.Context, at HookContext, call ToolCallEvent, result *Result) (*Result, error)
	// BeforeRequest sees the messages of a request, each attempt anew, and may give
	// others for this request alone; nil keeps them.
	BeforeRequest func(ctx context.Context, at HookContext, messages message.Messages) (message.Messages, error)
	// AfterResponse sees each response, whatever became of it.
	AfterResponse func(ctx context.Context, at HookContext, response *message.Assistant) error
	// OnYield sees an answer and may have the run go on with a user's turn; nil lets
	// it end. The first hook that gives one is the last that is asked.
	OnYield func(ctx context.Context, at HookContext, answer *message.Assistant) (*message.Content, error)
	// AfterTools sees the response that called tools, and the results in the order of
	// the calls.
	AfterTools func(ctx context.Context, at HookContext, response record.EntryID, results []record.EntryID) error
	// BeforeCompact may refuse a compaction or make its summary; nil does neither. The
	// first hook that decides is the last that is asked.
	BeforeCompact func(ctx context.Context, at HookContext, compaction Compaction) (*CompactionDecision, error)
	// Handler is what the task of the kind asks. Its type is a matter between the task
	// and the extension.
	Handler any

	Where Position
}

// whole reports whether what the hook's canonical kind runs is there. Kinds that do
// not run need nothing.
func (h *Hook) whole() bool {
	switch h.Kind {
	case HookToolCall:
		return h.BeforeTool != nil
	case HookToolResult:
		return h.AfterTool != nil
	case HookOnAbort:
		return h.OnAbort != nil
	case HookBeforeRequest:
		return h.BeforeRequest != nil
	case HookAfterResponse:
		return h.AfterResponse != nil
	case HookOnYield:
		return h.OnYield != nil
	case HookAfterTools:
		return h.AfterTools != nil
	case HookBeforeCompact:
		return h.BeforeCompact != nil
	}
	return h.Handler != nil || h.Kind.builtin()
}

// HookContext says where a hook runs.
type HookContext struct {
	Extension    string // whose hook it is
	Agent        string
	Conversation record.ConversationID // 0 outside of conversations
	Depth        int                   // of nested calls
	Settings     json.RawMessage
	// Runtime is of the task that asks; nil outside of conversations. A hook reads
	// with it and keeps memos, whose names it shares with the task and other hooks.
	Runtime *durable.Runtime
	Models  *model.Models // nil when there are none
}

// Asking says who asks hooks, and where. The zero value is outside of conversations.
type Asking struct {
	Agent        string // the agent profile
	Conversation record.ConversationID
	Runtime      *durable.Runtime
	Models       *model.Models
	// Settings gives an extension's settings in this conversation; nil stands for no
	// settings.
	Settings func(extension string) json.RawMessage
}

// Compaction is what is to be summarized.
type Compaction struct {
	Reason       string           // "manual", "threshold" or "overflow"
	Entries      []record.Entry   // that the summary replaces, the head first
	Messages     message.Messages // what models are shown for them
	FirstKept    record.EntryID   // the first entry that stays
	Instructions string           // of who asked for it; empty for none
}

// CompactionDecision says what becomes of a compaction: nothing with Decline, else
// Summary is its summary, which is not blank.
type CompactionDecision struct {
	Decline bool
	Summary string
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
	TaskID record.TaskID `json:"taskId"`
	CallID string        `json:"callId"`
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
