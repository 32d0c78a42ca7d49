package bind

import (
	"context"
	"encoding/json"
	"path"
	"strings"
	"sync"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// environment is what a call, a section or a phase of a task works on, as script/env.ts
// shows it to its code. What is open and what runs in it ends with it.
type environment struct {
	env    registry.Env
	cwd    string
	limits Limits
	gone   error // what is told once it has ended

	mu    sync.Mutex
	ended bool
	last  int
	ends  map[int]func() // what is to be ended, by the order in which it began
	runs  map[int]func() // what ends a command that runs
}

func newEnvironment(env registry.Env, cwd string, limits Limits, gone error) *environment {
	return &environment{env: env, cwd: path.Join("/", cwd), limits: limits, gone: gone, ends: make(map[int]func()), runs: make(map[int]func())}
}

// callFolder is where the paths of a call begin.
func callFolder(call *registry.Call) string {
	if call.Runtime == nil {
		return "/"
	}
	return call.Runtime.Agent().Cwd
}

// object is the argument of createEnv in script/env.ts.
func (e *environment) object() *jsapi.Object {
	return jsapi.NewObject("id", "world", "cwd", e.cwd, "native", e.native(e.find))
}

// end ends what is open and what runs. It may be called more than once.
func (e *environment) end() {
	e.mu.Lock()
	e.ended = true
	ends := e.ends
	e.ends = make(map[int]func())
	e.mu.Unlock()
	for _, end := range ends {
		end()
	}
}

// until has something end with the environment, unless forget is called before.
func (e *environment) until(end func()) (forget func(), err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.ended {
		return nil, shown(e.gone)
	}
	e.last++
	at := e.last
	e.ends[at] = end
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.ends, at)
	}, nil
}

// running notes a command that cleanup ends.
func (e *environment) running(cancel context.CancelCauseFunc) (forget func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.last++
	at := e.last
	e.runs[at] = func() { cancel(context.Canceled) }
	return func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		delete(e.runs, at)
	}
}

// cleanup ends the commands that run.
func (e *environment) cleanup() {
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, end := range e.runs {
		end()
	}
}

// work is one operation whose arguments have been read.
type work func(ctx context.Context) (any, error)

// native makes an object whose operations find gives by name, from their arguments: a
// name, a signal and what the operation takes. See NativeEnv in script/env.ts.
func (e *environment) native(find func(operation string, args *arguments) work) jsapi.Native {
	return func(call *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "env", call: call}
		operation := args.text("operation")
		signal, _ := args.take().(*jsapi.Signal)
		found := find(operation, args)
		if found == nil {
			args.wrong("operation", "one that there is, not "+operation)
		}
		if args.err != nil {
			return nil, args.err
		}
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			ctx, stop := bounded(ctx, signal)
			defer stop()
			forget, err := e.until(stop)
			if err != nil {
				return nil, err
			}
			defer forget()
			result, err := found(ctx)
			return result, shown(err)
		}}, nil
	}
}

// find reads the arguments of an operation.
func (e *environment) find(operation string, args *arguments) work {
	name := args.text("path")
	switch operation {
	case "read":
		return func(ctx context.Context) (any, error) {
			data, err := e.env.Read(ctx, name)
			return &jsapi.Bytes{Data: data}, err
		}
	case "write", "append":
		data, change := args.content("data"), e.env.Write
		if operation == "append" {
			change = e.env.Append
		}
		return func(ctx context.Context) (any, error) { return done(change(ctx, name, data)) }
	case "list":
		return func(ctx context.Context) (any, error) { return e.list(ctx, name) }
	case "lstat":
		return func(ctx context.Context) (any, error) { return fileObject(e.env.Lstat(ctx, name)) }
	case "mkdir", "remove":
		recursive, change := args.flag(), e.env.Mkdir
		if operation == "remove" {
			change = e.env.Remove
		}
		return func(ctx context.Context) (any, error) { return done(change(ctx, name, recursive)) }
	case "rename":
		to := args.text("to")
		return func(ctx context.Context) (any, error) { return done(e.env.Rename(ctx, name, to)) }
	case "truncate":
		size, _ := args.take().(float64)
		return func(ctx context.Context) (any, error) { return done(e.env.Truncate(ctx, name, int64(size))) }
	case "flush":
		return func(ctx context.Context) (any, error) { return done(e.env.Flush(ctx, name)) }
	case "canonical":
		return func(ctx context.Context) (any, error) { return e.canonical(ctx, name) }
	case "tempFile":
		suffix := args.text("suffix")
		return func(ctx context.Context) (any, error) { return e.env.TempFile(ctx, name, suffix) }
	case "tempDir":
		return func(ctx context.Context) (any, error) { return e.env.TempDir(ctx, name) }
	case "open":
		noFollow := args.flag()
		return func(ctx context.Context) (any, error) { return e.open(ctx, name, noFollow) }
	case "exec":
		return e.exec(name, args)
	case "watch":
		return e.watch(name, args)
	case "cleanup":
		return func(context.Context) (any, error) {
			e.cleanup()
			return done(nil)
		}
	}
	return nil
}

