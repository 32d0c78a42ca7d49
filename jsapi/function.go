package jsapi

import (
	"context"
	"fmt"

	"github.com/dop251/goja"
)

// Function is a function of some isolate, held from outside. It keeps the
// function alive; dropping it is all that is needed to let go.
type Function struct {
	isolate *Isolate
	owner   *Owner
	value   goja.Value
	this    goja.Value
	call    goja.Callable
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

// exportFunction makes a stub of a function of this isolate.
func (iso *Isolate) exportFunction(object *goja.Object) any {
	if stub, ok := iso.importedFunction(object); ok {
		return stub
	}
	call, _ := goja.AssertFunction(object)
	return &Function{isolate: iso, owner: iso.currentActivity().owner, value: object, this: goja.Undefined(), call: call}
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
	if thrown := iso.try(func() { member = object.Get(m.Name) }); thrown != nil {
		return nil, nil, thrown
	}
	call, ok = goja.AssertFunction(member)
	if !ok || reservedMember(iso, object, m.Name) {
		return nil, nil, &NotAMethodError{Name: m.Name}
	}
	return object, call, nil
}

func (m Method) home() (*Isolate, *Owner) { return m.Object.isolate, nil }

// reservedMember reports whether a name is found on Object.prototype only, and so
// was never meant to be called from outside.
func reservedMember(iso *Isolate, object *goja.Object, name string) bool {
	for holder := object; holder != nil; holder = holder.Prototype() {
		if holder == iso.intrinsics.objectPrototype {
			return true
		}
		for _, own := range holder.GetOwnPropertyNames() {
			if own == name {
				return name == "constructor"
			}
		}
	}
	return false
}

var (
	_ Callee = (*Function)(nil)
	_ Callee = Method{}
)

// importFunction makes an asynchronous function that calls a stub. A function
// that comes home is itself again.
func (iso *Isolate) importFunction(stub *Function) goja.Value {
	if stub.isolate == iso {
		return stub.value
	}
	return iso.stubs.of(stub, func() *goja.Object {
		return iso.nativeFunction(func(call *NativeCall) (any, error) {
			return Async{Work: func(ctx context.Context) (any, error) {
				nested, err := iso.nest(ctx)
				if err != nil {
					return nil, err
				}
				return stub.Call(nested, call.Args...)
			}}, nil
		}).(*goja.Object)
	})
}

func (iso *Isolate) importedFunction(object *goja.Object) (*Function, bool) {
	return iso.stubs.lookUp(object)
}

// nest returns the context of a call that leaves the isolate.
func (iso *Isolate) nest(ctx context.Context) (context.Context, error) {
	if iso.options.Nest == nil {
		return ctx, nil
	}
	return iso.options.Nest(ctx)
}
