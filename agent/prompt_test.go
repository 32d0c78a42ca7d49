package agent_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// section is an extension with a section whose text is what a pointer points to; none
// when that is "", and an error when it is "!".
func section(name, key string, now *string) extension {
	return extension{name, registry.Instance{Sections: []registry.Section{{Key: key, Render: func(context.Context, registry.SectionInput) (string, bool, error) {
		if *now == "!" {
			return "", false, errors.New("no text")
		}
		return *now, *now != "", nil
	}}}}}
}

func TestThePromptIsWhatTheSectionsSay(t *testing.T) {
	a, b := "one", "two"
	h := open(t, agent.Options{}, section("a", "first", &a), section("b", "second", &b))
	ask := func() {
		h.t.Helper()
		h.model.Set(text("Yes."))
		h.say("?")
	}
	lines := func() []string { return strings.Split(h.transcript(), "\n") }
	ask()
	if got := lines()[1]; got != "system first=<first>|one|</first> second=<second>|two|</second>" {
		t.Errorf("the prompt is %q", got)
	}
	for _, change := range []struct {
		a, b, want string
	}{
		{"one", "two", ""},
		{"one", "2", "system second=<second>|2|</second>"},
		{"", "2", "system -first"},
		{"1", "2", "system -second,system first=<first>|1|</first> second=<second>|2|</second>"},
		{"!", "2", ""},
	} {
		a, b = change.a, change.b
		before := len(lines())
		ask()
		var written []string
		for _, line := range lines()[before:] {
			if strings.HasPrefix(line, "system") {
				written = append(written, line)
			}
		}
		if got := strings.Join(written, ","); got != change.want {
			t.Errorf("from %+v comes %q", change, got)
		}
	}
	if reports := h.reported(); len(reports) != 1 || !strings.Contains(reports[0], "no text") {
		t.Errorf("reported %q", reports)
	}
}

func TestTheInstructionsAreTheLastSection(t *testing.T) {
	a := "one"
	h := open(t, agent.Options{}, section("a", "first", &a))
	if err := h.root().Configure(t.Context(), durable.AgentChange{Instructions: durable.Set("Be brief.")}); err != nil {
		t.Fatal(err)
	}
	h.model.Set(text("Yes."))
	h.say("?")
	h.check("user: ?", "system first=<first>|one|</first> instructions=<instructions>|Be brief.|</instructions>", "assistant (stop) Yes.")
}

func TestSectionsSeeTheConversation(t *testing.T) {
	var seen []string
	looks := extension{"looks", registry.Instance{
		Tools: []registry.Tool{says("a", "1")},
		Sections: []registry.Section{{Key: "look", Untagged: true, Render: func(ctx context.Context, input registry.SectionInput) (string, bool, error) {
			live, _, err := durable.LiveDocument.Read(ctx, input.Documents, durable.InConversation(input.Conversation))
			seen = append(seen, fmt.Sprint(input.Conversation, " ", len(input.Agent.Tools()), " ", input.Agent.Cwd, " ", input.Env != nil, " ", len(input.Shown), " ", live.Run != nil))
			return "text", true, err
		}}},
	}}
	var asked []agent.EnvRequest
	var broken error
	h := open(t, agent.Options{Env: func(_ context.Context, request agent.EnvRequest) (registry.Env, error) {
		asked = append(asked, request)
		return nil, broken
	}}, looks)
	if err := h.root().Configure(t.Context(), durable.AgentChange{Cwd: durable.Set("/work")}); err != nil {
		t.Fatal(err)
	}
	h.model.Set(text("Yes."), calls("a", `{}`), text("No."))
	h.say("?")
	broken = errors.New("no room")
	h.say("?")
	if want := []string{"1 1 /work false 0 true", "1 1 /work false 1 true", "1 1 /work false 1 true"}; !slices.Equal(seen, want) {
		t.Errorf("the section saw %q", seen)
	}
	if len(asked) != 4 || asked[0].Cwd != "/work" || asked[0].Conversation != record.Root {
		t.Errorf("environments were made for %+v", asked)
	}
	if reports := h.reported(); len(reports) != 2 || !strings.Contains(reports[0], "no room") {
		t.Errorf("reported %q", reports)
	}
	if result, data := h.resultOf(0); !slices.Equal(codes(data), []string{"tool_error"}) || !strings.Contains(result.Text(), "no room") || result.DurationMs != nil {
		t.Errorf("the call without an environment gave %s", written(result))
	}
}

