package globals

import (
	"log/slog"

	"github.com/dop251/goja"
)

// lendConsole lends write(level, text) to console, and to inspect what
// JavaScript cannot see of an object: kind(object), its internal class;
// promise(object), its state and result; proxy(object), its target, or
// undefined when it is no proxy.
func (e *environment) lendConsole(natives *goja.Object) {
	e.lend(natives, "write", func(call goja.FunctionCall) goja.Value {
		e.host.Console(consoleLevel(call.Argument(0).String()), call.Argument(1).String())
		return goja.Undefined()
	})
	e.lend(natives, "kind", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(e.kindOf(call.Argument(0).(*goja.Object)))
	})
	e.lend(natives, "promise", func(call goja.FunctionCall) goja.Value {
		promise, ok := call.Argument(0).Export().(*goja.Promise)
		if !ok {
			return goja.Undefined()
		}
		state := map[goja.PromiseState]string{
			goja.PromiseStatePending:   "pending",
			goja.PromiseStateFulfilled: "fulfilled",
			goja.PromiseStateRejected:  "rejected",
		}[promise.State()]
		return e.rt.NewArray(state, promise.Result())
	})
	e.lend(natives, "proxy", func(call goja.FunctionCall) goja.Value {
		object := call.Argument(0).(*goja.Object)
		if object.ExportType() != proxyType {
			return goja.Undefined()
		}
		target := object.Export().(goja.Proxy).Target()
		if target == nil {
			return goja.Null()
		}
		return target
	})
}

func consoleLevel(name string) slog.Level {
	switch name {
	case "debug":
		return slog.LevelDebug
	case "warn":
		return slog.LevelWarn
	case "error":
		return slog.LevelError
	}
	return slog.LevelInfo
}
