package faux_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

func script(t *testing.T, text string) *faux.Provider {
	t.Helper()
	parsed, err := faux.ParseScript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return newProvider(parsed.Options())
}

// line shows a message in one line.
func line(m *message.Assistant) string {
	text := string(m.StopReason)
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Text:
			text += " " + block.Text
		case *message.Thinking:
			text += " (" + block.Thinking + ")"
		case *message.ToolCall:
			text += " " + block.Name + string(block.Arguments)
		}
	}
	return strings.TrimSpace(text + " " + m.ErrorMessage)
}

func TestAnEmptyScriptEchoes(t *testing.T) {
	provider := script(t, `{}`)
	var got []string
	for _, transcript := range []message.Messages{
		{},
		{user("hi")},
		{user("hi"), faux.Says("x"), user("again")},
		{user("hi"), faux.Calls(faux.Call("a", nil), faux.Call("b", nil)), result("a", "1"), result("b", "2")},
	} {
		got = append(got, line(ask(t.Context(), provider, transcript...).Result()))
	}
	if diff := cmp.Diff([]string{"stop (nothing)", "stop hi", "stop again", "stop 1\n2"}, got); diff != "" {
		t.Error(diff)
	}
}

const rules = `{
	"models": [{"id": "small"}, {"id": "large", "reasoning": true}],
	"rules": [
		{"when": {"user": "fail"}, "answer": {"text": "I try", "error": "503 {{.User}}"}},
		{"when": {"user": "weather in (\\w+)"}, "answer": {"thinking": "hm", "text": "I look.", "toolCalls": [
			{"name": "weather", "arguments": {"z": 1, "city": "{{index .Match 1}}", "list": ["{{.Turn}}", true, null]}}
		]}},
		{"when": {"tool": "weather", "result": "(\\d+) degrees", "isError": false}, "answer": {"text": "It is {{index .ResultMatch 1}} in {{.User}}."}},
		{"when": {"tool": "weather", "isError": true}, "answer": {"text": "They say: {{.Result}}", "stopReason": "length"}},
		{"when": {"user": "^loop", "belowTurn": 2}, "answer": {"toolCalls": [{"name": "again", "arguments": "{\"n\": {{.Turn}}}", "times": 2}]}},
		{"when": {"user": "^many"}, "answer": {"toolCalls": [{"name": "t{{.N}}", "times": 3}]}},
		{"when": {"user": "^broken"}, "answer": {"toolCalls": [{"name": "x", "arguments": "{\"a\": "}]}},
		{"when": {"user": "^prompt", "system": "kind", "offered": ["look"], "model": "small", "input": 2}, "answer": {"text": "{{.System}} {{.Tools}} {{repeat 3 \"ab\"}}"}}
	],
	"otherwise": {"text": "turn {{.Turn}} of {{.Input}}: {{.Results}}"}
}`

