package value_test

import (
	"bytes"
	"math"
	"os/exec"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// TestTextIsThatOfJavaScript compares what random texts become in JSON.parse and
// JSON.stringify, errors included, with bytes that are not UTF-8 among them.
func TestTextIsThatOfJavaScript(t *testing.T) {
	node, err := exec.LookPath("node")
	if err != nil {
		t.Skip("not compared with JavaScript: there is no node")
	}
	pieces := rapid.SliceOfN(rapid.SampledFrom([]string{
		"[", "]", "{", "}", ",", ":", `"a"`, `"b"`, `"`, `\`, `\"`, `\ud83d`, `\ude00`, `\u00`, "ä", "\xff", "\xe2\x82", "\xed\xa0\x80", "\xf4\x90", "\x7f", "\x01",
		"\\n", " ", "\t", "\u00a0", "true", "null", "0", "-", "1", "23", ".", "e", "E+", "-1", "1e-7", "1e400",
	}), 1, 12)
	shaped := rapid.Custom(func(t *rapid.T) string {
		inner := strings.Join(pieces.Draw(t, "inner"), "")
		return rapid.SampledFrom([]string{`"` + inner + `"`, `["` + inner + `"]`, "[" + inner + "]", `{"a":` + inner + `,"b":1,"a":2}`, inner}).Draw(t, "shape")
	})
	numbers := rapid.Custom(func(t *rapid.T) string {
		f := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		return string(value.Marshal(value.Number(f)))
	})
	texts := rapid.OneOf(shaped, numbers)
	var cases []string
	for seed := range 2000 {
		cases = append(cases, texts.Example(seed))
	}
	const script = `
		const texts = require("fs").readFileSync(0, "latin1").split("\0").map((text) => Buffer.from(text, "latin1").toString());
		console.log(texts.map((text) => { try { return JSON.stringify(JSON.parse(text)) } catch { return "error" } }).join("\n"));`
	command := exec.CommandContext(t.Context(), node, "-e", script)
	command.Stdin = strings.NewReader(strings.Join(cases, "\x00"))
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	for i, want := range bytes.Split(bytes.TrimSuffix(output, []byte("\n")), []byte("\n")) {
		got := "error"
		v, err := value.Parse([]byte(cases[i]))
		if err == nil {
			got = string(value.Marshal(v))
		}
		if got != string(want) && (err == nil || !strings.Contains(err.Error(), "float64")) {
			t.Errorf("%q is %s, %v, in JavaScript %s", cases[i], got, err, want)
		}
	}
}

// FuzzParse holds that what was read is written so that it is read the same.
func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,-0.5e-3,"\ud83d\u20ac",true,null],"a":{}}`))
	f.Add([]byte("\"\xed\xa0\x80\""))
	f.Fuzz(func(t *testing.T, text []byte) {
		v, err := value.Parse(text)
		if err != nil {
			return
		}
		written := value.Marshal(v)
		again, err := value.Parse(written)
		if err != nil || !value.Equal(again, v) || !bytes.Equal(value.Marshal(again), written) {
			t.Fatalf("%q is written %s and read %v, %v", text, written, again, err)
		}
	})
}
