package agent_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// doorkeeper is an extension in Go with a tool.
type doorkeeper struct{}

// Manifest implements [registry.Extension].
func (doorkeeper) Manifest() registry.Manifest {
	return registry.Manifest{Name: "doorkeeper", Ref: registry.BuiltinRef("doorkeeper", "1.0.0"), Derived: true}
}

// Instantiate implements [registry.Extension].
func (doorkeeper) Instantiate(context.Context, registry.ScopeContext) (*registry.Instance, error) {
	return &registry.Instance{Tools: []registry.Tool{{
		Name: "look", Description: "Looks at something.",
		Parameters: json.RawMessage(`{"type":"object","properties":{"at":{"type":"string"}},"required":["at"]}`),
		Execute: func(_ context.Context, call *registry.Call) (*registry.Result, error) {
			var arguments struct{ At string }
			if err := json.Unmarshal(call.Arguments, &arguments); err != nil {
				return nil, err
			}
			return registry.TextResult("The " + arguments.At + " is open."), nil
		},
	}}}, nil
}

// A conversation whose model uses a tool. The model is one by script.
func Example() {
	ctx := context.Background()
	extensions := registry.New(registry.Options{})
	instance, err := doorkeeper{}.Instantiate(ctx, registry.ScopeContext{})
	if err != nil {
		panic(err)
	}
	before, err := extensions.Install(doorkeeper{}, instance)
	if err != nil {
		panic(err)
	}
	defer before.Close(ctx)

	provider := faux.New(faux.Options{})
	provider.Set(
		faux.Answer(faux.Calls(faux.Call("look", map[string]any{"at": "door"}))),
		faux.Answer(faux.Says("You can go in.")),
	)
	var models model.Models
	if _, err := models.Set(provider); err != nil {
		panic(err)
	}

	h, err := agent.Open(ctx, new(memory.Storage), agent.Options{Registry: extensions, Models: &models})
	if err != nil {
		panic(err)
	}
	defer h.Close(ctx)
	root, err := h.Root(ctx, durable.ConversationOptions{Agent: durable.AgentChange{
		Model: durable.Set(durable.ModelRef{Provider: "faux", Model: "faux-1"}),
	}})
	if err != nil {
		panic(err)
	}
	submission, err := root.Submit(ctx, durable.Input{Content: message.Content{Text: "Can I go in?"}})
	if err != nil {
		panic(err)
	}
	if _, err := submission.Wait(ctx); err != nil {
		panic(err)
	}
	for entry, err := range root.Entries(ctx, durable.EntryQuery{Order: durable.Ascending}) {
		if err != nil {
			panic(err)
		}
		fmt.Printf("%s %q\n", entry.Kind, entry.Model[0].Text())
	}
	// Output:
	// pi.user "Can I go in?"
	// pi.system ""
	// pi.assistant ""
	// pi.tool-result "The door is open."
	// pi.assistant "You can go in."
}
