package registry_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/registry"
)

func TestACallingToolGetsTheStructuredOutputThatFits(t *testing.T) {
	schema := json.RawMessage(`{"type":"object","properties":{"n":{"type":"integer"}},"required":["n"]}`)
	tests := []struct {
		name   string
		schema json.RawMessage
		value  string
		want   string
		fails  string
	}{
		{"its text, without a schema", nil, `{"n":1}`, `"text <b>"`, ""},
		{"the value", schema, `{"n":1}`, `{"n":1}`, ""},
		{"a value that does not fit", schema, `{"n":"x"}`, "", `the structured output of tool "act" does not fit its schema: n: expected integer, got string`},
		{"a value that is not JSON", schema, `{`, "", "not JSON"},
		{"no value", schema, "", "", `tool "act" gave no structured output`},
		{"a value that is no object", json.RawMessage(`{"type":"array","items":{"type":"number"}}`), `[1,2]`, `[1,2]`, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := echo("act")
			tool.StructuredOutput = test.schema
			g := promote(t, registry.New(registry.Options{}), "c1", world("a", tools(tool)))
			result := registry.TextResult("text <b>")
			if test.value != "" {
				result.StructuredOutput = json.RawMessage(test.value)
			}
			got, err := g.Agent(t.Context(), registry.AgentChoice{}).Tool("act").Structured(result)
			if string(got) != test.want || (err == nil) != (test.fails == "") || err != nil && !strings.Contains(err.Error(), test.fails) {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

// retaining is the part of a runtime that what is published concerns.
type retaining struct{ registry.CallRuntime }

func (retaining) RetainedOutput() (string, error) { return "kept elsewhere", nil }

// TestWhoMakesACallWithARuntimeKeepsWhatItPublishes also shows that publishing ends with
// the call all the same.
func TestWhoMakesACallWithARuntimeKeepsWhatItPublishes(t *testing.T) {
	var late *registry.Call
	tool := echo("act")
	tool.Execute = func(_ context.Context, call *registry.Call) (*registry.Result, error) {
		late = call
		for _, err := range []error{
			call.Output("one"), call.OutputAfter(registry.Skipped{Bytes: 10, Lines: 2, EndsLine: true}, "two"),
			call.Details(json.RawMessage(`1`)), call.Diagnose(registry.Diagnostic{Severity: "info", Message: "m"}),
		} {
			if err != nil {
				t.Error(err)
			}
		}
		if kept, err := call.Retained(); kept != "kept elsewhere" || err != nil {
			t.Errorf("retained %q, %v", kept, err)
		}
		return nil, nil
	}
	g := promote(t, registry.New(registry.Options{}), "c1", world("a", tools(tool)))
	var told []registry.Progress
	call := registry.Call{ID: "1", Tool: "act", Runtime: retaining{}, Progress: func(p registry.Progress) { told = append(told, p) }}
	result := g.Agent(t.Context(), registry.AgentChoice{}).Execute(t.Context(), call)
	if diff := cmp.Diff(&registry.Result{}, result); diff != "" {
		t.Errorf("result (-want +got):\n%s", diff)
	}
	want := []registry.Progress{
		{Output: "one"}, {Output: "two", Skipped: &registry.Skipped{Bytes: 10, Lines: 2, EndsLine: true}},
		{Details: json.RawMessage(`1`)}, {Diagnostic: &registry.Diagnostic{Severity: "info", Message: "m"}},
	}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Errorf("told (-want +got):\n%s", diff)
	}
	if err := late.Output("three"); err == nil || len(told) != len(want) {
		t.Errorf("after the end: %v", err)
	}
}

func TestAToolThatContradictsItselfIsRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*registry.Tool)
		says   string
	}{
		{"an unknown caller", func(t *registry.Tool) { t.Callers = []registry.Caller{"people"} }, `unknown caller "people"`},
		{"a negative limit of bytes", func(t *registry.Tool) { t.OutputLimits.MaxBytes = -1 }, "negative output limit"},
		{"a negative limit of lines", func(t *registry.Tool) { t.OutputLimits.MaxLines = -1 }, "negative output limit"},
		{"an unknown part to retain", func(t *registry.Tool) { t.OutputLimits.Retain = "middle" }, `"middle"`},
		{"a schema of output that is none", func(t *registry.Tool) { t.StructuredOutput = json.RawMessage(`{"type":"thing"}`) }, "invalid schema of its structured output"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			tool := echo("act")
			test.change(&tool)
			g, problems := stage(t, registry.New(registry.Options{}), "c1", world("a", tools(tool))).Validate()
			if g != nil || len(problems) != 1 || !strings.Contains(problems[0].Message, test.says) || problems[0].Position.File == "" {
				t.Errorf("got %v", problems)
			}
		})
	}
	if got := (registry.OutputLimits{MaxLines: 7}).WithDefaults(); got != (registry.OutputLimits{MaxBytes: 51200, MaxLines: 7}) {
		t.Errorf("defaults %+v", got)
	}
}
