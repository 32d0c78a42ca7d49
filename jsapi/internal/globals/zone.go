package globals

import (
	"time"

	"github.com/dop251/goja"
)

// The forms in which the engine writes a local time (ECMA-262 section 21.4.4.41).
const (
	dateForm     = "Mon Jan 02 2006"
	timeForm     = "15:04:05 GMT-0700 (MST)"
	dateTimeForm = dateForm + " " + timeForm
)

// fixZone makes local time UTC. The engine takes local time from time.Local,
// which the whole process shares, so Date is replaced, when it is first
// touched, by one whose local methods are those of UTC. Nothing is to be done
// where the machine is in UTC already.
func (e *environment) fixZone() {
	if _, offset := time.Unix(0, 0).In(time.Local).Zone(); offset == 0 && time.Local.String() == "UTC" {
		return
	}
	global := e.rt.GlobalObject()
	original := global.Get("Date")
	replace := func(value goja.Value) { define(global, "Date", value) }
	get := e.function("get Date", 0, func(goja.FunctionCall) goja.Value {
		// The script sees the engine's own Date under its name.
		replace(original)
		utc := e.need("date").Get("Date")
		replace(utc)
		return utc
	})
	set := e.function("set Date", 1, func(call goja.FunctionCall) goja.Value {
		replace(call.Argument(0))
		return goja.Undefined()
	})
	if err := global.DefineAccessorProperty("Date", get, set, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}

// lendZone lends format(ms, form), with form "date", "time" or "".
func (e *environment) lendZone(natives *goja.Object) {
	e.lend(natives, "format", func(call goja.FunctionCall) goja.Value {
		layout := dateTimeForm
		switch call.Argument(1).String() {
		case "date":
			layout = dateForm
		case "time":
			layout = timeForm
		}
		return e.rt.ToValue(time.UnixMilli(call.Argument(0).ToInteger()).UTC().Format(layout))
	})
}
