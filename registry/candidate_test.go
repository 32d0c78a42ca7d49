package registry_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

func names(members []*registry.Member) []string {
	var list []string
	for _, m := range members {
		list = append(list, m.Name())
	}
	return list
}

func ordered(e *extension, order float64) *extension {
	e.manifest.Order = order
	return e
}

func mcp(name string) *extension {
	return &extension{manifest: registry.Manifest{Name: name, Source: registry.SourceMCP, Derived: true}}
}

func TestExtensionsStandBySourceThenOrderThenName(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1",
		ordered(world("b", registry.Instance{}), 0), ordered(world("c", registry.Instance{}), -1), ordered(world("a", registry.Instance{}), 0),
		mcp("mcp-z"), builtin("fs", 2, registry.Instance{}), builtin("core", 1, registry.Instance{}), builtin("web", 2, registry.Instance{}))
	want := []string{"core", "fs", "web", "mcp-z", "c", "a", "b"}
	if diff := cmp.Diff(want, names(g.Extensions())); diff != "" {
		t.Errorf("order (-want +got):\n%s", diff)
	}
}

func TestAWorldExtensionTakesTheBuiltInsPlace(t *testing.T) {
	r := registry.New(registry.Options{})
	core, fs, web := builtin("core", 1, registry.Instance{}), builtin("fs", 2, tools(says("read", "built in"))), builtin("web", 3, registry.Instance{})
	closed := false
	fs.instance.Shutdown = func(context.Context) error { closed = true; return nil }
	promote(t, r, "c1", core, fs, web)

	g := promote(t, r, "c2", ordered(world("fs", tools(says("read", "world"))), 99))
	if want := []string{"core", "fs", "web"}; !slices.Equal(names(g.Extensions()), want) {
		t.Errorf("order %q, want %q", names(g.Extensions()), want)
	}
	if got := r.CallTool(t.Context(), registry.Call{Tool: "read"}).Text(); got != "world" {
		t.Errorf("read gave %q", got)
	}
	if want := []registry.Shadowed{{Kind: "extension", Name: "fs", Loser: "builtin", By: "world"}}; !slices.Equal(g.Shadowed(), want) {
		t.Errorf("shadowed %+v, want %+v", g.Shadowed(), want)
	}

	promote(t, r, "c3")
	if got := r.CallTool(t.Context(), registry.Call{Tool: "read"}).Text(); got != "built in" || closed {
		t.Errorf("without the world extension read gave %q; built-in closed: %v", got, closed)
	}
}

func TestCollisionsResolveAndTheLoserIsListed(t *testing.T) {
	command := func(description string) []registry.Command {
		return []registry.Command{{Name: "go", Description: description}}
	}
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1",
		world("a", registry.Instance{Tools: []registry.Tool{says("first", ""), says("act", "a")}, Commands: command("a")}),
		world("b", registry.Instance{Tools: []registry.Tool{says("act", "b"), says("last", "")}, Commands: command("b")}))
	if got := r.CallTool(t.Context(), registry.Call{Tool: "act"}).Text(); got != "b" {
		t.Errorf("the tool of extension %q is used, not the later one's", got)
	}
	if c, ok := g.Command("go"); !ok || c.Extension != "a" || c.Value.Description != "a" {
		t.Errorf("the command is %+v, not the first one's", c)
	}
	want := []registry.Shadowed{
		{Kind: "tool", Name: "act", Loser: "a", By: "b"},
		{Kind: "command", Name: "go", Loser: "b", By: "a"},
	}
	if diff := cmp.Diff(want, g.Shadowed()); diff != "" {
		t.Errorf("shadowed (-want +got):\n%s", diff)
	}
	var offered []string
	for _, tool := range g.Tools() {
		offered = append(offered, tool.Extension+"."+tool.Name)
	}
	if want := []string{"a.first", "b.act", "b.last"}; !slices.Equal(offered, want) {
		t.Errorf("tools %q, want %q", offered, want)
	}
}

