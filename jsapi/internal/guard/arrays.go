package guard

import (
	"math"
	"strconv"

	"github.com/dop251/goja"
)

// walkers are the members of Array.prototype that visit every index below the length of their receiver.
var walkers = []string{
	"copyWithin", "every", "filter", "find", "findIndex", "findLast", "findLastIndex", "flatMap", "forEach", "includes",
	"indexOf", "lastIndexOf", "map", "reduce", "reduceRight", "reverse", "shift", "slice", "some", "splice",
	"toReversed", "toSpliced", "unshift", "with",
}

func (p *patcher) arrays() {
	g, proto := p.guard, p.prototype("Array")
	for _, name := range walkers {
		p.method(proto, name, g.walking)
	}
	forEach, _ := proto.Get("forEach").Export().(native)
	slice, _ := proto.Get("slice").Export().(native)
	push, _ := proto.Get("push").Export().(native)
	for _, name := range []string{"values", "keys", "entries"} {
		p.method(proto, name, g.walking)
	}
	p.method(proto, "fill", g.filling)
	p.method(proto, "concat", g.concatenating)
	p.method(proto, "join", func(join native) native { return g.measuringJoin(join, forEach) })
	p.method(proto, "toLocaleString", g.localizing)
	p.method(proto, "flat", func(native) native { return g.flattening(slice, push) })
	p.method(proto, "sort", func(sort native) native { return g.sorting(sort, forEach, slice) })
	p.method(proto, "toSorted", func(sort native) native { return g.sortingCopy(sort, forEach) })

	array := p.global("Array")
	g.isArrayCall = p.method(array, "isArray", func(original native) native { return original })
	p.method(array, "from", func(from native) native {
		return func(c goja.FunctionCall) goja.Value {
			g.checkLength(c.Argument(0))
			return from(c)
		}
	})
	p.constructor("Array", array, func(args []goja.Value) []goja.Value {
		if len(args) == 1 && goja.IsNumber(args[0]) {
			if n := args[0].ToFloat(); n <= math.MaxUint32 { // above it is no length, which the original says
				g.checkElements(n)
			}
		}
		return args
	})
}

// checkElements refuses a number of elements above the limit.
func (g *guard) checkElements(n float64) {
	if n > float64(g.MaxElements) {
		g.rangeErrorf("%.0f elements exceed the limit of %d", n, g.MaxElements)
	}
}

// length returns the length that a built-in will read from v, 0 for what has none.
func length(v goja.Value) int64 {
	switch v := v.(type) {
	case *goja.Object:
		if n := v.Get("length"); n != nil {
			return n.ToInteger()
		}
	case goja.String:
		return int64(v.Length())
	}
	return 0
}

// checkLength refuses an array or array-like that is longer than a built-in may walk, and returns its length.
func (g *guard) checkLength(v goja.Value) int64 {
	n := length(v)
	if n > g.MaxElements {
		g.checkElements(float64(n))
	}
	return n
}

func (g *guard) walking(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.checkLength(c.This)
		return original(c)
	}
}

// filling fills in chunks: an array with holes takes half a microsecond for each of them.
func (g *guard) filling(fill native) native {
	return func(c goja.FunctionCall) goja.Value {
		n := g.checkLength(c.This)
		if n <= pollEvery {
			return fill(c)
		}
		start := relative(c.Argument(1).ToInteger(), n)
		end := n
		if to := c.Argument(2); !goja.IsUndefined(to) {
			end = relative(to.ToInteger(), n)
		}
		for ; start < end; start += pollEvery {
			to := min(start+pollEvery, end)
			fill(goja.FunctionCall{This: c.This, Arguments: []goja.Value{c.Argument(0), g.rt.ToValue(start), g.rt.ToValue(to)}})
			g.poll()
		}
		return c.This
	}
}

// relative is the absolute index for an argument that counts from the end when it is negative
// (ECMA-262, Array.prototype.fill, steps 4 to 7).
func relative(index, length int64) int64 {
	if index < 0 {
		return max(length+index, 0)
	}
	return min(index, length)
}

func (g *guard) concatenating(concat native) native {
	return func(c goja.FunctionCall) goja.Value {
		total := length(c.This)
		for _, arg := range c.Arguments {
			if object, ok := arg.(*goja.Object); ok {
				total += min(length(object), g.MaxElements+1)
			}
		}
		if total > g.MaxElements {
			g.checkElements(float64(total))
		}
		return concat(c)
	}
}

// localizing bounds the recursion through nested arrays, which the engine does without a call frame.
func (g *guard) localizing(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.checkLength(c.This)
		g.locale++
		defer func() { g.locale-- }()
		g.checkDepth(g.locale)
		return original(c)
	}
}

// checkDepth refuses nesting above the limit.
func (g *guard) checkDepth(depth int) {
	if depth > g.MaxDepth {
		g.rangeErrorf("nesting exceeds the limit of %d levels", g.MaxDepth)
	}
}

// index is the property name of element i.
func index(i int64) string {
	return strconv.FormatInt(i, 10)
}

// flattening is Array.prototype.flat with a bound on the depth it reaches. slice makes the result as the engine would
// (ArraySpeciesCreate) and push fills it.
func (g *guard) flattening(slice, push native) native {
	return func(c goja.FunctionCall) goja.Value {
		receiver := c.This.ToObject(g.rt)
		n := g.checkLength(receiver)
		depth := int64(1)
		if arg := c.Argument(0); !goja.IsUndefined(arg) {
			depth = arg.ToInteger()
		}
		result := slice(goja.FunctionCall{This: receiver, Arguments: []goja.Value{g.rt.ToValue(0), g.rt.ToValue(0)}})
		var elements []goja.Value
		g.flatten(&elements, receiver, n, depth, 0)
		for len(elements) > 0 {
			chunk := elements[:min(len(elements), pollEvery)]
			push(goja.FunctionCall{This: result, Arguments: chunk})
			elements = elements[len(chunk):]
		}
		return result
	}
}

func (g *guard) flatten(into *[]goja.Value, source *goja.Object, n, depth int64, level int) {
	g.checkDepth(level)
	for i := range n {
		g.step()
		element := source.Get(index(i))
		if element == nil {
			continue
		}
		if nested, ok := element.(*goja.Object); ok && depth > 0 && g.isArray(nested) {
			g.flatten(into, nested, g.checkLength(nested), depth-1, level+1)
			continue
		}
		*into = append(*into, element)
		g.checkElements(float64(len(*into)))
	}
}

// isArray tells arrays, and proxies of arrays, from other objects (ECMA-262, IsArray).
func (g *guard) isArray(object *goja.Object) bool {
	if object.ExportType() != proxyType {
		return object.ClassName() == "Array"
	}
	return g.isArrayCall(goja.FunctionCall{Arguments: []goja.Value{object}}).ToBoolean()
}
