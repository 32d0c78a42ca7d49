package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"

	"github.com/seed-d579e5eb/harness/host/bind"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
	"github.com/seed-d579e5eb/harness/worktree"
)

// extension is one extension of one generation. Its functions are named by their
// path in the declaration; incarnation is what stands behind them now.
type extension struct {
	host   *Host
	name   string
	commit string
	file   string // path of server.ts in the commit
	source jsapi.Source
	order  float64

	manifest registry.Manifest
	declared *bind.Declaration // as it was staged; a replacement must say the same

	live     atomic.Pointer[incarnation]
	promoted atomic.Bool
	opened   atomic.Bool // its onOpen callbacks have begun
	closed   atomic.Bool

	replacing replacements
}

// incarnation is an extension evaluated in one isolate.
type incarnation struct {
	home        *home
	owner       *jsapi.Owner
	module      *jsapi.Namespace
	declaration *bind.Declaration
	release     sync.Once
}

// end closes what the incarnation owns and lets its isolate go.
func (i *incarnation) end() {
	i.release.Do(func() {
		i.owner.Close()
		i.home.release()
	})
}

func (h *Host) newExtension(name, commit, file string, snapshot *worktree.Snapshot) *extension {
	return &extension{
		host: h, name: name, commit: commit, file: file,
		source:    jsapi.Source{Tree: snapshot.FS(), Compiler: h.compiler, Root: snapshot.Path()},
		replacing: replacements{turn: make(chan struct{}, 1)},
	}
}

// begin evaluates the modules in the isolate that will serve: a fresh one, or the
// one that holds the extension's resources, after a rehearsal in a fresh one, so
// that modules which spin or throw do not touch it.
func (e *extension) begin(ctx context.Context) error {
	kept := e.host.homes.holding(e.name)
	if kept != nil {
		defer kept.release()
		rehearsal, err := e.incarnate(ctx, nil)
		if err != nil {
			return err
		}
		rehearsal.end()
	}
	made, err := e.incarnate(ctx, kept)
	if err != nil {
		return err
	}
	e.live.Store(made)
	e.order, _ = made.module.Primitive("order").(float64)
	return nil
}

// incarnate runs the modules in a home, or in a fresh one when that is nil.
func (e *extension) incarnate(ctx context.Context, in *home) (made *incarnation, err error) {
	if in == nil {
		if in, err = e.host.homes.open(ctx, e.host, e.name); err != nil {
			return nil, err
		}
	} else if !in.retain() {
		return nil, &jsapi.ClosedError{Owner: "extension " + e.name}
	}
	made = &incarnation{home: in, owner: in.isolate.NewOwner(fmt.Sprintf("extension %s at %.7s", e.name, e.commit))}
	limit := e.host.options.Limits.Modules
	job := jsapi.Job{Owner: made.owner, Work: "modules", Running: limit.Running, Whole: limit.Whole}
	if made.module, err = in.isolate.Evaluate(ctx, job, e.source); err != nil {
		made.end()
		return nil, err
	}
	return made, nil
}

// stage runs the factory and returns what the extension contributes, or the
// problems of its declaration.
func (e *extension) stage(ctx context.Context, provided func(string) bool) (*registry.Instance, []registry.Problem, error) {
	declaration, err := e.declare(ctx, e.live.Load(), provided)
	if err != nil {
		return nil, nil, err
	}
	if len(declaration.Problems) > 0 {
		return nil, declaration.Problems, nil
	}
	at := registry.Position{File: e.file}
	e.declared = declaration
	e.manifest = declaration.Manifest(registry.GitRef(e.name, Repository, e.commit, e.source.Graph.Hash), at)
	instance := declaration.Instance(e, e.host.options.Limits, at)
	if open := instance.OnOpen; open != nil {
		instance.OnOpen = func(ctx context.Context) error {
			// First, so that a replacement for what was lost before does not open too.
			_, err := e.serving(ctx)
			e.opened.Store(true)
			if err != nil {
				return err
			}
			return open(ctx)
		}
	}
	instance.OnClose = e.host.untilOver(instance.OnClose)
	shutdown := e.host.untilOver(instance.Shutdown)
	instance.Shutdown = func(ctx context.Context) (err error) {
		if shutdown != nil {
			err = shutdown(ctx)
		}
		e.close(ctx)
		return err
	}
	return instance, nil, nil
}

