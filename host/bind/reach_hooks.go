package bind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// lost tells the engine of a phase that was lost with its isolate, for no fault of
// its own.
func lost(err error) error {
	var replaced *jsapi.ReplacedError
	var closed *jsapi.ClosedError
	if errors.As(err, &replaced) || errors.As(err, &closed) {
		return fmt.Errorf("%w: %w", durable.ErrRunAgain, err)
	}
	return err
}

// ask calls a hook with what it is about, the api and the context, and stores what it
// decides, as JSON, in decided, which is nil for a hook that decides nothing. It reports
// whether there is something.
func (r reach) ask(ctx context.Context, path, what string, at registry.HookContext, decided any, subject ...any) (bool, error) {
	job := r.limits.Hook.job("hook "+what, nil)
	job.Result = jsapi.AsJSON
	if decided == nil {
		job.Result = jsapi.AsNothing
	}
	data, err := r.caller.Call(ctx, job, path, append(subject, r.hookObject(at.Runtime), jsapi.OwnContext{})...)
	if err != nil {
		return false, err
	}
	text, _ := data.(json.RawMessage)
	if text == nil || string(text) == "null" {
		return false, nil
	}
	if err := json.Unmarshal(text, decided); err != nil {
		return false, unreadable("what "+what+" returned", err)
	}
	return true, nil
}

// asked carries a Go value as its JSON.
func asked(value any) (json.RawMessage, error) {
	text, err := json.Marshal(value)
	return text, err
}

// result is a hook that sees the result of a call and may give another.
func (r reach) result(path, what string) func(context.Context, registry.HookContext, registry.ToolCallEvent, *registry.Result) (*registry.Result, error) {
	return func(ctx context.Context, at registry.HookContext, call registry.ToolCallEvent, result *registry.Result) (*registry.Result, error) {
		given, err := asked(result)
		if err != nil {
			return nil, err
		}
		changed := new(registry.Result)
		found, err := r.ask(ctx, path, what, at, changed, hookedCall(call), given)
		if err != nil || !found {
			return nil, err
		}
		return changed, nil
	}
}

func (r reach) beforeRequest(path string) func(context.Context, registry.HookContext, message.Messages) (message.Messages, error) {
	return func(ctx context.Context, at registry.HookContext, messages message.Messages) (message.Messages, error) {
		given, err := asked(messages)
		if err != nil {
			return nil, err
		}
		var changed struct {
			Messages message.Messages `json:"messages"`
		}
		if _, err = r.ask(ctx, path, "beforeRequest", at, &changed, jsapi.NewObject("messages", given)); err != nil {
			return nil, err
		}
		return changed.Messages, nil
	}
}

func (r reach) afterResponse(path string) func(context.Context, registry.HookContext, *message.Assistant) error {
	return func(ctx context.Context, at registry.HookContext, response *message.Assistant) error {
		given, err := asked(response)
		if err == nil {
			_, err = r.ask(ctx, path, "afterResponse", at, nil, given)
		}
		return err
	}
}

func (r reach) onYield(path string) func(context.Context, registry.HookContext, *message.Assistant) (*message.Content, error) {
	return func(ctx context.Context, at registry.HookContext, answer *message.Assistant) (*message.Content, error) {
		given, err := asked(answer)
		if err != nil {
			return nil, err
		}
		var decided struct {
			Continue *message.Content `json:"continue"`
		}
		_, err = r.ask(ctx, path, "onYield", at, &decided, given)
		return decided.Continue, err
	}
}

func (r reach) afterTools(path string) func(context.Context, registry.HookContext, record.EntryID, []record.EntryID) error {
	return func(ctx context.Context, at registry.HookContext, response record.EntryID, results []record.EntryID) error {
		_, err := r.ask(ctx, path, "afterTools", at, nil, float64(response), list(results))
		return err
	}
}

func (r reach) beforeCompact(path string) func(context.Context, registry.HookContext, registry.Compaction) (*registry.CompactionDecision, error) {
	return func(ctx context.Context, at registry.HookContext, compaction registry.Compaction) (*registry.CompactionDecision, error) {
		given := jsapi.NewObject("reason", compaction.Reason, "entries", list(compaction.Entries),
			"messages", list(compaction.Messages), "firstKept", float64(compaction.FirstKept))
		if compaction.Instructions != "" {
			given.Set("instructions", compaction.Instructions)
		}
		decided := new(registry.CompactionDecision)
		found, err := r.ask(ctx, path, "beforeCompact", at, decided, given)
		if err != nil || !found {
			return nil, err
		}
		return decided, nil
	}
}

// hook makes a hook of its kind from the handler at a path.
func (r reach) hook(declared registry.Hook, path string) registry.Hook {
	switch declared.Kind {
	case registry.HookToolCall:
		declared.BeforeTool = r.gate(path)
	case registry.HookToolResult:
		declared.AfterTool = r.result(path, "afterTool")
	case registry.HookOnAbort:
		declared.OnAbort = r.result(path, "onAbort")
	case registry.HookBeforeRequest:
		declared.BeforeRequest = r.beforeRequest(path)
	case registry.HookAfterResponse:
		declared.AfterResponse = r.afterResponse(path)
	case registry.HookOnYield:
		declared.OnYield = r.onYield(path)
	case registry.HookAfterTools:
		declared.AfterTools = r.afterTools(path)
	case registry.HookBeforeCompact:
		declared.BeforeCompact = r.beforeCompact(path)
	default:
		declared.Handler = taskHandler{reach: r, path: path, what: "hook " + string(declared.Kind)}
	}
	return declared
}

// taskHandler is a handler that an extension attached to a task of another one: it
// runs where it lives.
type taskHandler struct {
	reach reach
	path  string
	what  string
}

// invokeHook has the code of a task call a handler of another extension: invoke gets
// a function that does.
func (r reach) invokeHook(ctx context.Context, run *durable.Runtime, invoke *jsapi.Function, handler any) error {
	theirs, is := handler.(taskHandler)
	if !is {
		return &TypeError{Function: "hooks.each", Argument: "a handler", Want: "one of an extension in TypeScript"}
	}
	call := jsapi.Native(func(native *jsapi.NativeCall) (any, error) {
		args := native.Args
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			ctx, err := Nest(ctx)
			if err != nil {
				return nil, err
			}
			return theirs.call(ctx, run, args)
		}}, nil
	})
	job := r.limits.Hook.job("a handler of a task", invoke.Owner())
	job.Result = jsapi.AsNothing
	_, err := invoke.Isolate().Call(ctx, job, invoke, call)
	return err
}

// hostMark is the member of a plain object that stands for an object of the host.
const hostMark = "harness:host"

// call runs the handler. What stands for an object of the host is made anew for it.
func (h taskHandler) call(ctx context.Context, run *durable.Runtime, args []any) (any, error) {
	passed := make([]any, len(args))
	for i, arg := range args {
		passed[i] = arg
		if object, is := arg.(*jsapi.Object); is {
			if _, marked := object.Get(hostMark); marked {
				made, _ := h.reach.hookObject(run).(*jsapi.Object)
				passed[i] = made.Set(hostMark, true)
			}
		}
	}
	result, err := h.reach.caller.Call(ctx, h.reach.limits.Hook.job(h.what, nil), h.path, passed...)
	return result, shown(err)
}
