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

		objects := false
		g.visit(forEach, receiver, func(element goja.Value) {
			g.step()
			if _, ok := element.(*goja.Object); ok {
				objects = true
				return
			}
			total += float64(textLength(element))
			g.checkString(total)
		})
		if objects {
			receiver = g.converted(receiver, n, total)
		}
		return join(goja.FunctionCall{This: receiver, Arguments: []goja.Value{separator}})
	}
}

// converted is a copy of an array in which objects have become text, each once and in order, so that their text is
// measured like any other. total is what the other elements come to.
func (g *guard) converted(receiver *goja.Object, n int64, total float64) *goja.Object {
	parts := make([]goja.Value, n)
	for i := range n {
		g.step()
		parts[i] = goja.Undefined() // joins like a hole
		if element := receiver.Get(index(i)); element != nil {
			parts[i] = element
		}
		if object, ok := parts[i].(*goja.Object); ok {
			parts[i] = object.ToString()
			total += float64(textLength(parts[i]))
			g.checkString(total)
		}
	}
	return g.arrayOf(parts)
}

// visit hands each element of receiver to f, without its holes. The function that forEach calls is made once for the
// runtime: making one costs more than a short array. A getter of receiver may come here again.
func (g *guard) visit(forEach native, receiver *goja.Object, f func(goja.Value)) {
	if g.visitor == nil {
		g.visitor = g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
			g.visiting(c.Argument(0))
			return goja.Undefined()
		})
	}
	outer := g.visiting
	g.visiting = f
	defer func() { g.visiting = outer }()
	forEach(goja.FunctionCall{This: receiver, Arguments: []goja.Value{g.visitor}})
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
