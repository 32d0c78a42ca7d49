package value_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/value"
)

func TestEqualMindsTheOrderOfMembers(t *testing.T) {
	many := func(first, second string) string {
		var b strings.Builder
		for i := range 30 {
			b.WriteString(`,"k` + strings.Repeat("k", i) + `":[]`)
		}
		return `{"` + first + `":1,"` + second + `":1` + b.String() + `}`
	}
	for _, c := range []struct {
		a, b              string
		equal, equivalent bool
	}{
		{`null`, `null`, true, true},
		{`null`, `false`, false, false},
		{`0`, `-0`, true, true},
		{`1`, `"1"`, false, false},
		{`1`, `[1]`, false, false},
		{`[1]`, `1`, false, false},
		{`{}`, `[]`, false, false},
		{`[]`, `{}`, false, false},
		{`[1,[2,{}]]`, `[1,[2,{}]]`, true, true},
		{`[1,2]`, `[2,1]`, false, false},
		{`[1]`, `[1,2]`, false, false},
		{`{"a":1,"b":[{}]}`, `{"a":1,"b":[{}]}`, true, true},
		{`{"a":1,"b":2}`, `{"b":2,"a":1}`, false, true},
		{`{"a":1,"b":2}`, `{"b":1,"a":2}`, false, false},
		{`{"a":1}`, `{"b":1}`, false, false},
		{`{"a":1}`, `{"a":1,"b":1}`, false, false},
		{`{"a":null}`, `{}`, false, false},
		{`[{"a":{"x":1,"y":2}}]`, `[{"a":{"y":2,"x":1}}]`, false, true},
		{many("a", "b"), many("a", "b"), true, true},
		{many("a", "b"), many("b", "a"), false, true},
		{many("a", "b"), many("a", "c"), false, false},
	} {
		a, b := parse(t, c.a), parse(t, c.b)
		if got := value.Equal(a, b); got != c.equal {
			t.Errorf("Equal(%s, %s) = %v", c.a, c.b, got)
		}
		if got := value.Equivalent(a, b); got != c.equivalent {
			t.Errorf("Equivalent(%s, %s) = %v", c.a, c.b, got)
		}
		if !value.Equal(a, a) || !value.Equivalent(b, b) {
			t.Errorf("%s or %s does not equal itself", c.a, c.b)
		}
	}
	for _, v := range []value.Value{value.Null{}, value.Array{}, value.NewObject()} {
		if value.Equal(v, nil) || value.Equal(nil, v) {
			t.Errorf("%s equals nothing", value.Kind(v))
		}
	}
	if !value.Equal(nil, nil) || !value.Equal(value.Array(nil), value.Array{}) || !value.Equal((*value.Object)(nil), value.NewObject()) {
		t.Error("what is empty does not equal what is empty")
	}
}

func TestSizeDeeperAndKind(t *testing.T) {
	for _, c := range []struct {
		text        string
		size, depth int
		kind        string
	}{
		{`null`, 4, 0, "null"},
		{`true`, 4, 0, "boolean"},
		{`12`, 8, 0, "number"},
		{`"ab"`, 4, 0, "string"},
		{`[]`, 2, 1, "array"},
		{`["ab",[null]]`, 15, 2, "array"},
		{`{}`, 2, 1, "object"},
		{`{"ab":{"c":[]}}`, 17, 3, "object"},
	} {
		v := parse(t, c.text)
		if got := value.Size(v); got != c.size {
			t.Errorf("Size(%s) = %d", c.text, got)
		}
		if !value.Within(v, c.size) || value.Within(v, c.size-1) || value.Within(v, -1) {
			t.Errorf("%s is not within its size of %d alone", c.text, c.size)
		}
		if value.Deeper(v, c.depth) || value.Deeper(v, c.depth-1) != (c.depth > 0) {
			t.Errorf("%s is not %d levels deep", c.text, c.depth)
		}
		if got := value.Kind(v); got != c.kind {
			t.Errorf("Kind(%s) = %s", c.text, got)
		}
	}
	if got := value.Kind(nil); got != "nothing" {
		t.Error(got)
	}
}

func TestLookupFollowsAPath(t *testing.T) {
	v := parse(t, `{"a":[{"b c":1},null],"0":2}`)
	for _, c := range []struct {
		path value.Path
		text string
		want value.Value
	}{
		{nil, "the root", v},
		{value.Path{value.Key("a"), value.Index(0), value.Key("b c")}, `a[0]["b c"]`, value.Number(1)},
		{value.Path{value.Key("a"), value.Index(1)}, "a[1]", value.Null{}},
		{value.Path{value.Key("0")}, `["0"]`, value.Number(2)},
		{value.Path{value.Index(0)}, "[0]", nil},
		{value.Path{value.Key("a"), value.Key("0")}, `a["0"]`, nil},
		{value.Path{value.Key("a"), value.Index(2)}, "a[2]", nil},
		{value.Path{value.Key("a"), value.Index(-1)}, "a[-1]", nil},
		{value.Path{value.Key("x$_9"), value.Key("")}, `x$_9[""]`, nil},
		{value.Path{value.Key("0"), value.Key("ä")}, `["0"]["ä"]`, nil},
	} {
		got, ok := value.Lookup(v, c.path...)
		if ok != (c.want != nil) || !value.Equal(got, c.want) {
			t.Errorf("%s: %v, %v", c.path, got, ok)
		}
		if c.path.String() != c.text {
			t.Errorf("%s, want %s", c.path, c.text)
		}
	}
	if _, ok := value.Lookup(nil); ok {
		t.Error("there is something in nothing")
	}
	path, err := json.Marshal(value.Path{value.Key("a"), value.Index(3)})
	if err != nil || string(path) != `["a",3]` {
		t.Error(string(path), err)
	}
}

