package jsapi

import (
	"strings"

	"github.com/dop251/goja"
)

// instead says what to pass in place of an instance of a class.
var instead = map[string]string{
	"Promise":     "await it first",
	"RegExp":      "pass its source",
	"ArrayBuffer": "wrap it in a Uint8Array",
	"DataView":    "copy it into a Uint8Array",
	"Generator":   "collect its items in an array, or make it an async generator",
	"WeakMap":     "pass a Map",
	"WeakSet":     "pass a Set",
}

// refuse is the error of an instance of a class that has no form of its own.
func refuse(path, class string) error {
	advice, known := instead[class]
	switch {
	case known:
	case class == "Object":
		return &DataCloneError{Path: path, Reason: "it has a prototype of its own; pass plain data, or provide it as a service"}
	case strings.HasSuffix(class, "Array"):
		advice = "copy it into an array or a Uint8Array"
	default:
		advice = "pass plain data, or provide it as a service"
	}
	return &DataCloneError{Path: path, Reason: "it is an instance of " + class + "; " + advice}
}

// className is the name of an object's class: of its constructor, else what it
// calls itself.
func (iso *Isolate) className(object *goja.Object) string {
	name := object.ClassName()
	_ = iso.runtime.Try(func() {
		constructor, _ := object.Get("constructor").(*goja.Object)
		if _, callable := goja.AssertFunction(constructor); callable && constructor != iso.intrinsics.classes["Object"] {
			if text, ok := constructor.Get("name").(goja.String); ok {
				name = shortText(text, maxName)
				if name == "" {
					name = "a class without a name"
				}
				return
			}
		}
		if tag, ok := object.GetSymbol(goja.SymToStringTag).(goja.String); ok {
			name = shortText(tag, maxName)
		}
	})
	return name
}
