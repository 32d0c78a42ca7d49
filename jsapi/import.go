package jsapi

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/big"
	"reflect"
	"slices"
	"strconv"

	"github.com/dop251/goja"
)

// maxImportDepth bounds the nesting of data that goes in.
const maxImportDepth = 2 * maxDataDepth

// importer carries data in. It remembers containers, so that cycles and shared
// parts keep their shape.
type importer struct {
	isolate *Isolate
	call    *pendingCall // the call whose arguments these are, or nil
	seen    map[any]goja.Value
	depth   int
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
		return runtime.New(in.isolate.intrinsics.classes["Date"], runtime.ToValue(float64(data)))
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
	// Data that came out of an isolate is no deeper than maxDataDepth in each of
	// its errors; data that Go made may even contain itself.
	in.depth++
	defer func() { in.depth-- }()
	if in.depth > maxImportDepth {
		return nil, &DataCloneError{Path: "$", Reason: fmt.Sprintf("it is nested deeper than %d", maxImportDepth)}
	}
	switch data := data.(type) {
	case []any:
		return in.array(data, nil)
	case map[string]any:
		return in.sortedObject(data)
	case OwnContext, OwnSignal:
		return in.own(data)
	}
	if pointer := reflect.ValueOf(data); pointer.Kind() == reflect.Pointer && pointer.IsNil() {
		return goja.Null(), nil
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
		return in.isolate.importFunction(data)
	case *Signal:
		return in.isolate.importSignal(data)
	case *CallContext:
		return in.isolate.importContext(nil, data.Signal)
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
	return in.isolate.importContext(in.call, nil)
}

// array makes an array. When it may contain itself, identity is what its items
// know it by.
func (in *importer) array(items []any, identity *Array) (goja.Value, error) {
	if identity == nil || !hasContainer(items) {
		return in.flatArray(items, identity)
	}
	array := in.isolate.runtime.NewArray(make([]any, len(items))...)
	in.remember(identity, array)
	for i, item := range items {
		value, err := in.value(item)
		if err != nil {
			return nil, err
		}
		if err := array.Set(strconv.Itoa(i), value); err != nil {
			return nil, err
		}
	}
	return array, nil
}

// flatArray makes an array whose items do not contain it.
func (in *importer) flatArray(items []any, identity *Array) (goja.Value, error) {
	values := make([]any, len(items))
	for i, item := range items {
		value, err := in.value(item)
		if err != nil {
			return nil, err
		}
		values[i] = value
	}
	array := in.isolate.runtime.NewArray(values...)
	if identity != nil {
		in.remember(identity, array)
	}
	return array, nil
}

func hasContainer(items []any) bool {
	for _, item := range items {
		switch item.(type) {
		case nil, Undefined, bool, string, float64, int, int64, json.RawMessage, Date, *Bytes, *Function:
		default:
			return true
		}
	}
	return false
}

func (in *importer) object(data *Object) (goja.Value, error) {
	object := in.isolate.runtime.NewObject()
	in.remember(data, object)
	for _, key := range data.keys {
		value, err := in.value(data.values[key])
		if err != nil {
			return nil, err
		}
		if err := in.isolate.define(object, key, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

// define adds an ordinary member. A plain assignment of "__proto__" would change
// the prototype instead, and one of "toString" fails when an extension froze
// Object.prototype.
func (iso *Isolate) define(object *goja.Object, key string, value goja.Value) error {
	if iso.intrinsics.ownNames[key] {
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
	object, err := in.collection(data, "Map")
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
		if _, err := in.isolate.intrinsics.call(in.isolate.intrinsics.mapSet, object, key, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (in *importer) setOf(data *Set) (goja.Value, error) {
	object, err := in.collection(data, "Set")
	if err != nil {
		return nil, err
	}
	for _, item := range data.Items {
		value, err := in.value(item)
		if err != nil {
			return nil, err
		}
		if _, err := in.isolate.intrinsics.call(in.isolate.intrinsics.setAdd, object, value); err != nil {
			return nil, err
		}
	}
	return object, nil
}

func (in *importer) collection(identity any, class string) (*goja.Object, error) {
	object, err := in.isolate.runtime.New(in.isolate.intrinsics.classes[class])
	if err != nil {
		return nil, err
	}
	in.remember(identity, object)
	return object, nil
}

func (in *importer) bytes(data *Bytes) (goja.Value, error) {
	runtime := in.isolate.runtime
	buffer := runtime.NewArrayBuffer(append([]byte(nil), data.Data...))
	object, err := runtime.New(in.isolate.intrinsics.classes["Uint8Array"], runtime.ToValue(buffer))
	if err != nil {
		return nil, err
	}
	in.remember(data, object)
	return object, nil
}
