package message

import (
	"fmt"
	"reflect"
)

// Error says which value of a message cannot be read or written. All errors of
// this package are of this type.
type Error struct {
	// Op is what was done, such as "decode message" or "encode usage".
	Op string
	// Path is where the value stands, such as "content[2].arguments" or, in a
	// list of messages, "[3].usage.cost.total". It is empty when the whole is
	// meant, and for text that is not JSON.
	Path string
	// Err is the reason. It holds an [*encoding/json.SyntaxError] when text is not
	// JSON.
	Err error
}

func (e *Error) Error() string {
	if e.Path == "" {
		return fmt.Sprintf("%s: %v", e.Op, e.Err)
	}
	return fmt.Sprintf("%s: %s: %v", e.Op, e.Path, e.Err)
}

func (e *Error) Unwrap() error { return e.Err }

// within puts a step, a member's name or an index in brackets, before the path
// of an error.
func within(step string, err error) error {
	flaw, ok := err.(*Error)
	if !ok {
		flaw = &Error{Err: err}
	}
	if flaw.Path != "" && flaw.Path[0] != '[' {
		step += "."
	}
	flaw.Path = step + flaw.Path
	return flaw
}

// index is the step to an element of an array.
func index(i int) string { return fmt.Sprintf("[%d]", i) }

// failed makes err the result of op, or returns nil.
func failed(op string, err error) error {
	if err == nil {
		return nil
	}
	flaw, ok := err.(*Error)
	if !ok {
		flaw = &Error{Err: err}
	}
	flaw.Op = op
	return flaw
}

// missing says whether an interface holds nothing, or a nil pointer.
func missing(o object) bool { return o == nil || reflect.ValueOf(o).IsNil() }
