package globals

import (
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
	if object, ok := value.(*goja.Object); ok {
		if buffer, ok := object.Export().(goja.ArrayBuffer); ok {
			return buffer.Bytes()
		}
		if holder, ok := object.Get("buffer").(*goja.Object); ok {
			if buffer, ok := holder.Export().(goja.ArrayBuffer); ok {
				start, length := object.Get("byteOffset").ToInteger(), object.Get("byteLength").ToInteger()
				if memory := buffer.Bytes(); start >= 0 && length >= 0 && start+length <= int64(len(memory)) {
					return memory[start : start+length]
				}
			}
		}
	}
	panic(e.rt.NewTypeError("%s must be an ArrayBuffer, a typed array or a DataView", what))
}
