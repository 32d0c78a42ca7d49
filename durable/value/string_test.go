package value_test

import (
	"slices"
	"testing"
	"unicode/utf16"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// units are the code units of random JavaScript strings.
var units = rapid.SliceOf(rapid.SampledFrom([]uint16{'a', 0xe4, 0x20ac, 0xd7ff, 0xe000, 0xfffd, 0xd83d, 0xde00, 0xd800, 0xdfff}))

// textOf returns the String of code units, by way of JSON.
func textOf(t *rapid.T, units []uint16) value.String {
	const hex = "0123456789abcdef"
	text := []byte{'"'}
	for _, u := range units {
		text = append(text, '\\', 'u', hex[u>>12], hex[u>>8&15], hex[u>>4&15], hex[u&15])
	}
	v, err := value.Parse(append(text, '"'))
	if err != nil {
		t.Fatal(err)
	}
	return v.(value.String)
}

// TestAStringIsThatOfJavaScript holds for its length, cuts between any two code units,
// and what two of them are one after the other.
func TestAStringIsThatOfJavaScript(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := units.Draw(t, "a"), units.Draw(t, "b")
		s, more := textOf(t, a), textOf(t, b)
		if s.Units() != len(a) {
			t.Fatalf("%q has %d units of %d", s, s.Units(), len(a))
		}
		n := rapid.IntRange(0, len(a)).Draw(t, "n")
		if rest, ok := s.Cut(n); !ok || rest != textOf(t, a[n:]) {
			t.Fatalf("%q without %d units is %q, %v", s, n, rest, ok)
		}
		for _, n := range []int{-1, len(a) + 1} {
			if rest, ok := s.Cut(n); ok || rest != "" {
				t.Fatalf("%q without %d units is %q", s, n, rest)
			}
		}
		both := textOf(t, slices.Concat(a, b))
		if got := s.Join(more); got != both {
			t.Fatalf("%q and %q are %q", s, more, got)
		}
		if got := value.AppendText([]byte(s), more); string(got) != string(both) {
			t.Fatalf("%q and %q are %q", s, more, got)
		}
		again, err := value.Parse(value.Marshal(both))
		if err != nil || again != value.Value(both) {
			t.Fatalf("%q is written %s and read %q, %v", both, value.Marshal(both), again, err)
		}
		var decoded string
		if err := value.Decode(both, &decoded); err != nil || decoded != string(utf16.Decode(slices.Concat(a, b))) {
			t.Fatalf("%q is decoded as %q, %v", both, decoded, err)
		}
	})
}

// TestABrokenStringIsWrittenAsText guards what is converted without being valid.
func TestABrokenStringIsWrittenAsText(t *testing.T) {
	for s, want := range map[value.String]string{
		"a\xffb":       `"a` + "\ufffd" + `b"`,
		"\xe2\x82":     `"` + "\ufffd" + `"`,
		"\xed\xa0\xbd": `"\ud83d"`,
		"\xed\xa0":     `"` + "\ufffd\ufffd" + `"`,
	} {
		if got := string(value.Marshal(s)); got != want {
			t.Errorf("%q is written %s", s, got)
		}
		if _, ok := s.Cut(100); ok {
			t.Errorf("%q is long", s)
		}
	}
}
