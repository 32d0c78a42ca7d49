package globals

import (
	"strings"

	"github.com/dop251/goja"
)

// uint8Array makes a Uint8Array over data, which it then owns.
func (e *environment) uint8Array(data []byte) *goja.Object {
	array, err := e.rt.New(e.rt.Get("Uint8Array"), e.rt.ToValue(e.rt.NewArrayBuffer(data)))
	if err != nil {
		panic(err)
	}
	return array
}

// bytesOf is the memory of an ArrayBuffer, typed array or DataView, not a copy;
// it must not be kept after the call of JavaScript that gave it. It throws a
// TypeError that names what for any other value.
func (e *environment) bytesOf(value goja.Value, what string) []byte {
	object, _ := value.(*goja.Object)
	if memory, ok := arrayBuffer(object); ok {
		return memory
	}
	if object != nil && e.isView(object) {
		holder, _ := object.Get("buffer").(*goja.Object)
		memory, _ := arrayBuffer(holder)
		start, length := object.Get("byteOffset").ToInteger(), object.Get("byteLength").ToInteger()
		if start >= 0 && length >= 0 && start <= int64(len(memory)) && length <= int64(len(memory))-start {
			return memory[start : start+length]
		}
	}
	panic(e.rt.NewTypeError("%s must be an ArrayBuffer, a typed array or a DataView", what))
}

// arrayBuffer is the memory of an ArrayBuffer. The type is asked first, since
// exporting a typed array whose buffer was detached panics.
func arrayBuffer(object *goja.Object) ([]byte, bool) {
	if object == nil || object.ExportType() != arrayBufferType {
		return nil, false
	}
	return object.Export().(goja.ArrayBuffer).Bytes(), true
}

func (e *environment) isView(object *goja.Object) bool {
	kind := e.kindOf(object)
	return kind == "DataView" || strings.HasSuffix(kind, "Array") && kind != "Array"
}
