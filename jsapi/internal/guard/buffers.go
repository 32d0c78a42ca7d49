package guard

import "github.com/dop251/goja"

// typedArrays are the element sizes of the typed arrays in bytes (ECMA-262, table "The TypedArray Constructors").
var typedArrays = []struct {
	name string
	size int64
}{
	{"Int8Array", 1}, {"Uint8Array", 1}, {"Uint8ClampedArray", 1}, {"Int16Array", 2}, {"Uint16Array", 2},
	{"Int32Array", 4}, {"Uint32Array", 4}, {"Float32Array", 4}, {"Float64Array", 8}, {"BigInt64Array", 8},
	{"BigUint64Array", 8},
}

// slowTyped are the members of %TypedArray%.prototype that need more than some nanoseconds for an element.
var slowTyped = []string{"join", "sort", "toLocaleString", "toSorted"}

// buffers bounds what ArrayBuffer and the typed arrays allocate. A DataView allocates nothing.
func (p *patcher) buffers() {
	g := p.guard
	p.constructor("ArrayBuffer", p.global("ArrayBuffer"), func(args []goja.Value) []goja.Value {
		if len(args) > 0 {
			args = append([]goja.Value{args[0].ToNumber()}, args[1:]...)
		}
		return g.checkBuffer(args, 1)
	})
	for _, array := range typedArrays {
		p.constructor(array.name, p.global(array.name), func(args []goja.Value) []goja.Value {
			return g.checkBuffer(args, array.size)
		})
	}
	typed := p.global("Uint8Array").Prototype()
	p.method(typed, "from", func(from native) native {
		return func(c goja.FunctionCall) goja.Value {
			g.checkLength(c.Argument(0))
			return from(c)
		}
	})
	proto := p.object(typed, "prototype")
	for _, name := range slowTyped {
		p.method(proto, name, g.walking)
	}
	p.method(proto, "set", func(set native) native {
		return func(c goja.FunctionCall) goja.Value {
			if source, ok := c.Argument(0).(*goja.Object); ok && !isTypedArray(source) {
				g.checkLength(source)
			}
			return set(c)
		}
	})
}

// checkBuffer refuses a buffer above the limit, given the arguments of a constructor: a number of elements, or an
// array-like to copy.
func (g *guard) checkBuffer(args []goja.Value, size int64) []goja.Value {
	if len(args) == 0 {
		return args
	}
	source, ok := args[0].(*goja.Object)
	if !ok {
		number := args[0].ToNumber()
		g.checkBytes(number.ToFloat() * float64(size))
		return append([]goja.Value{number}, args[1:]...)
	}
	switch {
	case source.ExportType() == arrayBufferType: // a view
	case isTypedArray(source):
		g.checkBytes(float64(length(source)) * float64(size))
	default:
		g.checkLength(source)
	}
	return args
}

// checkBytes refuses a buffer of that many bytes when it is above the limit.
func (g *guard) checkBytes(bytes float64) {
	if bytes > float64(g.MaxBytes) {
		g.rangeErrorf("a buffer of %.0f bytes exceeds the limit of %d", bytes, g.MaxBytes)
	}
}
