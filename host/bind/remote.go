package bind

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// answer answers what JavaScript asks of an object of Go. Its result is data; what
// there is not is [jsapi.Undefined]. It runs on a goroutine of its own.
type answer func(ctx context.Context, in *request) (any, error)

// request is one question; see Remote in script/remote.ts.
type request struct {
	operation string
	// args are the JSON of an object.
	args []byte
	// functions are the author's code that the operation may call, nil where there is
	// none.
	functions []*jsapi.Function
	// isolate is that of the code that asks.
	isolate *jsapi.Isolate
	// lasting ends with the signal of the caller's context, and with the owner. It is
	// for what goes on after the operation; whoever takes it calls the function.
	lasting func() (context.Context, func())
}

// read stores the arguments in a struct with JSON names.
func (r *request) read(into any) error {
	if err := json.Unmarshal(r.args, into); err != nil {
		return &TypeError{Function: r.operation, Argument: "an argument", Want: "what its type says: " + err.Error()}
	}
	return nil
}

// function returns the function at an index, or nil.
func (r *request) function(i int) *jsapi.Function {
	if i >= len(r.functions) {
		return nil
	}
	return r.functions[i]
}

// readAs is read for an argument of one type.
func readAs[T any](r *request) (args T, err error) {
	err = r.read(&args)
	return args, err
}

// taking is an answer to arguments of one type.
func taking[A any](reply func(ctx context.Context, args A) (any, error)) answer {
	return func(ctx context.Context, in *request) (any, error) {
		args, err := readAs[A](in)
		if err != nil {
			return nil, err
		}
		return reply(ctx, args)
	}
}

// remote makes an object whose operations find gives by name; nil is none.
func remote(find func(name string) answer) jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "remote", call: call}
		asked := &request{operation: args.text("operation"), args: []byte(args.text("args")), isolate: call.Isolate}
		signal, _ := args.take().(*jsapi.Signal)
		for _, function := range call.Args[min(3, len(call.Args)):] {
			given, _ := function.(*jsapi.Function)
			asked.functions = append(asked.functions, given)
		}
		if args.err != nil {
			return nil, args.err
		}
		reply := find(asked.operation)
		if reply == nil {
			return nil, fmt.Errorf("there is no operation %q", asked.operation)
		}
		asked.lasting = func() (context.Context, func()) { return bounded(call.Owner.Context(), signal) }
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			ctx, stop := bounded(ctx, signal)
			defer stop()
			result, err := reply(ctx, asked)
			return result, shown(err)
		}}, nil
	}
}

// bounded is a context that also ends with a signal, which may be nil.
func bounded(ctx context.Context, signal *jsapi.Signal) (context.Context, func()) {
	if signal == nil {
		return context.WithCancel(ctx)
	}
	return signal.Context(ctx)
}

// find looks an operation up in tables, in order.
func find(tables ...map[string]answer) func(string) answer {
	return func(name string) answer {
		for _, table := range tables {
			if found := table[name]; found != nil {
				return found
			}
		}
		return nil
	}
}

// maybe is a value, or undefined when there is none.
func maybe(value any, found bool, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if !found {
		return jsapi.Undefined{}, nil
	}
	return value, nil
}
