package guard

import (
	"slices"

	"github.com/dop251/goja"
)

// measuringJoin measures the result of Array.prototype.join before it is made: an array that holds one long string a million
// times is small, what join makes of it is not.
func (g *guard) measuringJoin(join, forEach native) native {
	return func(c goja.FunctionCall) goja.Value {
		receiver := c.This.ToObject(g.rt)
		if slices.Contains(g.joining, receiver) {
			return g.rt.ToValue("") // as the engine and browsers do for an array that holds itself
		}
		n := g.checkLength(receiver)
		g.joining = append(g.joining, receiver)
		defer func() { g.joining = g.joining[:len(g.joining)-1] }()
		g.checkDepth(len(g.joining))

		separator := c.Argument(0)
		if goja.IsUndefined(separator) {
			separator = g.rt.ToValue(",")
		} else {
			separator = separator.ToString()
		}
		total := float64(max(n-1, 0)) * float64(length(separator))
		g.checkString(total)

		// Objects are converted here, once and in order, so that their text is measured like any other.
		parts := make([]goja.Value, 0, min(n, 64))
		objects := false
		forEach(goja.FunctionCall{This: receiver, Arguments: []goja.Value{g.visit(func(element goja.Value) {
			g.step()
			if object, ok := element.(*goja.Object); ok {
				element, objects = object.ToString(), true
			}
			total += float64(textLength(element))
			g.checkString(total)
			parts = append(parts, element)
		})}})
		call := goja.FunctionCall{This: receiver, Arguments: []goja.Value{separator}}
		if objects && int64(len(parts)) == n {
			call.This = g.arrayOf(parts)
		}
		return join(call)
	}
}

// visit makes a function for forEach that hands each element to f.
func (g *guard) visit(f func(goja.Value)) goja.Value {
	return g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		f(c.Argument(0))
		return goja.Undefined()
	})
}

// arrayOf makes an array of these values, which it keeps.
func (g *guard) arrayOf(values []goja.Value) *goja.Object {
	elements := make([]any, len(values))
	for i, v := range values {
		elements[i] = v
	}
	return g.rt.NewArray(elements...)
}

// textLength is the length of a primitive when it becomes text, or a bound of it.
func textLength(v goja.Value) int64 {
	if s, ok := v.(goja.String); ok {
		return int64(s.Length())
	}
	return 32
}

// checkString refuses a text of that many UTF-16 units when it is above the limit.
func (g *guard) checkString(units float64) {
	if units > float64(g.MaxBytes) {
		g.rangeErrorf("a string of %.0f units exceeds the limit of %d", units, g.MaxBytes)
	}
}