func TestHooksRunInTheOrderOfTheirExtensionsInBothSpellings(t *testing.T) {
	hook := func(kind registry.HookKind) registry.Instance {
		return registry.Instance{Hooks: []registry.Hook{{Kind: kind, BeforeTool: gate}}}
	}
	g := promote(t, registry.New(registry.Options{}), "c1",
		world("b", hook("ToolTask.beforeTool")), world("a", hook("tool_call")), ordered(world("z", hook(registry.TaskHook("pi.tool", "beforeTool"))), -1))
	for _, kind := range []registry.HookKind{"tool_call", "ToolTask.beforeTool"} {
		var order []string
		for _, h := range g.Hooks(kind) {
			order = append(order, h.Extension)
		}
		if want := []string{"z", "a", "b"}; !slices.Equal(order, want) {
			t.Errorf("%s: order %q, want %q", kind, order, want)
		}
	}
}

func TestBuiltInAndMCPInstancesAreCarriedFromGenerationToGeneration(t *testing.T) {
	r := registry.New(registry.Options{})
	first := promote(t, r, "c1", builtin("core", 0, registry.Instance{}), mcp("mcp-a"), world("x", registry.Instance{}))
	second := promote(t, r, "c2", world("x", registry.Instance{}))
	for _, name := range []string{"core", "mcp-a"} {
		if first.Extension(name) == nil || first.Extension(name) != second.Extension(name) {
			t.Errorf("%s is not carried", name)
		}
	}
	if first.Extension("x") == second.Extension("x") {
		t.Error("a world extension is carried")
	}
}

func TestACarriedExtensionCanBeReplacedAndRemoved(t *testing.T) {
	var closed []string
	recording := func(e *extension, what string) *extension {
		e.instance.Shutdown = func(context.Context) error { closed = append(closed, what); return nil }
		return e
	}
	r := registry.New(registry.Options{})
	promote(t, r, "c1", recording(mcp("mcp-a"), "a, first"), recording(mcp("mcp-b"), "b"))

	c := stage(t, r, "c2", recording(mcp("mcp-a"), "a, second"))
	if !c.Remove("mcp-b", registry.SourceMCP) || c.Remove("mcp-b", registry.SourceMCP) {
		t.Error("remove does not say whether there was one")
	}
	g, problems := c.Validate()
	if g == nil {
		t.Fatal(problems)
	}
	previous, err := r.Promote(g)
	if err != nil {
		t.Fatal(err)
	}
	if len(closed) > 0 {
		t.Errorf("%q closed before the generation drained", closed)
	}
	if err := previous.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if want := []string{"b", "a, first"}; !slices.Equal(closed, want) {
		t.Errorf("closed %q, want %q", closed, want)
	}
	if want := []string{"mcp-a"}; !slices.Equal(names(g.Extensions()), want) {
		t.Errorf("extensions %q, want %q", names(g.Extensions()), want)
	}
}

func TestAFailedBuiltInIsListedAndHarmsNoOther(t *testing.T) {
	r := registry.New(registry.Options{})
	c := stage(t, r, "c1", world("x", tools(says("act", "works"))))
	c.AddFailed(mcp("mcp-a"), errors.New("connection refused"))
	g, problems := c.Validate()
	if g == nil {
		t.Fatal(problems)
	}
	if _, err := r.Promote(g); err != nil {
		t.Fatal(err)
	}
	if err := g.Extension("mcp-a").Err(); err == nil || err.Error() != "connection refused" {
		t.Errorf("the failed extension's error is %v", err)
	}
	if len(g.Warnings()) != 1 || g.Warnings()[0].Rule != registry.RuleFailedExtension {
		t.Errorf("warnings = %v", g.Warnings())
	}
	if got := r.CallTool(t.Context(), registry.Call{Tool: "act"}).Text(); got != "works" {
		t.Errorf("act gave %q", got)
	}
	if g := promote(t, r, "c2", mcp("mcp-a")); g.Extension("mcp-a").Err() != nil {
		t.Error("a new instance does not replace the failed one")
	}
}

