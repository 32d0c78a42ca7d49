package registry_test

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
)

func toolNames(list []*registry.BoundTool) []string {
	all := []string{}
	for _, t := range list {
		all = append(all, t.Name)
	}
	return all
}

func exactly(list ...string) *durable.Selection {
	return &durable.Selection{Exactly: append([]string{}, list...)}
}

func TestAnAgentHasTheExtensionsThatAreSelected(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", registry.Instance{}), world("b", registry.Instance{}), world("c", registry.Instance{}))
	tests := []struct {
		name   string
		base   []string
		chosen *durable.Selection
		want   []string
	}{
		{"all, without a choice", nil, nil, []string{"a", "b", "c"}},
		{"the base, in its order", []string{"c", "a"}, nil, []string{"c", "a"}},
		{"an empty base", []string{}, nil, nil},
		{"exactly these, in their order", []string{"c", "a"}, exactly("b", "a"), []string{"b", "a"}},
		{"exactly none", nil, exactly(), nil},
		{"all but a few", nil, &durable.Selection{Remove: []string{"b"}}, []string{"a", "c"}},
		{"the base and a few more", []string{"c"}, &durable.Selection{Add: []string{"a"}}, []string{"c", "a"}},
		{"what is removed wins over what is added", []string{"c"}, &durable.Selection{Add: []string{"a"}, Remove: []string{"a"}}, []string{"c"}},
		{"what is named twice stays at its first place", nil, exactly("b", "a", "b"), []string{"b", "a"}},
		{"what is added and there already stays in place", []string{"c", "a"}, &durable.Selection{Add: []string{"c"}}, []string{"c", "a"}},
		{"unknown names are skipped", []string{"x", "a"}, &durable.Selection{Add: []string{"y"}, Remove: []string{"z"}}, []string{"a"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := g.Agent(t.Context(), registry.AgentChoice{Base: test.base, State: durable.AgentState{Extensions: test.chosen}})
			if diff := cmp.Diff(test.want, names(a.Extensions())); diff != "" {
				t.Errorf("extensions (-want +got):\n%s", diff)
			}
		})
	}
}

// TestAnExtensionThatIsAbsentCountsAgainOnceItIsBack also shows that a remembered
// selection is one generation's.
func TestAnExtensionThatIsAbsentCountsAgainOnceItIsBack(t *testing.T) {
	r := registry.New(registry.Options{})
	choice := registry.AgentChoice{State: durable.AgentState{Extensions: exactly("b", "a")}}
	for _, step := range []struct {
		extensions []*extension
		want       []string
	}{
		{[]*extension{world("a", tools(echo("one"))), world("b", tools(echo("two")))}, []string{"two", "one"}},
		{[]*extension{world("a", tools(echo("one")))}, []string{"one"}},
		{[]*extension{world("a", tools(echo("one"))), world("b", tools(echo("two")))}, []string{"two", "one"}},
	} {
		g := promote(t, r, "c", step.extensions...)
		if diff := cmp.Diff(step.want, toolNames(g.Agent(t.Context(), choice).Tools())); diff != "" {
			t.Errorf("tools (-want +got):\n%s", diff)
		}
	}
}

func TestALaterToolOfANameTakesThePlaceOfTheEarlier(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1",
		world("a", tools(says("first", "a"), says("shared", "a"), says("last", "a"))),
		world("b", tools(says("shared", "b"), says("more", "b"))),
	)
	call := func(a *registry.Agent) string {
		c := registry.Call{ID: "1", Tool: "shared"}
		if refused := a.Admit(t.Context(), &c); refused != nil {
			return refused.Text()
		}
		return a.Execute(t.Context(), c).Text()
	}
	both := g.Agent(t.Context(), registry.AgentChoice{})
	if diff := cmp.Diff([]string{"first", "shared", "last", "more"}, toolNames(both.Tools())); diff != "" || call(both) != "b" {
		t.Errorf("shared says %q, tools (-want +got):\n%s", call(both), diff)
	}
	one := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Extensions: exactly("a")}})
	if call(one) != "a" {
		t.Errorf("without the later one it says %q", call(one))
	}
	turned := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Extensions: exactly("b", "a")}})
	if diff := cmp.Diff([]string{"shared", "more", "first", "last"}, toolNames(turned.Tools())); diff != "" || call(turned) != "a" {
		t.Errorf("the other way round it says %q, tools (-want +got):\n%s", call(turned), diff)
	}
}

