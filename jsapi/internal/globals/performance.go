package globals

import (
	"time"

	"github.com/dop251/goja"
)

// lendPerformance lends now() in milliseconds and timeOrigin, the Unix time in
// milliseconds at which now was zero.
func (e *environment) lendPerformance(natives *goja.Object) {
	milliseconds := func(d time.Duration) goja.Value {
		return e.rt.ToValue(float64(d.Microseconds()) / 1000)
	}
	e.lend(natives, "now", func(goja.FunctionCall) goja.Value { return milliseconds(e.host.Elapsed()) })
	origin := e.host.Now().Add(-e.host.Elapsed())
	define(natives, "timeOrigin", e.rt.ToValue(float64(origin.UnixMicro())/1000))
}