func TestAfterAResetThePromptIsWrittenWhole(t *testing.T) {
	a := "one"
	h := open(t, agent.Options{}, section("a", "first", &a), with(says("look", "seen")))
	h.model.Set(text("Yes."), text("Fresh."))
	h.say("?")
	if err := h.root().Reset(t.Context(), "Begin anew."); err != nil {
		t.Fatal(err)
	}
	h.say("!")
	h.check(
		"user: ?", "system first=<first>|one|</first> +tool:look", "assistant (stop) Yes.",
		"reset: Begin anew.", "user: !", "system first=<first>|one|</first> +tool:look", "assistant (stop) Fresh.",
	)
}

func TestThePromptIsStableThroughTurnsRestartsAndReloadsThatChangeNothing(t *testing.T) {
	a := "one"
	parts := []extension{section("a", "first", &a), with(says("look", "seen"), says("see", "looked"))}
	var prompts []string
	h := open(t, agent.Options{}, parts...)
	step := func(answer *message.Assistant) faux.Step {
		return func(_ context.Context, request model.Request, _ faux.State) (*message.Assistant, error) {
			prompts = append(prompts, faux.Prompt(request.Messages))
			return answer, nil
		}
	}
	for i := range 4 {
		h.model.Set(step(faux.Calls(faux.Call("look", json.RawMessage(`{"b":1,"a":2}`)))), step(faux.Says("Seen.")))
		h.say(fmt.Sprint("Look ", i))
		h.install(parts...)
		h.reopen()
	}
	for i := 1; i < len(prompts); i++ {
		if !strings.HasPrefix(prompts[i], prompts[i-1]) {
			t.Errorf("prompt %d does not begin with the one before:\n%s\n---\n%s", i, prompts[i-1], prompts[i])
		}
	}
	var read, written int64
	for _, e := range h.entries(record.Root) {
		if m, is := e.Model[0].(*message.Assistant); is {
			if m.Usage.CacheRead < written {
				t.Errorf("of the %d tokens of the prompt before %d were read from the cache", written, m.Usage.CacheRead)
			}
			read, written = m.Usage.CacheRead, m.Usage.CacheRead+m.Usage.CacheWrite
		}
	}
	if read == 0 {
		t.Error("nothing was read from the cache")
	}
}

func TestWhatWasSelectedDecidesWhatTakesPart(t *testing.T) {
	a, b := "one", "two"
	var asked []string
	watching := func(name string) extension {
		return extension{name, registry.Instance{Hooks: []registry.Hook{{Kind: registry.HookBeforeRequest, BeforeRequest: func(context.Context, registry.HookContext, message.Messages) (message.Messages, error) {
			asked = append(asked, name)
			return nil, nil
		}}}}}
	}
	var base []string
	h := open(t, agent.Options{Settings: func() agent.Settings { return agent.Settings{Extensions: base} }},
		section("a", "first", &a), section("b", "second", &b), watching("w1"), watching("w2"))
	for _, c := range []struct {
		base   []string
		chosen durable.Choice[durable.Selection]
		asked  []string
		shown  string
	}{
		{nil, durable.Clear[durable.Selection](), []string{"w1", "w2"}, "first,second"},
		{[]string{"w2", "b", "w1", "b", "gone"}, durable.Clear[durable.Selection](), []string{"w2", "w1"}, "second"},
		{[]string{"w2", "b"}, durable.Set(durable.Selection{Add: []string{"a"}, Remove: []string{"w2"}}), nil, "second,first"},
		{nil, durable.Set(durable.Selection{Exactly: []string{"a", "w1"}}), []string{"w1"}, "first"},
	} {
		base, asked = c.base, nil
		if err := h.root().Configure(t.Context(), durable.AgentChange{Extensions: c.chosen}); err != nil {
			t.Fatal(err)
		}
		h.model.Set(text("Yes."))
		h.say("?")
		context, err := h.root().Context(t.Context(), 0)
		if err != nil {
			t.Fatal(err)
		}
		var shown []string
		for _, s := range model.CurrentSystem(context.Messages).Sections {
			shown = append(shown, s.Name)
		}
		if !slices.Equal(asked, c.asked) || strings.Join(shown, ",") != c.shown {
			t.Errorf("with %v and %+v the hooks %q and the sections %q took part", c.base, c.chosen, asked, shown)
		}
	}
}
