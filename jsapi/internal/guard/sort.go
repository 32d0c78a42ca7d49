package guard

import (
	"cmp"
	"math"
	"slices"

	"github.com/dop251/goja"
)

// sorting sorts a copy and writes it back, as ECMA-262 describes it (SortIndexedProperties). The engine sorts a dense
// array where it lies, and a comparison that shortens it is an index out of range in Go.
func (g *guard) sorting(original, forEach, slice native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.checkComparison(c.Argument(0))
		receiver := c.This.ToObject(g.rt)
		n := g.checkLength(receiver)
		elements := g.elements(receiver, n, forEach)
		if int64(len(elements)) < n {
			return original(c) // with holes the engine works on a copy itself
		}
		for i, element := range g.sorted(elements, c.Argument(0)) {
			g.step()
			if err := receiver.Set(index(int64(i)), element); err != nil {
				panic(err)
			}
		}
		return receiver
	}
}

// sortingCopy is Array.prototype.toSorted, interruptible without a comparison too.
func (g *guard) sortingCopy(original, forEach native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.checkComparison(c.Argument(0))
		receiver := c.This.ToObject(g.rt)
		n := g.checkLength(receiver)
		elements := g.elements(receiver, n, forEach)
		if int64(len(elements)) < n {
			return original(c)
		}
		return g.arrayOf(g.sorted(elements, c.Argument(0)))
	}
}

func (g *guard) checkComparison(v goja.Value) {
	if goja.IsUndefined(v) {
		return
	}
	if _, ok := goja.AssertFunction(v); !ok {
		panic(g.rt.NewTypeError("The comparison function must be either a function or undefined"))
	}
}

// elements collects what receiver holds, without its holes.
func (g *guard) elements(receiver *goja.Object, n int64, forEach native) []goja.Value {
	elements := make([]goja.Value, 0, n)
	g.visit(forEach, receiver, func(element goja.Value) { elements = append(elements, element) })
	return elements
}

// sorted returns the elements in order, undefined last (ECMA-262, CompareArrayElements).
func (g *guard) sorted(elements []goja.Value, comparison goja.Value) []goja.Value {
	rest := make([]goja.Value, 0, len(elements))
	undefined := 0
	for _, element := range elements {
		if goja.IsUndefined(element) {
			undefined++
			continue
		}
		rest = append(rest, element)
	}
	if compare, ok := callable(comparison); ok {
		g.sortBy(rest, compare)
	} else {
		g.sortByText(rest)
	}
	for range undefined {
		rest = append(rest, goja.Undefined())
	}
	return rest
}

// sortBy sorts with the program's comparison. NaN compares equal (ECMA-262, CompareArrayElements, step 4.b).
func (g *guard) sortBy(elements []goja.Value, compare native) {
	args := make([]goja.Value, 2)
	slices.SortStableFunc(elements, func(a, b goja.Value) int {
		g.step()
		args[0], args[1] = a, b
		order := compare(goja.FunctionCall{This: goja.Undefined(), Arguments: args}).ToFloat()
		if math.IsNaN(order) {
			return 0
		}
		return cmp.Compare(order, 0)
	})
}

// sortByText makes the text of each element once; the engine makes it anew for each comparison.
func (g *guard) sortByText(elements []goja.Value) {
	type keyed struct {
		text    goja.String
		element goja.Value
	}
	pairs := make([]keyed, len(elements))
	for i, element := range elements {
		g.step()
		text, ok := element.ToString().(goja.String)
		if !ok { // a BigInt is its own text to the engine
			text = g.rt.ToValue(element.String()).(goja.String)
		}
		pairs[i] = keyed{text, element}
	}
	slices.SortStableFunc(pairs, func(a, b keyed) int {
		g.step()
		return a.text.CompareTo(b.text)
	})
	for i, pair := range pairs {
		elements[i] = pair.element
	}
}
