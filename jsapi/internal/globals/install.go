package globals

import (
	"fmt"
	"reflect"

	"github.com/dop251/goja"
)

// lazyNames says which script exports a global that is made at its first
// touch; a name without a script is made in Go by environment.native.
var lazyNames = map[string]string{
	"AbortController":      "abort",
	"AbortSignal":          "abort",
	"AsyncDisposableStack": "disposable",
	"atob":                 "",
	"Blob":                 "blob",
	"btoa":                 "",
	"Buffer":               "buffer",
	"clearImmediate":       "timers",
	"clearInterval":        "timers",
	"clearTimeout":         "timers",
	"console":              "console",
	"crypto":               "crypto",
	"CustomEvent":          "events",
	"DisposableStack":      "disposable",
	"DOMException":         "domexception",
	"Event":                "events",
	"EventTarget":          "eventtarget",
	"fetch":                "fetch",
	"File":                 "blob",
	"FinalizationRegistry": "weak",
	"FormData":             "formdata",
	"global":               "",
	"Headers":              "headers",
	"Intl":                 "intl",
	"Iterator":             "iterator",
	"performance":          "performance",
	"queueMicrotask":       "microtask",
	"Request":              "fetch",
	"Response":             "fetch",
	"self":                 "",
	"setImmediate":         "timers",
	"setInterval":          "timers",
	"setTimeout":           "timers",
	"structuredClone":      "",
	"SuppressedError":      "disposable",
	"TextDecoder":          "encoding",
	"TextEncoder":          "encoding",
	"URL":                  "url",
	"URLSearchParams":      "url",
	"WeakRef":              "weak",
}

// Install gives rt its globals. It must be called once, before any other code
// runs in rt and on the goroutine that rt belongs to; host must live as long
// as rt. It sets the runtime's time and random sources.
func Install(rt *goja.Runtime, host Host) error {
	env := &environment{rt: rt, host: host, modules: make(map[string]*goja.Object), platform: make(map[*goja.Object]bool)}
	rt.SetTimeSource(host.Now)
	rt.SetRandSource(randomSource(host))
	err := rt.Try(func() {
		env.need("prelude")
		env.fixZone()
		lazy := rt.NewDynamicObject(&lazyGlobals{rt: rt, env: env})
		if err := rt.GlobalObject().SetPrototype(lazy); err != nil {
			panic(err)
		}
	})
	if err != nil {
		return fmt.Errorf("globals: install: %w", err)
	}
	return nil
}

// global makes the value of a lazy global.
func (e *environment) global(name string) goja.Value {
	if name == "Iterator" {
		e.helpers.define()
	}
	if script := lazyNames[name]; script != "" {
		return e.need(script).Get(name)
	}
	return e.native(name)
}

// native makes the lazy globals that need no script.
func (e *environment) native(name string) goja.Value {
	switch name {
	case "global", "self":
		return e.rt.GlobalObject()
	case "atob":
		return e.function(name, 1, e.atob)
	case "btoa":
		return e.function(name, 1, e.btoa)
	case "structuredClone":
		return e.function(name, 1, e.structuredClone)
	}
	panic(e.rt.NewTypeError("globals: no maker for %q", name))
}

var lazyGlobalsType = reflect.TypeFor[*lazyGlobals]()

// environmentOf finds the environment that Install made for rt.
func environmentOf(rt *goja.Runtime) *environment {
	for object := rt.GlobalObject().Prototype(); object != nil; object = object.Prototype() {
		if object.ExportType() == lazyGlobalsType {
			return object.Export().(*lazyGlobals).env
		}
	}
	panic("globals: not installed in this runtime")
}
