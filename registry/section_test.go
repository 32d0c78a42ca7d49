package registry_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// shows is a section with a fixed text.
func shows(key, text string) registry.Section {
	return registry.Section{Key: key, Render: func(context.Context, registry.SectionInput) (string, bool, error) {
		return text, true, nil
	}}
}

func sections(list ...registry.Section) registry.Instance { return registry.Instance{Sections: list} }

func texts(rendered message.Sections) []string {
	var list []string
	for _, s := range rendered {
		list = append(list, s.Name+": "+s.Text)
	}
	return list
}

func TestSectionsAreWrittenInTheOrderOfTheAgent(t *testing.T) {
	untagged := shows("preamble", "You help.")
	untagged.Untagged = true
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1",
		world("a", sections(untagged, shows("cwd", "/a"), shows("rules", "a"))),
		world("b", sections(shows("cwd", "/b"), shows("skills", ""), registry.Section{
			Key: "hidden", Render: func(context.Context, registry.SectionInput) (string, bool, error) { return "not shown", false, nil },
		})),
	)
	render := func(state durable.AgentState) []string {
		got, err := g.Agent(t.Context(), registry.AgentChoice{State: state}).RenderSections(t.Context(), registry.SectionInput{})
		if err != nil {
			t.Fatal(err)
		}
		return texts(got)
	}
	want := []string{
		"preamble: You help.", "cwd: <cwd>\n/b\n</cwd>", "rules: <rules>\na\n</rules>", "skills: <skills>\n\n</skills>",
		"instructions: <instructions>\nbe brief\n</instructions>",
	}
	if diff := cmp.Diff(want, render(durable.AgentState{Instructions: "be brief"})); diff != "" {
		t.Errorf("sections (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"cwd: <cwd>\n/b\n</cwd>", "skills: <skills>\n\n</skills>"}, render(durable.AgentState{Extensions: exactly("b")})); diff != "" {
		t.Errorf("of one extension (-want +got):\n%s", diff)
	}
	none, err := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Extensions: exactly()}}).RenderSections(t.Context(), registry.SectionInput{})
	if err != nil || none == nil || len(none) != 0 {
		t.Errorf("without extensions: %v, %v", none, err)
	}
}

func TestASectionIsWrittenFromItsInput(t *testing.T) {
	r := registry.New(registry.Options{})
	g := promote(t, r, "c1", world("a", registry.Instance{
		Tools: []registry.Tool{echo("one"), echo("two")},
		Sections: []registry.Section{{Key: "all", Render: func(_ context.Context, in registry.SectionInput) (string, bool, error) {
			return fmt.Sprintf("%v %v %v %v %v", in.Conversation, in.Env == nil, toolNames(in.Agent.Tools()), in.Agent.Cwd, texts(in.Shown)), true, nil
		}}},
	}))
	a := g.Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Cwd: "/src", Tools: &durable.Selection{Remove: []string{"one"}}}})
	got, err := a.RenderSections(t.Context(), registry.SectionInput{Conversation: 4, Shown: message.Sections{{Name: "all", Text: "before"}}})
	if want := []string{"all: <all>\n4 true [two] /src [all: before]\n</all>"}; err != nil || cmp.Diff(want, texts(got)) != "" {
		t.Errorf("got %q, %v", texts(got), err)
	}
}

func TestASectionThatFailsStaysAsItWasShown(t *testing.T) {
	fails := func(how func(ctx context.Context) error) registry.Section {
		return registry.Section{Key: "rules", Render: func(ctx context.Context, _ registry.SectionInput) (string, bool, error) {
			return "half of it", true, how(ctx)
		}}
	}
	for name, how := range map[string]func(ctx context.Context) error{
		"an error": func(context.Context) error { return errors.New("wrong") },
		"a panic":  func(context.Context) error { panic("wrong") },
		"its limit": func(ctx context.Context) error {
			<-ctx.Done()
			return ctx.Err()
		},
		"an abort of its own": func(context.Context) error { return context.Canceled },
	} {
		for _, wrapped := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, wrapped %v", name, wrapped), func(t *testing.T) {
				var reported failures
				r := registry.New(registry.Options{Report: reported.report, Limits: registry.Limits{Hook: 5 * time.Millisecond}})
				a, b := sections(shows("first", "1"), fails(how), shows("last", "3")), registry.Instance{}
				if wrapped {
					b.Wraps = []registry.Wrap{{Section: "rules", WrapSection: func(_ context.Context, inner registry.Section) (registry.Section, error) {
						return inner, nil
					}}}
				}
				agent := promote(t, r, "c1", world("a", a), world("b", b)).Agent(t.Context(), registry.AgentChoice{})
				shown := message.Sections{{Name: "rules", Text: "<rules>\nold\n</rules>"}}
				got, err := agent.RenderSections(t.Context(), registry.SectionInput{Shown: shown})
				want := []string{"first: <first>\n1\n</first>", "rules: <rules>\nold\n</rules>", "last: <last>\n3\n</last>"}
				if diff := cmp.Diff(want, texts(got)); diff != "" || err != nil {
					t.Errorf("%v, sections (-want +got):\n%s", err, diff)
				}
				got, err = agent.RenderSections(t.Context(), registry.SectionInput{Shown: message.Sections{{Name: "rules", Removed: true}}})
				if len(got) != 2 || err != nil {
					t.Errorf("never shown: %q, %v", texts(got), err)
				}
				if len(reported.list) != 2 {
					t.Errorf("reported %q", reported.texts())
				}
			})
		}
	}
}

func TestTheEndOfTheRequestEndsTheWritingOfSections(t *testing.T) {
	stopped := errors.New("the task is to be aborted")
	ctx, cancel := context.WithCancelCause(t.Context())
	var reported failures
	r := registry.New(registry.Options{Report: reported.report})
	a := promote(t, r, "c1", world("a", sections(shows("first", "1"), registry.Section{
		Key: "rules", Render: func(ctx context.Context, _ registry.SectionInput) (string, bool, error) {
			cancel(stopped)
			return "", false, ctx.Err()
		},
	}))).Agent(ctx, registry.AgentChoice{})
	if got, err := a.RenderSections(ctx, registry.SectionInput{}); !errors.Is(err, stopped) || got != nil || len(reported.list) != 0 {
		t.Errorf("got %q, %v, reported %q", texts(got), err, reported.texts())
	}
}

func TestAWrapDecoratesASection(t *testing.T) {
	louder := registry.Wrap{Section: "rules", WrapSection: func(_ context.Context, inner registry.Section) (registry.Section, error) {
		outer := inner
		outer.Untagged = true
		outer.Render = func(ctx context.Context, in registry.SectionInput) (string, bool, error) {
			text, shown, err := inner.Render(ctx, in)
			return text + "!", shown, err
		}
		return outer, nil
	}}
	instructions := registry.Wrap{Section: "instructions", WrapSection: func(context.Context, registry.Section) (registry.Section, error) {
		t.Error("the instructions were wrapped")
		return registry.Section{}, nil
	}}
	r := registry.New(registry.Options{})
	a := promote(t, r, "c1", world("a", sections(shows("rules", "be kind"))), world("b", wraps(louder, louder, instructions))).
		Agent(t.Context(), registry.AgentChoice{State: durable.AgentState{Instructions: "x"}})
	got, err := a.RenderSections(t.Context(), registry.SectionInput{})
	if want := []string{"rules: be kind!!", "instructions: <instructions>\nx\n</instructions>"}; err != nil || cmp.Diff(want, texts(got)) != "" {
		t.Errorf("got %q, %v", texts(got), err)
	}
}
