package registry

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Replay says whether a tool call that was cut off may run again.
type Replay string

const (
	ReplayUnsafe Replay = ""     // ends as interrupted
	ReplaySafe   Replay = "safe" // runs again with the same arguments
)

// ExecutionMode says whether a tool may run beside the other calls of a round.
type ExecutionMode string

const (
	ExecutionParallel   ExecutionMode = ""
	ExecutionSequential ExecutionMode = "sequential"
)

// Caller says who may call a tool.
type Caller string

const (
	CallerModel Caller = "model"
	CallerTool  Caller = "tool" // a call that is under way
)

// Tool is something that models and other tools can call.
type Tool struct {
	Name          string // ^[a-zA-Z0-9_-]{1,64}$, what model APIs accept
	Description   string
	Parameters    json.RawMessage // JSON Schema of an object
	Replay        Replay
	ExecutionMode ExecutionMode
	Timeout       time.Duration // of Execute; zero means none
	Callers       []Caller      // who may call it; empty means everybody
	OutputLimits  OutputLimits

	// StructuredOutput is a JSON Schema of what [Result.StructuredOutput] is to be;
	// nil for a tool whose callers get its text.
	StructuredOutput json.RawMessage
	// ConstrainedSampling is for the provider of the model, as pi-ai has it: false or
	// an object; nil for nothing.
	ConstrainedSampling json.RawMessage
	// Metadata is an object with what else the extension says of the tool, for the
	// sections of prompts; nil for nothing. Models do not see it.
	Metadata json.RawMessage

	// PrepareArguments repairs what the model sent before it is validated, and
	// may be nil. An error makes the call invalid_arguments.
	PrepareArguments func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error)
	// Execute runs the call and returns when ctx ends. An error makes the
	// result tool_error, interrupted for an [*InterruptedError], aborted when
	// the caller's context ended. A nil result stands for an empty one. It may
	// be called by several goroutines at once.
	Execute func(ctx context.Context, call *Call) (*Result, error)

	Where Position
}

// MayCall reports whether the tool is for a caller.
func (t *Tool) MayCall(who Caller) bool {
	return len(t.Callers) == 0 || slices.Contains(t.Callers, who)
}

// Declaration is what models are told of the tool.
func (t *Tool) Declaration() message.ToolDeclaration {
	d := message.ToolDeclaration{Name: t.Name, Description: t.Description, Parameters: t.Parameters}
	if t.ConstrainedSampling != nil {
		d.Extra = message.Extra{{Name: "constrainedSampling", Value: t.ConstrainedSampling}}
	}
	return d
}

// Retain says which part of a long text is kept.
type Retain string

const (
	RetainHead Retain = "" // its beginning
	RetainTail Retain = "tail"
)

// OutputLimits bound the text of a result. A zero limit means its default.
type OutputLimits struct {
	MaxBytes int // 50 KiB
	MaxLines int // 2000
	Retain   Retain
}

// WithDefaults gives the limits with their defaults.
func (l OutputLimits) WithDefaults() OutputLimits {
	if l.MaxBytes == 0 {
		l.MaxBytes = 50 << 10
	}
	if l.MaxLines == 0 {
		l.MaxLines = 2000
	}
	return l
}

// Limits are the time limits of handlers. A zero limit means its default, a
// negative one none.
type Limits struct {
	Hook    time.Duration // a hook, a section, a wrap, or PrepareArguments of a tool; 10 s
	Service time.Duration // a service call; 60 s
	Close   time.Duration // each of OnOpen, OnClose and Shutdown; 60 s
}

func (l Limits) withDefaults() Limits {
	l.Hook = orDefault(l.Hook, 10*time.Second)
	l.Service = orDefault(l.Service, time.Minute)
	l.Close = orDefault(l.Close, time.Minute)
	return l
}

func orDefault(limit, fallback time.Duration) time.Duration {
	if limit == 0 {
		return fallback
	}
	return limit
}