func (e *environment) list(ctx context.Context, name string) (any, error) {
	entries, err := e.env.List(ctx, name)
	names := &jsapi.Array{}
	for _, entry := range entries {
		names.Items = append(names.Items, entry.Name)
	}
	return names, err
}

// canonical is the path of what exists.
func (e *environment) canonical(ctx context.Context, name string) (any, error) {
	canonical, err := e.env.Canonical(ctx, name)
	if err == nil {
		_, err = e.env.Stat(ctx, name)
	}
	return canonical, err
}

func fileObject(info registry.FileInfo, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return jsapi.NewObject("kind", string(info.Kind), "size", float64(info.Size), "mtimeMs", float64(info.Modified.UnixMicro())/1000), nil
}

// open gives an open file as an object of its own.
func (e *environment) open(ctx context.Context, name string, noFollow bool) (any, error) {
	file, err := e.env.Open(ctx, name, noFollow)
	if err != nil {
		return nil, err
	}
	closed := sync.OnceValue(file.Close)
	forget, err := e.until(func() { _ = closed() })
	if err != nil {
		_ = closed()
		return nil, err
	}
	return e.native(func(operation string, args *arguments) work {
		switch operation {
		case "info":
			return func(context.Context) (any, error) { return fileObject(file.Stat()) }
		case "read":
			offset, _ := args.take().(float64)
			length, _ := args.take().(float64)
			return func(context.Context) (any, error) { return readPart(file, int64(offset), int64(length)) }
		case "close":
			return func(context.Context) (any, error) {
				forget()
				return done(closed())
			}
		}
		return nil
	}), nil
}

// readPart reads bytes of a file, as many as there are.
func readPart(file registry.File, offset, length int64) (any, error) {
	about, err := file.Stat()
	if err != nil {
		return nil, err
	}
	data := make([]byte, max(min(length, about.Size-offset), 0))
	n, err := file.ReadAt(data, offset)
	if n == len(data) || n > 0 {
		err = nil
	}
	return &jsapi.Bytes{Data: data[:n]}, err
}

// watch tells of paths that have changed; see script/env.ts. The result ends it.
func (e *environment) watch(name string, args *arguments) work {
	callback := args.function1("callback")
	owner := args.call.Owner
	return func(context.Context) (any, error) {
		ctx, cancel := context.WithCancel(owner.Context())
		told := &changes{function: callback, ctx: ctx, job: e.limits.Callback.job("a watch of "+name, callback.Owner())}
		told.job.Result = jsapi.AsNothing
		stop, err := e.env.Watch(ctx, name, func(change registry.FileChange) { told.post(change.Path) })
		if err != nil {
			cancel()
			return nil, err
		}
		end := sync.OnceFunc(func() {
			cancel()
			stop()
		})
		forget, err := e.until(end)
		if err != nil {
			end()
			return nil, err
		}
		return jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			forget()
			end()
			return jsapi.Undefined{}, nil
		}), nil
	}
}

// changes tells a function of the paths that have changed since it was told last. Of
// too many it only tells that there were.
type changes struct {
	function *jsapi.Function
	ctx      context.Context // of the watch
	job      jsapi.Job

	mu      sync.Mutex
	paths   []any
	seen    map[string]bool
	telling bool
}

