package registry

import (
	"context"
	"encoding/json"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// CallRuntime is what a call that a conversation makes can do beyond publishing. It
// belongs to the call: everything of it fails with a [*SettledError] once the call
// has settled. It is safe for concurrent use.
type CallRuntime interface {
	durable.Documents

	// TaskID is the task of the call, and ConversationID where it is.
	TaskID() record.TaskID
	ConversationID() record.ConversationID

	// Agent is what took part in the conversation when the call began.
	Agent() *Agent
	// Models are those of the harness; nil when it has none.
	Models() *model.Models
	// Definitions are those of the call, and last as long as it does.
	Definitions() durable.DefinitionSnapshot

	// Commit is [durable.Session.Commit] for the call: new tasks are in its
	// conversation when they name none, and entries bear the id of its task.
	Commit(ctx context.Context, change func(ctx context.Context, tx *durable.Tx) error) error
	// Memo and MemoOnce are those of [durable.Runtime].
	Memo(ctx context.Context, name string) (kept json.RawMessage, found bool, err error)
	MemoOnce(ctx context.Context, name string, candidate json.RawMessage) (kept json.RawMessage, err error)

	// CreateTask makes a task in a commit of its own. One that the call owns is
	// abandoned on a restart unless the tool is safe to replay.
	CreateTask(ctx context.Context, definition *durable.TaskDefinition, input json.RawMessage, options durable.TaskOptions) (record.TaskID, error)
	// Task, WaitForTask and AbortOwned are those of [durable.Runtime].
	Task(ctx context.Context, id record.TaskID) (task record.Task, found bool, err error)
	WaitForTask(ctx context.Context, id record.TaskID) (record.Task, error)
	AbortOwned(ctx context.Context, id record.TaskID) error
	// Conversation finds a conversation to work with.
	Conversation(ctx context.Context, id record.ConversationID) (conversation CallConversation, found bool, err error)

	// OutputWindow is what is kept of the output of a call that keeps its end; ok is
	// false for another.
	OutputWindow() (window OutputWindow, ok bool)
	// RetainedOutput is the output so far as a result without content would have it.
	RetainedOutput() (string, error)

	// Stored returns once everything that the call has published is stored, or what
	// prevents that is known.
	Stored(ctx context.Context) error

	// Execute calls another tool on behalf of the call. A call that cannot be made,
	// because of its key or since the same key called otherwise before, is an error;
	// a tool that fails is a result.
	Execute(ctx context.Context, call NestedCall) (*NestedResult, error)
}

// CallConversation is a conversation that a call works with. Its methods fail like
// those of the [CallRuntime] it came from.
type CallConversation interface {
	ID() record.ConversationID
	// Submit hands an input in. A request that is derived from the task of the call
	// is the same when the call runs again.
	Submit(ctx context.Context, input durable.Input) (CallSubmission, error)
	// Abort leaves background work going unless it is asked for too.
	Abort(ctx context.Context, background bool) error
	WaitForIdle(ctx context.Context) error
}

// CallSubmission is an input that a call handed in; see [durable.Submission].
type CallSubmission interface {
	ID() record.SubmissionID
	Status(ctx context.Context) (record.Submission, error)
	Wait(ctx context.Context) (record.Submission, error)
	Abort(ctx context.Context) (durable.SubmissionAbort, error)
}

// OutputWindow is the end of an output that a call keeps, and how fast what is kept
// is stored while it runs: more output than that need not reach the call.
type OutputWindow struct {
	MaxBytes       int
	MaxLines       int
	Interval       time.Duration // the least time between two commits
	BytesPerSecond int
}

// NestedCall is a call that a running call makes.
type NestedCall struct {
	Tool      string
	Arguments json.RawMessage // a JSON object; empty means {}
	// Key tells this call from the others of the calling one, also when that runs
	// again. Empty means the next number, from 1. It has no slash, is not a whole
	// number from 1 and not "__proto__".
	Key string
	// Progress is told what the tool publishes; nil for nobody.
	Progress func(Progress)
}

// NestedResult is what a nested call gave.
type NestedResult struct {
	TaskID record.TaskID
	// Output is what [BoundTool.Structured] gives: JSON. It is nil for an error.
	Output      json.RawMessage
	IsError     bool
	Text        string // what a model would read
	Details     json.RawMessage
	Diagnostics []Diagnostic
	Usage       *message.Usage
	DurationMs  *float64
}
