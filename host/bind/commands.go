package bind

import (
	"context"
	"math"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/vfs/run"
)

// exec runs a command; see NativeCommand in script/native.ts for the argument.
func (h *Host) exec(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "exec", call: call}
	options := args.object("options")
	if args.err != nil {
		return nil, args.err
	}
	request, err := newCommandRequest(options)
	if err != nil {
		return nil, err
	}
	return jsapi.Async{Work: func(ctx context.Context) (any, error) { return h.runCommand(ctx, request) }}, nil
}

// commandRequest is a command with what is not part of it.
type commandRequest struct {
	command  run.Command
	signal   *jsapi.Signal
	onOutput *jsapi.Function
	// conversations are those that the command works for.
	conversations []record.ConversationID
}

func newCommandRequest(options *jsapi.Object) (commandRequest, error) {
	var request commandRequest
	command := &request.command
	get := func(key string) any {
		value, _ := options.Get(key)
		return value
	}
	switch line := get("command").(type) {
	case string:
		command.Shell = line
	case *jsapi.Array:
		for _, word := range line.Items {
			text, _ := word.(string)
			command.Argv = append(command.Argv, text)
		}
	}
	switch cwd := get("cwd").(type) {
	case string:
		command.Dir = cwd
	case jsapi.Undefined:
	default:
		return request, &TypeError{Function: "exec", Argument: "cwd", Want: "a string"}
	}
	command.Env = variables(get("env"))
	if seconds, ok := get("timeout").(float64); ok {
		command.Timeout = timeLimit(seconds)
	}
	if limit, ok := get("maxBytes").(float64); ok {
		command.MaxBytes = int(math.Ceil(min(limit, mostBytes)))
	}
	switch input := get("stdin").(type) {
	case string:
		command.Stdin = []byte(input)
	case *jsapi.Bytes:
		command.Stdin = input.Data
	case jsapi.Undefined:
	default:
		return request, &TypeError{Function: "exec", Argument: "stdin", Want: "a string or a Uint8Array"}
	}
	if ids, is := get("conversations").(*jsapi.Array); is {
		for _, id := range ids.Items {
			number, is := id.(float64)
			if !is {
				return request, &TypeError{Function: "exec", Argument: "conversations", Want: "ids of conversations"}
			}
			request.conversations = append(request.conversations, record.ConversationID(number))
		}
	}
	request.onOutput, _ = get("onOutput").(*jsapi.Function)
	signal := get("signal")
	request.signal, _ = signal.(*jsapi.Signal)
	if request.signal == nil && signal != (jsapi.Undefined{}) {
		return request, &TypeError{Function: "exec", Argument: "signal", Want: "an AbortSignal"}
	}
	return request, nil
}

// mostBytes bounds what is kept of a stream; more than any machine has, so that
// no limit of an author, Infinity included, is beyond an int.
const mostBytes = 1 << 40

// timeLimit is a time limit of an author. One that a duration cannot hold is
// none, 0; one below a nanosecond is that, because 0 would be none.
func timeLimit(seconds float64) time.Duration {
	nanoseconds := math.Ceil(seconds * float64(time.Second))
	if nanoseconds >= math.MaxInt64 {
		return 0
	}
	return time.Duration(nanoseconds)
}

func variables(data any) []run.EnvVar {
	pairs, _ := data.(*jsapi.Array)
	if pairs == nil {
		return nil
	}
	var env []run.EnvVar
	for _, item := range pairs.Items {
		pair, ok := item.(*jsapi.Array)
		if !ok || len(pair.Items) != 2 {
			continue
		}
		name, _ := pair.Items[0].(string)
		value, _ := pair.Items[1].(string)
		env = append(env, run.EnvVar{Name: name, Value: value})
	}
	return env
}

// commandName is how a command of somebody is listed: by its beginning.
func commandName(of string, command run.Command) string {
	line := command.Shell
	if len(command.Argv) > 0 {
		line = command.Argv[0]
	}
	return "the command of " + of + ": " + jsapi.Shorten(line, 100)
}

func (h *Host) runCommand(ctx context.Context, request commandRequest) (any, error) {
	if request.signal != nil {
		var stop func()
		ctx, stop = request.signal.Context(ctx)
		defer stop()
	}
	if request.onOutput != nil {
		request.command.OnOutput = func(text string, stream run.Stream) {
			job := h.limits.Callback.job("onOutput", request.onOutput.Owner())
			job.Result = jsapi.AsNothing
			if _, err := request.onOutput.Isolate().Call(ctx, job, request.onOutput, text, string(stream)); err != nil && ctx.Err() == nil {
				h.report(err)
			}
		}
	}
	if len(request.conversations) > 0 {
		engine, err := h.backend.Engine()
		if err != nil {
			return nil, err
		}
		inside, end, err := engine.WorkFor(ctx, commandName("extension "+h.name, request.command), request.conversations...)
		if err != nil {
			return nil, shown(err)
		}
		defer end()
		ctx = inside
	}
	result, err := h.world.Commands.Run(ctx, request.command)
	if err != nil {
		if cause := context.Cause(ctx); cause != nil { // also of one that was aborted before it started
			return nil, shown(cause)
		}
		return nil, shown(err)
	}
	ended := jsapi.NewObject("code", float64(result.Code), "stdout", result.Stdout, "stderr", result.Stderr)
	if result.Signal != "" {
		ended.Set("signal", result.Signal)
	}
	if result.TimedOut {
		ended.Set("timedOut", true)
	}
	return ended, nil
}

// git runs git in a directory of the world.
func (h *Host) git(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "git", call: call}
	directory, words := args.text("cwd"), args.texts("args")
	if args.err != nil {
		return nil, args.err
	}
	return jsapi.Async{Work: func(ctx context.Context) (any, error) {
		output, err := h.world.Commands.Git(ctx, directory, words...)
		return output, shown(err)
	}}, nil
}