func (c *changes) post(name string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.ctx.Err() != nil || c.seen[name] {
		return
	}
	if c.seen == nil {
		c.seen = make(map[string]bool)
	}
	if len(c.paths) <= maxWaiting {
		c.seen[name] = true
		c.paths = append(c.paths, name)
	}
	if !c.telling {
		c.telling = c.function.Isolate().Go(c.tell)
	}
}

func (c *changes) tell() {
	for {
		c.mu.Lock()
		paths := c.paths
		c.paths, c.seen = nil, nil
		c.telling = len(paths) > 0 && c.ctx.Err() == nil
		telling := c.telling
		c.mu.Unlock()
		if !telling {
			return
		}
		var told any = &jsapi.Array{Items: paths}
		if len(paths) > maxWaiting {
			told = jsapi.Undefined{}
		}
		// What the function throws is dealt with in script/env.ts.
		_, _ = c.function.Isolate().Call(c.ctx, c.job, c.function, told)
	}
}

// execution is a command as script/env.ts asks for it.
type execution struct {
	Command json.RawMessage `json:"command"` // a text or a list of texts
	Cwd     string          `json:"cwd"`
	Env     [][2]string     `json:"env"`
	OnlyEnv bool            `json:"onlyEnv"`
	Timeout float64         `json:"timeout"` // seconds
	Spill   *struct {
		AfterBytes int `json:"afterBytes"`
		AfterLines int `json:"afterLines"`
	} `json:"spill"`
}

// exec runs a command; text is the JSON of an execution.
func (e *environment) exec(text string, args *arguments) work {
	onOutput, _ := args.take().(*jsapi.Function)
	return func(ctx context.Context) (any, error) {
		var asked execution
		if err := json.Unmarshal([]byte(text), &asked); err != nil {
			return nil, &TypeError{Function: "exec", Argument: "the options", Want: "what their type says: " + err.Error()}
		}
		command := registry.ExecCommand{Dir: asked.Cwd, Env: asked.Env, OnlyEnv: asked.OnlyEnv, Timeout: timeLimit(asked.Timeout), MaxBytes: 1}
		if json.Unmarshal(asked.Command, &command.Shell) != nil {
			if err := json.Unmarshal(asked.Command, &command.Argv); err != nil {
				return nil, &TypeError{Function: "exec", Argument: "the command", Want: "a string or an array of strings"}
			}
		}
		return e.run(ctx, asked, command, onOutput)
	}
}

func (e *environment) run(ctx context.Context, asked execution, command registry.ExecCommand, onOutput *jsapi.Function) (any, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer e.running(cancel)()
	var spill *registry.Spill
	if asked.Spill != nil {
		spill = registry.NewSpill(e.env, asked.Spill.AfterBytes, asked.Spill.AfterLines)
	}
	var failed error // of the callback
	command.OnOutput = func(text, stream string) {
		if spill != nil {
			spill.Write(ctx, text)
		}
		if onOutput == nil || failed != nil {
			return
		}
		job := e.limits.Callback.job("onOutput", onOutput.Owner())
		job.Result = jsapi.AsNothing
		_, err := onOutput.Isolate().Call(ctx, job, onOutput, strings.ToValidUTF8(text, "\uFFFD"), stream)
		if err != nil && ctx.Err() == nil {
			failed = err
			cancel(err)
		}
	}
	result, err := e.env.Exec(ctx, command)
	ended := jsapi.NewObject("exitCode", float64(result.Code), "timedOut", result.TimedOut)
	if spill != nil {
		path, spillErr := spill.End(ctx)
		if path != "" {
			ended.Set("spillPath", path)
		}
		if err == nil {
			err = spillErr
		}
	}
	switch {
	case failed != nil:
		ended.Set("failed", "callback_error").Set("message", failed.Error())
	case err != nil && context.Cause(ctx) != nil:
		ended.Set("failed", "aborted").Set("message", "the command was aborted")
	case err != nil:
		return nil, err
	}
	return ended, nil
}
