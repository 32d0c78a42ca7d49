package guard

import "github.com/dop251/goja"

// maxJSON bounds the text that JSON.parse reads, in bytes of UTF-8; the engine needs about a quarter of a microsecond for
// each and cannot be interrupted meanwhile.
const maxJSON = 8 << 20

func (p *patcher) json() {
	json := p.global("JSON")
	p.method(json, "parse", p.guard.parsing)
	p.method(json, "stringify", p.guard.stringifying)
}

func (g *guard) parsing(parse native) native {
	return func(c goja.FunctionCall) goja.Value {
		if len(c.Arguments) == 0 {
			return parse(c)
		}
		c.Arguments = append([]goja.Value(nil), c.Arguments...)
		c.Arguments[0] = c.Arguments[0].ToString()
		source := c.Arguments[0].String()
		if len(source) > maxJSON {
			g.rangeErrorf("JSON of %d bytes exceeds the limit of %d", len(source), maxJSON)
		}
		g.checkDepth(jsonDepth(source))
		reviver, ok := callable(c.Argument(1))
		if !ok {
			return parse(c)
		}
		root := g.rt.NewObject()
		value := parse(goja.FunctionCall{This: c.This, Arguments: c.Arguments[:1]})
		_ = root.DefineDataProperty("", value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		return g.revive(reviver, root, "", 0)
	}
}

// revive is InternalizeJSONProperty of ECMA-262 with a bound on the depth, because a reviver can make the value deeper than
// its source. A property that cannot be changed is left, as the specification has it.
func (g *guard) revive(reviver native, holder *goja.Object, name string, depth int) goja.Value {
	g.checkDepth(depth)
	value := holder.Get(name)
	if value == nil {
		value = goja.Undefined()
	}
	if object, ok := value.(*goja.Object); ok {
		each := func(name string) {
			if revived := g.revive(reviver, object, name, depth+1); goja.IsUndefined(revived) {
				_ = object.Delete(name)
			} else {
				_ = object.DefineDataProperty(name, revived, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
			}
		}
		if g.isArray(object) {
			for i := range g.checkLength(object) {
				each(index(i))
			}
		} else {
			for _, name := range object.Keys() {
				each(name)
			}
		}
	}
	return reviver(goja.FunctionCall{This: holder, Arguments: []goja.Value{g.rt.ToValue(name), value}})
}

// jsonDepth is the depth of a JSON text (RFC 8259), found without recursion. Of a text that is not JSON it is a bound.
func jsonDepth(source string) int {
	depth, deepest, quoted := 0, 0, false
	for i := 0; i < len(source); i++ {
		switch c := source[i]; {
		case quoted:
			if c == '\\' {
				i++
			} else if c == '"' {
				quoted = false
			}
		case c == '"':
			quoted = true
		case c == '[' || c == '{':
			depth++
			deepest = max(deepest, depth)
		case c == ']' || c == '}':
			depth--
		}
	}
	return deepest
}

// stringifying watches JSON.stringify through a replacer, the one place where the engine calls out for each value: it
// follows the depth, measures the text, and looks for an interrupt.
func (g *guard) stringifying(stringify native) native {
	return func(c goja.FunctionCall) goja.Value {
		if _, ok := c.Argument(0).(*goja.Object); !ok {
			return stringify(c)
		}
		w := &stringifier{guard: g}
		if replacer, ok := c.Argument(1).(*goja.Object); ok {
			if call, ok := callable(replacer); ok {
				w.replace = call
			} else if g.isArray(replacer) {
				w.list(replacer)
			}
		}
		return stringify(goja.FunctionCall{
			This:      c.This,
			Arguments: []goja.Value{c.Argument(0), g.rt.ToValue(w.visit), c.Argument(2)},
		})
	}
}

// stringifier follows one JSON.stringify.
type stringifier struct {
	*guard
	replace native
	names   []string // the property list, in order; nil for all properties
	listed  bool
	open    []*goja.Object // the values that are being written, outermost first
	size    float64
}

// list reads a property list: strings and numbers, each once (ECMA-262, JSON.stringify, step 5.b).
func (w *stringifier) list(replacer *goja.Object) {
	w.listed = true
	seen := map[string]bool{}
	for i := range w.checkLength(replacer) {
		item := replacer.Get(index(i))
		if item == nil {
			continue
		}
		if object, ok := item.(*goja.Object); ok {
			if class := object.ClassName(); class != "String" && class != "Number" {
				continue
			}
		} else if _, ok := item.(goja.String); !ok && !goja.IsNumber(item) {
			continue
		}
		if name := item.String(); !seen[name] {
			seen[name] = true
			w.names = append(w.names, name)
		}
	}
}

// visit is the replacer that the engine calls, with the object that holds the value as its receiver.
func (w *stringifier) visit(c goja.FunctionCall) goja.Value {
	w.step()
	holder, _ := c.This.(*goja.Object)
	value := c.Argument(1)
	for len(w.open) > 0 && w.open[len(w.open)-1] != holder {
		w.open = w.open[:len(w.open)-1]
	}
	if w.replace != nil {
		value = w.replace(c)
	}
	w.text(textLength(c.Argument(0)))
	object, ok := value.(*goja.Object)
	if !ok {
		if value != nil {
			w.text(textLength(value))
		}
		return value
	}
	if w.listed {
		object = w.filtered(object)
	}
	w.open = append(w.open, object)
	w.checkDepth(len(w.open))
	w.checkIndexed(object)
	return object
}

// text measures a text that will be written.
func (w *stringifier) text(units int64) {
	w.size += float64(units)
	w.checkString(w.size)
	if units > pollEvery {
		w.poll()
	}
}

// filtered is a copy of object that holds the listed properties only, in the order of the list. What the engine does not
// write as an object stays as it is.
func (w *stringifier) filtered(object *goja.Object) *goja.Object {
	switch object.ClassName() {
	case "String", "Number", "Boolean", "BigInt", "RawJSON":
		return object
	}
	if _, function := goja.AssertFunction(object); function || w.isArray(object) {
		return object
	}
	copied := w.rt.CreateObject(nil)
	for _, name := range w.names {
		if value := object.Get(name); value != nil {
			_ = copied.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE)
		}
	}
	return copied
}
