package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// nestedResult is a [registry.NestedResult] as the task of the call stores it.
type nestedResult struct {
	Output      json.RawMessage       `json:"structuredOutput,omitempty"`
	IsError     bool                  `json:"isError"`
	Text        string                `json:"text"`
	Details     json.RawMessage       `json:"details,omitempty"`
	Diagnostics []registry.Diagnostic `json:"diagnostics"`
	Usage       *message.Usage        `json:"usage,omitempty"`
	DurationMs  *float64              `json:"durationMs,omitempty"`
}

// failure is the beginning of what a failed call has to say; "" for others.
func (n *nestedResult) failure() string { return beginning(n.IsError, n.Text) }

// nestedResult returns what the calling tool gets of a result.
func (c *toolCall) nestedResult(result *registry.Result, s *shapedResult) *nestedResult {
	n := &nestedResult{
		IsError: result.IsError, Text: s.message.Text(), Details: s.message.Details, Diagnostics: s.diagnostics,
		Usage: result.Usage, DurationMs: s.message.DurationMs,
	}
	if n.Diagnostics == nil {
		n.Diagnostics = []registry.Diagnostic{}
	}
	if result.IsError || c.tool == nil {
		return n
	}
	value, err := c.tool.Structured(result)
	if err != nil {
		n.IsError, n.Text = true, err.Error()
		n.Diagnostics = append(n.Diagnostics, registry.Diagnostic{Severity: "error", Code: string(registry.CodeToolError), Message: err.Error()})
		return n
	}
	n.Output = value
	return n
}

// checkKey refuses keys that could be mistaken for those that are given out.
func checkKey(key string) error {
	number, err := strconv.ParseInt(key, 10, 64)
	switch {
	case strings.Contains(key, "/"):
		return fmt.Errorf("the key %q of a nested call has a slash", key)
	case key == "__proto__":
		return fmt.Errorf("a nested call cannot have the key %q", key)
	case err == nil && number > 0 && strconv.FormatInt(number, 10) == key:
		return fmt.Errorf("the key %q of a nested call is a number, as calls without a key have", key)
	}
	return nil
}

// nest makes a nested call, or finds the one that was made under its key, and returns
// its task.
func (r *callRuntime) nest(ctx context.Context, call registry.NestedCall, depth int) (task record.TaskID, err error) {
	arguments := call.Arguments
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	return task, r.commitOwn(ctx, func(_ context.Context, tx *durable.Tx) error {
		nested, err := NestedDocument.Edit(tx, durable.InTask(r.TaskID()))
		if err != nil {
			return err
		}
		if at := slices.IndexFunc(nested.Calls, func(s NestedSlot) bool { return s.Key == call.Key }); at >= 0 {
			known := nested.Calls[at]
			task = known.Task
			if known.Name != call.Tool || !sameValue(known.Arguments, arguments) {
				return fmt.Errorf("the nested call %q was made before, of tool %q with other arguments: use another key", call.Key, known.Name)
			}
			return nil
		}
		parent := r.call.run.Input.Call
		id := parent + "/" + call.Key
		task, err = r.call.harness.call.Create(tx, toolInput{
			Kind: calledByTool, Call: id, Parent: parent, Key: call.Key, Tool: call.Tool, Arguments: arguments, Depth: depth,
		}, durable.TaskOptions{Ownership: durable.OwnedBy(r.TaskID()), AbandonOnRestart: r.replay != replaySafe})
		nested.Calls = append(nested.Calls, NestedSlot{
			ToolSlot: durable.ToolSlot{Call: id, Name: call.Tool, Task: task, Status: durable.SlotPending}, Key: call.Key, Arguments: arguments,
		})
		return err
	})
}

// sameValue says whether two texts of JSON are the same value, whatever the order of
// members.
func sameValue(a, b json.RawMessage) bool {
	if bytes.Equal(a, b) {
		return true
	}
	one, errOne := value.Parse(a)
	other, errOther := value.Parse(b)
	return errOne == nil && errOther == nil && value.Equivalent(one, other)
}

