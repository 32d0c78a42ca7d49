package globals

import (
	"math/big"
	"reflect"

	"github.com/dop251/goja"
)

// The export types by which goja tells objects apart that share a class name.
var (
	proxyType       = reflect.TypeFor[goja.Proxy]()
	promiseType     = reflect.TypeFor[*goja.Promise]()
	arrayBufferType = reflect.TypeFor[goja.ArrayBuffer]()
	mapType         = reflect.TypeFor[[][2]any]()
	setType         = reflect.TypeFor[[]any]()
	bigIntType      = reflect.TypeFor[*big.Int]()
	symbolType      = reflect.TypeFor[*goja.Symbol]()
)

// intrinsics are the objects that kindOf compares with, as they were when it
// was first used.
type intrinsics struct {
	objectPrototype *goja.Object
	typedArrayTag   goja.Callable // getter of %TypedArray%.prototype[Symbol.toStringTag]
	hidden          []hiddenKind  // kinds that show only by what their methods accept
}

// hiddenKind is a built-in kind that goja exports as a plain object.
type hiddenKind struct {
	name      string
	prototype *goja.Object
	accepts   goja.Callable // throws for an object that is not of this kind
}

func (e *environment) intrinsics() *intrinsics {
	if e.kinds != nil {
		return e.kinds
	}
	kinds := &intrinsics{objectPrototype: e.rt.NewObject().Prototype()}
	uint8Array := e.prototypeOf("Uint8Array")
	kinds.typedArrayTag = e.getter(uint8Array.Prototype(), goja.SymToStringTag)
	for _, kind := range []struct{ name, method string }{{"DataView", "getInt8"}, {"WeakMap", "has"}, {"WeakSet", "has"}} {
		prototype := e.prototypeOf(kind.name)
		accepts, _ := goja.AssertFunction(prototype.Get(kind.method))
		kinds.hidden = append(kinds.hidden, hiddenKind{kind.name, prototype, accepts})
	}
	e.kinds = kinds
	return kinds
}

// prototypeOf is the prototype property of a global constructor.
func (e *environment) prototypeOf(constructor string) *goja.Object {
	return e.rt.Get(constructor).(*goja.Object).Get("prototype").(*goja.Object)
}

// getter is the getter of an own accessor property.
func (e *environment) getter(object *goja.Object, key goja.Value) goja.Callable {
	describe, _ := goja.AssertFunction(e.rt.Get("Object").(*goja.Object).Get("getOwnPropertyDescriptor"))
	descriptor, err := describe(goja.Undefined(), object, key)
	if err != nil {
		panic(err)
	}
	get, _ := goja.AssertFunction(descriptor.(*goja.Object).Get("get"))
	return get
}

// kindOf is the built-in kind of an object, whatever its prototype and its
// Symbol.toStringTag claim: "Array", "ArrayBuffer", "AsyncFunction", "BigInt",
// "Boolean", "DataView", "Date", "Error", "Function", "Map", "Number",
// "Promise", "Proxy", "RegExp", "Set", "String", "Symbol", "WeakMap",
// "WeakSet", the name of a typed array, or "Object" for all others.
func (e *environment) kindOf(object *goja.Object) string {
	exported := object.ExportType()
	if exported == proxyType {
		return "Proxy"
	}
	if class := object.ClassName(); class != "Object" {
		return class
	}
	switch exported {
	case promiseType:
		return "Promise"
	case arrayBufferType:
		return "ArrayBuffer"
	case mapType:
		return "Map"
	case setType:
		return "Set"
	case bigIntType:
		return "BigInt"
	case symbolType:
		return "Symbol"
	}
	kinds := e.intrinsics()
	if exported.Kind() == reflect.Slice {
		if tag, err := kinds.typedArrayTag(object); err == nil && goja.IsString(tag) {
			return tag.String()
		}
		return "Object"
	}
	for prototype := object.Prototype(); prototype != nil && prototype != kinds.objectPrototype; prototype = prototype.Prototype() {
		for _, kind := range kinds.hidden {
			if prototype == kind.prototype && kind.is(object) {
				return kind.name
			}
		}
	}
	return "Object"
}

func (k hiddenKind) is(object *goja.Object) bool {
	_, err := k.accepts(object, goja.Undefined())
	return err == nil
}
