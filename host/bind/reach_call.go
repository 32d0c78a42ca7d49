package bind

import (
	"context"
	"encoding/json"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// callObject is what the code of a tool gets of its call; see NativeCall in
// script/call.ts.
func (r reach) callObject(ctx context.Context, number int64, call *registry.Call) *jsapi.Object {
	object := jsapi.NewObject("number", float64(number), "callId", call.ID, "publish", publisher(call))
	if overridden := overriddenMembers(ctx, call); overridden != nil {
		object.Set("overridden", overridden)
	}
	if call.Runtime == nil {
		return object
	}
	object.Set("taskId", float64(call.Runtime.TaskID())).Set("conversationId", float64(call.Runtime.ConversationID()))
	object.Set("remote", remote(r.callOperations(call)))
	object.Set("installed", generationOf(registry.GenerationOf(call.Runtime.Definitions())))
	if window, ok := call.Runtime.OutputWindow(); ok {
		object.Set("window", jsapi.NewObject("maxBytes", window.MaxBytes, "maxLines", window.MaxLines,
			"minIntervalMs", float64(window.Interval.Milliseconds()), "bytesPerSecond", window.BytesPerSecond))
	}
	return object
}

// overridden is what a wrap put in the place of members of a call's api, on its way
// to the tool inside.
type overridden struct {
	call    string
	members *jsapi.Object
}

type overriddenKey struct{}

func withOverridden(ctx context.Context, call *registry.Call, members *jsapi.Object) context.Context {
	return context.WithValue(ctx, overriddenKey{}, overridden{call.ID, members})
}

func overriddenMembers(ctx context.Context, call *registry.Call) *jsapi.Object {
	given, _ := ctx.Value(overriddenKey{}).(overridden)
	if given.call != call.ID {
		return nil
	}
	return given.members
}

// callOperations are all that JavaScript may ask of a call of a conversation.
func (r reach) callOperations(call *registry.Call) func(string) answer {
	w := callWorker{call.Runtime}
	return find(r.onlyOfCalls(call), memos(w), dealings(w), r.limits.readDocuments(call.Runtime))
}

// onlyOfCalls are the operations that only a call has.
func (r reach) onlyOfCalls(call *registry.Call) map[string]answer {
	runtime := call.Runtime
	return map[string]answer{
		"commit": func(ctx context.Context, in *request) (any, error) {
			return jsapi.Undefined{}, runtime.Commit(ctx, func(ctx context.Context, tx *durable.Tx) error {
				return r.limits.changing(ctx, tx, r.extension, "commit of tool "+call.Tool, in.function(0))
			})
		},
		"createTask": taking(func(ctx context.Context, args taskCreation) (any, error) {
			id, err := runtime.CreateTask(ctx, args.definition(), args.Input, args.options())
			return float64(id), err
		}),
		"agent": func(context.Context, *request) (any, error) { return agentObject(runtime.Agent()), nil },
		"executeTool": func(ctx context.Context, in *request) (any, error) {
			args, err := readAs[struct {
				Name string          `json:"name"`
				Args json.RawMessage `json:"args"`
				Key  string          `json:"key"`
			}](in)
			if err != nil {
				return nil, err
			}
			nested := registry.NestedCall{Tool: args.Name, Arguments: args.Args, Key: args.Key}
			run := func(told func(registry.Progress)) (*registry.NestedResult, error) {
				nested.Progress = told
				return runtime.Execute(ctx, nested)
			}
			listener := in.function(0)
			if listener == nil {
				return nestedAnswer(run(nil))
			}
			return nestedAnswer(r.following(ctx, listener, run))
		},
	}
}

// nestedAnswer is what a nested call gives its caller.
func nestedAnswer(result *registry.NestedResult, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	shown := jsapi.NewObject("taskId", float64(result.TaskID), "isError", result.IsError, "text", result.Text, "diagnostics", list(result.Diagnostics))
	if result.Output != nil {
		shown.Set("structuredOutput", result.Output)
	}
	if result.Details != nil {
		shown.Set("details", result.Details)
	}
	if result.Usage != nil {
		shown.Set("usage", result.Usage)
	}
	if result.DurationMs != nil {
		shown.Set("durationMs", *result.DurationMs)
	}
	return shown, nil
}

// publisher hands what a running tool publishes to the registry, and gives what is
// kept of it; see Publish in script/call.ts.
func publisher(call *registry.Call) jsapi.Native {
	return func(native *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "api", call: native}
		kind, text := args.text("kind"), args.optional("value")
		skipped, _ := args.take().(*jsapi.Object)
		if args.err != nil {
			return nil, args.err
		}
		switch kind {
		case "retained":
			return call.Retained()
		case "window":
			return call.Window()
		}
		return jsapi.Undefined{}, shown(publish(call, kind, text, skipped))
	}
}

func publish(call *registry.Call, kind, text string, skipped *jsapi.Object) error {
	switch kind {
	case "output":
		if skipped == nil {
			return call.Output(text)
		}
		return call.OutputAfter(skippedOutput(skipped), text)
	case "details":
		if text == "" {
			text = "null"
		}
		return call.Details(json.RawMessage(text))
	default:
		var diagnostic registry.Diagnostic
		if err := json.Unmarshal([]byte(text), &diagnostic); err != nil {
			return &TypeError{Function: "api.diagnostic", Argument: "the diagnostic", Want: "{ severity, message }"}
		}
		return call.Diagnose(diagnostic)
	}
}

// skippedOutput reads { bytes, newlines, endsWithNewline }.
func skippedOutput(object *jsapi.Object) registry.Skipped {
	number := func(key string) int64 {
		value, _ := object.Get(key)
		count, _ := value.(float64)
		return int64(count)
	}
	ends, _ := object.Get("endsWithNewline")
	return registry.Skipped{Bytes: number("bytes"), Lines: number("newlines"), EndsLine: ends == true}
}

// hookObject is what a hook gets of the task that asks it; undefined outside of
// conversations.
func (r reach) hookObject(run *durable.Runtime) any {
	if run == nil {
		return jsapi.Undefined{}
	}
	w := phaseWorker{run}
	return jsapi.NewObject("taskId", float64(run.TaskID()), "conversationId", float64(run.Conversation()),
		"remote", remote(find(memos(w), r.limits.readDocuments(run))))
}
