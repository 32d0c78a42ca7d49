package bind

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// wrapping is what a wrap made in its isolate. The functions belong to that: when it is
// lost, the wrap is called again in the one that replaces it.
type wrapping struct {
	reach reach
	path  string
	what  string
	inner *jsapi.Object

	// turn holds a token while the wrap is called, or what it made is looked at: whoever
	// waits for that leaves when its context ends.
	turn  chan struct{}
	text  string // how what it made is described
	calls map[string]*jsapi.Function
}

// wrap calls a wrap with what it is put around, and reads what it made into described.
func (r reach) wrap(ctx context.Context, path, what string, inner *jsapi.Object, described any) (*wrapping, error) {
	w := &wrapping{reach: r, path: path, what: what, inner: inner, turn: make(chan struct{}, 1)}
	if err := w.make(ctx); err != nil {
		return nil, err
	}
	if err := json.Unmarshal([]byte(w.text), described); err != nil {
		return nil, fmt.Errorf("%s: what it made cannot be read: %w", what, err)
	}
	return w, nil
}

// make calls the wrap. The caller has the turn, or is the only one that knows w.
func (w *wrapping) make(ctx context.Context) error {
	data, err := w.reach.caller.Call(ctx, w.reach.limits.Hook.job(w.what, nil), w.path, w.inner)
	if err != nil {
		return err
	}
	made, is := data.(*jsapi.Object)
	if !is {
		return fmt.Errorf("%s returned nothing", w.what)
	}
	text, _ := made.Get("text")
	w.text, _ = text.(string)
	w.calls = make(map[string]*jsapi.Function)
	paths, calls := items(made, "paths"), items(made, "calls")
	for i, path := range paths {
		w.calls[path.(string)], _ = calls[i].(*jsapi.Function)
	}
	return nil
}

// at is an executor for a function of what the wrap made.
func (w *wrapping) at(path string) executor {
	return func(ctx context.Context, job jsapi.Job, args ...any) (any, error) {
		function, err := w.function(ctx, path)
		if err != nil {
			return nil, err
		}
		job.Queue = w.reach.limits.Queue
		return function.Isolate().Call(ctx, job, function, args...)
	}
}

func (w *wrapping) function(ctx context.Context, path string) (*jsapi.Function, error) {
	select {
	case w.turn <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
	defer func() { <-w.turn }()
	function := w.calls[path]
	if function != nil && function.Isolate().Cause() != nil {
		if err := w.make(ctx); err != nil {
			return nil, err
		}
		function = w.calls[path]
	}
	if function == nil {
		return nil, fmt.Errorf("%s made nothing with a function %s", w.what, path)
	}
	return function, nil
}

// wrapTool makes the WrapTool of a wrap.
func (r reach) wrapTool(path, name string, where registry.Position) func(context.Context, registry.Tool) (registry.Tool, error) {
	return func(ctx context.Context, inner registry.Tool) (registry.Tool, error) {
		given := toolObject(&inner).Set("execute", r.innerExecute(inner))
		if inner.PrepareArguments != nil {
			given.Set("prepareArguments", r.innerPrepare(inner))
		}
		var described describedTool
		made, err := r.wrap(ctx, path, "wrap of tool "+name, given, &described)
		if err != nil {
			return registry.Tool{}, err
		}
		outer := described.tool(where)
		outer.Execute = r.tool(made.at("execute"), outer.Name, outer.Timeout)
		if described.Prepares {
			outer.PrepareArguments = r.prepare(made.at("prepareArguments"), outer.Name)
		}
		return outer, nil
	}
}

// innerExecute calls the tool inside of a wrap, for the call with the number that
// JavaScript gives: arguments, number, what the wrap put in the place of members of the
// api, and the context.
func (r reach) innerExecute(inner registry.Tool) jsapi.Native {
	return func(native *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "execute", call: native}
		text, number := args.text("args"), args.take()
		members, _ := args.take().(*jsapi.Object)
		signal, _ := args.take().(*jsapi.Signal)
		if args.err != nil {
			return nil, args.err
		}
		call, running := r.live.get(number).(*registry.Call)
		if !running {
			return nil, shown(&registry.SettledError{Tool: inner.Name})
		}
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			ctx, stop := bounded(ctx, signal)
			defer stop()
			changed := *call
			changed.Arguments = json.RawMessage(text)
			result, err := inner.Execute(withOverridden(ctx, call, members), &changed)
			if err != nil {
				return nil, shown(err)
			}
			return resultObject(result), nil
		}}, nil
	}
}