func TestTheFilterKeepsTheToolsThatAreChosen(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", tools(echo("one"), echo("two"), echo("three"))))
	tests := []struct {
		name   string
		chosen *durable.Selection
		want   []string
	}{
		{"no choice", nil, []string{"one", "two", "three"}},
		{"exactly these, in their order", exactly("three", "one"), []string{"three", "one"}},
		{"a name that is repeated", exactly("two", "one", "two"), []string{"two", "one"}},
		{"a name that is unknown", exactly("four", "one"), []string{"one"}},
		{"none", exactly(), []string{}},
		{"all but one", &durable.Selection{Remove: []string{"two"}}, []string{"one", "three"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			a := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Tools: test.chosen}})
			if diff := cmp.Diff(test.want, toolNames(a.Tools())); diff != "" {
				t.Errorf("tools (-want +got):\n%s", diff)
			}
			for _, name := range []string{"one", "two", "three"} {
				if (a.Tool(name) != nil) != slices.Contains(test.want, name) {
					t.Errorf("%s is found: %v", name, a.Tool(name) != nil)
				}
			}
			if all := toolNames(g.Tools()); len(all) != 3 {
				t.Errorf("the generation lost tools: %v", all)
			}
		})
	}
}

func TestWhatWasNotChosenHasItsDefault(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", registry.Instance{}))
	plain := g.Agent(t.Context(), registry.AgentChoice{})
	if plain.Model != nil || plain.Thinking != "off" || plain.Instructions != "" || plain.Cwd != "" || plain.Generation() != g {
		t.Errorf("got %+v", plain)
	}
	chosen := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{
		Model: &durable.ModelRef{Provider: "p", Model: "m"}, ThinkingLevel: "high", Instructions: "be brief", Cwd: "/src",
	}})
	if *chosen.Model != (durable.ModelRef{Provider: "p", Model: "m"}) || chosen.Thinking != "high" || chosen.Instructions != "be brief" || chosen.Cwd != "/src" {
		t.Errorf("got %+v", chosen)
	}
}

func TestOnlyTheCallersOfAToolMayCallIt(t *testing.T) {
	r := registry.New(registry.Options{})
	models, others := echo("models"), echo("others")
	models.Callers = []registry.Caller{registry.CallerModel}
	others.Callers = []registry.Caller{registry.CallerTool}
	g := promote(t, r, "c1", world("a", tools(echo("both"), models, others)))
	a := g.Agent(t.Context(), registry.AgentChoice{})
	if diff := cmp.Diff([]string{"both", "models"}, toolNames(a.ModelTools())); diff != "" {
		t.Errorf("tools of models (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"both", "others"}, toolNames(a.CallableTools())); diff != "" {
		t.Errorf("tools of tools (-want +got):\n%s", diff)
	}
	for _, nested := range []bool{false, true} {
		for tool, allowed := range map[string]bool{"both": true, "models": !nested, "others": nested} {
			call := registry.Call{ID: "1", Tool: tool}
			if nested {
				call.Parent = &registry.ParentCall{TaskID: 3, CallID: "0"}
			}
			refused := a.Admit(t.Context(), &call)
			if (refused == nil) != allowed || refused != nil && refused.Code != registry.CodeToolUnavailable {
				t.Errorf("nested %v: %s is admitted: %v", nested, tool, refused == nil)
			}
			if result := a.Execute(t.Context(), call); (result.Code == "") != allowed {
				t.Errorf("nested %v: %s ran: %v", nested, tool, result.Code == "")
			}
		}
	}
}

// TestHooksOfExtensionsThatAreNotSelectedDoNotRun covers each kind.
func TestHooksOfExtensionsThatAreNotSelectedDoNotRun(t *testing.T) {
	r := registry.New(registry.Options{})
	var asked []string
	g := promote(t, r, "c1", watcher("a", &asked), watcher("b", &asked), watcher("c", &asked))
	a := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Extensions: exactly("c", "a")}})
	askEverything(t, a)
	want := []string{}
	for _, kind := range []string{"beforeTool", "afterTool", "onAbort", "beforeRequest", "afterResponse", "onYield", "afterTools", "beforeCompact"} {
		want = append(want, "c "+kind, "a "+kind)
	}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

