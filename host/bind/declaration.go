package bind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// Caller reaches a function of a declaration by its path, in whatever isolate
// stands behind it now. Errors: those of [jsapi.Isolate.Call].
type Caller interface {
	Call(ctx context.Context, job jsapi.Job, path string, args ...any) (any, error)
}

// Declaration is what a module declared, in plain data, and the functions that it
// declared, by path.
type Declaration struct {
	Order     float64
	Name      string
	Problems  []registry.Problem
	Functions map[string]*jsapi.Function

	described described
	staging   *staging
	host      *Host
}

// described is the description that script/declaration.ts makes.
type described struct {
	Order    float64
	Name     string
	Manifest *struct {
		Hooks      []string
		Provides   []string
		Requires   []string
		Requests   []string
		Settings   string
		APIVersion int
	}
	Scopes       []string
	Tools        []describedTool
	Sections     []describedSection
	Hooks        []struct{ Kind, Task, Handler, Function string }
	Wraps        []struct{ Tool, Section string }
	Tasks        []describedTask
	Commands     []struct{ Name, Description string }
	Routine      bool
	Capabilities []string
	Instantiates bool
	Shuts        bool
	Problems     []struct{ Message, Hint string }
}

// functionPath is the path of a staged function: a service, or a callback.
func functionPath(kind string, index int) string { return fmt.Sprintf("%s[%d]", kind, index) }

// Stage calls the factory of an evaluated module, if it has one, and reads its
// declaration. file is the path of the module, for problems. The error is that of
// the factory; problems of the declaration are in the result.
func Stage(ctx context.Context, host *Host, scripts, module *jsapi.Namespace, file string) (*Declaration, error) {
	job := host.limits.Factory.job("factory", host.owner)
	isolate := module.Reference().Isolate()
	data, err := isolate.Call(ctx, job, scripts.Method("stage"), module.Reference(), host.Natives())
	host.staging.seal() // before it is read: what the factory left running may still ask
	if err != nil {
		return nil, err
	}
	declaration := &Declaration{Functions: make(map[string]*jsapi.Function), staging: host.staging, host: host}
	if err := declaration.read(data); err != nil {
		return nil, fmt.Errorf("extension %s: read the declaration: %w", host.name, err)
	}
	declaration.Problems = declaration.problems(host.name, registry.Position{File: file})
	return declaration, nil
}

// read takes a Description of script/declaration.ts apart.
func (d *Declaration) read(data any) error {
	description, ok := data.(*jsapi.Object)
	if !ok {
		return errors.New("it is no object")
	}
	text, _ := description.Get("text")
	source, _ := text.(string)
	if err := json.Unmarshal([]byte(source), &d.described); err != nil {
		return err
	}
	d.Order, d.Name = d.described.Order, d.described.Name
	paths, calls := items(description, "paths"), items(description, "calls")
	for i, path := range paths {
		d.Functions[path.(string)] = calls[i].(*jsapi.Function)
	}
	d.takeStaged()
	return nil
}

func items(object *jsapi.Object, key string) []any {
	list, _ := object.Get(key)
	array, _ := list.(*jsapi.Array)
	if array == nil {
		return nil
	}
	return array.Items
}

// takeStaged adds the functions that the factory handed to its host.
func (d *Declaration) takeStaged() {
	for i, service := range d.staging.services {
		d.Functions[functionPath("services", i)] = service.Invoke
	}
	for i, callback := range d.staging.onOpen {
		d.Functions[functionPath("onOpen", i)] = callback
	}
	for i, reactor := range d.staging.reactors {
		d.Functions[functionPath("reactors", i)] = reactor.handler
	}
	for i, callback := range d.staging.onClose {
		d.Functions[functionPath("onClose", i)] = callback
	}
}

func (d *Declaration) problems(extension string, at registry.Position) []registry.Problem {
	var problems []registry.Problem
	for _, problem := range d.described.Problems {
		problems = append(problems, registry.Problem{Extension: extension, Position: at, Message: problem.Message, Hint: problem.Hint})
	}
	if d.Name != "" && d.Name != extension {
		problems = append(problems, registry.Problem{
			Extension: extension, Position: at,
			Message: fmt.Sprintf("the extension's name is %q, its folder's is %q", d.Name, extension),
			Hint:    "name the extension like its folder",
		})
	}
	return problems
}

// Manifest returns the declaration's manifest for the registry.
func (d *Declaration) Manifest(ref registry.ExtensionRef, at registry.Position) registry.Manifest {
	manifest := registry.Manifest{
		Name: ref.Name, Ref: ref, Source: registry.SourceWorld, Order: d.Order, Where: at,
		Derived: d.described.Manifest == nil,
	}
	for _, scope := range d.described.Scopes {
		manifest.Scopes = append(manifest.Scopes, registry.Scope(scope))
	}
	if written := d.described.Manifest; written != nil {
		manifest.API = written.APIVersion
		for _, kind := range written.Hooks {
			manifest.HookKinds = append(manifest.HookKinds, registry.HookKind(kind))
		}
		for _, key := range written.Provides {
			manifest.Provides = append(manifest.Provides, registry.CapabilityKey(key))
		}
		manifest.Requires = requests(written.Requires)
		manifest.Requests = requests(written.Requests)
		if written.Settings != "" {
			manifest.Settings = json.RawMessage(written.Settings)
		}
	}
	return manifest
}

func requests(keys []string) []registry.CapabilityRequest {
	var list []registry.CapabilityRequest
	for _, key := range keys {
		list = append(list, registry.CapabilityRequest{Kind: registry.CapabilityKey(key)})
	}
	return list
}

