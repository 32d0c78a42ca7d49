package globals

import "github.com/dop251/goja"

// lendReport lends report(value), which hands a value that a callback threw to
// the host.
func (e *environment) lendReport(natives *goja.Object) {
	e.lend(natives, "report", func(call goja.FunctionCall) goja.Value {
		thrown := call.Argument(0)
		if exception := e.rt.Try(func() { panic(thrown) }); exception != nil {
			e.host.Report(exception)
		}
		return goja.Undefined()
	})
}
