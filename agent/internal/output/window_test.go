package output_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
)

// write writes a text in pieces.
func write(w *output.Window, pieces ...string) *output.Window {
	for _, piece := range pieces {
		w.Write(piece)
	}
	return w
}

func TestOutputIsKeptInWholeLines(t *testing.T) {
	for name, c := range map[string]struct {
		limits output.Limits
		pieces []string
		want   string
		gone   output.Dropped
	}{
		"all of it":              {output.Limits{10, 3, false}, []string{"a\n", "b\nc"}, "a\nb\nc", output.Dropped{}},
		"first lines":            {output.Limits{100, 2, false}, []string{"a\nb\nc\nd"}, "a\nb\n", output.Dropped{3, 2}},
		"first bytes":            {output.Limits{5, 9, false}, []string{"abc\n", "def\nghi\n"}, "abc\n", output.Dropped{8, 2}},
		"as many bytes as fit":   {output.Limits{8, 9, false}, []string{"abc\n", "def\nghi\n"}, "abc\ndef\n", output.Dropped{4, 1}},
		"beginning of a line":    {output.Limits{4, 9, false}, []string{"aé", "éa\nb"}, "aé", output.Dropped{5, 1}},
		"last lines":             {output.Limits{100, 2, true}, []string{"a\nb\nc\nd"}, "c\nd", output.Dropped{4, 2}},
		"last lines, ended":      {output.Limits{100, 2, true}, []string{"a\nb\nc\nd\n"}, "c\nd\n", output.Dropped{4, 2}},
		"last bytes":             {output.Limits{5, 9, true}, []string{"abc\n", "def\nghi\n"}, "ghi\n", output.Dropped{8, 2}},
		"last bytes that fit":    {output.Limits{8, 9, true}, []string{"abc\n", "def\nghi\n"}, "def\nghi\n", output.Dropped{4, 1}},
		"end of a line":          {output.Limits{4, 9, true}, []string{"b\naé", "éa"}, "éa", output.Dropped{5, 1}},
		"end of an ended line":   {output.Limits{3, 9, true}, []string{"abcdef", "\n"}, "ef\n", output.Dropped{4, 0}},
		"control characters":     {output.Limits{100, 9, false}, []string{"a\x1b[1m\r\tb\x00\x7f\n"}, "a[1m\tb\n", output.Dropped{}},
		"nothing":                {output.Limits{5, 5, true}, nil, "", output.Dropped{}},
		"a tail of many changes": {output.Limits{4, 9, true}, []string{"1\n", "2\n", "3\n", "4\n", "5\n", "6\n", "7\n"}, "6\n7\n", output.Dropped{10, 5}},
	} {
		t.Run(name, func(t *testing.T) {
			got, gone := write(output.NewWindow(c.limits), c.pieces...).Retained()
			if got != c.want || gone != c.gone {
				t.Errorf("kept %q, dropped %v; want %q, %v", got, gone, c.want, c.gone)
			}
		})
	}
}

func TestOutputThatWasSkippedCountsAsIfItHadCome(t *testing.T) {
	for _, omitted := range []string{"gone\ngone\n", "gone\ngo"} {
		whole := write(output.NewWindow(output.Limits{4, 9, true}), "a\n", omitted, "b\n5\n6\n7\n")
		part := write(output.NewWindow(output.Limits{4, 9, true}), "a\n")
		part.Skip(int64(len(omitted)), int64(strings.Count(omitted, "\n")), strings.HasSuffix(omitted, "\n"))
		part.Write("b\n5\n6\n7\n")
		want, wantGone := whole.Retained()
		if got, gone := part.Retained(); got != want || gone != wantGone {
			t.Errorf("without %q kept %q, dropped %v; want %q, %v", omitted, got, gone, want, wantGone)
		}
	}
}

func TestWhatIsKeptOfOutputIsASliceOfIt(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := output.Limits{rapid.IntRange(1, 20).Draw(t, "bytes"), rapid.IntRange(1, 5).Draw(t, "lines"), rapid.Bool().Draw(t, "tail")}
		pieces := rapid.SliceOf(rapid.StringOf(rapid.SampledFrom([]rune("ab\né€𝄞")))).Draw(t, "pieces")
		text := strings.Join(pieces, "")
		got, gone := write(output.NewWindow(l), pieces...).Retained()
		if len(got) > l.Bytes || int64(len(text)-len(got)) != gone.Bytes || !utf8.ValidString(got) {
			t.Fatalf("kept %q of %q within %v, and says that %v was dropped", got, text, l, gone)
		}
		if l.Tail && !strings.HasSuffix(text, got) || !l.Tail && !strings.HasPrefix(text, got) {
			t.Fatalf("%q is no such part of %q", got, text)
		}
		if gone.Bytes == 0 {
			return
		}
		if cut := strings.Contains(got, "\n") && !strings.HasSuffix(text, "\n"+got) && !strings.HasSuffix(got, "\n") && !l.Tail; cut {
			t.Fatalf("%q of %q is not whole lines", got, text)
		}
	})
}
