package guard

import (
	"fmt"
	"reflect"
	"unsafe"

	"github.com/dop251/goja"
)

// native is the Go side of a built-in when it is called.
type native = func(goja.FunctionCall) goja.Value

// construct is the Go side of a built-in when it is called with new. newTarget is nil when it is the built-in itself.
type construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object

// builtin gives access to the Go functions inside one built-in function object.
//
// They are changed in place. A new object in the same property would leave the old one reachable through prototypes,
// species and what the engine keeps for itself, and it would lose the engine's fast paths, which compare identities
// (RegExp.prototype.exec, Array.from, String.prototype.split). In place there is no original left to reach, and name,
// length, descriptors and identity are untouched by construction.
//
// The fields are found by name and type, so a goja with another layout makes [Install] fail instead of doing harm.
type builtin struct {
	call      *native
	construct *construct
}

// builtinOf returns the functions inside v, which must be a function made by goja in Go.
func builtinOf(v goja.Value) (builtin, error) {
	object, ok := v.(*goja.Object)
	if !ok {
		return builtin{}, fmt.Errorf("%T is not a function", v)
	}
	self := reflect.ValueOf(object).Elem().FieldByName("self")
	if !self.IsValid() || self.Kind() != reflect.Interface || self.Elem().Kind() != reflect.Pointer {
		return builtin{}, fmt.Errorf("unknown layout of goja.Object")
	}
	impl := self.Elem().Elem()
	call, err := fieldOf[native](impl, "f")
	if err != nil {
		return builtin{}, err
	}
	constructor, err := fieldOf[construct](impl, "construct")
	if err != nil {
		return builtin{}, err
	}
	return builtin{call: call, construct: constructor}, nil
}

// fieldOf returns the address of the field of impl with this name, which must have exactly the type T.
func fieldOf[T any](impl reflect.Value, name string) (*T, error) {
	if impl.Kind() != reflect.Struct {
		return nil, fmt.Errorf("%s is not a native function of goja", impl.Type())
	}
	field := impl.FieldByName(name)
	if !field.IsValid() || field.Type() != reflect.TypeFor[T]() {
		return nil, fmt.Errorf("%s has no field %s of type %s", impl.Type(), name, reflect.TypeFor[T]())
	}
	return (*T)(unsafe.Pointer(field.UnsafeAddr())), nil
}

// callable returns the function in v, if it is one. Object.Export would copy whatever else v holds.
func callable(v goja.Value) (native, bool) {
	function, ok := goja.AssertFunction(v)
	if !ok {
		return nil, false
	}
	if object := v.(*goja.Object); object.ExportType() != proxyType {
		if call, ok := object.Export().(native); ok {
			return call, true
		}
	}
	return func(c goja.FunctionCall) goja.Value {
		result, err := function(c.This, c.Arguments...)
		if err != nil {
			panic(err)
		}
		return result
	}, true
}
