package compile

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestTheScannerReadsAnything(t *testing.T) {
	pieces := rapid.SampledFrom([]string{
		"`", "${", "}", "'", "\"", "\\", "/", "/*", "*/", "//", "[", "]", "(", ")", "{", "\n", "\r", " ", ",", ";", "if", "else", "a", "1", "é", "\xff", "#!", "$",
	})
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(pieces, 0, 200).Draw(t, "pieces"), "")
		if offset, deep := tooDeep(text); deep {
			t.Fatalf("%q is deep at %d", text, offset)
		}
	})
}

func TestDepthIsCountedAcrossBrackets(t *testing.T) {
	half := maxDepth/2 + 10
	for rule, test := range map[string]struct {
		text string
		deep bool
	}{
		"chains of two levels add up":         {strings.Repeat("!", half) + "(" + strings.Repeat("!", half) + "a)", true},
		"a separator starts anew":             {strings.Repeat("!", half) + "a;" + strings.Repeat("!", half) + "a", false},
		"a closed bracket counts no more":     {strings.Repeat("(", half) + strings.Repeat(")", half) + strings.Repeat("(", half), false},
		"text in strings counts nothing":      {"'" + strings.Repeat("(", 2*half) + "'", false},
		"text in regular expressions neither": {"/[" + strings.Repeat("(", 2*half) + "]/", false},
		"text in templates neither":           {"`" + strings.Repeat("(", 2*half) + "${1}" + strings.Repeat("(", 2*half) + "`", false},
		"a substitution is a level":           {strings.Repeat("`${", half) + "1" + strings.Repeat("}`", half), true},
	} {
		if _, deep := tooDeep(test.text); deep != test.deep {
			t.Errorf("%s: deep is %v", rule, deep)
		}
	}
}