func TestRulesChooseByTheConversation(t *testing.T) {
	provider := script(t, rules)
	failed := result("weather", "no such city")
	failed.IsError = true
	calls := faux.Calls(faux.Call("weather", nil))
	prompt := &message.System{Content: message.Content{Text: "Be kind."}, ToolsAdded: []message.ToolDeclaration{{Name: "look"}}}
	for _, c := range []struct {
		name       string
		transcript message.Messages
		want       string
	}{
		{"an error", message.Messages{user("fail")}, "error I try 503 fail"},
		{"a pattern and a template", message.Messages{user("the weather in Rome?")}, `toolUse (hm) I look. weather{"z":1,"city":"Rome","list":["0",true,null]}`},
		{"a result", message.Messages{user("weather in Rome"), calls, result("weather", "20 degrees")}, "stop It is 20 in weather in Rome."},
		{"a result that is an error", message.Messages{user("weather in Rome"), calls, failed}, "length They say: no such city"},
		{"a result of long ago", message.Messages{user("weather in Rome"), calls, failed, faux.Says("x"), user("many")}, "toolUse t0{} t1{} t2{}"},
		{"turns", message.Messages{user("loop"), calls, result("again", "x")}, `toolUse again{"n":1} again{"n":1}`},
		{"the end of turns", message.Messages{user("loop"), calls, result("again", "x"), calls, result("again", "y")}, "stop turn 2 of 1: [y]"},
		{"arguments that are not JSON", message.Messages{user("broken")}, "toolUse x{}"},
		{"the prompt", message.Messages{prompt, user("a"), faux.Says("b"), user("prompt")}, "stop Be kind. [look] ababab"},
		{"nothing that fits", message.Messages{user("prompt")}, "stop turn 0 of 1: []"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, line(ask(t.Context(), provider, c.transcript...).Result())); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestTheScriptOfThePageWorks takes the script that docs/models.md shows.
func TestTheScriptOfThePageWorks(t *testing.T) {
	page, err := os.ReadFile("../../docs/models.md")
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(page), "## Scripted answers")
	_, text, _ = strings.Cut(text, "```json\n")
	text, _, _ = strings.Cut(text, "```")
	parsed, err := faux.ParseScript([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	parsed.TokensPerSecond = 0
	provider := newProvider(parsed.Options())
	asked := message.Messages{user("the weather in Rome")}
	var got []string
	for range 2 {
		m := ask(t.Context(), provider, asked...).Result()
		got = append(got, line(m))
		asked = append(asked, m, result("weather", "sunny"))
	}
	got = append(got, line(ask(t.Context(), provider, user("hi")).Result()))
	want := []string{`toolUse I look. weather{"city":"Rome"}`, "stop They say: sunny", "stop You said: hi"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestAScriptRemembersNothing asks the same of a provider that has answered much and of
// a fresh one.
func TestAScriptRemembersNothing(t *testing.T) {
	used, fresh := script(t, rules), script(t, rules)
	transcript := message.Messages{user("loop")}
	for range 4 {
		first, second := ask(t.Context(), used, transcript...).Result(), ask(t.Context(), fresh, transcript...).Result()
		if diff := cmp.Diff(line(first), line(second)); diff != "" {
			t.Error(diff)
		}
		fresh = script(t, rules)
		transcript = append(transcript, first, result("again", "x"))
	}
}

func TestAScriptThatCannotBeUsedSaysWhere(t *testing.T) {
	for _, c := range []struct{ name, text, want string }{
		{"no JSON", `{`, "faux script: unexpected EOF"},
		{"more than a value", `{} {}`, "faux script: more follows the end of the value"},
		{"an unknown member", `{"rulez": []}`, `faux script: json: unknown field "rulez"`},
		{"an unknown condition", `{"rules": [{"when": {"usr": "x"}}]}`, `faux script: rules[0]: json: unknown field "usr"`},
		{"a pattern", `{"rules": [{"when": {"user": "("}}]}`, "faux script: rules[0].when.user: error parsing regexp: missing closing ): `(`"},
		{"a template", `{"rules": [{"when": {}}, {"answer": {"text": "{{"}}]}`, "faux script: rules[1].answer.text: template: rules[1].answer.text:1: unclosed action"},
		{"a template in arguments", `{"otherwise": {"toolCalls": [{"name": "x", "arguments": {"a": [1, "{{"]}}]}}`, "faux script: otherwise.toolCalls[0].arguments.a: template: otherwise.toolCalls[0].arguments.a:1: unclosed action"},
		{"a stop reason", `{"otherwise": {"stopReason": "pending"}}`, `faux script: otherwise.stopReason: no answer ends with "pending"`},
		{"too many calls", `{"otherwise": {"toolCalls": [{"name": "x", "times": 1000000}]}}`, "faux script: otherwise.toolCalls[0].times: want 0 to 100000, have 1000000"},
	} {
		t.Run(c.name, func(t *testing.T) {
			if _, err := faux.ParseScript([]byte(c.text)); err == nil || err.Error() != c.want {
				t.Errorf("have %v, want %s", err, c.want)
			}
		})
	}
	file := filepath.Join(t.TempDir(), "faux.json")
	if err := os.WriteFile(file, []byte(`{"x": 1}`), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := faux.ReadScript(file); err == nil || !strings.Contains(err.Error(), file) {
		t.Errorf("the error does not name the file: %v", err)
	}
}

func TestATemplateThatFailsFailsTheResponse(t *testing.T) {
	for _, text := range []string{`{{index .Match 7}}`, `{{repeat 100000000 "long"}}`, `{{.Nothing}}`} {
		parsed, err := faux.ParseScript([]byte(`{"otherwise": {"text": "` + strings.ReplaceAll(text, `"`, `\"`) + `"}}`))
		if err != nil {
			t.Fatal(err)
		}
		m := newProvider(parsed.Options()).Stream(context.Background(), model.Request{Model: &model.Model{Provider: "faux"}}).Result()
		if m.StopReason != message.StopReasonError || !strings.HasPrefix(m.ErrorMessage, "faux script: template: otherwise.text:1:") {
			t.Errorf("%s: %s %s", text, m.StopReason, m.ErrorMessage)
		}
	}
}