func TestADiscardedCandidateShutsDownItsOwnInstancesOnly(t *testing.T) {
	var ended []string
	life := func(e *extension) *extension {
		name := e.manifest.Name
		e.instance.OnClose = func(context.Context) error { ended = append(ended, "onClose "+name); return nil }
		e.instance.Shutdown = func(context.Context) error {
			ended = append(ended, "shutdown "+name)
			if name == "b" {
				return errors.New("stuck")
			}
			return nil
		}
		return e
	}
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	live := promote(t, r, "c1", life(builtin("core", 0, registry.Instance{})), life(world("a", registry.Instance{})))
	c := stage(t, r, "c2", life(world("a", registry.Instance{})), life(world("b", registry.Instance{})))
	if units := live.Units(); len(units) != 1 || units[0].Name != "load c2" {
		t.Errorf("units while a commit loads: %+v", units)
	}
	for range 2 {
		err := c.Discard(t.Context())
		if len(ended) != 2 {
			t.Fatalf("ended %q", ended)
		}
		var failure *registry.Failure
		if errors.As(err, &failure) && failure.Extension != "b" {
			t.Errorf("error = %v", err)
		}
	}
	if want := []string{"shutdown b", "shutdown a"}; !slices.Equal(ended, want) {
		t.Errorf("ended %q, want %q", ended, want)
	}
	if want := []string{"extension b: shutdown: stuck"}; !slices.Equal(reported.texts(), want) {
		t.Errorf("reported %q, want %q", reported.texts(), want)
	}
	if len(live.Units()) != 0 || r.Current() != live {
		t.Error("the discarded candidate still holds the live generation, or changed it")
	}
}

func TestProvidesTellsWhatEarlierExtensionsImplement(t *testing.T) {
	r := registry.New(registry.Options{})
	promote(t, r, "c1", builtin("go", 0, registry.Instance{Services: []registry.Service{service("clock")}}),
		world("old", registry.Instance{Services: []registry.Service{service("gone")}}))
	c := stage(t, r, "c2", world("a", registry.Instance{Services: []registry.Service{service("paint")}}))
	for id, want := range map[string]bool{"clock": true, "paint": true, "gone": false, "later": false} {
		if got := c.Provides(id); got != want {
			t.Errorf("Provides(%q) = %v", id, got)
		}
	}
}

func TestSchemasAreCompiledOnceAndForgottenWithTheirGeneration(t *testing.T) {
	r := registry.New(registry.Options{})
	with := func(n int) *extension {
		tool := echo("t")
		tool.Parameters = fmt.Appendf(nil, `{"type":"object","maxProperties":%d}`, n)
		return world("x", tools(tool))
	}
	promote(t, r, "c1", with(1))
	for range 2 {
		promote(t, r, "c2", with(2))
	}
	if n := r.CompiledSchemas(); n != 1 {
		t.Errorf("%d schemas are kept for one in use", n)
	}
	refused := stage(t, r, "c3", with(3), with(3))
	if g, _ := refused.Validate(); g != nil {
		t.Fatal("not refused")
	}
	if err := refused.Discard(t.Context()); err != nil {
		t.Fatal(err)
	}
	if n := r.CompiledSchemas(); n != 1 {
		t.Errorf("%d schemas are kept after a refused commit", n)
	}
}

func TestASettledCandidateGivesNothingMore(t *testing.T) {
	r := registry.New(registry.Options{})
	c := stage(t, r, "c1", world("x", registry.Instance{}))
	g, _ := c.Validate()
	if g == nil {
		t.Fatal("refused")
	}
	if again, problems := c.Validate(); again != nil || len(problems) != 1 || !problems[0].Fatal() {
		t.Errorf("a second generation of one candidate: %v, %v", again, problems)
	}
	if err := c.Discard(t.Context()); err != nil {
		t.Error(err)
	}
	g.Drop()
	if err := g.Close(t.Context()); err != nil {
		t.Error(err)
	}
}
