package prompt_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/agent/internal/prompt"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// state makes a prompt of sections, each a name and a text, and of tools, each a name
// and a description.
func state(sections, tools [][2]string) (s prompt.State) {
	for _, x := range sections {
		s.Sections = append(s.Sections, message.Section{Name: x[0], Text: x[1]})
	}
	for _, x := range tools {
		s.Tools = append(s.Tools, message.ToolDeclaration{Name: x[0], Description: x[1], Parameters: json.RawMessage(`{"type":"object"}`)})
	}
	return s
}

// transcript appends entries one after another, as a session does.
type transcript []record.Entry

func (t *transcript) append(drafts ...durable.EntryDraft) {
	for _, d := range drafts {
		id := record.EntryID(len(*t) + 1)
		*t = append(*t, record.Entry{ID: id, Kind: d.Kind, Model: d.Model, Edits: d.Edits})
	}
}

// view is the context that the transcript has.
func (t transcript) view() durable.ContextView {
	view := durable.ContextView{Entries: t}
	for _, e := range t {
		view.Messages = append(view.Messages, e.Model...)
	}
	return view
}

func drafted(t testing.TB, drafts []durable.EntryDraft) (all []string) {
	t.Helper()
	for _, d := range drafts {
		text, err := message.Encode(d.Model[0])
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, string(text))
	}
	return all
}

func TestOnlyWhatChangedOfThePromptIsWritten(t *testing.T) {
	ab := state([][2]string{{"a", "1"}, {"b", "1"}}, [][2]string{{"x", "1"}, {"y", "1"}})
	for name, c := range map[string]struct {
		desired prompt.State
		want    []string
	}{
		"nothing": {ab, nil},
		"a text":  {state([][2]string{{"a", "2"}, {"b", "1"}}, [][2]string{{"x", "1"}, {"y", "1"}}), []string{`{"role":"system","content":"","sections":{"a":"2"},"timestamp":7}`}},
		"a section goes and one comes": {state([][2]string{{"b", "1"}, {"c", "1"}}, [][2]string{{"x", "1"}, {"y", "1"}}),
			[]string{`{"role":"system","content":"","sections":{"a":null,"c":"1"},"timestamp":7}`}},
		"the order": {state([][2]string{{"b", "1"}, {"a", "1"}}, [][2]string{{"x", "1"}, {"y", "1"}}), []string{
			`{"role":"system","content":"","sections":{"a":null,"b":null},"timestamp":7}`,
			`{"role":"system","content":"","sections":{"b":"1","a":"1"},"timestamp":7}`}},
		"a tool goes": {state([][2]string{{"a", "1"}, {"b", "1"}}, [][2]string{{"y", "1"}}),
			[]string{`{"role":"system","content":"","toolsRemoved":[{"name":"x"}],"timestamp":7}`}},
		"a tool is declared otherwise": {state([][2]string{{"a", "1"}, {"b", "1"}}, [][2]string{{"x", "1"}, {"y", "2"}}),
			[]string{`{"role":"system","content":"","toolsAdded":[{"name":"y","description":"2","parameters":{"type":"object"}}],"toolsRemoved":[{"name":"y"}],"timestamp":7}`}},
		"tools beside sections": {state([][2]string{{"b", "1"}, {"a", "1"}}, [][2]string{{"x", "1"}}), []string{
			`{"role":"system","content":"","sections":{"a":null,"b":null},"timestamp":7}`,
			`{"role":"system","content":"","sections":{"b":"1","a":"1"},"toolsRemoved":[{"name":"y"}],"timestamp":7}`}},
	} {
		t.Run(name, func(t *testing.T) {
			var before transcript
			before.append(prompt.Plan(durable.ContextView{}, ab, 1)...)
			if diff := cmp.Diff(c.want, drafted(t, prompt.Plan(before.view(), c.desired, 7))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheOrderOfToolsIsTheDesiredOne(t *testing.T) {
	var before transcript
	before.append(prompt.Plan(durable.ContextView{}, state(nil, [][2]string{{"x", "1"}, {"y", "1"}}), 1)...)
	desired := state(nil, [][2]string{{"x", "2"}, {"y", "1"}})
	planned := prompt.Plan(before.view(), desired, 7)
	system := planned[0].Model[0].(*message.System)
	if len(planned) != 1 || len(system.ToolsRemoved) != 2 || len(system.ToolsAdded) != 2 {
		t.Fatalf("planned %s", drafted(t, planned))
	}
}

func TestANewBeginningHasAWholePromptAndOmitsEarlierOnes(t *testing.T) {
	ab := state([][2]string{{"a", "1"}}, [][2]string{{"x", "1"}})
	var t1 transcript
	t1.append(prompt.Plan(durable.ContextView{}, ab, 1)...)
	t1.append(durable.EntryDraft{Kind: durable.UserEntry, Model: message.Messages{message.UserText("hi", 1)}})
	t1.append(durable.EntryDraft{Kind: string(durable.CompactionEntry), Model: message.Messages{message.UserText("summary", 1)}})
	view := t1.view()
	view.Head = &t1[2]
	planned := prompt.Plan(view, ab, 7)
	want := []string{`{"role":"system","content":"","sections":{"a":"1"},"toolsAdded":[{"name":"x","description":"1","parameters":{"type":"object"}}],"timestamp":7}`}
	if diff := cmp.Diff(want, drafted(t, planned)); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]record.Edit{{Target: 1, Action: record.Omit}}, planned[0].Edits); diff != "" {
		t.Error(diff)
	}
	t1.append(planned...)
	view = t1.view()
	view.Head = &t1[2]
	view.Messages = view.Messages[1:]
	if again := prompt.Plan(view, ab, 8); len(again) != 0 {
		t.Errorf("planned once more: %s", drafted(t, again))
	}
	if empty := prompt.Plan(durable.ContextView{Head: &t1[2]}, prompt.State{}, 8); len(empty) != 1 {
		t.Errorf("planned %d entries for a prompt without anything after a new beginning", len(empty))
	}
}

func TestWhatIsPlannedLeadsToTheDesiredPrompt(t *testing.T) {
	pairs := func(t *rapid.T, label string) (found [][2]string) {
		for _, i := range rapid.SliceOfNDistinct(rapid.IntRange(0, 5), 0, 5, rapid.ID).Draw(t, label) {
			found = append(found, [2]string{fmt.Sprintf("n%d", i), fmt.Sprint(rapid.IntRange(0, 1).Draw(t, label+" text"))})
		}
		return rapid.Permutation(found).Draw(t, label+" order")
	}
	rapid.Check(t, func(t *rapid.T) {
		var so transcript
		for range rapid.IntRange(1, 6).Draw(t, "prompts") {
			desired := state(pairs(t, "sections"), pairs(t, "tools"))
			planned := prompt.Plan(so.view(), desired, 1)
			so.append(planned...)
			if diff := cmp.Diff(desired, prompt.Shown(so.view().Messages), cmpopts.EquateEmpty()); diff != "" {
				t.Fatal(diff)
			}
			if again := prompt.Plan(so.view(), desired, 1); len(again) != 0 {
				t.Fatalf("planned %d entries more", len(again))
			}
		}
	})
}
