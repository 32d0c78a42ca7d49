package jsapi

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/big"
	"slices"

	"github.com/dop251/goja"
)

// importer carries data in. It remembers containers, so that cycles and shared
// parts keep their shape.
type importer struct {
	isolate *Isolate
	call    *pendingCall // the call whose arguments these are, or nil
	seen    map[any]goja.Value
}

// importArgs carries arguments of a call in. It runs on the loop.
func (iso *Isolate) importArgs(call *pendingCall, args []any) ([]goja.Value, error) {
	if len(args) == 0 {
		return nil, nil
	}
	in := &importer{isolate: iso, call: call}
	values := make([]goja.Value, len(args))
	for i, arg := range args {
		value, err := in.value(arg)
		if err != nil {
			return nil, fmt.Errorf("argument %d: %w", i+1, err)
		}
		values[i] = value
	}
	return values, nil
}

// importData carries one value in. It runs on the loop.
func (iso *Isolate) importData(data any) (goja.Value, error) {
	in := &importer{isolate: iso}
	return in.value(data)
}

func (in *importer) remember(data any, value goja.Value) {
	if in.seen == nil {
		in.seen = make(map[any]goja.Value)
	}
	in.seen[data] = value
}

func (in *importer) value(data any) (goja.Value, error) {
	runtime := in.isolate.runtime
	switch data := data.(type) {
	case nil:
		return goja.Null(), nil
	case Undefined:
		return goja.Undefined(), nil
	case bool, string, float64, int, int64, uint32, int32:
		return runtime.ToValue(data), nil
	case *big.Int:
		return runtime.ToValue(new(big.Int).Set(data)), nil
	case json.RawMessage:
		return in.isolate.decodeJSON(data)
	case Date:
		return runtime.New(runtime.Get("Date"), runtime.ToValue(float64(data)))
	case *Reference:
		if data.isolate != in.isolate {
			return nil, &DataCloneError{Path: "$", Reason: "it is a reference into another isolate"}
		}
		return data.value, nil
	case Native:
		return in.isolate.nativeFunction(data), nil
	case Async:
		return in.isolate.async(data), nil
	}
	return in.container(data)
}

func (in *importer) container(data any) (goja.Value, error) {
	switch data := data.(type) {
	case []any:
		return in.array(data, nil)
	case map[string]any:
		return in.sortedObject(data)
	case OwnContext, OwnSignal:
		return in.own(data)
	}
	if known, ok := in.known(data); ok {
		return known, nil
	}
	switch data := data.(type) {
	case *Array:
		return in.array(data.Items, data)
	case *Object:
		return in.object(data)
	case *Map:
		return in.mapOf(data)
	case *Set:
		return in.setOf(data)
	case *Bytes:
		return in.bytes(data)
	case *Function:
		return in.isolate.importFunction(data), nil
	case *Signal:
		return in.isolate.importSignal(data)
	case *CallContext:
		return in.isolate.importContext(data.Signal)
	case *Stream:
		return in.isolate.importStream(data)
	case *Error:
		return in.error(data)
	case error:
		return in.goError(data)
	}
	return in.marshaled(data)
}

// marshaled carries any other Go value as its JSON form.
func (in *importer) marshaled(data any) (goja.Value, error) {
	text, err := json.Marshal(data)
	if err != nil {
		return nil, &DataCloneError{Path: "$", Reason: fmt.Sprintf("a Go value of type %T has no JSON form: %v", data, err)}
	}
	return in.isolate.decodeJSON(text)
}

// known returns the value that a container was already carried to.
func (in *importer) known(data any) (goja.Value, bool) {
	switch data.(type) {
	case *Array, *Object, *Map, *Set, *Bytes, *Error:
		value, ok := in.seen[data]
		return value, ok
	}
	return nil, false
}

// own makes the context or the signal of the call whose arguments these are.
func (in *importer) own(data any) (goja.Value, error) {
	if in.call == nil {
		return nil, &DataCloneError{Path: "$", Reason: "no call is being made"}
	}
	if _, isSignal := data.(OwnSignal); isSignal {
		return in.isolate.importSignal(in.call.ownSignal())
	}
	return in.isolate.importContext(in.call.ownSignal())
}

func (in *importer) array(items []any, identity *Array) (goja.Value, error) {
	values := make([]any, len(items))
	array := in.isolate.runtime.NewArray()
	if identity != nil {
		in.remember(identity, array)
	}
	for i, item := range items {
		value, err := in.value(item)
		if err != nil {
			return nil, err
		}
		values[i] = value
		if identity != nil {
			if err := array.Set(fmt.Sprint(i), value); err != nil {
				return nil, err
			}
		}
	}
	if identity == nil {
		return in.isolate.runtime.NewArray(values...), nil
	}
	return array, nil
}

