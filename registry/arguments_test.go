package registry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// argumentsCase is one line of testdata/arguments.jsonl: what pi-ai 1.6.0 makes
// of arguments, and, where this package departs from it on purpose, what is
// expected instead.
type argumentsCase struct {
	Schema    json.RawMessage `json:"schema"`
	Arguments json.RawMessage `json:"arguments"`
	Value     json.RawMessage `json:"value"`
	Errors    []string        `json:"errors"`
	Departs   *struct {
		Why    string          `json:"why"`
		Value  json.RawMessage `json:"value"`
		Errors []string        `json:"errors"`
	} `json:"departs"`
}

func TestArgumentsAreValidatedAsByPiAI(t *testing.T) {
	text, err := os.ReadFile("testdata/arguments.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	var cache schemaCache
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 1<<20)
	for n := 1; lines.Scan(); n++ {
		var c argumentsCase
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatalf("line %d: %v", n, err)
		}
		want, wantErrors := c.Value, c.Errors
		if c.Departs != nil {
			want, wantErrors = c.Departs.Value, c.Departs.Errors
		}
		schema, err := cache.object(c.Schema)
		if err != nil {
			t.Errorf("line %d: %v", n, err)
			continue
		}
		tool := &BoundTool{Tool: Tool{Name: "T"}, schema: schema}
		got, err := tool.Validate(c.Arguments)
		var gotErrors []string
		if invalid, ok := err.(*ArgumentsError); ok {
			gotErrors = invalid.Flaws
		} else if err != nil {
			t.Errorf("line %d: %v is no *ArgumentsError", n, err)
		}
		slices.Sort(gotErrors)
		slices.Sort(wantErrors)
		if diff := cmp.Diff(wantErrors, gotErrors); diff != "" {
			t.Errorf("line %d: %s\nerrors (-want +got):\n%s", n, c.Arguments, diff)
		}
		if diff := cmp.Diff(decoded(t, want), decoded(t, got)); diff != "" {
			t.Errorf("line %d: %s\nvalue (-want +got):\n%s", n, c.Arguments, diff)
		}
	}
}

func decoded(t *testing.T, text json.RawMessage) any {
	t.Helper()
	if text == nil {
		return nil
	}
	var v any
	if err := json.Unmarshal(text, &v); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}