// resultObject is what the tool inside gave, as it gave it: what is left out counts.
func resultObject(result *registry.Result) *jsapi.Object {
	if result == nil {
		result = &registry.Result{}
	}
	given := jsapi.NewObject("isError", result.IsError)
	if result.Content != nil {
		given.Set("content", result.Content)
	}
	if result.Details != nil {
		given.Set("details", result.Details)
	}
	if len(result.Diagnostics) > 0 {
		given.Set("diagnostics", result.Diagnostics)
	}
	if result.StructuredOutput != nil {
		given.Set("structuredOutput", result.StructuredOutput)
	}
	if result.Usage != nil {
		given.Set("usage", result.Usage)
	}
	if result.Control != nil {
		given.Set("control", result.Control)
	}
	return given
}

func (r reach) innerPrepare(inner registry.Tool) jsapi.Native {
	return func(native *jsapi.NativeCall) (any, error) {
		args := &arguments{function: "prepareArguments", call: native}
		text := args.text("args")
		if args.err != nil {
			return nil, args.err
		}
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			prepared, err := inner.PrepareArguments(ctx, json.RawMessage(text))
			return prepared, shown(err)
		}}, nil
	}
}

// describedSection is a section as script/declaration.ts describes it.
type describedSection struct {
	Key string
	Tag *bool
}

func (d describedSection) section(where registry.Position) registry.Section {
	return registry.Section{Key: d.Key, Untagged: d.Tag != nil && !*d.Tag, Where: where}
}

// render makes the Render of a section.
func (r reach) render(render executor, key string) func(context.Context, registry.SectionInput) (string, bool, error) {
	job := r.limits.Hook.job("section "+key, nil)
	return func(ctx context.Context, input registry.SectionInput) (string, bool, error) {
		number, ended := r.live.add(input)
		defer ended()
		object := r.sectionObject(number, input)
		if input.Env != nil {
			env := newEnvironment(input.Env, input.Agent.Cwd, r.limits, fmt.Errorf("section %s has been written", key))
			defer env.end()
			object.Set("env", env.object())
		}
		data, err := render(ctx, job, object, jsapi.OwnContext{})
		if err != nil {
			return "", false, err
		}
		text, is := data.(string)
		return text, is, nil
	}
}

// sectionObject is what the code of a section gets; see script/sections.ts.
func (r reach) sectionObject(number int64, input registry.SectionInput) *jsapi.Object {
	shown := &jsapi.Object{}
	for _, section := range input.Shown {
		if !section.Removed {
			shown.Set(section.Name, section.Text)
		}
	}
	return jsapi.NewObject("number", float64(number), "conversationId", float64(input.Conversation), "agent", agentObject(input.Agent),
		"shown", shown, "remote", remote(find(r.limits.readDocuments(input.Documents))))
}

// wrapSection makes the WrapSection of a wrap.
func (r reach) wrapSection(path, key string, where registry.Position) func(context.Context, registry.Section) (registry.Section, error) {
	return func(ctx context.Context, inner registry.Section) (registry.Section, error) {
		given := sectionObject(inner).Set("render", r.innerRender(inner))
		var described describedSection
		made, err := r.wrap(ctx, path, "wrap of section "+key, given, &described)
		if err != nil {
			return registry.Section{}, err
		}
		outer := described.section(where)
		outer.Render = r.render(made.at("render"), outer.Key)
		return outer, nil
	}
}

// innerRender renders the section inside of a wrap, for the rendering with the number
// that JavaScript gives.
func (r reach) innerRender(inner registry.Section) jsapi.Native {
	return func(native *jsapi.NativeCall) (any, error) {
		input, running := r.live.get(native.Arg(0)).(registry.SectionInput)
		if !running {
			return nil, fmt.Errorf("the section %s is not being written any more", inner.Key)
		}
		return jsapi.Async{Work: func(ctx context.Context) (any, error) {
			if inner.Render == nil {
				return jsapi.Undefined{}, nil
			}
			text, visible, err := inner.Render(ctx, input)
			return maybe(text, visible, shown(err))
		}}, nil
	}
}