func TestAnAgentGoesOnWithTheGenerationItCameFrom(t *testing.T) {
	r := registry.New(registry.Options{})
	old := promote(t, r, "c1", world("a", tools(says("act", "old"))))
	release, ok := old.Hold("a request")
	if !ok {
		t.Fatal("it has drained")
	}
	defer release()
	a := old.Agent(t.Context(), registry.AgentChoice{})
	next, problems := stage(t, r, "c2", world("a", tools(says("act", "new")))).Validate()
	if next == nil {
		t.Fatal(problems)
	}
	if _, err := r.Promote(next); err != nil {
		t.Fatal(err)
	}
	if got := a.Execute(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text(); got != "old" {
		t.Errorf("the agent of before says %q", got)
	}
	if got := r.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"}).Text(); got != "new" {
		t.Errorf("the next call says %q", got)
	}
}

// TestASelectionIsResolvedOnce counts the wraps.
func TestASelectionIsResolvedOnce(t *testing.T) {
	resolved := 0
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", registry.Instance{
		Tools: []registry.Tool{echo("act")},
		Wraps: []registry.Wrap{{Tool: "act", WrapTool: func(_ context.Context, inner registry.Tool) (registry.Tool, error) {
			resolved++
			return inner, nil
		}}},
	}))
	for range 3 {
		for _, choice := range []registry.AgentChoice{
			{}, {State: durable.AgentState{Cwd: "/src"}}, {State: durable.AgentState{Instructions: "other"}},
		} {
			if a := g.Agent(t.Context(), choice); a.Cwd != choice.State.Cwd || a.Instructions != choice.State.Instructions {
				t.Errorf("got %q, %q", a.Cwd, a.Instructions)
			}
		}
		g.CallTool(t.Context(), registry.Call{ID: "1", Tool: "act"})
	}
	if resolved != 1 {
		t.Errorf("resolved %d times", resolved)
	}
	g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Tools: exactly("act")}})
	if resolved != 2 {
		t.Errorf("another selection: resolved %d times", resolved)
	}
}

func TestADeclarationHasWhatModelsAreTold(t *testing.T) {
	tool := registry.Tool{
		Name: "act", Description: "acts", Parameters: json.RawMessage(`{"type":"object"}`),
		ConstrainedSampling: json.RawMessage(`false`), Metadata: json.RawMessage(`{"snippet":"x"}`), Replay: registry.ReplaySafe,
	}
	text, err := tool.Declaration().MarshalJSON()
	if want := `{"name":"act","description":"acts","parameters":{"type":"object"},"constrainedSampling":false}`; err != nil || string(text) != want {
		t.Errorf("got %s, %v", text, err)
	}
}