// nestedOutcome waits for a nested call.
func (c *toolCall) nestedOutcome(ctx context.Context, task record.TaskID) (*registry.NestedResult, error) {
	ended, err := c.run.WaitForTask(ctx, task)
	if err != nil {
		return nil, err
	}
	outcome := ended.State.Outcome
	var result toolResult
	if outcome.Result != nil {
		if err := json.Unmarshal(outcome.Result, &result); err != nil {
			return nil, fmt.Errorf("the result of task %d: %w", task, err)
		}
	}
	if result.Nested == nil {
		why := (&durable.OutcomeError{Task: task, Outcome: *outcome}).Error()
		return &registry.NestedResult{TaskID: task, IsError: true, Text: why, Diagnostics: []registry.Diagnostic{{
			Severity: "error", Code: string(registry.CodeToolError), Message: why,
		}}}, nil
	}
	n := result.Nested
	return &registry.NestedResult{
		TaskID: task, Output: n.Output, IsError: n.IsError, Text: n.Text, Details: n.Details,
		Diagnostics: n.Diagnostics, Usage: n.Usage, DurationMs: n.DurationMs,
	}, nil
}

// abortNested aborts the nested calls that the tool did not wait for, once it can make
// no more of them. It looks at them in a commit, which sees those that are not stored
// yet.
func (c *toolCall) abortNested(ctx context.Context) error {
	var calls []NestedSlot
	err := c.run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (toolNext, error) {
		nested, _, err := NestedDocument.Get(tx, durable.InTask(c.run.TaskID()))
		calls = nested.Calls
		return c.run.Unchanged(), err
	})
	if err != nil {
		return err
	}
	for _, call := range calls {
		if call.Status == durable.SlotDone {
			continue
		}
		if err := c.run.AbortOwned(ctx, call.Task); err != nil {
			return err
		}
	}
	return nil
}

// nestedCalls returns the calls that the call has made.
func (c *toolCall) nestedCalls(ctx context.Context) ([]NestedSlot, error) {
	nested, _, err := NestedDocument.Read(ctx, c.run, durable.InTask(c.run.TaskID()))
	return nested.Calls, err
}

// What a result tells of the nested calls that were made for it: so many of them, and so
// many bytes of arguments.
const (
	maxNestedTold          = 200
	maxNestedArguments     = 4 << 10
	maxNestedArgumentsEach = 1 << 10
)

// nestedTold is a nested call as a result tells of it.
type nestedTold struct {
	ID             string          `json:"id"`
	Name           string          `json:"name"`
	Arguments      json.RawMessage `json:"arguments,omitempty"`
	ArgumentsBytes int             `json:"argumentsBytes,omitempty"`
	Status         string          `json:"status"`
	DurationMs     *float64        `json:"durationMs,omitempty"`
	Error          string          `json:"error,omitempty"`
}

// shapeNested tells of the nested calls in a result.
func (c *toolCall) shapeNested(ctx context.Context, s *shapedResult) error {
	calls, err := c.nestedCalls(ctx)
	if err != nil || len(calls) == 0 {
		return err
	}
	told := struct {
		Calls    []nestedTold `json:"calls"`
		Complete bool         `json:"complete"`
	}{[]nestedTold{}, true}
	room := maxNestedArguments
	for _, call := range calls {
		if len(told.Calls) == maxNestedTold {
			told.Complete = false
			break
		}
		one := nestedTold{ID: call.Call, Name: call.Name, Status: "ok", DurationMs: call.DurationMs, Error: call.Error}
		if size := len(call.Arguments); size <= maxNestedArgumentsEach && size <= room {
			one.Arguments, room = call.Arguments, room-size
		} else {
			one.ArgumentsBytes, told.Complete = size, false
		}
		switch {
		case call.Status != durable.SlotDone:
			one.Status, told.Complete = "unfinished", false
		case call.IsError:
			one.Status = "error"
		}
		told.Calls = append(told.Calls, one)
	}
	s.message.NestedCalls, err = json.Marshal(told)
	return err
}
