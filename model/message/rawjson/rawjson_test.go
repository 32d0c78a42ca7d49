package rawjson_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// seeds are texts that are JSON and texts that nearly are.
func seeds() []string {
	const long = "0123456789abcdef0123456789abcdef"
	all := []string{
		``, ` `, `null`, `nul`, `nulll`, ` true `, `false`, `tru e`, `0`, `-0`, `01`, `-`, `1.`, `1.5e+3`, `1e`, `1E-7`, `.5`, `+1`, `1 2`, "\ufeff1",
		`""`, `"`, `"\"`, `"\\"`, `"\u12"`, `"\u12aF"`, `"\x"`, "\"a\nb\"", "\"a\x1fb\"", "\"a\x7fb\"", "\"\xff\"", "\"\u2028<>&\"", `"` + long + `"`, `"` + long + `\n` + long + `"`,
		"\"" + long + "\x1f\"", "\"" + strings.Repeat("\u00e9", 9) + "\"", `"` + long,
		`[]`, `[ ]`, `[,]`, `[1,]`, `[1 2]`, `[1, 2 ,3]`, `[`, `[1`, `]`, `{}`, `{ }`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{1:1}`, `{"a" : [ {"b":"c d"} ] , "a":2}`, `{"a":1`,
		" \t\r\n[ \"x y\" , { \"k\" :\t-1.5E+2 } ]\n", `{"a":1}}`, `[1]]`, "[1\v]", `"a" "b"`,
		strings.Repeat("[", 9_999) + strings.Repeat("]", 9_999), strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001),
		strings.Repeat(`{"a":`, 10_000) + `1` + strings.Repeat("}", 10_000), strings.Repeat(`{"a":`, 10_001) + `1` + strings.Repeat("}", 10_001),
	}
	for b := range 256 { // at the ends of a word and behind it
		for _, at := range []int{0, 7, 8} {
			text := []byte(`"` + strings.Repeat("x", 10) + `"`)
			text[at+1] = byte(b)
			all = append(all, string(text))
		}
	}
	return all
}

// FuzzCompactIsThatOfTheStandardLibrary compares texts as they are and with white
// space around everything.
func FuzzCompactIsThatOfTheStandardLibrary(f *testing.F) {
	for _, seed := range seeds() {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		given := bytes.Clone(text)
		var want bytes.Buffer
		valid := json.Compact(&want, text) == nil
		got, ok := rawjson.Compact(text)
		if ok != valid || ok && !bytes.Equal(got, want.Bytes()) {
			t.Fatalf("%q: got %q %v, want %q %v", text, got, ok, want.Bytes(), valid)
		}
		appended, ok := rawjson.AppendCompact([]byte("before"), text)
		if string(appended) != "before"+want.String()[:len(appended)-len("before")] || ok != valid || ok != (len(appended) > len("before")) {
			t.Fatalf("%q: appended %q %v, want %q %v", text, appended, ok, want.Bytes(), valid)
		}
		if !bytes.Equal(text, given) {
			t.Fatalf("%q became %q", given, text)
		}
		if valid {
			requireParts(t, got)
		}
	})
}

// requireParts takes a text apart and compares it with what encoding/json reads.
func requireParts(t *testing.T, text []byte) {
	t.Helper()
	if end := rawjson.End(text); end != len(text) {
		t.Fatalf("%q ends at %d", text, end)
	}
	switch text[0] {
	case '"':
		if end := rawjson.StringEnd(text); end != len(text) {
			t.Fatalf("the string %q ends at %d", text, end)
		}
		var want string
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		if got := rawjson.String(text); utf8.Valid(text) && got != want {
			t.Fatalf("%q: got %q, want %q", text, got, want)
		}
	case '[':
		var want, got []json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		err := rawjson.Elements(text, func(element []byte) error {
			got = append(got, element)
			return nil
		})
		if err != nil || !slices.EqualFunc(got, want, func(a, b json.RawMessage) bool { return bytes.Equal(a, b) }) {
			t.Fatalf("%q has %q %v, want %q", text, got, err, want)
		}
	case '{':
		var want map[string]json.RawMessage
		if err := json.Unmarshal(text, &want); err != nil {
			t.Fatal(err)
		}
		got := map[string]json.RawMessage{}
		err := rawjson.Members(text, func(name, value []byte) error {
			got[rawjson.String(name)] = value
			return nil
		})
		if diff := cmp.Diff(want, got); err != nil || utf8.Valid(text) && diff != "" {
			t.Fatalf("%q: %v %s", text, err, diff)
		}
	}
}

func TestCompactGivesBackWhatHasNoWhiteSpace(t *testing.T) {
	text := []byte(`{"a":[1,"b c"]}`)
	if got, ok := rawjson.Compact(text); !ok || &got[0] != &text[0] {
		t.Errorf("%q was copied", got)
	}
}

func TestVisitsEndWithTheirError(t *testing.T) {
	stop := errors.New("stop")
	visits := 0
	if err := rawjson.Elements([]byte(`[1,2,3]`), func([]byte) error { visits++; return stop }); err != stop || visits != 1 {
		t.Error(err, visits)
	}
	if err := rawjson.Members([]byte(`{"a":1,"b":2}`), func(_, _ []byte) error { visits++; return stop }); err != stop || visits != 2 {
		t.Error(err, visits)
	}
}

// FuzzStringsAreReadAsTheyWereWritten also holds that nothing is escaped that need
// not be.
func FuzzStringsAreReadAsTheyWereWritten(f *testing.F) {
	for _, seed := range seeds() {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		written := rawjson.AppendString([]byte("{"), text)[1:]
		var want bytes.Buffer
		encoder := json.NewEncoder(&want)
		encoder.SetEscapeHTML(false)
		if err := encoder.Encode(text); err != nil {
			t.Fatal(err)
		}
		plain := strings.NewReplacer(`\u2028`, "\u2028", `\u2029`, "\u2029", `\ufffd`, "\ufffd", `\\`, `\\`).Replace(strings.TrimSuffix(want.String(), "\n"))
		if string(written) != plain {
			t.Fatalf("%q: got %s, want %s", text, written, plain)
		}
		if read := rawjson.String(written); utf8.ValidString(text) && read != text {
			t.Fatalf("%q was read as %q", text, read)
		}
	})
}

func BenchmarkCompact(b *testing.B) {
	text := []byte(`{"note":"` + strings.Repeat("x", 1000) + `","numbers":[1,2,3,4.5e6],"flags":{"a":true,"b":null}}`)
	b.SetBytes(int64(len(text)))
	b.ReportAllocs()
	for b.Loop() {
		if _, ok := rawjson.Compact(text); !ok {
			b.Fatal("no JSON")
		}
	}
}