// TestNoTwoSelectionsAreTakenForOneAnother guards what a generation remembers.
func TestNoTwoSelectionsAreTakenForOneAnother(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", tools(echo("one"))), world("b", tools(echo("two"))), world("c", tools(echo("one"), echo("three"))))
	lists := []*durable.Selection{nil, exactly(), exactly("a"), exactly("a", "c"), exactly("c", "a"), {}, {Add: []string{"a"}}, {Remove: []string{"a"}}, {Remove: []string{"one"}}, exactly("one"), {Add: []string{"a", "c"}}, exactly(`a" "c`)}
	bases := [][]string{nil, {}, {"a"}, {"a", "c"}, {`a" "c`}}
	fresh := func(choice registry.AgentChoice) *registry.Agent {
		r := registry.New(registry.Options{})
		g := promote(t, r, "c1", world("a", tools(echo("one"))), world("b", tools(echo("two"))), world("c", tools(echo("one"), echo("three"))))
		return g.Agent(t.Context(), choice)
	}
	for _, base := range bases {
		for _, extensions := range lists {
			for _, filter := range lists {
				choice := registry.AgentChoice{Base: base, State: durable.AgentState{Extensions: extensions, Tools: filter}}
				got, want := g.Agent(t.Context(), choice), fresh(choice)
				if !slices.Equal(names(got.Extensions()), names(want.Extensions())) || !slices.Equal(toolNames(got.Tools()), toolNames(want.Tools())) {
					t.Errorf("%q, %+v, %+v: got %v %v, want %v %v", base, extensions, filter, names(got.Extensions()), toolNames(got.Tools()), names(want.Extensions()), toolNames(want.Tools()))
				}
			}
		}
	}
}

func TestAgentsAreResolvedByManyAtOnce(t *testing.T) {
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("a", registry.Instance{
		Tools: []registry.Tool{says("act", "x")}, Wraps: []registry.Wrap{around("act", "w")}, Sections: []registry.Section{shows("rules", "r")},
	}))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for n := range 100 {
				g, release := r.Acquire("a request")
				choice := registry.AgentChoice{State: durable.AgentState{Tools: exactly("act", strconv.Itoa(n%7)), Instructions: strconv.Itoa(i)}}
				a := g.Agent(t.Context(), choice)
				rendered, err := a.RenderSections(t.Context(), registry.SectionInput{})
				if got := run(t, a, registry.Call{ID: "1", Tool: "act"}).Text(); got != "wx" || err != nil || len(rendered) != 2 {
					t.Errorf("it says %q, sections %v, %v", got, rendered, err)
				}
				release()
			}
		})
	}
	for n := range 20 {
		e := builtin("x"+strconv.Itoa(n%3), 0, tools(echo("other")))
		install(t, r, e)
		promote(t, r, "c2", world("a", registry.Instance{
			Tools: []registry.Tool{says("act", "x")}, Wraps: []registry.Wrap{around("act", "w")}, Sections: []registry.Section{shows("rules", "r")},
		}))
	}
	all.Wait()
}

// TestEverythingInstalledIsListed covers what others hide.
func TestEverythingInstalledIsListed(t *testing.T) {
	r := registry.New(registry.Options{})
	promote(t, r, "c1",
		world("a", registry.Instance{Tools: []registry.Tool{echo("act"), echo("one")}, Sections: []registry.Section{shows("rules", "a")}, Tasks: tasks("work", 1)}),
		world("b", registry.Instance{Tools: []registry.Tool{echo("act")}, Sections: []registry.Section{shows("rules", "b"), shows("cwd", "b")}, Tasks: tasks("play", 1)}))
	g := r.Current()
	var got []string
	for _, m := range g.Extensions() {
		for _, tool := range g.ToolsOf(m.Name()) {
			got = append(got, m.Name()+" tool "+tool.Name)
		}
		for _, s := range g.SectionsOf(m.Name()) {
			got = append(got, m.Name()+" section "+s.Key)
		}
	}
	for _, definition := range g.Tasks() {
		if g.Task(definition.Name) != definition {
			t.Errorf("task %s is not found", definition.Name)
		}
		got = append(got, "task "+definition.Name)
	}
	want := []string{"a tool act", "a tool one", "a section rules", "b tool act", "b section rules", "b section cwd", "task work", "task play"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("listed (-want +got):\n%s", diff)
	}
	if g.ToolsOf("x") != nil || g.SectionsOf("x") != nil || g.Task("x") != nil || g.Extension("a") == nil || g.Extension("x") != nil {
		t.Error("it lists what is not there")
	}
	before := names(g.Extensions())
	install(t, r, builtin("c", 0, registry.Instance{}))
	if diff := cmp.Diff(before, names(g.Extensions())); diff != "" {
		t.Errorf("a generation changed (-want +got):\n%s", diff)
	}
}