// declare calls the factory of an incarnation.
func (e *extension) declare(ctx context.Context, in *incarnation, provided func(string) bool) (*bind.Declaration, error) {
	host := bind.NewHost(bind.Config{
		Extension: e.name, Generation: e.commit, World: e.host.world, Backend: e.host, Owner: in.owner,
		Resources: in.home, Limits: e.host.options.Limits, Candidate: provided,
	})
	declaration, err := bind.Stage(ctx, host, in.home.scripts, in.module, e.file)
	if err != nil {
		return nil, err
	}
	in.declaration = declaration
	return declaration, nil
}

// Call implements [bind.Caller]. A lost isolate is replaced first, unless the
// generation is draining.
func (e *extension) Call(ctx context.Context, job jsapi.Job, path string, args ...any) (any, error) {
	live, err := e.serving(ctx)
	if err != nil {
		return nil, err
	}
	return live.Call(ctx, job, path, args...)
}

// Call implements [bind.Caller].
func (i *incarnation) Call(ctx context.Context, job jsapi.Job, path string, args ...any) (any, error) {
	function := i.declaration.Functions[path]
	if function == nil {
		return nil, fmt.Errorf("extension %s has no function %s", i.home.extension, path)
	}
	job.Owner, job.Queue = i.owner, i.home.host.options.Limits.Queue
	return i.home.isolate.Call(ctx, job, function, args...)
}

// close ends the extension: no call is made any more. One that never went live
// takes its new resources with it.
func (e *extension) close(ctx context.Context) {
	e.closed.Store(true)
	if live := e.live.Swap(nil); live != nil {
		if !e.promoted.Load() {
			live.home.discard(ctx, e.commit)
		}
		live.end()
	}
}

// Manifest implements [registry.Extension].
func (e *extension) Manifest() registry.Manifest { return e.manifest }

// Instantiate implements [registry.Extension]. The global instance is made when
// the candidate is staged.
func (e *extension) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return nil, errors.New("instances at other scopes than global are not made yet")
}

// problem describes an error of a step of the load, at its place in the source.
func (e *extension) problem(step string, err error) *registry.Problem {
	problem := &registry.Problem{Extension: e.name, Position: registry.Position{File: e.file}, Message: err.Error()}
	if step != "" {
		problem.Message = step + ": " + problem.Message
	}
	if at := placeOf(err); at.File != "" {
		problem.Position = registry.Position{File: at.File, Line: at.Line, Column: at.Column}
		if e.source.Graph != nil {
			problem.Message = excerpt(e.source.Graph.Problem(at.File, at.Line, at.Column, problem.Message))
		}
	}
	return problem
}

// placeOf returns the place in a source file that an error names.
func placeOf(err error) jsapi.Position {
	var thrown *jsapi.Error
	var timeout *jsapi.TimeoutError
	var overflow *jsapi.OverflowError
	var interrupted *jsapi.InterruptError
	switch {
	case errors.As(err, &thrown):
		return thrown.Position
	case errors.As(err, &timeout):
		return timeout.Position
	case errors.As(err, &overflow):
		return overflow.Position
	case errors.As(err, &interrupted):
		return interrupted.Position
	}
	return jsapi.Position{}
}

// isolateOptions configure the isolate of a home, which may get its extension
// later.
func (h *Host) isolateOptions(in *home) jsapi.Options {
	callback := h.options.Limits.Callback
	return jsapi.Options{
		Clock: h.options.Clock, Random: h.options.Random, HTTPClient: h.options.HTTPClient,
		Context: h.context, Supplied: h.modules.Supplied(h.world), Nest: bind.Nest,
		Callback: jsapi.Job{Work: "a callback", Running: callback.Running, Whole: callback.Whole},
		Console: func(level slog.Level, text string) {
			h.options.Logger.Log(h.ctx, level, text, "extension", in.extension)
		},
		Report: func(err error) {
			h.Report(in.extension, err)
			h.revive(in)
		},
	}
}

var (
	_ registry.Extension = (*extension)(nil)
	_ bind.Caller        = (*extension)(nil)
	_ bind.Caller        = (*incarnation)(nil)
)
