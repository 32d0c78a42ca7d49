package bind

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// arguments takes the arguments of a native one after another. The first that
// does not fit is kept as the error; what comes after it is zero.
type arguments struct {
	function string
	call     *jsapi.NativeCall
	next     int
	err      error
}

// TypeError is an argument of the wrong type.
type TypeError struct {
	Function string
	Argument string
	Want     string
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("%s: %s must be %s", e.Function, e.Argument, e.Want)
}

// ErrorName implements [jsapi.Named].
func (e *TypeError) ErrorName() string { return "TypeError" }

var _ jsapi.Named = (*TypeError)(nil)

func (a *arguments) take() any {
	value := a.call.Arg(a.next)
	a.next++
	return value
}

func (a *arguments) wrong(name, want string) {
	if a.err == nil {
		a.err = &TypeError{Function: a.function, Argument: name, Want: want}
	}
}

func (a *arguments) text(name string) string {
	text, ok := a.take().(string)
	if !ok {
		a.wrong(name, "a string")
	}
	return text
}

func (a *arguments) texts(name string) []string {
	list, ok := a.take().(*jsapi.Array)
	if !ok {
		a.wrong(name, "an array of strings")
		return nil
	}
	texts := make([]string, len(list.Items))
	for i, item := range list.Items {
		if texts[i], ok = item.(string); !ok {
			a.wrong(name, "an array of strings")
		}
	}
	return texts
}

// content is text or bytes.
func (a *arguments) content(name string) []byte {
	switch data := a.take().(type) {
	case string:
		return []byte(data)
	case *jsapi.Bytes:
		return data.Data
	}
	a.wrong(name, "a string or a Uint8Array")
	return nil
}

// flag is true only for true.
func (a *arguments) flag() bool { return a.take() == true }

func (a *arguments) function1(name string) *jsapi.Function {
	function, ok := a.take().(*jsapi.Function)
	if !ok {
		a.wrong(name, "a function")
	}
	return function
}

func (a *arguments) object(name string) *jsapi.Object {
	object, ok := a.take().(*jsapi.Object)
	if !ok {
		a.wrong(name, "an object")
		return &jsapi.Object{}
	}
	return object
}

func (a *arguments) list(name string) []any {
	list, ok := a.take().(*jsapi.Array)
	if !ok {
		a.wrong(name, "an array")
		return nil
	}
	return list.Items
}

// optional is a string, or "" when the argument was not given.
func (a *arguments) optional(name string) string {
	switch text := a.take().(type) {
	case string:
		return text
	case jsapi.Undefined:
		return ""
	}
	a.wrong(name, "a string")
	return ""
}
