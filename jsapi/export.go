package jsapi

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"strconv"
	"time"

	"github.com/dop251/goja"
)

// maxDataDepth bounds the nesting of carried data.
const maxDataDepth = 500

// exportAs carries a value out in the form that was asked for. It runs on the
// loop.
func (iso *Isolate) exportAs(form Form, value goja.Value) (any, error) {
	switch form {
	case AsNothing:
		return nil, nil
	case AsReference:
		return iso.newReference(value), nil
	case AsJSON:
		return iso.exportJSON(value)
	}
	return iso.exportData(value)
}

// exportJSON is JSON.stringify; nil stands for what it leaves out.
func (iso *Isolate) exportJSON(value goja.Value) (any, error) {
	text, err := iso.intrinsics.call(iso.intrinsics.stringify, goja.Undefined(), value)
	if err != nil {
		return nil, err
	}
	if goja.IsUndefined(text) {
		return json.RawMessage(nil), nil
	}
	return json.RawMessage(text.String()), nil
}

// exportData walks a value strictly; see value.go for what comes out. The error
// is a [*DataCloneError], or what a getter threw.
func (iso *Isolate) exportData(value goja.Value) (data any, err error) {
	out := newExporter(iso)
	if _, isObject := value.(*goja.Object); !isObject {
		return out.export(value, "$", 0)
	}
	if thrown := iso.try(func() { data, err = out.export(value, "$", 0) }); thrown != nil {
		return nil, thrown
	}
	return data, err
}

// exportArgs carries the arguments of one call out. Parts that they share stay
// shared.
func (iso *Isolate) exportArgs(arguments []goja.Value) (args []any, err error) {
	if len(arguments) == 0 {
		return nil, nil
	}
	out := newExporter(iso)
	args = make([]any, len(arguments))
	thrown := iso.try(func() {
		for i, argument := range arguments {
			if args[i], err = out.export(argument, "$", 0); err != nil {
				err = fmt.Errorf("argument %d: %w", i+1, err)
				return
			}
		}
	})
	if thrown != nil {
		return nil, thrown
	}
	return args, err
}

// exporter carries values out. It remembers objects, so that cycles and shared
// parts keep their shape.
type exporter struct {
	isolate *Isolate
	seen    map[*goja.Object]any
}

func newExporter(iso *Isolate) *exporter { return &exporter{isolate: iso} }

func (out *exporter) remember(object *goja.Object, data any) {
	if out.seen == nil {
		out.seen = make(map[*goja.Object]any)
	}
	out.seen[object] = data
}

func (out *exporter) export(value goja.Value, path string, depth int) (any, error) {
	switch {
	case value == nil || goja.IsUndefined(value):
		return Undefined{}, nil
	case goja.IsNull(value):
		return nil, nil
	}
	switch value := value.(type) {
	case *goja.Object:
		return out.exportObject(value, path, depth)
	case goja.String:
		return value.String(), nil
	case *goja.Symbol:
		return nil, &DataCloneError{Path: path, Reason: "it is a symbol"}
	}
	switch plain := value.Export().(type) {
	case bool, string, float64:
		return plain, nil
	case int64:
		return float64(plain), nil
	case *big.Int:
		return new(big.Int).Set(plain), nil
	default:
		return nil, &DataCloneError{Path: path, Reason: fmt.Sprintf("it is a %T", plain)}
	}
}

func (out *exporter) exportObject(object *goja.Object, path string, depth int) (any, error) {
	if known, ok := out.seen[object]; ok {
		return known, nil
	}
	if depth > maxDataDepth {
		return nil, &DataCloneError{Path: path, Reason: fmt.Sprintf("it is nested deeper than %d", maxDataDepth)}
	}
	if _, callable := goja.AssertFunction(object); callable {
		return out.isolate.exportFunction(object), nil
	}
	switch object.ClassName() {
	case "Array":
		return out.exportArray(object, path, depth)
	case "Date":
		return exportDate(object), nil
	case "Error":
		return out.exportError(object, path, depth)
	case "Object":
		return out.exportClassless(object, path, depth)
	}
	return nil, refuse(path, object.ClassName())
}

var (
	bytesType   = reflect.TypeFor[[]byte]()
	entriesType = reflect.TypeFor[[][2]any]()
	itemsType   = reflect.TypeFor[[]any]()
)

