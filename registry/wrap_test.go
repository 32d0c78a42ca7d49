package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
)

// around wraps a tool so that its results begin with a text.
func around(tool, text string) registry.Wrap {
	return registry.Wrap{Tool: tool, WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
		outer := inner
		outer.Execute = func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			result, err := inner.Execute(ctx, call)
			if err != nil {
				return nil, err
			}
			return registry.TextResult(text + result.Text()), nil
		}
		return outer, nil
	}}
}

func wraps(list ...registry.Wrap) registry.Instance { return registry.Instance{Wraps: list} }

func run(t *testing.T, a *registry.Agent, call registry.Call) *registry.Result {
	t.Helper()
	if refused := a.Admit(t.Context(), &call); refused != nil {
		return refused
	}
	return a.Execute(t.Context(), call)
}

func TestWrapsApplyInTheOrderOfTheExtensions(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1",
		world("a", wraps(around("act", "a"))), // it wraps also what comes later
		world("b", registry.Instance{Tools: []registry.Tool{says("act", "act"), says("other", "other")}, Wraps: []registry.Wrap{around("act", "b"), around("act", "c")}}),
		world("d", wraps(around("act", "d"), around("missing", "x"))),
	)
	for _, test := range []struct {
		chosen *durable.Selection
		want   string
	}{
		{nil, "dcbaact"},
		{exactly("b"), "cbact"},
		{exactly("d", "b", "a"), "acbdact"},
	} {
		a := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Extensions: test.chosen}})
		if got := run(t, a, registry.Call{ID: "1", Tool: "act"}).Text(); got != test.want {
			t.Errorf("with %+v it says %q, not %q", test.chosen, got, test.want)
		}
		if got := run(t, a, registry.Call{ID: "1", Tool: "other"}).Text(); got != "other" {
			t.Errorf("another tool says %q", got)
		}
		if tool := a.Tool("act"); tool.Extension != "b" {
			t.Errorf("the tool is one of %q", tool.Extension)
		}
	}
	if got := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text(); got != "dcbaact" {
		t.Errorf("a call from outside says %q", got)
	}
}

// TestAWrapGivesAllOfATool also shows that what stands inside is not validated again.
func TestAWrapGivesAllOfATool(t *testing.T) {
	inner := echo("act")
	inner.Parameters, inner.Replay, inner.Metadata = numberSchema, registry.ReplaySafe, json.RawMessage(`{"snippet":"s"}`)
	inner.PrepareArguments = func(_ context.Context, arguments json.RawMessage) (json.RawMessage, error) {
		return json.RawMessage(strings.Replace(string(arguments), "text", "words", 1)), nil
	}
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", tools(inner)), world("b", wraps(registry.Wrap{
		Tool: "act", WrapTool: func(_ context.Context, got registry.Tool) (registry.Tool, error) {
			got.Description = "wrapped"
			got.Parameters = json.RawMessage(`{"type":"object","properties":{"words":{"type":"string"}},"required":["words"]}`)
			got.Replay = registry.ReplayUnsafe
			got.Timeout = 1
			return got, nil
		},
	})))
	a := g.Agent(t.Context(), registry.AgentChoice{})
	tool := a.Tool("act")
	if tool.Description != "wrapped" || tool.Replay != registry.ReplayUnsafe || string(tool.Metadata) != `{"snippet":"s"}` || g.Tool("act").Description != "" {
		t.Errorf("got %+v", tool.Tool)
	}
	call := registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"text":"hi"}`)}
	if refused := a.Admit(t.Context(), &call); refused != nil || string(call.Arguments) != `{"words":"hi"}` {
		t.Errorf("refused %+v, arguments %s", refused, call.Arguments)
	}
	bad := registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"n":1}`)}
	if refused := a.Admit(t.Context(), &bad); refused == nil || refused.Code != registry.CodeInvalidArguments {
		t.Errorf("what fits the inner schema alone is admitted")
	}
}

