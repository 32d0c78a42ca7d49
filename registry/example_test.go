package registry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/registry"
)

// greeter is an extension in Go.
type greeter struct{}

var _ registry.Extension = greeter{}

func (greeter) Manifest() registry.Manifest {
	return registry.Manifest{
		Name:      "greeter",
		Ref:       registry.BuiltinRef("greeter", "1.0.0"),
		HookKinds: []registry.HookKind{registry.HookTool},
	}
}

func (greeter) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return &registry.Instance{Tools: []registry.Tool{{
		Name:        "greet",
		Description: "Greets somebody.",
		Parameters:  json.RawMessage(`{"type":"object","properties":{"name":{"type":"string"}},"required":["name"]}`),
		Execute: func(_ context.Context, call *registry.Call) (*registry.Result, error) {
			var arguments struct{ Name string }
			if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
				return nil, err
			}
			return registry.TextResult("Hello, " + arguments.Name + "!"), nil
		},
	}}}, nil
}

func Example() {
	ctx := context.Background()
	r := registry.New(registry.Options{})

	candidate := r.Stage("4f2a")
	defer func() { _ = candidate.Discard(ctx) }()
	instance, err := greeter{}.Instantiate(ctx, registry.ScopeContext{})
	if err != nil {
		candidate.AddFailed(greeter{}, err)
	} else {
		candidate.Add(greeter{}, instance)
	}
	generation, problems := candidate.Validate()
	if generation == nil {
		fmt.Println(problems)
		return
	}
	previous, err := r.Promote(generation)
	if err != nil {
		fmt.Println(err)
		return
	}
	generation.Open(ctx)
	if err := previous.Close(ctx); err != nil {
		fmt.Println(err)
	}

	fmt.Println(r.CallTool(ctx, registry.Call{ID: "1", Tool: "greet", Arguments: json.RawMessage(`{"name":"Ada"}`)}).Text())
	fmt.Println(r.CallTool(ctx, registry.Call{ID: "2", Tool: "greet"}).Text())
	// Output:
	// Hello, Ada!
	// Validation failed for tool "greet":
	//   - name: missing
	//
	// Received arguments:
	// {}
}