// Instance returns what the declaration contributes; its functions are reached
// through caller.
func (d *Declaration) Instance(caller Caller, limits Limits, at registry.Position) *registry.Instance {
	instance := &registry.Instance{Limited: true}
	reach := d.reach(caller, limits)
	d.addTools(instance, reach, at)
	d.addParts(instance, reach, at)
	for _, command := range d.described.Commands {
		instance.Commands = append(instance.Commands, registry.Command{Name: command.Name, Description: command.Description, Where: at})
	}
	d.addHooks(instance, reach, at)
	d.addServices(instance, reach, at)
	d.addLifecycle(instance, reach)
	return instance
}

// reach calls the declaration's functions through caller.
func (d *Declaration) reach(caller Caller, limits Limits) reach {
	return reach{extension: d.host.name, caller: caller, limits: limits, engine: d.host.backend.Engine, live: d.host.runs}
}

// addTools adds the tools.
func (d *Declaration) addTools(instance *registry.Instance, reach reach, at registry.Position) {
	for i, tool := range d.described.Tools {
		path := functionPath("tools", i)
		declared := tool.tool(at)
		declared.Execute = reach.tool(reach.at(path+".execute"), tool.Name, declared.Timeout)
		if tool.Prepares {
			declared.PrepareArguments = reach.prepare(reach.at(path+".prepareArguments"), tool.Name)
		}
		instance.Tools = append(instance.Tools, declared)
	}
}

// addParts adds sections, wraps and tasks.
func (d *Declaration) addParts(instance *registry.Instance, reach reach, at registry.Position) {
	for i, section := range d.described.Sections {
		declared := section.section(at)
		declared.Render = reach.render(reach.at(functionPath("sections", i)+".render"), section.Key)
		instance.Sections = append(instance.Sections, declared)
	}
	for i, wrap := range d.described.Wraps {
		path, declared := functionPath("wraps", i)+".wrap", registry.Wrap{Tool: wrap.Tool, Section: wrap.Section, Where: at}
		if wrap.Tool != "" {
			declared.WrapTool = reach.wrapTool(path, wrap.Tool, at)
		}
		if wrap.Section != "" {
			declared.WrapSection = reach.wrapSection(path, wrap.Section, at)
		}
		instance.Wraps = append(instance.Wraps, declared)
	}
	for i, task := range d.described.Tasks {
		instance.Tasks = append(instance.Tasks, registry.TaskDeclaration{Definition: reach.task(functionPath("tasks", i), task), Where: at})
	}
}

func executionMode(mode string) registry.ExecutionMode {
	if mode == string(registry.ExecutionSequential) {
		return registry.ExecutionSequential
	}
	return registry.ExecutionParallel
}

func (d *Declaration) addHooks(instance *registry.Instance, reach reach, at registry.Position) {
	for _, hook := range d.described.Hooks {
		declared := registry.Hook{Kind: registry.HookKind(hook.Kind).Canonical(), Where: at}
		if hook.Task != "" {
			declared.Kind = registry.TaskHook(hook.Task, hook.Handler)
		}
		declared = reach.hook(declared, hook.Function)
		instance.Hooks = append(instance.Hooks, declared)
	}
}

func (d *Declaration) addServices(instance *registry.Instance, reach reach, at registry.Position) {
	for i, service := range d.staging.services {
		instance.Services = append(instance.Services, registry.Service{
			ID: service.ID, Call: reach.service(functionPath("services", i), service.ID), Where: at,
		})
	}
	for _, id := range d.staging.needs {
		instance.Needs = append(instance.Needs, registry.Need{Service: id, Where: at})
	}
}

func (d *Declaration) addLifecycle(instance *registry.Instance, reach reach) {
	opened, reactions := len(d.staging.onOpen), &reactions{reach: reach, host: d.host, reactors: d.staging.reactors}
	if opened > 0 || len(reactions.reactors) > 0 {
		instance.OnOpen = func(ctx context.Context) error {
			return errors.Join(reactions.begin(ctx), reach.opening(ctx, opened))
		}
	}
	if closed := len(d.staging.onClose); closed > 0 {
		instance.OnClose = func(ctx context.Context) error { return reach.closing(ctx, closed) }
	}
	if d.described.Shuts || len(reactions.reactors) > 0 {
		instance.Shutdown = func(ctx context.Context) error {
			err := reactions.end(ctx)
			if d.described.Shuts {
				err = errors.Join(err, reach.shutdown(ctx))
			}
			return err
		}
	}
}

// Opens reports whether the factory registered onOpen callbacks.
func (d *Declaration) Opens() bool { return len(d.staging.onOpen) > 0 }

// Open runs the onOpen callbacks through caller, in the order they were
// registered.
func (d *Declaration) Open(ctx context.Context, caller Caller, limits Limits) error {
	return d.reach(caller, limits).opening(ctx, len(d.staging.onOpen))
}

// Same reports whether two declarations say the same, so that the one can stand
// in for the other.
func (d *Declaration) Same(other *Declaration) bool {
	mine, err := json.Marshal(d.shape())
	if err != nil {
		return false
	}
	theirs, err := json.Marshal(other.shape())
	return err == nil && string(mine) == string(theirs)
}

// shape is what a caller of the declaration can tell apart.
func (d *Declaration) shape() any {
	services := make([]string, len(d.staging.services))
	for i, service := range d.staging.services {
		services[i] = service.ID
	}
	consumers := make([]durable.Consumer, len(d.staging.reactors))
	for i, reactor := range d.staging.reactors {
		consumers[i] = reactor.consumer
	}
	return []any{d.described, services, d.staging.needs, len(d.staging.onOpen), len(d.staging.onClose), consumers}
}
