package registry

import (
	"regexp"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// patternLimit is how long one match of a pattern may take.
const patternLimit = time.Second

// compilePattern compiles a pattern of a JSON Schema, which is an ECMAScript
// regular expression (JSON Schema Core 2020-12, section 6.4): by Go's linear
// engine where that takes it, else by one that backtracks.
func compilePattern(source string) (jsonschema.Regexp, error) {
	if re, err := regexp.Compile(source); err == nil {
		return re, nil
	}
	re, err := regexp2.Compile(source, regexp2.ECMAScript)
	if err != nil {
		return nil, err
	}
	re.MatchTimeout = patternLimit
	return &backtracking{re}, nil
}

type backtracking struct{ *regexp2.Regexp }

var _ jsonschema.Regexp = (*backtracking)(nil)

// MatchString reports a match. A match that takes too long is none: the value
// is refused, not let through.
func (b *backtracking) MatchString(s string) bool {
	ok, err := b.Regexp.MatchString(s)
	return ok && err == nil
}