func TestOfIsWhatGoWritesAsJSON(t *testing.T) {
	type inner struct {
		B   int    `json:"b"`
		A   string `json:"a"`
		Not *int   `json:"not,omitempty"`
	}
	o := value.NewObject(value.Member{Key: "z", Value: value.Null{}})
	for _, c := range []struct {
		from any
		want string
	}{
		{nil, `null`},
		{(*int)(nil), `null`},
		{true, `true`},
		{int64(1 << 53), `9007199254740992`},
		{"<&>\u2028", "\"<&>\u2028\""},
		{"a\xffb", `"a` + "\ufffd" + `b"`},
		{[]byte("ab"), `"YWI="`},
		{inner{B: 1, A: "x"}, `{"b":1,"a":"x"}`},
		{map[string]int{"b": 1, "a": 2}, `{"a":2,"b":1}`},
		{o, `{"z":null}`},
		{value.JSON{Value: o}, `{"z":null}`},
		{value.JSON{}, `null`},
		{json.RawMessage(` {"z": 1, "a": "\ud83d"} `), `{"z":1,"a":"\ud83d"}`},
		{struct {
			V value.Value
			J value.JSON `json:"j,omitzero"`
		}{V: value.Array{o, value.String("\xed\xa0\xbd<")}}, `{"V":[{"z":null},"\ud83d<"]}`},
	} {
		v, err := value.Of(c.from)
		if err != nil || string(value.Marshal(v)) != c.want {
			t.Errorf("%#v: %s, %v", c.from, value.Marshal(v), err)
		}
	}
	if v, err := value.Of(o); err != nil || v != value.Value(o) {
		t.Error("a value was copied", err)
	}
}

func TestOfRefusesWhatIsNoValue(t *testing.T) {
	var unsupported *json.UnsupportedValueError
	var kind *json.UnsupportedTypeError
	var wrong *value.ParseError
	for _, c := range []struct {
		from any
		as   any
		text string
	}{
		{math.NaN(), &unsupported, "value of a float64: json: unsupported value: NaN"},
		{make(chan int), &kind, "value of a chan int: json: unsupported type: chan int"},
		{map[string]int64{"a": 1<<53 + 1}, &wrong, "value of a map[string]int64: json: at a (byte 5): a float64 cannot hold the integer 9007199254740993"},
		{json.RawMessage(`[1,]`), &wrong, "json: at [1] (byte 3): this does not start a value"},
	} {
		v, err := value.Of(c.from)
		if v != nil || err == nil || err.Error() != c.text || !errors.As(err, c.as) {
			t.Errorf("%v, %v, want %s", v, err, c.text)
		}
	}
}

func TestDecodeStoresAValueInGo(t *testing.T) {
	v := parse(t, `{"a":[1,2],"b":{"z":1,"y":2}}`)
	var into struct {
		A []int
		B value.JSON
	}
	if err := value.Decode(v, &into); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]int{1, 2}, into.A); diff != "" {
		t.Error(diff)
	}
	if got := string(value.Marshal(into.B.Value)); got != `{"z":1,"y":2}` {
		t.Error(got)
	}
	var same value.Value
	var field value.JSON
	if err := errors.Join(value.Decode(v, &same), value.Decode(v, &field)); err != nil || same != v || field.Value != v {
		t.Error("a value did not decode into itself", err)
	}
	var text string
	if err := value.Decode(value.String("a\xed\xa0\xbd"), &text); err != nil || text != "a\ufffd" {
		t.Errorf("%q %v", text, err)
	}
	var typed *json.UnmarshalTypeError
	if err := value.Decode(value.Number(1), &text); !errors.As(err, &typed) || !strings.HasPrefix(err.Error(), "decode a value of kind number into a *string: ") {
		t.Error(err)
	}
	var wrong *value.ParseError
	if err := json.Unmarshal([]byte(`[12345678901234567]`), &field); !errors.As(err, &wrong) {
		t.Error(err)
	}
}

func TestValuesAreJSONInsideOfStructs(t *testing.T) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	all := []value.Value{value.Null{}, value.Bool(true), value.Number(math.Copysign(0, -1)), value.Number(1e21), value.String("<\xed\xa0\xbd"), value.Array(nil), value.NewObject(), nil}
	if err := encoder.Encode(struct{ All []value.Value }{all}); err != nil {
		t.Fatal(err)
	}
	if want := `{"All":[null,true,0,1e+21,"<\ud83d",[],{},null]}` + "\n"; text.String() != want {
		t.Error(text.String())
	}
}

func TestNumbersThatAreNoneBecomeNull(t *testing.T) {
	got := value.Marshal(value.Array{value.Number(math.NaN()), value.Number(math.Inf(-1)), nil})
	if string(got) != "[null,null,null]" {
		t.Error(string(got))
	}
}
