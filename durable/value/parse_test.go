package value_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/value"
)

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func TestParsedTextIsWrittenCanonically(t *testing.T) {
	for _, c := range []struct{ text, canonical string }{
		{" null ", "null"},
		{"\ttrue\n", "true"},
		{"false\r", "false"},
		{"0", "0"},
		{"-0", "0"},
		{"-0.0", "0"},
		{"1.50", "1.5"},
		{"-12e1", "-120"},
		{"1E40", "1e+40"},
		{"1e21", "1e+21"},
		{"1e20", "100000000000000000000"},
		{"123456789012345680000", "123456789012345680000"},
		{"0.000001", "0.000001"},
		{"0.0000001", "1e-7"},
		{"1.5e-10", "1.5e-10"},
		{"5e-324", "5e-324"},
		{"1e-400", "0"},
		{"1.7976931348623157e308", "1.7976931348623157e+308"},
		{"9007199254740991", "9007199254740991"},
		{"9007199254740992", "9007199254740992"},
		{"-9007199254740994", "-9007199254740994"},
		{"1152921504606846976", "1152921504606847000"},
		{"1152921504606847000", "1152921504606847000"},
		{"9007199254740993.0", "9007199254740992"},
		{`""`, `""`},
		{`"\u0061\/\"\\\b\f\n\r\t\u000B"`, `"a/\"\\\b\f\n\r\t\u000b"`},
		{"\"\u2028\u007f<>&\"", "\"\u2028\u007f<>&\""},
		{`"\u20ac\uD83D\uDE00"`, `"€😀"`},
		{`"\ud83d"`, `"\ud83d"`},
		{`"\ude00\ud83d\ud83d\ude00"`, `"\ude00\ud83d😀"`},
		{`"\ud83d\u0041"`, `"\ud83dA"`},
		{"\"\xff\"", "\"\ufffd\""},
		{"\"a\xe2\x82b\"", "\"a\ufffdb\""},
		{"\"\xed\xa0\x80\"", "\"\ufffd\ufffd\ufffd\""},
		{"\"\xf0\x9f\x98\"", "\"\ufffd\""},
		{"\"\xc0\x80\"", "\"\ufffd\ufffd\""},
		{" [ ] ", "[]"},
		{"[1, [2],{}]", "[1,[2],{}]"},
		{`{ "b" : 1 , "a" : { "" : null } }`, `{"b":1,"a":{"":null}}`},
		{`{"2":1,"1":2}`, `{"2":1,"1":2}`},
		{`{"a":1,"b":2,"a":3}`, `{"a":3,"b":2}`},
		{`{"__proto__":1,"constructor":{"prototype":2}}`, `{"__proto__":1,"constructor":{"prototype":2}}`},
		{strings.Repeat("[", 1000) + strings.Repeat("]", 1000), strings.Repeat("[", 1000) + strings.Repeat("]", 1000)},
	} {
		got := string(value.Marshal(parse(t, c.text)))
		if got != c.canonical {
			t.Errorf("%q is written %s, want %s", c.text, got, c.canonical)
		}
		if again := string(value.Marshal(parse(t, got))); again != got {
			t.Errorf("%s becomes %s when it is read and written again", got, again)
		}
	}
}

func TestParseSaysWhatIsWrongAndWhere(t *testing.T) {
	for _, c := range []struct {
		text, path string
		offset     int
		reason     string
	}{
		{"", "the root", 0, "the text ends where a value is expected"},
		{"  ", "the root", 2, "the text ends where a value is expected"},
		{"nul", "the root", 0, "this does not start a value"},
		{"\x00", "the root", 0, "this does not start a value"},
		{"\ufeff1", "the root", 0, "this does not start a value"},
		{"NaN", "the root", 0, "this does not start a value"},
		{"1 2", "the root", 2, "more follows the end of the value"},
		{"truex", "the root", 4, "more follows the end of the value"},
		{"01", "the root", 0, "a number may not start with 0"},
		{"[-01]", "[0]", 1, "a number may not start with 0"},
		{"-", "the root", 1, "a digit is missing"},
		{"1.", "the root", 2, "a digit is missing"},
		{"1e+", "the root", 3, "a digit is missing"},
		{"+1", "the root", 0, "this does not start a value"},
		{`{"a":[0,9007199254740993]}`, "a[1]", 8, "a float64 cannot hold the integer 9007199254740993"},
		{`{"a b":-12345678901234567890}`, `["a b"]`, 7, "a float64 cannot hold the integer -12345678901234567890"},
		{"[1e400]", "[0]", 1, "the number is too large for a float64"},
		{"-1e400", "the root", 0, "the number is too large for a float64"},
		{`"a`, "the root", 2, "the text ends inside of a string"},
		{`"a\`, "the root", 2, "the text ends inside of a string"},
		{"\"a\n\"", "the root", 2, "a control character in a string must be escaped"},
		{`"\x"`, "the root", 1, "this escape does not exist in JSON"},
		{`"\u12g4"`, "the root", 1, `\u needs four hexadecimal digits`},
		{`"\u12`, "the root", 1, `\u needs four hexadecimal digits`},
		{"[1", "[1]", 2, "a comma or ] is missing"},
		{"[1 2]", "[1]", 3, "a comma or ] is missing"},
		{"[1,]", "[1]", 3, "this does not start a value"},
		{"[,1]", "[0]", 1, "this does not start a value"},
		{`{"a":{"b" 1}}`, "a.b", 10, "a colon is missing"},
		{`{"a":1 "b":2}`, "the root", 7, "a comma or } is missing"},
		{`{"a":1,}`, "the root", 7, "a key in quotation marks is missing"},
		{"{a:1}", "the root", 1, "a key in quotation marks is missing"},
		{`{"a":1`, "the root", 6, "a comma or } is missing"},
		{strings.Repeat("[", 1001) + strings.Repeat("]", 1001), "the root" + strings.Repeat("[0]", 1000), 1000, "values nest too deeply"},
	} {
		v, err := value.Parse([]byte(c.text))
		var wrong *value.ParseError
		if !errors.As(err, &wrong) {
			t.Errorf("%q: %v, %v", c.text, v, err)
			continue
		}
		want := "the root"
		if path := strings.TrimPrefix(c.path, "the root"); path != "" {
			want = path
		}
		got := []any{wrong.Path.String(), wrong.Offset, wrong.Reason}
		if diff := cmp.Diff([]any{want, c.offset, c.reason}, got); diff != "" {
			t.Errorf("%.60q: %s", c.text, diff)
		}
	}
}

func TestAParserHasALimitOfItsOwn(t *testing.T) {
	two := value.Parser{MaxDepth: 2}
	if _, err := two.Parse([]byte(`[[1],[2]]`)); err != nil {
		t.Error(err)
	}
	if _, err := two.Parse([]byte(`[[1],[[2]]]`)); err == nil {
		t.Error("three levels were read")
	}
}

func TestRoundingReadsWhatAFloatDoesNotHold(t *testing.T) {
	rounding := value.Parser{Round: true}
	for text, want := range map[string]string{
		"9007199254740993":     "9007199254740992",
		"12345678901234567890": "12345678901234567000",
		"1e400":                "1.7976931348623157e+308",
		"-1e400":               "-1.7976931348623157e+308",
		"0.1":                  "0.1",
	} {
		got, err := rounding.Parse([]byte(text))
		if err != nil || string(value.Marshal(got)) != want {
			t.Errorf("%s is read as %s, %v", text, value.Marshal(got), err)
		}
	}
	if _, err := rounding.Parse([]byte("1.")); err == nil {
		t.Error("what is no number is read")
	}
}
