package registry

import (
	"bufio"
	"bytes"
	"encoding/json"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
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

func boundTool(t *testing.T, schema string) *BoundTool {
	t.Helper()
	var cache schemaCache
	compiled, err := cache.object(json.RawMessage(schema))
	if err != nil {
		t.Fatal(err)
	}
	return &BoundTool{Tool: Tool{Name: "T"}, schema: compiled}
}

func TestFlawsStandInTheOrderOfTheArguments(t *testing.T) {
	tool := boundTool(t, `{"type":"object","required":["z","y"],"additionalProperties":false,"properties":{
		"a":{"type":"number"},"b":{"type":"object","required":["k"],"properties":{"k":{},"l":{"type":"boolean"}}},
		"c":{"type":"array","items":{"type":"number"}},"y":{},"z":{}}}`)
	want := []string{
		"y: missing", "z: missing",
		"c.0: expected number, got string", "c.2: expected number, got object",
		"u: unknown field",
		"b.k: missing", "b.l: expected boolean, got string",
		"a: expected number, got string",
	}
	for range 50 { // the validator walks maps
		_, err := tool.Validate(json.RawMessage(`{"c":["x",1,{}],"u":1,"b":{"l":"perhaps"},"a":"x"}`))
		invalid, ok := err.(*ArgumentsError)
		if !ok {
			t.Fatalf("error = %v", err)
		}
		if diff := cmp.Diff(want, invalid.Flaws); diff != "" {
			t.Fatalf("flaws (-want +got):\n%s", diff)
		}
	}
}

func TestArgumentsThatNoSchemaCanJudge(t *testing.T) {
	tool := boundTool(t, `{"type":"object","properties":{"n":{"type":"number","minimum":0},"i":{"type":"integer"}}}`)
	for _, arguments := range []string{
		`{`, `{} {}`, "\xff", `{"n":1e999}`, `{"n":1e99999999999}`, `{"i":"1e400"}`, `{"n":-1e999999}`, strings.Repeat(`{"a":`, 20_000),
	} {
		got, err := tool.Validate(json.RawMessage(arguments))
		if _, ok := err.(*ArgumentsError); !ok {
			t.Errorf("%.40s gave %.40s, %v", arguments, got, err)
		}
	}
}

func TestFittingArgumentsKeepTheirBytes(t *testing.T) {
	tool := boundTool(t, `{"type":"object","properties":{"n":{"type":"number"}}}`)
	for _, arguments := range []string{`{"n": 1.50, "<b>": "\u00e4"}`, `{"z":1,"a":{"y":2,"b":3}}`, `{"n":12345678901234567890}`} {
		got, err := tool.Validate(json.RawMessage(arguments))
		if err != nil || string(got) != arguments {
			t.Errorf("%s became %s, %v", arguments, got, err)
		}
	}
}

// unionsInUnions is a schema whose validation costs two to the power of the
// depth.
const unionsInUnions = `{"type":"object","properties":{"v":{"$ref":"#/$defs/t"}},"$defs":{"t":{"anyOf":[
	{"type":"object","required":["l","a"],"properties":{"l":{"$ref":"#/$defs/t"},"a":{"const":1}}},
	{"type":"object","required":["l","b"],"properties":{"l":{"$ref":"#/$defs/t"},"b":{"const":2}}}]}}}`

func nested(depth int) map[string]any {
	value := any("end")
	for range depth {
		value = map[string]any{"l": value}
	}
	return map[string]any{"v": value}
}

func TestCoercionHasABoundedCost(t *testing.T) {
	tool := boundTool(t, unionsInUnions)
	c := &coercer{left: maxCoercion}
	c.value(tool.schema, nested(14))
	if c.left > 0 {
		t.Errorf("%d of %d is left: the value does not reach the bound", c.left, maxCoercion)
	}
}

func TestArgumentsThatWouldTakeForEverAreRefused(t *testing.T) {
	tool := boundTool(t, unionsInUnions)
	text, err := json.Marshal(nested(200))
	if err != nil {
		t.Fatal(err)
	}
	_, err = tool.Validate(text)
	if err == nil || !strings.Contains(err.Error(), "root: nested too deep") {
		t.Errorf("error = %v", err)
	}
	list := boundTool(t, `{"type":"object","properties":{"l":{"$ref":"#"}}}`)
	if _, err := list.Validate([]byte(strings.Repeat(`{"l":`, 900) + `{}` + strings.Repeat(`}`, 900))); err != nil {
		t.Errorf("a deep value that costs little is refused: %v", err)
	}
}

func TestAPatternThatTakesTooLongRefusesTheValue(t *testing.T) {
	re, err := compilePattern(`^(?=(a+)+$)b`) // look-ahead: only the engine that backtracks takes it
	if err != nil {
		t.Fatal(err)
	}
	slow, ok := re.(*backtracking)
	if !ok {
		t.Fatalf("compiled by %T", re)
	}
	slow.MatchTimeout = time.Millisecond
	if slow.MatchString(strings.Repeat("a", 40) + "!") {
		t.Error("it matches")
	}
}

// TestValidatedArgumentsStayAsTheyAre: what Validate gives is valid, and
// validating it again changes nothing.
func TestValidatedArgumentsStayAsTheyAre(t *testing.T) {
	tool := boundTool(t, `{"type":"object","additionalProperties":false,"properties":{
		"n":{"type":"number"},"i":{"type":"integer","maximum":9},"s":{"type":"string","minLength":1},"b":{"type":"boolean"},
		"l":{"type":"array","items":{"type":["integer","null"]}},"e":{"enum":["1",2,true,null]},
		"u":{"anyOf":[{"type":"object","required":["i"],"properties":{"i":{"type":"integer"}}},{"type":"boolean"},{"type":"string"}]}}}`)
	rapid.Check(t, func(t *rapid.T) {
		var draw func(depth int) any
		draw = func(depth int) any {
			switch kind := rapid.IntRange(0, 7).Draw(t, "kind"); {
			case kind == 0:
				return nil
			case kind == 1:
				return rapid.Bool().Draw(t, "bool")
			case kind == 2:
				return rapid.Float64Range(-10, 1e22).Draw(t, "float")
			case kind == 3:
				return rapid.IntRange(-3, 12).Draw(t, "int")
			case kind <= 5 || depth == 0:
				return rapid.SampledFrom([]string{"", "1", "2.5", "true", "FALSE", "null", "x", " 7 ", "0x1f", "1e3", "007", "-0", "."}).Draw(t, "text")
			case kind == 6:
				return rapid.SliceOfN(rapid.Custom(func(*rapid.T) any { return draw(depth - 1) }), 0, 3).Draw(t, "list")
			}
			object := map[string]any{}
			for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"n", "i", "s", "b", "l", "e", "u"}), 0, 4).Draw(t, "names") {
				object[name] = draw(depth - 1)
			}
			return object
		}
		object := map[string]any{}
		for _, name := range []string{"n", "i", "s", "b", "l", "e", "u"} {
			if rapid.Bool().Draw(t, name) {
				object[name] = draw(2)
			}
		}
		text, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		once, err := tool.Validate(text)
		if err != nil {
			if _, again := tool.Validate(text); again == nil || again.Error() != err.Error() {
				t.Fatalf("%s: %v, then %v", text, err, again)
			}
			return
		}
		if twice, err := tool.Validate(once); err != nil || string(twice) != string(once) {
			t.Fatalf("%s became %s, then %s, %v", text, once, twice, err)
		}
		var value any
		decoder := json.NewDecoder(bytes.NewReader(once))
		decoder.UseNumber()
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
		if err := tool.schema.Validate(value); err != nil {
			t.Fatalf("%s became %s: %v", text, once, err)
		}
	})
}
