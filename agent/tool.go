package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// The phases of a tool call. Only a call that was cut off begins one with the second.
const (
	phaseCall    = "call"
	phaseExecute = "execute"
)

// calledBy says who made a call.
type calledBy string

const (
	calledByModel calledBy = "call"
	calledByTool  calledBy = "nested"
)

// toolInput is the call of a task: that of a response, or that of another call.
type toolInput struct {
	Kind calledBy `json:"kind"`
	Call string   `json:"callId"`
	// Assistant is the response that has the call.
	Assistant record.EntryID `json:"assistant,omitempty"`
	// Parent is the id of the call that made this one, Key what it calls it, and Tool and
	// Arguments what is called.
	Parent    string          `json:"parentCallId,omitempty"`
	Key       string          `json:"key,omitempty"`
	Tool      string          `json:"name,omitempty"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Depth is how many calls it is nested in, those of services too.
	Depth int `json:"depth,omitempty"`
}

// toolState is the checkpoint of a call. Once it executes it has the arguments and the
// policy that count for every further attempt.
type toolState struct {
	Phase     string          `json:"phase"`
	Arguments json.RawMessage `json:"arguments,omitempty"`
	// Replay is "safe" or "unsafe".
	Replay replay `json:"replay,omitempty"`
	// Lost counts the attempts whose code was taken away while it ran.
	Lost int `json:"lost,omitempty"`
}

// replay is a tool's policy as it is stored.
type replay string

const (
	replaySafe   replay = "safe"
	replayUnsafe replay = "unsafe"
)

func replayOf(tool *registry.BoundTool) replay {
	if tool != nil && tool.Replay == registry.ReplaySafe {
		return replaySafe
	}
	return replayUnsafe
}

// toolResult is what a task of a call ends with. Nested is set for calls that another
// call made, and Entry for the others.
type toolResult struct {
	Entry   record.EntryID `json:"entryId,omitempty"`
	Control *control       `json:"control,omitempty"`
	Nested  *nestedResult  `json:"nested,omitempty"`
}

// control is what a result asks of the run.
type control struct {
	AddTools  []string `json:"addTools,omitempty"`
	Terminate bool     `json:"terminate,omitempty"`
	Handoff   *string  `json:"handoff,omitempty"`
}

type (
	toolTask = durable.Task[toolInput, toolState, toolResult]
	toolRun  = durable.Run[toolInput, toolState, toolResult]
	toolNext = durable.Next[toolState, toolResult]
)

func (h *Harness) defineTool() toolTask {
	return durable.DefineTask(durable.TaskSpec[toolInput, toolState, toolResult]{
		Name: registry.TaskTool, Version: 1,
		Initial: func(toolInput) toolState { return toolState{Phase: phaseCall} },
		Phases: map[string]func(context.Context, *toolRun) error{
			phaseCall:    atDepth(h.beginToolCall),
			phaseExecute: atDepth(h.resumeToolCall),
		},
		Abort: atDepth(h.abortToolCall),
	})
}

// atDepth has a phase know how deeply its call is nested.
func atDepth(phase func(context.Context, *toolRun) error) func(context.Context, *toolRun) error {
	return func(ctx context.Context, run *toolRun) error {
		return phase(registry.WithCallDepth(ctx, run.Input.Depth), run)
	}
}

// calledIn returns a call of a response. The context is what is at hand of the
// conversation: its entries are read already.
func calledIn(ctx context.Context, run *durable.Runtime, response record.EntryID, id string) (*message.ToolCall, error) {
	view, err := run.Context(ctx, run.Conversation(), 0)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(view.Entries, func(e record.Entry) bool { return e.ID == response })
	if at >= 0 {
		if call := callOf(view.Entries[at], id); call != nil {
			return call, nil
		}
	}
	entry, _, err := run.Entry(ctx, response)
	if err != nil {
		return nil, err
	}
	if call := callOf(entry, id); call != nil {
		return call, nil
	}
	return nil, fmt.Errorf("entry %d of conversation %d has no call %q", response, run.Conversation(), id)
}

// callOf returns a call of an entry; nil when it has none with the id.
func callOf(entry record.Entry, id string) *message.ToolCall {
	for _, m := range entry.Model {
		assistant, is := m.(*message.Assistant)
		if !is {
			continue
		}
		for _, call := range assistant.ToolCalls() {
			if call.ID == id {
				return call
			}
		}
	}
	return nil
}
