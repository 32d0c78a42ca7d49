package bind

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// reach calls functions of a declaration the way the registry wants them called.
type reach struct {
	extension string
	caller    Caller
	limits    Limits
	engine    func() (*agent.Harness, error)
	live      *liveSet
}

// executor calls the execute of a tool, wherever that is.
type executor func(ctx context.Context, job jsapi.Job, args ...any) (any, error)

// at is an executor for a function of the declaration.
func (r reach) at(path string) executor {
	return func(ctx context.Context, job jsapi.Job, args ...any) (any, error) {
		return r.caller.Call(ctx, job, path, args...)
	}
}

// tool makes the Execute of a tool. A call that is lost with its isolate is
// interrupted.
func (r reach) tool(execute executor, name string, timeout time.Duration) func(context.Context, *registry.Call) (*registry.Result, error) {
	job := r.limits.Tool.job("tool "+name, nil)
	job.Result = jsapi.AsJSON
	if timeout > 0 {
		job.Whole = timeout
	}
	return func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
		number, ended := r.live.add(call)
		defer ended()
		object := r.callObject(ctx, number, call)
		if call.Env != nil {
			env := newEnvironment(call.Env, callFolder(call), r.limits, &registry.SettledError{CallID: call.ID, Tool: call.Tool})
			defer env.end()
			object.Set("env", env.object())
		}
		data, err := execute(ctx, job, call.Arguments, object, jsapi.OwnContext{})
		if err != nil {
			return nil, interrupted(err)
		}
		return decodeResult(data)
	}
}

// interrupted tells the registry of a call that was lost with its isolate, for no
// fault of its own.
func interrupted(err error) error {
	var replaced *jsapi.ReplacedError
	if errors.As(err, &replaced) {
		return &registry.InterruptedError{Err: err}
	}
	return err
}

func decodeResult(data any) (*registry.Result, error) {
	text, _ := data.(json.RawMessage)
	if text == nil {
		return nil, nil
	}
	var result registry.Result
	if err := json.Unmarshal(text, &result); err != nil {
		return nil, unreadable("the result", err)
	}
	return &result, nil
}

// prepare makes the PrepareArguments of a tool.
func (r reach) prepare(prepare executor, name string) func(context.Context, json.RawMessage) (json.RawMessage, error) {
	job := r.limits.Hook.job("prepareArguments of tool "+name, nil)
	job.Result = jsapi.AsJSON
	return func(ctx context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		data, err := prepare(ctx, job, arguments)
		if err != nil {
			return nil, err
		}
		return data.(json.RawMessage), nil
	}
}

// hookedCall is the call as a handler sees it.
func hookedCall(call registry.ToolCallEvent) *jsapi.Object {
	seen := jsapi.NewObject("id", call.ID, "name", call.Tool, "arguments", call.Arguments)
	if call.Parent != nil {
		seen.Set("parent", jsapi.NewObject("taskId", call.Parent.TaskID, "callId", call.Parent.CallID))
	}
	return seen
}

func (r reach) gate(path string) func(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
	job := r.limits.Hook.job("hook beforeTool", nil)
	job.Result = jsapi.AsJSON
	return func(ctx context.Context, at registry.HookContext, call registry.ToolCallEvent) (registry.Decision, error) {
		data, err := r.caller.Call(ctx, job, path, hookedCall(call), r.hookObject(at.Runtime), jsapi.OwnContext{})
		if err != nil {
			return registry.Decision{}, err
		}
		return decodeDecision(data)
	}
}

var verdicts = map[string]registry.Verdict{
	"nothing": registry.VerdictNone, "allow": registry.VerdictAllow,
	"ask": registry.VerdictAsk, "block": registry.VerdictBlock,
}

func decodeDecision(data any) (registry.Decision, error) {
	text, _ := data.(json.RawMessage)
	if text == nil {
		return registry.Decision{}, nil
	}
	var decided struct {
		Verdict   string
		Reason    string
		Arguments json.RawMessage
	}
	if err := json.Unmarshal(text, &decided); err != nil {
		return registry.Decision{}, unreadable("the decision", err)
	}
	return registry.Decision{Verdict: verdicts[decided.Verdict], Reason: decided.Reason, Arguments: decided.Arguments}, nil
}

// service makes the Call of a service; the function takes the method and its
// arguments.
func (r reach) service(path, id string) func(context.Context, string, []any) (any, error) {
	return func(ctx context.Context, method string, args []any) (any, error) {
		job := r.limits.Callback.job("service "+id+"."+method, nil)
		return r.caller.Call(ctx, job, path, method, &jsapi.Array{Items: args})
	}
}

// opening runs the onOpen callbacks one after another; all of them run, whatever
// fails.
func (r reach) opening(ctx context.Context, count int) error {
	var failed []error
	for i := range count {
		failed = append(failed, r.callback(ctx, "onOpen", i))
	}
	return errors.Join(failed...)
}

// closing runs the onClose callbacks like opening, the last first. Those of an
// isolate that was lost have nothing left to close, and are skipped.
func (r reach) closing(ctx context.Context, count int) error {
	var failed []error
	for i := range count {
		err := r.callback(ctx, "onClose", count-1-i)
		var replaced *jsapi.ReplacedError
		if errors.As(err, &replaced) {
			break
		}
		failed = append(failed, err)
	}
	return errors.Join(failed...)
}

func (r reach) callback(ctx context.Context, kind string, i int) error {
	job := r.limits.Callback.job(kind, nil)
	job.Result = jsapi.AsNothing
	_, err := r.caller.Call(ctx, job, functionPath(kind, i))
	return err
}

func (r reach) shutdown(ctx context.Context) error {
	job := r.limits.Callback.job("shutdown", nil)
	job.Result = jsapi.AsNothing
	_, err := r.caller.Call(ctx, job, "extension.shutdown")
	var replaced *jsapi.ReplacedError
	if errors.As(err, &replaced) {
		return nil // as with onClose
	}
	return err
}