func TestAWrapThatFailsDropsItsTarget(t *testing.T) {
	wrong := errors.New("wrong")
	tests := []struct {
		name  string
		wrap  registry.Wrap
		says  string
		gone  string // the tool, or
		gone2 string // the section
	}{
		{"of a tool, with an error", registry.Wrap{Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) { return inner, wrong }},
			"extension w: wrap of tool act: wrong", "act", ""},
		{"of a tool, with a panic", registry.Wrap{Tool: "act", WrapTool: func(context.Context, registry.Tool) (registry.Tool, error) { panic("ouch") }},
			"extension w: wrap of tool act: panicked: ouch", "act", ""},
		{"of a tool, with another name", registry.Wrap{Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
			inner.Name = "perform"
			return inner, nil
		}}, `extension w: wrap of tool act: gives the tool "act" the name "perform"; a wrap keeps the name`, "act", ""},
		{"of a tool, with a schema that is none", registry.Wrap{Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
			inner.Parameters = json.RawMessage(`{"type":"string"}`)
			return inner, nil
		}}, `extension w: wrap of tool act: gives a tool that is not valid: the tool "act" has invalid parameters: the schema's type is not "object"`, "act", ""},
		{"of a section, with an error", registry.Wrap{Section: "rules", WrapSection: func(_ context.Context, inner registry.Section) (registry.Section, error) { return inner, wrong }},
			"extension w: wrap of section rules: wrong", "", "rules"},
		{"of a section, with another key", registry.Wrap{Section: "rules", WrapSection: func(_ context.Context, inner registry.Section) (registry.Section, error) {
			inner.Key = "laws"
			return inner, nil
		}}, `extension w: wrap of section rules: gives the section "rules" the key "laws"; a wrap keeps the key`, "", "rules"},
		{"of a section, without a function", registry.Wrap{Section: "rules", WrapSection: func(context.Context, registry.Section) (registry.Section, error) {
			return registry.Section{Key: "rules"}, nil
		}}, `extension w: wrap of section rules: gives the section "rules" no render function`, "", "rules"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var reported failures
			r := registry.New(registry.Options{Report: reported.report})
			g := promote(t, r, "c1",
				world("a", registry.Instance{Tools: []registry.Tool{echo("act"), echo("other")}, Sections: []registry.Section{shows("rules", ""), shows("cwd", "")}}),
				world("w", wraps(test.wrap)),
				world("z", wraps(around("act", "z"))), // finds no target any more
			)
			a := g.Agent(t.Context(), registry.AgentChoice{})
			for _, tool := range []string{"act", "other"} {
				result := run(t, a, registry.Call{ID: "1", Tool: tool})
				if gone := result.Code == registry.CodeToolUnavailable; gone != (tool == test.gone) || gone != (a.Tool(tool) == nil) {
					t.Errorf("%s: %+v", tool, result)
				}
			}
			var want, keys []string
			for _, key := range []string{"rules", "cwd"} {
				if key != test.gone2 {
					want = append(want, key)
				}
			}
			for _, s := range a.Sections() {
				keys = append(keys, s.Value.Key)
			}
			if diff := cmp.Diff(want, keys); diff != "" {
				t.Errorf("sections (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff([]string{test.says}, reported.texts()); diff != "" {
				t.Errorf("reported (-want +got):\n%s", diff)
			}
			if g.Tool("act") == nil {
				t.Error("the generation lost the tool")
			}
		})
	}
}

// TestAWrapThatFailedIsTriedAgain keeps a passing failure from lasting as long as the
// generation.
func TestAWrapThatFailedIsTriedAgain(t *testing.T) {
	var fails error
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	g := promote(t, r, "c1", world("a", tools(echo("act"))), world("w", wraps(registry.Wrap{
		Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) { return inner, fails },
	})))
	fails = errors.New("busy")
	if g.Agent(t.Context(), registry.AgentChoice{}).Tool("act") != nil {
		t.Error("the target is there")
	}
	fails = nil
	if g.Agent(t.Context(), registry.AgentChoice{}).Tool("act") == nil {
		t.Error("the target stays away")
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	fails = context.Canceled
	other := registry.AgentChoice{State: durable.AgentState{Tools: exactly("act")}}
	if g.Agent(ended, other).Tool("act") != nil || len(reported.list) != 1 {
		t.Errorf("with a context that has ended: reported %q", reported.texts())
	}
}

func TestWhatAWrapRunsIsItsOwn(t *testing.T) {
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		if strings.Contains(string(call.Arguments), "inside") {
			panic("inside")
		}
		return registry.TextResult(""), nil
	}
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	g := promote(t, r, "c1", world("a", tools(tool)), world("w", wraps(registry.Wrap{
		Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
			outer := inner
			outer.Execute = func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
				if _, err := inner.Execute(ctx, call); err != nil {
					return nil, err
				}
				panic("outside")
			}
			return outer, nil
		},
	})))
	a := g.Agent(t.Context(), registry.AgentChoice{})
	run(t, a, registry.Call{ID: "1", Tool: "act", Arguments: json.RawMessage(`{"at":"inside"}`)})
	run(t, a, registry.Call{ID: "2", Tool: "act"})
	want := []string{"extension a: tool act: panicked: inside", "extension w: wrap of tool act: panicked: outside"}
	if diff := cmp.Diff(want, reported.texts()); diff != "" {
		t.Errorf("reported (-want +got):\n%s", diff)
	}
}
