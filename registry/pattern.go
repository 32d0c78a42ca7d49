package registry

import (
	"fmt"
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

// MatchString reports a match. It panics with a [*patternTimeout] when a match
// takes too long: the validator lets no error through, and neither answer would
// be safe, because a schema may ask for what does not match.
func (b *backtracking) MatchString(s string) bool {
	ok, err := b.Regexp.MatchString(s)
	if err != nil {
		panic(&patternTimeout{Pattern: b.String()})
	}
	return ok
}

// patternTimeout is a pattern of a schema that could not be matched in time.
type patternTimeout struct{ Pattern string }

func (e *patternTimeout) Error() string {
	return fmt.Sprintf("the pattern %s took over %s", e.Pattern, patternLimit)
}

// withPatterns runs what matches patterns of a schema. Its error is then that of
// run, or a [*patternTimeout].
func withPatterns(run func() error) (err error) {
	defer func() {
		switch v := recover().(type) {
		case nil:
		case *patternTimeout:
			err = v
		default:
			panic(v)
		}
	}()
	return run()
}
