package registry_test

import (
	"context"
	"encoding/json"
	"sync"
	"testing"

	"github.com/dlclark/regexp2/v2"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopping{m}) }

// stopping stops the clock of regexp2 after the tests: it would run on for a
// moment after the last match with a limit.
type stopping struct{ *testing.M }

func (m stopping) Run() int {
	defer regexp2.StopTimeoutClock()
	return m.M.Run()
}

// extension is a declaration with one instance for every scope.
type extension struct {
	manifest registry.Manifest
	instance registry.Instance
}

var _ registry.Extension = (*extension)(nil)

func (e *extension) Manifest() registry.Manifest { return e.manifest }

func (e *extension) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	instance := e.instance
	return &instance, nil
}

// world is a world extension without a manifest of its own.
func world(name string, instance registry.Instance) *extension {
	return &extension{
		registry.Manifest{Name: name, Source: registry.SourceWorld, Derived: true,
			Ref:   registry.GitRef(name, "/src/sausage", "c0ffee", "graph"),
			Where: registry.Position{File: "extensions/" + name + "/server.ts", Line: 1, Column: 1}},
		instance,
	}
}

func builtin(name string, order float64, instance registry.Instance) *extension {
	return &extension{
		registry.Manifest{Name: name, Order: order, Derived: true, Ref: registry.BuiltinRef(name, "1.0.0")},
		instance,
	}
}

// echo is a tool that gives its arguments back.
func echo(name string) registry.Tool {
	return registry.Tool{
		Name:       name,
		Parameters: json.RawMessage(`{"type":"object"}`),
		Execute: func(_ context.Context, call *registry.Call) (*registry.Result, error) {
			return registry.TextResult(string(call.Arguments)), nil
		},
	}
}

// says is a tool that gives a fixed text.
func says(name, text string) registry.Tool {
	t := echo(name)
	t.Execute = func(context.Context, *registry.Call) (*registry.Result, error) { return registry.TextResult(text), nil }
	return t
}

func tools(list ...registry.Tool) registry.Instance { return registry.Instance{Tools: list} }

// tasks declares one task.
func tasks(name string, version int) []registry.TaskDeclaration {
	return []registry.TaskDeclaration{{Definition: task(name, version)}}
}

func task(name string, version int) *durable.TaskDefinition {
	phase := func(context.Context, *durable.Runtime) error { return nil }
	return &durable.TaskDefinition{
		Name: name, Version: version, Abort: phase,
		Initial: func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"phase":"run"}`), nil },
		Phases:  map[string]func(context.Context, *durable.Runtime) error{"run": phase},
	}
}

// stage stages extensions, each with its instance.
func stage(t testing.TB, r *registry.Registry, commit string, extensions ...*extension) *registry.Candidate {
	t.Helper()
	c := r.Stage(commit)
	t.Cleanup(func() { _ = c.Discard(context.Background()) })
	for _, e := range extensions {
		instance, err := e.Instantiate(t.Context(), registry.ScopeContext{})
		if err != nil {
			t.Fatal(err)
		}
		c.Add(e, instance)
	}
	return c
}

// promote stages, validates and promotes, and closes what was current.
func promote(t testing.TB, r *registry.Registry, commit string, extensions ...*extension) *registry.Generation {
	t.Helper()
	g, problems := stage(t, r, commit, extensions...).Validate()
	if g == nil {
		t.Fatalf("commit %s is refused: %v", commit, problems)
	}
	previous, err := r.Promote(g)
	if err != nil {
		t.Fatal(err)
	}
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	return g
}

// failures gathers what is reported.
type failures struct {
	mu   sync.Mutex
	list []*registry.Failure
}

func (f *failures) report(failure *registry.Failure) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.list = append(f.list, failure)
}

func (f *failures) texts() []string {
	f.mu.Lock()
	defer f.mu.Unlock()
	var texts []string
	for _, failure := range f.list {
		texts = append(texts, failure.Error())
	}
	return texts
}
