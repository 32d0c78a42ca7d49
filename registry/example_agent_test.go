package registry_test

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
)

// tone is an extension that wraps the tool of another one, and tells models of it.
var tone = registry.Instance{
	Wraps: []registry.Wrap{{Tool: "greet", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
		polite := inner
		polite.Execute = func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			result, err := inner.Execute(ctx, call)
			if err != nil {
				return nil, err
			}
			return registry.TextResult("Good day. " + result.Text()), nil
		}
		return polite, nil
	}}},
	Sections: []registry.Section{{Key: "tone", Render: func(_ context.Context, in registry.SectionInput) (string, bool, error) {
		return fmt.Sprintf("Be polite with %d tools.", len(in.Agent.Tools())), true, nil
	}}},
}

// An agent is what the extensions that a conversation selects make together.
func ExampleGeneration_Agent() {
	ctx := context.Background()
	r := registry.New(registry.Options{})
	for _, e := range []*extension{builtin("greeter", 0, tools(says("greet", "Hello, Ada!"))), builtin("tone", 0, tone)} {
		previous, err := r.Install(e, &e.instance)
		if err != nil {
			fmt.Println(err)
			return
		}
		_ = previous.Close(ctx) // what fails in it is reported
	}
	g, release := r.Acquire("a request")
	defer release()

	for _, choice := range []registry.AgentChoice{
		{State: durable.AgentState{Instructions: "Answer in verse."}},
		{State: durable.AgentState{Extensions: &durable.Selection{Remove: []string{"tone"}}}},
	} {
		agent := g.Agent(ctx, choice)
		sections, err := agent.RenderSections(ctx, registry.SectionInput{})
		if err != nil {
			fmt.Println(err)
			return
		}
		for _, section := range sections {
			fmt.Println(section.Text)
		}
		call := registry.Call{ID: "1", Tool: "greet", Arguments: json.RawMessage(`{}`)}
		if refused := agent.Admit(ctx, &call); refused == nil {
			fmt.Println(agent.Execute(ctx, call).Text())
		}
	}
	// Output:
	// <tone>
	// Be polite with 1 tools.
	// </tone>
	// <instructions>
	// Answer in verse.
	// </instructions>
	// Good day. Hello, Ada!
	// Hello, Ada!
}
