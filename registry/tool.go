package registry

import (
	"context"
	"encoding/json"
	"time"
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

// Tool is something a model can call.
type Tool struct {
	Name          string // ^[a-zA-Z0-9_-]{1,64}$, what model APIs accept
	Description   string
	Parameters    json.RawMessage // JSON Schema of an object
	Replay        Replay
	ExecutionMode ExecutionMode
	Timeout       time.Duration // of Execute; zero means none

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

// Limits are the time limits of handlers. A zero limit means its default, a
// negative one none.
type Limits struct {
	Hook    time.Duration // a hook, or PrepareArguments of a tool; 10 s
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
