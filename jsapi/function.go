package jsapi

import (
	"context"
	"fmt"
	"slices"

	"github.com/dop251/goja"
)

// Function is a function of some isolate, held from outside. It keeps the
// function alive until the isolate ends; dropping it is all that is needed to let
// go.
type Function struct {
	isolate *Isolate
	owner   *Owner
	// What follows belongs to the loop.
	value goja.Value
	this  goja.Value
	call  goja.Callable
}

// Isolate returns the isolate that the function runs in.
func (f *Function) Isolate() *Isolate { return f.isolate }

// Owner returns what the code that handed the function out belongs to.
func (f *Function) Owner() *Owner { return f.owner }

// Call calls the function in its isolate as a callback, with the callback
// budgets of that isolate. Errors: those of [Isolate.Call].
func (f *Function) Call(ctx context.Context, args ...any) (any, error) {
	return f.isolate.Call(ctx, f.isolate.options.Callback, f, args...)
}

func (f *Function) callee(iso *Isolate) (goja.Value, goja.Callable, error) {
	return f.this, f.call, nil
}

func (f *Function) home() (*Isolate, *Owner) { return f.isolate, f.owner }

// exportFunction returns what stands for a function outside: one thing for a
// function and the owner that hands it out, or the original of a stub.
func (iso *Isolate) exportFunction(object *goja.Object) *Function {
	if original, ok := iso.functions.lookUp(object); ok {
		return original
	}
	owner := iso.currentActivity().owner
	return export(iso, ownFunctionsOf, object, owner, func() *Function {
		call, _ := goja.AssertFunction(object)
		return &Function{isolate: iso, owner: owner, value: object, this: goja.Undefined(), call: call}
	})
}

// Method is a member of a referenced object, found anew at each call and called
// with the object as this.
type Method struct {
	Object *Reference
	Name   string
}

// NotAMethodError is a member that is not a function.
type NotAMethodError struct{ Name string }

func (e *NotAMethodError) Error() string { return fmt.Sprintf("%q is not a method", e.Name) }

// ErrorName implements [Named].
func (e *NotAMethodError) ErrorName() string { return "NotAMethod" }

func (m Method) callee(iso *Isolate) (this goja.Value, call goja.Callable, err error) {
	object, ok := m.Object.value.(*goja.Object)
	if !ok {
		return nil, nil, &NotAMethodError{Name: m.Name}
	}
	var member goja.Value
	var reserved bool
	thrown := iso.try(func() {
		member = object.Get(m.Name)
		reserved = reservedMember(iso, object, m.Name)
	})
	if thrown != nil {
		return nil, nil, thrown
	}
	call, ok = goja.AssertFunction(member)
	if !ok || reserved {
		return nil, nil, &NotAMethodError{Name: m.Name}
	}
	return object, call, nil
}

func (m Method) home() (*Isolate, *Owner) { return m.Object.isolate, nil }

// reservedMember reports whether a name is found on Object.prototype only, and so
// was never meant to be called from outside.
func reservedMember(iso *Isolate, object *goja.Object, name string) bool {
	if !iso.intrinsics.ownNames[name] {
		return false
	}
	if name == "constructor" {
		return true
	}
	for holder := object; holder != nil && holder != iso.intrinsics.objectPrototype; holder = holder.Prototype() {
		if slices.Contains(holder.GetOwnPropertyNames(), name) {
			return false
		}
	}
	return true
}

var (
	_ Callee = (*Function)(nil)
	_ Callee = Method{}
)

// importFunction makes an asynchronous function that calls a stub. A function
// that comes home is itself again.
func (iso *Isolate) importFunction(stub *Function) (goja.Value, error) {
	if stub.isolate == iso {
		return stub.value, nil
	}
	object, err := link(iso, functionsOf, stub, func() (*goja.Object, error) {
		return iso.nativeFunction(func(call *NativeCall) (any, error) {
			return Async{Work: func(ctx context.Context) (any, error) {
				nested, err := iso.nest(ctx)
				if err != nil {
					return nil, err
				}
				return stub.Call(nested, call.Args...)
			}}, nil
		}).(*goja.Object), nil
	})
	if err != nil {
		return nil, err
	}
	return object, nil
}

// nest returns the context of a call that leaves the isolate.
func (iso *Isolate) nest(ctx context.Context) (context.Context, error) {
	if iso.options.Nest == nil {
		return ctx, nil
	}
	return iso.options.Nest(ctx)
}
