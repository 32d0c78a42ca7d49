package jsapi

import (
	"errors"
	"reflect"

	"github.com/dop251/goja"
)

// intrinsics are the engine's own functions, taken before any extension code
// runs, so that an extension that patches them breaks only itself.
type intrinsics struct {
	runtime         *goja.Runtime
	objectPrototype *goja.Object
	ownNames        map[string]bool // of Object.prototype
	stringify       rawFunction
	promiseThen     rawFunction
	promise         *goja.Object
	promiseResolve  rawFunction
	nothing         goja.Callable
	asyncIterator   *goja.Symbol
	isArray         rawFunction
	classes         map[string]*goja.Object // the constructors that data is made with
	mapSet, setAdd  rawFunction
	mapForEach      rawFunction
	setForEach      rawFunction
	typedArrayTag   rawFunction  // the getter of a typed array's class name
	goError         *goja.Symbol // holds the Go error that an error object was made from
	original        *goja.Symbol // holds the signal that an AbortSignal was made for
}

func (in *intrinsics) capture(runtime *goja.Runtime) {
	in.runtime = runtime
	in.objectPrototype = runtime.NewObject().Prototype()
	in.ownNames = make(map[string]bool)
	for _, name := range in.objectPrototype.GetOwnPropertyNames() {
		in.ownNames[name] = true
	}
	in.promise = runtime.Get("Promise").ToObject(runtime)
	in.nothing, _ = goja.AssertFunction(runtime.ToValue(func(goja.FunctionCall) goja.Value { return nil }))
	member := func(class string, path ...string) rawFunction {
		object := runtime.Get(class).ToObject(runtime)
		for _, name := range path[:len(path)-1] {
			object = object.Get(name).ToObject(runtime)
		}
		return raw(object.Get(path[len(path)-1]))
	}
	in.stringify = member("JSON", "stringify")
	in.promiseResolve = member("Promise", "resolve")
	in.promiseThen = member("Promise", "prototype", "then")
	in.isArray = member("Array", "isArray")
	in.mapSet, in.setAdd = member("Map", "prototype", "set"), member("Set", "prototype", "add")
	in.mapForEach = member("Map", "prototype", "forEach")
	in.setForEach = member("Set", "prototype", "forEach")
	in.asyncIterator, _ = runtime.Get("Symbol").ToObject(runtime).Get("asyncIterator").(*goja.Symbol)
	in.goError = goja.NewSymbol("harness.error")
	in.original = goja.NewSymbol("harness.signal")
	in.captureTypedArrayTag()
}

// captureClasses takes the engine's own constructors, before the globals replace
// some of them by scripts that are slow to start; the prototypes are the same.
func (in *intrinsics) captureClasses(runtime *goja.Runtime) {
	in.classes = make(map[string]*goja.Object)
	for _, class := range append([]string{"Object", "Date", "Map", "Set", "Uint8Array", "Error"}, errorClasses...) {
		in.classes[class] = runtime.Get(class).ToObject(runtime)
	}
}

// captureTypedArrayTag finds the getter of ECMA-262, section 23.2.3.38, which an
// object cannot deceive.
func (in *intrinsics) captureTypedArrayTag() {
	global := in.runtime.GlobalObject()
	typedArray := global.Get("Uint8Array").ToObject(in.runtime).Prototype().Get("prototype")
	describe := raw(global.Get("Object").ToObject(in.runtime).Get("getOwnPropertyDescriptor"))
	descriptor := describe(goja.FunctionCall{Arguments: []goja.Value{typedArray, goja.SymToStringTag}})
	in.typedArrayTag = raw(descriptor.ToObject(in.runtime).Get("get"))
}

// each calls f with the arguments that a forEach method gives: value and key.
func (in *intrinsics) each(forEach rawFunction, collection *goja.Object, f func(value, key goja.Value)) {
	callback := in.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		f(call.Argument(0), call.Argument(1))
		return nil
	})
	forEach(goja.FunctionCall{This: collection, Arguments: []goja.Value{callback}})
}

// isUint8Array tells a Uint8Array from a Uint8ClampedArray.
func (in *intrinsics) isUint8Array(object *goja.Object) bool {
	return in.typedArrayTag(goja.FunctionCall{This: object}).String() == "Uint8Array"
}

// rawFunction calls a function inside a turn. A [goja.Callable] that is called
// while no JavaScript is on the stack runs all promise reactions before it
// returns, and so would run them too early, or out of order when a reaction
// makes the call. A rawFunction panics with what the function throws.
type rawFunction func(goja.FunctionCall) goja.Value

// raw returns nil when value is no function that the engine can call this way.
func raw(value goja.Value) rawFunction {
	object, ok := value.(*goja.Object)
	if !ok {
		return nil
	}
	call, _ := object.Export().(func(goja.FunctionCall) goja.Value)
	return call
}

// call returns what the function returns or throws.
func (in *intrinsics) call(function rawFunction, this goja.Value, args ...goja.Value) (result goja.Value, err error) {
	if function == nil {
		return nil, errors.New("a function of the platform was replaced by something that cannot be called")
	}
	exception := in.runtime.Try(func() {
		result = function(goja.FunctionCall{This: this, Arguments: args})
	})
	if exception != nil {
		return nil, exception
	}
	return result, nil
}

// drain runs the promise reactions that are queued. The error is one of the
// engine.
func (in *intrinsics) drain() error {
	_, err := in.nothing(goja.Undefined())
	return err
}

// resolve is Promise.resolve.
func (in *intrinsics) resolve(value goja.Value) (*goja.Object, error) {
	resolved, err := in.call(in.promiseResolve, in.promise, value)
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
	_, err := in.call(in.promiseThen, promise, reaction(fulfilled), reaction(rejected))
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
