package globals

import (
	"weak"

	"github.com/dop251/goja"
)

// weakTarget is the pointer behind a WeakRef. It has no exported members, so
// that JavaScript sees none.
type weakTarget struct {
	pointer weak.Pointer[goja.Object]
}

// lendWeak lends weak(object) → handle and deref(handle) → object or undefined.
func (e *environment) lendWeak(natives *goja.Object) {
	e.lend(natives, "weak", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(&weakTarget{weak.Make(call.Argument(0).(*goja.Object))})
	})
	e.lend(natives, "deref", func(call goja.FunctionCall) goja.Value {
		if object := call.Argument(0).Export().(*weakTarget).pointer.Value(); object != nil {
			return object
		}
		return goja.Undefined()
	})
}
