package globals

import (
	"time"

	"github.com/dop251/goja"
)

// lendTimers lends set(delay in ms, repeat, callback) → id and clear(id). What
// the callback throws goes to the host's Report.
func (e *environment) lendTimers(natives *goja.Object) {
	e.lend(natives, "set", func(call goja.FunctionCall) goja.Value {
		delay := time.Duration(call.Argument(0).ToFloat() * float64(time.Millisecond))
		callback, _ := goja.AssertFunction(call.Argument(2))
		id := e.host.SetTimer(delay, call.Argument(1).ToBoolean(), func() {
			if _, err := callback(goja.Undefined()); err != nil {
				e.host.Report(err)
			}
		})
		return e.rt.ToValue(id)
	})
	e.lend(natives, "clear", func(call goja.FunctionCall) goja.Value {
		e.host.ClearTimer(call.Argument(0).ToInteger())
		return goja.Undefined()
	})
}
