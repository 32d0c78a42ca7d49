package registry_test

import (
	"context"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

func service(id string) registry.Service {
	return registry.Service{ID: id, Call: func(context.Context, string, []any) (any, error) { return nil, nil }}
}

func gate(context.Context, registry.HookContext, registry.ToolCallEvent) (registry.Decision, error) {
	return registry.Decision{}, nil
}

// manifest is a world extension of the name "x" with a manifest of its own.
func manifest(change func(*registry.Manifest), instance registry.Instance) []*extension {
	e := world("x", instance)
	e.manifest.Derived = false
	change(&e.manifest)
	return []*extension{e}
}

func schemaTool(schema string) registry.Instance {
	t := echo("t")
	t.Parameters = json.RawMessage(schema)
	return tools(t)
}

func TestEachOfTheseRefusesTheCommit(t *testing.T) {
	one := func(instance registry.Instance) []*extension { return []*extension{world("x", instance)} }
	none := registry.Instance{}
	tests := []struct {
		name       string
		extensions []*extension
		rule       registry.Rule
		message    string // part of it
	}{
		{"a name that is not lower-case", []*extension{world("X", none)}, registry.RuleExtensionName, `"X"`},
		{"two extensions of one name", []*extension{world("x", none), world("x", none)}, registry.RuleDuplicateExtension, `"x"`},
		{"an order that is not finite", manifest(func(m *registry.Manifest) { m.Order = math.Inf(1) }, none), registry.RuleOrder, "+Inf"},
		{"an order that is no number", manifest(func(m *registry.Manifest) { m.Order = math.NaN() }, none), registry.RuleOrder, "NaN"},
		{"an unknown scope", manifest(func(m *registry.Manifest) { m.Scopes = []registry.Scope{"galaxy"} }, none), registry.RuleScope, `"galaxy"`},
		{"a scope twice", manifest(func(m *registry.Manifest) { m.Scopes = []registry.Scope{"agent", "agent"} }, none), registry.RuleScope, "twice"},
		{"an unknown kind of ref", manifest(func(m *registry.Manifest) { m.Ref.Kind = "svn" }, none), registry.RuleRef, `"svn"`},
		{"a newer API", manifest(func(m *registry.Manifest) { m.API = 2 }, none), registry.RuleAPIVersion, "version 2"},
		{"providing what only the host provides", manifest(func(m *registry.Manifest) { m.Provides = []registry.CapabilityKey{"session_read"} }, none), registry.RuleCapability, `"session_read"`},
		{"providing twice", manifest(func(m *registry.Manifest) { m.Provides = []registry.CapabilityKey{"memory", "memory"} }, none), registry.RuleCapability, "twice"},
		{"providing nothing", manifest(func(m *registry.Manifest) { m.Provides = []registry.CapabilityKey{""} }, none), registry.RuleCapability, "empty"},
		{"requiring twice", manifest(func(m *registry.Manifest) {
			m.Requires = []registry.CapabilityRequest{{Kind: "settings"}, {Kind: "settings"}}
		}, none), registry.RuleCapability, "requires"},
		{"requesting twice", manifest(func(m *registry.Manifest) {
			m.Requests = []registry.CapabilityRequest{{Kind: "memory"}, {Kind: "memory"}}
		}, none), registry.RuleCapability, "requests"},
		{"requiring and requesting", manifest(func(m *registry.Manifest) {
			m.Requires = []registry.CapabilityRequest{{Kind: "settings"}}
			m.Requests = m.Requires
		}, none), registry.RuleCapability, "both"},
		{"a provider of a host's capability", manifest(func(m *registry.Manifest) {
			m.Requires = []registry.CapabilityRequest{{Kind: "settings", Provider: "y"}}
		}, none), registry.RuleCapability, `"y"`},
		{"agents of another capability", manifest(func(m *registry.Manifest) {
			m.Requires = []registry.CapabilityRequest{{Kind: "settings", Agents: []string{"a"}}}
		}, none), registry.RuleCapability, "agents"},
		{"requiring what nobody provides", manifest(func(m *registry.Manifest) { m.Requires = []registry.CapabilityRequest{{Kind: "messenger"}} }, none), registry.RuleUnsatisfied, `"messenger"`},
		{"requiring of another than the provider", append(
			manifest(func(m *registry.Manifest) { m.Requires = []registry.CapabilityRequest{{Kind: "memory", Provider: "z"}} }, none),
			func() *extension {
				e := world("y", none)
				e.manifest.Provides = []registry.CapabilityKey{"memory"}
				return e
			}()), registry.RuleUnsatisfied, `"z"`},
		{"an unknown declared hook kind", manifest(func(m *registry.Manifest) { m.HookKinds = []registry.HookKind{"on_tuesday"} }, none), registry.RuleHookKind, `"on_tuesday"`},
		{"a hook kind declared in both spellings", manifest(func(m *registry.Manifest) { m.HookKinds = []registry.HookKind{"tool_call", "ToolTask.beforeTool"} },
			registry.Instance{Hooks: []registry.Hook{{Kind: "tool_call", BeforeTool: gate}}}), registry.RuleHookKind, "twice"},
		{"an unknown handler of a built-in task", one(registry.Instance{Hooks: []registry.Hook{{Kind: registry.TaskHook("pi.tool", "beforeLunch")}}}), registry.RuleHookKind, "ToolTask.beforeLunch"},
		{"a hook of the kind that declares tools", one(registry.Instance{Hooks: []registry.Hook{{Kind: registry.HookTool}}}), registry.RuleHookKind, `"tool"`},
		{"a gate without a function", one(registry.Instance{Hooks: []registry.Hook{{Kind: "tool_call"}}}), registry.RuleMissingHandler, "no function"},
		{"a result hook without a function", one(registry.Instance{Hooks: []registry.Hook{{Kind: "ToolTask.afterTool"}}}), registry.RuleMissingHandler, "no function"},
		{"a hook beside a manifest that does not declare it", manifest(func(*registry.Manifest) {}, registry.Instance{Hooks: []registry.Hook{{Kind: "tool_call", BeforeTool: gate}}}), registry.RuleUndeclaredHook, `"tool_call"`},
		{"tools beside a manifest that does not declare them", manifest(func(*registry.Manifest) {}, tools(echo("t"))), registry.RuleUndeclaredHook, `"tool"`},
		{"an invalid settings schema", manifest(func(m *registry.Manifest) { m.Settings = json.RawMessage(`{"type":"object","properties":3}`) }, none), registry.RuleSettingsSchema, "properties"},
		{"settings that are no object", manifest(func(m *registry.Manifest) { m.Settings = json.RawMessage(`{"type":"string"}`) }, none), registry.RuleSettingsSchema, "object"},
		{"a tool name that model APIs refuse", one(tools(echo("read file"))), registry.RuleToolName, `"read file"`},
		{"a tool name of 65 characters", one(tools(echo(strings.Repeat("a", 65)))), registry.RuleToolName, "64"},
		{"a tool without execute", one(tools(registry.Tool{Name: "t", Parameters: json.RawMessage(`{"type":"object"}`)})), registry.RuleTool, "execute"},
		{"a tool with an unknown replay policy", one(tools(func() registry.Tool { t := echo("t"); t.Replay = "often"; return t }())), registry.RuleTool, `"often"`},
		{"a tool with an unknown execution mode", one(tools(func() registry.Tool { t := echo("t"); t.ExecutionMode = "shy"; return t }())), registry.RuleTool, `"shy"`},
		{"a tool with a negative timeout", one(tools(func() registry.Tool { t := echo("t"); t.Timeout = -1; return t }())), registry.RuleTool, "negative"},
		{"two tools of one name in an extension", one(tools(echo("t"), echo("t"))), registry.RuleDuplicateTool, `"t"`},
		{"a tool without a schema", one(schemaTool("")), registry.RuleToolSchema, "no schema"},
		{"a schema that is not JSON", one(schemaTool("{")), registry.RuleToolSchema, "not JSON"},
		{"a schema with a number beyond all range", one(schemaTool(`{"type":"object","minProperties":1e99999999}`)), registry.RuleToolSchema, "number"},
		{"a schema that is no object", one(schemaTool("true")), registry.RuleToolSchema, "not an object"},
		{"a schema of something else than an object", one(schemaTool(`{"type":"array"}`)), registry.RuleToolSchema, `"object"`},
		{"a schema of several types", one(schemaTool(`{"type":["object","null"]}`)), registry.RuleToolSchema, `"object"`},
		{"a schema with an unknown type", one(schemaTool(`{"type":"object","properties":{"a":{"type":"strin"}}}`)), registry.RuleToolSchema, "properties.a.type"},
		{"a schema with a dangling reference", one(schemaTool(`{"type":"object","properties":{"a":{"$ref":"#/$defs/b"}}}`)), registry.RuleToolSchema, "$defs"},
		{"a schema that refers to a file", one(schemaTool(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`)), registry.RuleToolSchema, "another document"},
		{"a schema with a broken pattern", one(schemaTool(`{"type":"object","properties":{"a":{"pattern":"("}}}`)), registry.RuleToolSchema, "pattern"},
		{"the section that the agent writes itself", one(registry.Instance{Sections: []registry.Section{{Key: "instructions"}}}), registry.RuleSectionKey, "reserved"},
		{"a section key with a capital", one(registry.Instance{Sections: []registry.Section{{Key: "Notes"}}}), registry.RuleSectionKey, `"Notes"`},
		{"two sections of one key in an extension", one(registry.Instance{Sections: []registry.Section{shows("a", ""), shows("a", "")}}), registry.RuleDuplicateSection, `"a"`},
		{"a section without a function", one(registry.Instance{Sections: []registry.Section{{Key: "a"}}}), registry.RuleSection, `"a" has no render function`},
		{"a wrap of a tool without a function", one(registry.Instance{Wraps: []registry.Wrap{{Tool: "a"}}}), registry.RuleWrap, "wrap of tool a has no function"},
		{"a wrap of a section without a function", one(registry.Instance{Wraps: []registry.Wrap{{Section: "a"}}}), registry.RuleWrap, "wrap of section a has no function"},
		{"a wrap of nothing", one(registry.Instance{Wraps: []registry.Wrap{{}}}), registry.RuleWrap, "does not name"},
		{"a wrap of two things", one(registry.Instance{Wraps: []registry.Wrap{{Tool: "a", Section: "b"}}}), registry.RuleWrap, "does not name"},
		{"a task without a name", one(registry.Instance{Tasks: tasks("", 1)}), registry.RuleTask, "no name"},
		{"a task of version 0", one(registry.Instance{Tasks: tasks("a", 0)}), registry.RuleTask, "version is 0"},
		{"two tasks of one name in an extension", one(registry.Instance{Tasks: slices.Concat(tasks("a", 1), tasks("a", 1))}), registry.RuleDuplicateTask, "two tasks"},
		{"a task name of another extension", []*extension{
			world("x", registry.Instance{Tasks: tasks("a", 1)}),
			world("y", registry.Instance{Tasks: tasks("a", 1)}),
		}, registry.RuleDuplicateTask, `"x"`},
		{"a command with a slash", one(registry.Instance{Commands: []registry.Command{{Name: "/go"}}}), registry.RuleCommandName, `"/go"`},
		{"a reserved command", one(registry.Instance{Commands: []registry.Command{{Name: "extensions"}}}), registry.RuleReservedCommand, `"extensions"`},
		{"two commands of one name in an extension", one(registry.Instance{Commands: []registry.Command{{Name: "a"}, {Name: "a"}}}), registry.RuleDuplicateCommand, `"a"`},
		{"a service without an id", one(registry.Instance{Services: []registry.Service{service("")}}), registry.RuleServiceID, "without an id"},
		{"a service without a function", one(registry.Instance{Services: []registry.Service{{ID: "clock"}}}), registry.RuleServiceID, "without a function"},
		{"a service twice in an extension", one(registry.Instance{Services: []registry.Service{service("clock"), service("clock")}}), registry.RuleDuplicateService, "twice"},
		{"two providers of one service", []*extension{
			world("x", registry.Instance{Services: []registry.Service{service("clock")}}),
			world("y", registry.Instance{Services: []registry.Service{service("clock")}}),
		}, registry.RuleDuplicateService, `"x"`},
		{"a need that nobody implements", one(registry.Instance{Needs: []registry.Need{{Service: "clock"}}}), registry.RuleUnprovidedService, `"clock"`},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, problems := stage(t, registry.New(registry.Options{}), "c1", test.extensions...).Validate()
			if g != nil {
				t.Fatal("the commit is not refused")
			}
			var fatal []registry.Problem
			for _, p := range problems {
				if p.Fatal() {
					fatal = append(fatal, p)
				}
			}
			if len(fatal) != 1 || fatal[0].Rule != test.rule {
				t.Fatalf("problems = %v, want one of the rule %s", problems, test.rule)
			}
			p := fatal[0]
			if !strings.Contains(p.Message+" "+p.Hint, test.message) {
				t.Errorf("message %q (hint %q) does not say %q", p.Message, p.Hint, test.message)
			}
			if !strings.HasPrefix(p.File, "extensions/") || p.Extension == "" {
				t.Errorf("problem %+v does not say where", p)
			}
		})
	}
}

func TestNoneOfTheseRefusesTheCommit(t *testing.T) {
	tests := []struct {
		name       string
		extensions []*extension
		warnings   []registry.Rule
	}{
		{"nothing at all", nil, nil},
		{"an extension that contributes nothing", []*extension{world("x", registry.Instance{})}, nil},
		{"a need of a service that Go implements", []*extension{
			builtin("go", 0, registry.Instance{Services: []registry.Service{service("clock")}}),
			world("x", registry.Instance{Needs: []registry.Need{{Service: "clock"}}}),
		}, nil},
		{"a need of a service of a later extension", []*extension{
			world("x", registry.Instance{Needs: []registry.Need{{Service: "clock"}}}),
			world("y", registry.Instance{Services: []registry.Service{service("clock")}}),
		}, nil},
		{"a declared kind without a handler", manifest(func(m *registry.Manifest) { m.HookKinds = []registry.HookKind{"agent_end"} }, registry.Instance{}),
			[]registry.Rule{registry.RuleMissingHandler}},
		{"a declared hook in the other spelling", manifest(func(m *registry.Manifest) { m.HookKinds = []registry.HookKind{"tool_call"} },
			registry.Instance{Hooks: []registry.Hook{{Kind: "ToolTask.beforeTool", BeforeTool: gate}}}), nil},
		{"declared tools and commands", manifest(func(m *registry.Manifest) { m.HookKinds = []registry.HookKind{"Tool", "Command"} },
			registry.Instance{Tools: []registry.Tool{echo("t")}, Commands: []registry.Command{{Name: "c"}}}), nil},
		{"a hook of a task of an extension's own", []*extension{world("x", registry.Instance{Hooks: []registry.Hook{{Kind: registry.TaskHook("deploy.task", "beforeStep"), Handler: "any"}}})}, nil},
		{"two requests that differ in provider", manifest(func(m *registry.Manifest) {
			m.Requests = []registry.CapabilityRequest{{Kind: "memory"}, {Kind: "memory", Provider: "y"}}
		}, registry.Instance{}), nil},
		{"a requirement that another extension provides", append(
			manifest(func(m *registry.Manifest) { m.Requires = []registry.CapabilityRequest{{Kind: "acme.search"}} }, registry.Instance{}),
			func() *extension {
				e := world("y", registry.Instance{})
				e.manifest.Provides = []registry.CapabilityKey{"acme.search"}
				return e
			}()), nil},
		{"a pattern that only ECMAScript has", []*extension{world("x", schemaTool(`{"type":"object","properties":{"a":{"pattern":"^(?!x)[\\u0061-z]+$"}}}`))}, nil},
		{"a broken tool of an MCP server", []*extension{{
			registry.Manifest{Name: "mcp-x", Source: registry.SourceMCP, Derived: true}, tools(echo("ok"), echo("not ok")),
		}}, []registry.Rule{registry.RuleToolName}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			g, problems := stage(t, registry.New(registry.Options{}), "c1", test.extensions...).Validate()
			if g == nil {
				t.Fatalf("refused: %v", problems)
			}
			var rules []registry.Rule
			for _, p := range g.Warnings() {
				rules = append(rules, p.Rule)
			}
			if diff := cmp.Diff(test.warnings, rules); diff != "" {
				t.Errorf("warnings (-want +got):\n%s", diff)
			}
			g.Drop()
			if err := g.Close(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestAllProblemsOfACommitAreReportedInOrder(t *testing.T) {
	r := registry.New(registry.Options{})
	c := stage(t, r, "c1",
		world("zeta", registry.Instance{Tools: []registry.Tool{echo("a b")}, Needs: []registry.Need{{Service: "clock"}}}),
		world("alpha", registry.Instance{Tools: []registry.Tool{echo("t"), echo("t")}, Sections: []registry.Section{{Key: "instructions"}}, Needs: []registry.Need{{Service: "paint"}}}),
	)
	c.Problem(registry.Problem{Extension: "beta", Message: "cannot find ./lib.ts"})
	c.AddFailed(world("gamma", registry.Instance{}), errors.New("boom"))
	g, problems := c.Validate()
	if g != nil {
		t.Fatal("the commit is not refused")
	}
	var got []string
	for _, p := range problems {
		got = append(got, p.Extension+" "+string(p.Rule))
	}
	want := []string{"beta ", "alpha duplicate-tool", "alpha section-key", "alpha unprovided-service", "gamma failed-extension", "zeta tool-name", "zeta unprovided-service"}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
	if r.Current().Commit() != "" {
		t.Error("a refused commit changed the current generation")
	}
}

func TestAProblemSaysWhereItIsAndWhatToDo(t *testing.T) {
	broken := echo("t")
	broken.Parameters = json.RawMessage(`{"type":"strin"}`)
	broken.Where = registry.Position{File: "extensions/x/server.ts", Line: 12, Column: 3}
	_, problems := stage(t, registry.New(registry.Options{}), "c1", world("x", tools(broken))).Validate()
	if len(problems) != 1 {
		t.Fatalf("problems = %v", problems)
	}
	want := `extensions/x/server.ts:12:3: extension x: the tool "t" has invalid parameters: `
	if got := problems[0].String(); !strings.HasPrefix(got, want) {
		t.Errorf("problem %q does not begin with %q", got, want)
	}
	text, err := json.Marshal(problems[0])
	if err != nil {
		t.Fatal(err)
	}
	var fields map[string]any
	if err := json.Unmarshal(text, &fields); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"extension", "file", "line", "column", "message", "hint"} {
		if fields[name] == nil {
			t.Errorf("%s has no %s", text, name)
		}
	}
}