// exportClassless handles what has no class of its own in the engine, which is
// nearly everything.
func (out *exporter) exportClassless(object *goja.Object, path string, depth int) (any, error) {
	iso := out.isolate
	switch object.ExportType() {
	case entriesType:
		return out.exportMap(object, path, depth)
	case itemsType:
		return out.exportSet(object, path, depth)
	case bytesType:
		if iso.intrinsics.isUint8Array(object) {
			return out.exportBytes(object), nil
		}
	}
	prototype := object.Prototype()
	if prototype != nil && prototype != iso.intrinsics.objectPrototype {
		return out.exportHostObject(object, path, depth)
	}
	if stream, ok, err := iso.exportStream(object); err != nil {
		return nil, err
	} else if ok {
		out.remember(object, stream)
		return stream, nil
	}
	return out.exportMembers(object, path, depth)
}

func (out *exporter) exportBytes(object *goja.Object) *Bytes {
	content, _ := object.Export().([]byte)
	carried := &Bytes{Data: append([]byte(nil), content...)}
	out.remember(object, carried)
	return carried
}

func exportDate(object *goja.Object) Date {
	if at, ok := object.Export().(time.Time); ok {
		return Date(at.UnixMilli())
	}
	return Date(math.NaN())
}

// maxHoles is the length from which an array must not have holes. A longer array
// may have a length of billions and no items.
const maxHoles = 1 << 16

// exportArray carries a hole as undefined.
func (out *exporter) exportArray(object *goja.Object, path string, depth int) (any, error) {
	length := int(object.Get("length").ToInteger())
	if length > maxHoles && len(object.Keys()) < length {
		return nil, &DataCloneError{Path: path, Reason: fmt.Sprintf("it is an array of length %d with holes; fill them, or pass a Map", length)}
	}
	array := &Array{Items: make([]any, 0, min(length, 1024))}
	out.remember(object, array)
	for i := range length {
		item, err := out.export(object.Get(strconv.Itoa(i)), path+"["+strconv.Itoa(i)+"]", depth+1)
		if err != nil {
			return nil, err
		}
		array.Items = append(array.Items, item)
	}
	return array, nil
}

func (out *exporter) exportMap(object *goja.Object, path string, depth int) (any, error) {
	entries := &Map{}
	out.remember(object, entries)
	var failed error
	out.isolate.intrinsics.each(out.isolate.intrinsics.mapForEach, object, func(mapped, mapKey goja.Value) {
		where := path + "<" + strconv.Itoa(len(entries.Entries)) + ">"
		var key, value any
		if failed == nil {
			key, failed = out.export(mapKey, where+".key", depth+1)
		}
		if failed == nil {
			value, failed = out.export(mapped, where+".value", depth+1)
		}
		entries.Entries = append(entries.Entries, [2]any{key, value})
	})
	return entries, failed
}

func (out *exporter) exportSet(object *goja.Object, path string, depth int) (any, error) {
	set := &Set{}
	out.remember(object, set)
	var failed error
	out.isolate.intrinsics.each(out.isolate.intrinsics.setForEach, object, func(value, _ goja.Value) {
		var item any
		if failed == nil {
			item, failed = out.export(value, path+"<"+strconv.Itoa(len(set.Items))+">", depth+1)
		}
		set.Items = append(set.Items, item)
	})
	return set, failed
}

func (out *exporter) exportMembers(object *goja.Object, path string, depth int) (any, error) {
	plain := &Object{}
	out.remember(object, plain)
	for _, key := range object.Keys() {
		value, err := out.export(object.Get(key), memberPath(path, key), depth+1)
		if err != nil {
			return nil, err
		}
		plain.Set(key, value)
	}
	return plain, nil
}

// memberPath is path.key, or path["key"] when the key is no identifier.
func memberPath(path, key string) string {
	key = Shorten(key, maxName)
	for i, r := range key {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return path + "[" + strconv.Quote(key) + "]"
		}
	}
	if key == "" {
		return path + `[""]`
	}
	return path + "." + key
}

// exportHostObject handles instances of the closed table of classes that have a
// form of their own.
func (out *exporter) exportHostObject(object *goja.Object, path string, depth int) (any, error) {
	iso := out.isolate
	if signal, ok := iso.exportSignal(object); ok {
		return signal, nil
	}
	if own, ok := iso.exportContext(object); ok {
		out.remember(object, own)
		return own, nil
	}
	if stream, ok, err := iso.exportStream(object); err != nil {
		return nil, err
	} else if ok {
		out.remember(object, stream)
		return stream, nil
	}
	if iso.looksLikeError(object) {
		return out.exportError(object, path, depth)
	}
	if iso.intrinsics.isArray(goja.FunctionCall{Arguments: []goja.Value{object}}).ToBoolean() {
		return out.exportArray(object, path, depth) // a proxy of one
	}
	return nil, refuse(path, iso.className(object))
}
