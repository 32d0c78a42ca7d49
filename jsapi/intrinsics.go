package jsapi

import (
	"errors"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// intrinsics are the engine's own functions, taken before any extension code
// runs, so that an extension that patches them breaks only itself.
type intrinsics struct {
	runtime         *goja.Runtime
	objectPrototype *goja.Object
	stringify       goja.Callable
	promiseThen     goja.Callable
	promise         *goja.Object
	promiseResolve  goja.Callable
	asyncIterator   *goja.Symbol
	goError         *goja.Symbol // holds the Go error that an error object was made from
}

func (in *intrinsics) capture(runtime *goja.Runtime) {
	in.runtime = runtime
	in.objectPrototype = runtime.NewObject().Prototype()
	in.stringify, _ = goja.AssertFunction(runtime.Get("JSON").ToObject(runtime).Get("stringify"))
	in.promise = runtime.Get("Promise").ToObject(runtime)
	in.promiseResolve, _ = goja.AssertFunction(in.promise.Get("resolve"))
	in.promiseThen, _ = goja.AssertFunction(in.promise.Get("prototype").ToObject(runtime).Get("then"))
	in.asyncIterator, _ = runtime.Get("Symbol").ToObject(runtime).Get("asyncIterator").(*goja.Symbol)
	in.goError = goja.NewSymbol("harness.error")
}

// resolve is Promise.resolve.
func (in *intrinsics) resolve(value goja.Value) (*goja.Object, error) {
	resolved, err := in.promiseResolve(in.promise, value)
	if err != nil {
		return nil, err
	}
	return resolved.(*goja.Object), nil
}

// then calls one of the two functions on the loop when the promise settles.
func (in *intrinsics) then(promise *goja.Object, fulfilled, rejected func(goja.Value)) error {
	reaction := func(settled func(goja.Value)) goja.Value {
		return in.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
			settled(call.Argument(0))
			return goja.Undefined()
		})
	}
	_, err := in.promiseThen(promise, reaction(fulfilled), reaction(rejected))
	return err
}

// newPromise returns a promise and the functions that settle it; they return
// the fault of the engine, if any.
func (iso *Isolate) newPromise() (promise goja.Value, resolve, reject func(any) error) {
	p, resolve, reject := iso.runtime.NewPromise()
	return iso.runtime.ToValue(p), resolve, reject
}

var promiseType = reflect.TypeFor[*goja.Promise]()

func asPromise(object *goja.Object) *goja.Promise {
	if object.ExportType() != promiseType {
		return nil
	}
	promise, _ := object.Export().(*goja.Promise)
	return promise
}

func (iso *Isolate) isThenable(object *goja.Object) bool {
	if object.Prototype() == iso.intrinsics.objectPrototype && object.ClassName() == "Object" && len(object.Keys()) == 0 {
		return false
	}
	var then goja.Value
	if iso.runtime.Try(func() { then = object.Get("then") }) != nil {
		return false
	}
	_, callable := goja.AssertFunction(then)
	return callable
}

// try runs f, which may panic with a JavaScript exception, and returns that.
func (iso *Isolate) try(f func()) error {
	if exception := iso.runtime.Try(f); exception != nil {
		return exception
	}
	return nil
}

// caught turns an error of the engine into one of this package: an exception
// becomes an [*Error], everything else stays.
func (iso *Isolate) caught(err error) error {
	var exception *goja.Exception
	if !errors.As(err, &exception) {
		return err
	}
	carried := iso.thrown(exception.Value())
	if carried.Position.File == "" {
		carried.Position = topPosition(exception.Stack())
	}
	return carried
}

// thrown describes a thrown value. It runs on the loop.
func (iso *Isolate) thrown(value goja.Value) *Error {
	object, isObject := value.(*goja.Object)
	if isObject && object.ClassName() == "Error" || isObject && iso.looksLikeError(object) {
		out := newExporter(iso)
		carried, err := out.exportError(object, "error")
		if err == nil {
			return carried
		}
		return &Error{Message: err.Error()}
	}
	data, err := iso.exportData(value)
	if err != nil {
		data = Undefined{}
	}
	return &Error{Message: "thrown: " + iso.describe(value), Thrown: data}
}

// describe shows a value without running code of an extension.
func (iso *Isolate) describe(value goja.Value) string {
	if value == nil {
		return "undefined"
	}
	if object, ok := value.(*goja.Object); ok {
		return "an object of class " + object.ClassName()
	}
	text := value.String()
	if len(text) > 200 {
		text = text[:200] + "…"
	}
	return text
}

// looksLikeError accepts what is no native error but has a stack, such as a
// DOMException.
func (iso *Isolate) looksLikeError(object *goja.Object) bool {
	looks := false
	_ = iso.runtime.Try(func() {
		_, hasStack := object.Get("stack").(goja.String)
		_, hasMessage := object.Get("message").(goja.String)
		looks = hasStack && hasMessage
	})
	return looks
}

// positionInStack finds the first frame of a stack text that lies in a source
// file.
func positionInStack(stack string) Position {
	for line := range strings.Lines(stack) {
		match := stackFrame.FindStringSubmatch(line)
		if match == nil || isInternal(match[1]) {
			continue
		}
		row, _ := strconv.Atoi(match[2])
		column, _ := strconv.Atoi(match[3])
		return Position{File: match[1], Line: row, Column: column}
	}
	return Position{}
}

// stackFrame matches "	at name (file:line:column(pc))" and "	at file:line:column(pc)".
var stackFrame = regexp.MustCompile(`^\s+at (?:.* \()?([^()\s]+):(\d+):(\d+)\(\d+\)`)

// topPosition is the first frame that lies in a source file.
func topPosition(frames []goja.StackFrame) Position {
	for i := range frames {
		place := frames[i].Position()
		if place.Filename != "" && !isInternal(place.Filename) {
			return Position{File: place.Filename, Line: place.Line, Column: place.Column}
		}
	}
	return Position{}
}

// isInternal reports whether a file is the harness's own, of no interest to an
// author.
func isInternal(file string) bool {
	return strings.HasPrefix(file, syntheticPrefix) || strings.HasPrefix(file, "<")
}