func (in *importer) object(data *Object) (goja.Value, error) {
	object := in.isolate.runtime.NewObject()
	in.remember(data, object)
	for _, key := range data.keys {
		value, err := in.value(data.values[key])
		if err != nil {
			return nil, err
		}
		if err := define(object, key, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// define adds an ordinary member; a plain assignment of "__proto__" would change
// the prototype instead.
func define(object *goja.Object, key string, value goja.Value) error {
	if key == "__proto__" {
		return object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	return object.Set(key, value)
}

func (in *importer) sortedObject(data map[string]any) (goja.Value, error) {
	object := &Object{}
	for _, key := range slices.Sorted(maps.Keys(data)) {
		object.Set(key, data[key])
	}
	return in.object(object)
}

func (in *importer) mapOf(data *Map) (goja.Value, error) {
	object, add, err := in.collection(data, "Map", "set")
	if err != nil {
		return nil, err
	}
	for _, entry := range data.Entries {
		key, err := in.value(entry[0])
		if err != nil {
			return nil, err
		}
		value, err := in.value(entry[1])
		if err != nil {
			return nil, err
		}
		if _, err := add(object, key, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (in *importer) setOf(data *Set) (goja.Value, error) {
	object, add, err := in.collection(data, "Set", "add")
	if err != nil {
		return nil, err
	}
	for _, item := range data.Items {
		value, err := in.value(item)
		if err != nil {
			return nil, err
		}
		if _, err := add(object, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (in *importer) collection(identity any, class, method string) (*goja.Object, goja.Callable, error) {
	object, err := in.isolate.runtime.New(in.isolate.runtime.Get(class))
	if err != nil {
		return nil, nil, err
	}
	in.remember(identity, object)
	add, callable := goja.AssertFunction(object.Get(method))
	if !callable {
		return nil, nil, fmt.Errorf("%s.prototype.%s is not a function", class, method)
	}
	return object, add, nil
}

func (in *importer) bytes(data *Bytes) (goja.Value, error) {
	runtime := in.isolate.runtime
	buffer := runtime.NewArrayBuffer(append([]byte(nil), data.Data...))
	object, err := runtime.New(runtime.Get("Uint8Array"), runtime.ToValue(buffer))
	if err != nil {
		return nil, err
	}
	in.remember(data, object)
	return object, nil
}

// goError makes an error object of a Go error, with its name and its members.
func (in *importer) goError(err error) (goja.Value, error) {
	var carried *Error
	if errors.As(err, &carried) && carried == err {
		return in.error(carried)
	}
	description := &Error{Message: err.Error(), wrapped: err}
	var named Named
	if errors.As(err, &named) {
		description.Name = named.ErrorName()
	}
	var detailed Detailed
	if errors.As(err, &detailed) {
		description.Properties = detailed.ErrorProperties()
	}
	return in.error(description)
}

// errorClasses are the built-in constructors that an error is rebuilt with, so
// that instanceof works.
var errorClasses = []string{"TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"}

func (in *importer) error(data *Error) (goja.Value, error) {
	if data.Thrown != nil {
		return in.value(data.Thrown)
	}
	runtime := in.isolate.runtime
	class := "Error"
	if slices.Contains(errorClasses, data.Name) {
		class = data.Name
	}
	object, err := runtime.New(runtime.Get(class), runtime.ToValue(data.Message))
	if err != nil {
		return nil, err
	}
	in.remember(data, object)
	if data.Name != "" && data.Name != class {
		hide(object, "name", runtime.ToValue(data.Name))
	}
	if data.Stack != "" {
		hide(object, "stack", runtime.ToValue(data.Stack))
	}
	if err := in.errorMembers(object, data); err != nil {
		return nil, err
	}
	if data.wrapped != nil {
		in.isolate.attachGoError(object, data.wrapped)
	}
	return object, nil
}

func (in *importer) errorMembers(object *goja.Object, data *Error) error {
	if data.Cause != nil {
		cause, err := in.value(data.Cause)
		if err != nil {
			return err
		}
		hide(object, "cause", cause)
	}
	if data.Properties == nil {
		return nil
	}
	for _, key := range data.Properties.keys {
		value, err := in.value(data.Properties.values[key])
		if err != nil {
			return err
		}
		if err := define(object, key, value); err != nil {
			return err
		}
	}
	return nil
}

// hide defines a member that does not show when the object is listed.
func hide(object *goja.Object, key string, value goja.Value) {
	_ = object.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
