package jsapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

// jsonTexts is what the decoder is compared with JSON.parse on.
var jsonTexts = []string{
	`null`, `true`, `false`, `0`, `-0`, `-0.0`, `1`, `-1`, `12345678901234567890`, `9007199254740993`, `-9007199254740993`,
	`999999999999999`, `1000000000000000`, `1.5`, `1e5`, `1E+5`, `1e-5`, `0.1e1`, `5e-324`, `1e-400`, `1.7976931348623157e308`,
	`123456789012345.678`, `0e0`, `-0e5`,
	`""`, `"a"`, `"\""`, `"\\\/\b\f\n\r\t"`, `"\u0041\u00e9"`, `"żółw"`, `"😀"`, `"\ud83d\ude00"`, `"a\u0000b"`, "\"\u2028\"", `"\u005C"`,
	`[]`, `[1]`, `[1,"a",null,true,[[]],{}]`, ` [ 1 , 2 ] `, "\t\r\n[\n]\n",
	`{}`, `{"a":1}`, `{"b":1,"a":2,"10":3,"9":4}`, `{"a":1,"a":2}`, `{"a":1,"b":2,"a":3}`, `{"":1}`, `{ "a" : { "b" : [ ] } }`,
	`{"__proto__":1}`, `{"__proto__":{"x":1},"y":2}`, `{"toString":1,"constructor":{},"hasOwnProperty":null}`, `{"\u0061":1,"a\nb":2}`, `{"ż":1}`,
	``, ` `, `nul`, `nulll`, `tru`, `True`, `undefined`, `NaN`, `Infinity`, `-`, `+1`, `01`, `-01`, `1.`, `.5`, `1e`, `1e+`, `0x1`, `1_000`, `--1`,
	`"`, `"a`, `"\"`, `"\x41"`, `"\u12"`, `"\u12g4"`, `"\`, "\"\n\"", "\"\t\"", "\"\x00\"", `'a'`,
	`[`, `[1`, `[1,`, `[1,]`, `[,1]`, `[1 2]`, `]`, `{`, `{"a"`, `{"a":`, `{"a":1`, `{"a":1,`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a" 1}`, `{"a":1 "b":2}`, `}`,
	`1 2`, `[] []`, `null,`, `/* */ 1`, "\ufeff1", "\u00a01",
}

// decoded is what the decoder makes of a text, as JSON.stringify shows it, with
// the sign of zeros.
func decoded(t testing.TB, iso *Isolate, text string) (shown string, err error) {
	t.Helper()
	onLoop(t, iso, func() {
		var value goja.Value
		if value, err = iso.decodeJSON([]byte(text)); err == nil {
			shown = show(t, iso, value)
		}
	})
	return shown, err
}

// parsed is the same of JSON.parse.
func parsed(t testing.TB, iso *Isolate, text string) (shown string, err error) {
	t.Helper()
	onLoop(t, iso, func() {
		parse := raw(iso.runtime.Get("JSON").ToObject(iso.runtime).Get("parse"))
		var value goja.Value
		if value, err = iso.intrinsics.call(parse, goja.Undefined(), iso.runtime.ToValue(text)); err == nil {
			shown = show(t, iso, value)
		}
	})
	return shown, err
}

func show(t testing.TB, iso *Isolate, value goja.Value) string {
	const signs = `(key, value) => Object.is(value, -0) ? "negative zero" : value`
	replacer, err := iso.runtime.RunString(signs)
	if err != nil {
		t.Fatal(err)
	}
	text, err := iso.intrinsics.call(iso.intrinsics.stringify, goja.Undefined(), value, replacer)
	if err != nil {
		t.Fatal(err)
	}
	return text.String()
}

func TestDecoderAgreesWithJSONParse(t *testing.T) {
	iso := newIsolate(t, Options{})
	for _, text := range jsonTexts {
		if text == "" {
			continue // undefined, by contract
		}
		got, err := decoded(t, iso, text)
		want, wantErr := parsed(t, iso, text)
		if got != want || (err == nil) != (wantErr == nil) {
			t.Errorf("%q = %s, %v; JSON.parse gives %s, %v", text, got, err, want, wantErr)
		}
	}
}

// Where the decoder differs from the engine's JSON.parse it follows the
// specification, or a rule of its own.
func TestDecoderBeyondJSONParse(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const check = (text: unknown, condition: string) => new Function("x", "return " + condition)(text);`)
	for _, test := range []struct{ rule, text, condition string }{
		{"a lone surrogate stays one", `"a\ud800"`, `x.length === 2 && x.charCodeAt(1) === 0xd800`},
		{"surrogates in the wrong order stay apart", `"\ude00\ud83d"`, `x.length === 2`},
		{"a lone surrogate in a name becomes U+FFFD", `{"\ud800": 1}`, `Object.keys(x)[0] === "\ufffd"`},
		{"a number that is too large is infinite", `[1e400, -1e400]`, `x[0] === Infinity && x[1] === -Infinity`},
		{"invalid UTF-8 becomes U+FFFD", "\"a\xffb\"", `x === "a\ufffdb"`},
		{"invalid UTF-8 beside an escape too", "\"\\n\xff\"", `x === "\n\ufffd"`},
		{"nesting at the limit", strings.Repeat("[", 500) + strings.Repeat("]", 500), `Array.isArray(x)`},
	} {
		if got := call(t, iso, ns, "check", json.RawMessage(test.text), test.condition); got != true {
			t.Errorf("%s: %s is not true of %q", test.rule, test.condition, test.text)
		}
	}
}

func TestDecoderSaysWhereTextIsWrong(t *testing.T) {
	iso := newIsolate(t, Options{})
	for _, test := range []struct{ text, want string }{
		{`{"a": tru}`, `decode JSON: byte 6: 't' where a value must follow`},
		{`[1, 2`, `decode JSON: byte 5: the text ends where a comma or ] must follow`},
		{`{"a" 1}`, `decode JSON: byte 5: '1' where a colon must follow`},
		{`{a: 1}`, `decode JSON: byte 1: 'a' where a member name in double quotes must follow`},
		{`[1] x`, `decode JSON: byte 4: the text goes on after the value`},
		{`[01]`, `decode JSON: byte 1: a number with a leading zero`},
		{`"\q"`, `decode JSON: byte 2: 'q' where an escape must follow`},
		{"\"a\nb\"", `decode JSON: byte 2: a control character in a string`},
		{strings.Repeat("[", 501), `decode JSON: byte 500: nested deeper than 500`},
		{strings.Repeat(`{"a":`, 100_000), `decode JSON: byte 2500: nested deeper than 500`},
	} {
		_, err := decoded(t, iso, test.text)
		var broken *JSONError
		if !errors.As(err, &broken) || err.Error() != test.want {
			t.Errorf("%.40q: %v, want %s", test.text, err, test.want)
		}
	}
}

func TestDecodedMembersIgnoreWhatObjectPrototypeHas(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		Object.freeze(Object.prototype);
		export const check = (x: any) => Object.keys(x).join() + x.toString;
	`)
	if got := call(t, iso, ns, "check", json.RawMessage(`{"toString": "own", "__proto__": 1}`)); got != "toString,__proto__own" {
		t.Errorf("got %v", got)
	}
}

func FuzzDecodeJSON(f *testing.F) {
	for _, text := range jsonTexts {
		f.Add([]byte(text))
	}
	iso := newIsolate(f, Options{})
	f.Fuzz(func(t *testing.T, text []byte) {
		if len(text) == 0 || bytes.Count(text, []byte("["))+bytes.Count(text, []byte("{")) > 400 {
			return
		}
		got, err := decoded(t, iso, string(text))
		if valid := json.Valid(text); valid != (err == nil) {
			t.Fatalf("%q: valid is %v, error is %v", text, valid, err)
		}
		if err != nil || bytes.Contains(bytes.ToLower(text), []byte(`\ud`)) {
			return // the engine replaces lone surrogates
		}
		want, err := parsed(t, iso, string(text))
		if err != nil {
			return // a number that is too large for the engine
		}
		if got != want {
			t.Errorf("%q = %s; JSON.parse gives %s", text, got, want)
		}
	})
}

// A result in JSON form and data as JSON agree about what is left out.
func TestMarshalDataIsJSONStringify(t *testing.T) {
	iso := newIsolate(t, Options{})
	for _, code := range []string{
		`null`, `[undefined, () => 1, NaN, Infinity, -0, 1.5, 1e21, 1e-7, 123456789012]`, `({ a: undefined, b: () => 1, c: null, "": 1 })`,
		`"<a> & \u2028 \u0000 \" \\ \u{1f600}"`, `new Date(1234567890123)`, `new Date(NaN)`, `[new Map([[1, 2]]), new Set([1])]`,
		`({ z: 1, a: [{}, []] })`, `[true, false]`, `[5e-324, 1e300, 0.1, 100, 1e20]`, `[new Date(8.64e15), new Date(-8.64e15)]`,
	} {
		ns := evaluate(t, iso, fmt.Sprintf("export const make = (): unknown => (%s);", code))
		job := testJob
		job.Result = AsJSON
		want, err := iso.Call(t.Context(), job, ns.Method("make"))
		if err != nil {
			t.Fatal(err)
		}
		got, err := MarshalData(call(t, iso, ns, "make"))
		if err != nil || string(got) != string(want.(json.RawMessage)) {
			t.Errorf("%s = %s, %v; JSON.stringify gives %s", code, got, err, want)
		}
	}
}
