package durable

import (
	"bytes"
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// maxDepth is how deeply documents and entries may nest: views show them two levels
// below their own.
const maxDepth = value.MaxDepth - 2

// NotJSONError is a value that a document cannot have, since no JSON stands for it.
type NotJSONError struct {
	Path   value.Path
	Reason string
}

func (e *NotJSONError) Error() string { return fmt.Sprintf("at %s: %s", e.Path, e.Reason) }

// checkValue returns a [*NotJSONError] for a value that would be another one when it
// is read again.
func checkValue(v *value.Object) error { return checkChange(v, nil) }

// checkChange is checkValue for a value of which the parts that it shares with a known
// one are known to be right.
func checkChange(v, known *value.Object) error {
	if v == nil {
		return &NotJSONError{Reason: "there is no object"}
	}
	if err := shallow(v); err != nil {
		return err
	}
	if err := strict(v, known, nil); err != nil {
		return err
	}
	return nil
}

// shallow returns a [*NotJSONError] for a value that nests too deeply.
func shallow(v *value.Object) error {
	if value.Deeper(v, maxDepth) {
		return &NotJSONError{Reason: fmt.Sprintf("it nests deeper than %d levels", maxDepth)}
	}
	return nil
}

func strict(v, known value.Value, at value.Path) *NotJSONError {
	switch v := v.(type) {
	case nil:
		return &NotJSONError{at, "there is no value"}
	case value.Number:
		if math.IsNaN(float64(v)) || math.IsInf(float64(v), 0) {
			return &NotJSONError{at, fmt.Sprintf("%v is no number of JSON", float64(v))}
		}
	case value.String:
		return strictText(string(v), at)
	case value.Array:
		return strictItems(v, known, at)
	case *value.Object:
		known, _ := known.(*value.Object)
		if v == known {
			return nil
		}
		for key, member := range v.All() {
			at := append(at, value.Key(key))
			if err := strictText(key, at); err != nil {
				return err
			}
			before, _ := known.Get(key)
			if err := strict(member, before, at); err != nil {
				return err
			}
		}
	}
	return nil
}

func strictItems(v value.Array, known value.Value, at value.Path) *NotJSONError {
	before, _ := known.(value.Array)
	if len(v) == len(before) && len(v) > 0 && &v[0] == &before[0] {
		return nil
	}
	for i, item := range v {
		var same value.Value
		if i < len(before) {
			same = before[i]
		}
		if err := strict(item, same, append(at, value.Index(i))); err != nil {
			return err
		}
	}
	return nil
}

// strictText accepts UTF-8, and halves of surrogate pairs as value.String has them.
func strictText(text string, at value.Path) *NotJSONError {
	if utf8.ValidString(text) {
		return nil
	}
	again, err := value.Parse(value.Marshal(value.String(text)))
	if err != nil || again != value.String(text) {
		return &NotJSONError{at, "its text is not UTF-8"}
	}
	return nil
}

// deeper says whether JSON nests more deeply than so many levels.
func deeper(text []byte, levels int) bool {
	if bytes.Count(text, []byte("{"))+bytes.Count(text, []byte("[")) <= levels {
		return false
	}
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch b := text[i]; {
		case quoted && b == '\\':
			i++
		case b == '"':
			quoted = !quoted
		case quoted:
		case b == '{' || b == '[':
			if depth++; depth > levels {
				return true
			}
		case b == '}' || b == ']':
			depth--
		}
	}
	return false
}
