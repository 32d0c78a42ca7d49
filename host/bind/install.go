package bind

import (
	"context"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// generationObject is what is installed, as JavaScript sees it; see
// script/registry.ts.
func generationObject(generation *registry.Generation) *jsapi.Array {
	extensions := &jsapi.Array{}
	for _, member := range generation.Extensions() {
		tools, sections, tasks := &jsapi.Array{}, &jsapi.Array{}, &jsapi.Array{}
		if instance := member.Instance(); instance != nil {
			for i := range instance.Tools {
				tools.Items = append(tools.Items, toolObject(&instance.Tools[i]))
			}
			for _, section := range instance.Sections {
				sections.Items = append(sections.Items, sectionObject(section))
			}
			for _, task := range instance.Tasks {
				tasks.Items = append(tasks.Items, jsapi.NewObject("name", task.Definition.Name, "version", task.Definition.Version))
			}
		}
		extensions.Items = append(extensions.Items, jsapi.NewObject("name", member.Name(), "tools", tools, "sections", sections, "tasks", tasks))
	}
	return extensions
}

// installed gives what is installed now.
func (h *Host) installed(*jsapi.NativeCall) (any, error) {
	engine, err := h.backend.Engine()
	if err != nil {
		return nil, err
	}
	return generationObject(engine.Registry().Current()), nil
}

// generationOf is a native that gives what was installed when a call or a phase began.
func generationOf(generation *registry.Generation) jsapi.Native {
	return func(*jsapi.NativeCall) (any, error) {
		if generation == nil {
			return &jsapi.Array{}, nil
		}
		return generationObject(generation), nil
	}
}

// install installs an extension that the running code describes. Its functions are
// those of this isolate, and it is gone with the next commit that goes live.
func (h *Host) install(call *jsapi.NativeCall) (any, error) {
	if h.staging.open() {
		return nil, &NotLoadedError{}
	}
	declaration := &Declaration{Functions: make(map[string]*jsapi.Function), staging: &staging{sealed: true}, host: h}
	if err := declaration.read(call.Arg(0)); err != nil {
		return nil, fmt.Errorf("install: read the extension: %w", err)
	}
	var problems []error
	for _, problem := range declaration.described.Problems {
		problems = append(problems, errors.New(problem.Message))
	}
	if len(problems) > 0 {
		return nil, fmt.Errorf("install: %w", errors.Join(problems...))
	}
	ref := registry.GitRef(declaration.Name, h.name, h.generation, "installed")
	made := &installedExtension{manifest: declaration.Manifest(ref, registry.Position{}), name: declaration.Name, functions: declaration.Functions}
	instance := declaration.Instance(made, h.limits, registry.Position{})
	if err := h.backend.Install(made, instance); err != nil {
		return nil, shown(err)
	}
	h.dropWith(call.Isolate, made)
	return jsapi.Undefined{}, nil
}

// dropWith takes an extension out once the isolate of its functions is lost: nobody can
// call them any more. An isolate that is closed has no extension left.
func (h *Host) dropWith(isolate *jsapi.Isolate, made *installedExtension) {
	isolate.Go(func() {
		<-isolate.Lost()
		var closed *jsapi.ClosedError
		if errors.As(isolate.Cause(), &closed) {
			return
		}
		if err := h.backend.Drop(made); err != nil {
			h.report(err)
		}
	})
}

func (h *Host) uninstall(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "uninstall", call: call}
	name := args.text("name")
	if args.err != nil {
		return nil, args.err
	}
	return jsapi.Undefined{}, shown(h.backend.Uninstall(name))
}

// installedExtension is an extension that was installed at run time. It is reached in
// the isolate that described it, and ends with that.
type installedExtension struct {
	manifest  registry.Manifest
	name      string
	functions map[string]*jsapi.Function
}

var (
	_ registry.Extension = (*installedExtension)(nil)
	_ Caller             = (*installedExtension)(nil)
)

// Manifest implements [registry.Extension].
func (e *installedExtension) Manifest() registry.Manifest { return e.manifest }

// Instantiate implements [registry.Extension]: there is the global instance only.
func (e *installedExtension) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return nil, errors.New("an extension that was installed at run time has one instance")
}

// Call implements [Caller].
func (e *installedExtension) Call(ctx context.Context, job jsapi.Job, path string, args ...any) (any, error) {
	function := e.functions[path]
	if function == nil {
		return nil, fmt.Errorf("extension %s has no function %s", e.name, path)
	}
	return function.Isolate().Call(ctx, job, function, args...)
}
