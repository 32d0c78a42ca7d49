package globals

import (
	"fmt"
	"strconv"

	"github.com/dop251/goja"
)

// structuredClone copies a value as HTML's StructuredSerialize and
// StructuredDeserialize do (HTML, section "Safe passing of structured data"),
// with transfer of ArrayBuffers. A value that cannot be cloned is a
// DataCloneError whose message and path property say where in the value it
// was. Objects are copied from a work list, so depth is bounded by memory only.
func (e *environment) structuredClone(call goja.FunctionCall) goja.Value {
	if len(call.Arguments) == 0 {
		panic(e.rt.NewTypeError("structuredClone: a value is required"))
	}
	c := &cloner{env: e, rt: e.rt, copies: make(map[*goja.Object]*goja.Object)}
	transfer := c.transferList(call.Argument(1))
	root := c.copyOf(call.Argument(0), nil, "")
	for len(c.pending) > 0 {
		last := len(c.pending) - 1
		fill := c.pending[last]
		c.pending = c.pending[:last]
		fill()
	}
	for _, buffer := range transfer {
		buffer.Detach()
	}
	return root
}

type cloner struct {
	env     *environment
	rt      *goja.Runtime
	copies  map[*goja.Object]*goja.Object
	pending []func() // fill a copy that was made empty
}

// place is where in the cloned value an object was met.
type place struct {
	parent *place
	step   string // ".name", "[0]", ".get(key)" as JavaScript would write it
}

func (p *place) String() string {
	if p == nil {
		return ""
	}
	return p.parent.String() + p.step
}

func (c *cloner) transferList(options goja.Value) []goja.ArrayBuffer {
	object, ok := options.(*goja.Object)
	if !ok {
		return nil
	}
	list := object.Get("transfer")
	if list == nil || goja.IsUndefined(list) {
		return nil
	}
	var buffers []goja.ArrayBuffer
	c.rt.ForOf(list, func(item goja.Value) bool {
		member, _ := item.(*goja.Object)
		if member == nil || c.env.kindOf(member) != "ArrayBuffer" {
			c.refuse("a value in the transfer list is not an ArrayBuffer", nil)
		}
		buffer := member.Export().(goja.ArrayBuffer)
		if buffer.Detached() || c.copies[member] != nil {
			c.refuse("an ArrayBuffer in the transfer list is detached or listed twice", nil)
		}
		c.copies[member] = c.rt.ToValue(c.rt.NewArrayBuffer(buffer.Bytes())).(*goja.Object)
		buffers = append(buffers, buffer)
		return true
	})
	return buffers
}

func (c *cloner) refuse(what string, at *place) {
	text := "structuredClone: " + what
	if path := at.String(); path != "" {
		text += " (at value" + path + ")"
	}
	exception := c.env.domException(text, "DataCloneError")
	define(exception, "path", c.rt.ToValue("value"+at.String()))
	panic(exception)
}

// copyOf returns the copy of a value, empty for now when it is a container.
func (c *cloner) copyOf(value goja.Value, parent *place, step string) goja.Value {
	at := parent
	if step != "" {
		at = &place{parent, step}
	}
	object, ok := value.(*goja.Object)
	if !ok {
		if _, symbol := value.(*goja.Symbol); symbol {
			c.refuse(value.String()+" cannot be cloned", at)
		}
		return value
	}
	if copied, ok := c.copies[object]; ok {
		return copied
	}
	copied, fill := c.shell(object, at)
	c.copies[object] = copied
	if fill != nil {
		c.pending = append(c.pending, fill)
	}
	return copied
}

// shell makes the copy of an object without its contents, and the function
// that fills it.
func (c *cloner) shell(object *goja.Object, at *place) (*goja.Object, func()) {
	switch kind := c.env.kindOf(object); kind {
	case "Object":
		if c.env.isBlob(object) {
			return object, nil // a Blob never changes
		}
		if c.env.isHostObject(object) {
			c.refuse(fmt.Sprintf("an object of class %s cannot be cloned", c.env.className(object)), at)
		}
		copied := c.rt.NewObject()
		return copied, func() { c.fillProperties(object, copied, at) }
	case "Arguments":
		copied := c.rt.NewObject()
		return copied, func() { c.fillProperties(object, copied, at) }
	case "Array":
		copied := c.rt.NewArray()
		if err := copied.Set("length", object.Get("length")); err != nil {
			panic(err)
		}
		return copied, func() { c.fillProperties(object, copied, at) }
	case "Map":
		copied := c.construct("Map")
		return copied, func() { c.fillMap(object, copied, at) }
	case "Set":
		copied := c.construct("Set")
		return copied, func() { c.fillSet(object, copied, at) }
	case "Error":
		return c.error(object, at)
	case "Date":
		return c.construct("Date", c.call("Date", "getTime", object)), nil
	case "RegExp":
		return c.construct("RegExp", object.Get("source"), object.Get("flags")), nil
	case "Boolean", "Number", "String", "BigInt":
		return c.call(kind, "valueOf", object).ToObject(c.rt), nil
	case "ArrayBuffer":
		return c.buffer(object, at), nil
	case "DataView", "Uint8Array", "Int8Array", "Uint8ClampedArray", "Uint16Array", "Int16Array", "Uint32Array",
		"Int32Array", "Float32Array", "Float64Array", "BigInt64Array", "BigUint64Array":
		return c.view(kind, object, at), nil
	case "Function", "AsyncFunction", "GeneratorFunction":
		c.refuse(fmt.Sprintf("the function %q cannot be cloned", object.Get("name").String()), at)
	default:
		c.refuse(fmt.Sprintf("a %s cannot be cloned", kind), at)
	}
	return nil, nil
}

func (c *cloner) fillProperties(object, copied *goja.Object, at *place) {
	for _, key := range object.Keys() {
		define := func(value goja.Value) {
			if err := copied.DefineDataProperty(key, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_TRUE); err != nil {
				panic(err)
			}
		}
		if value := object.Get(key); value != nil {
			define(c.copyOf(value, at, propertyStep(key)))
		}
	}
}

// propertyStep writes the access to a property as JavaScript would.
func propertyStep(key string) string {
	if _, err := strconv.ParseUint(key, 10, 32); err == nil {
		return "[" + key + "]"
	}
	for i, r := range key {
		letter := r == '_' || r == '$' || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z'
		if !letter && (i == 0 || r < '0' || r > '9') {
			return "[" + strconv.Quote(key) + "]"
		}
	}
	return "." + key
}

func (c *cloner) fillMap(object, copied *goja.Object, at *place) {
	entries := c.entries("Map", object)
	for i := 0; i < len(entries); i += 2 {
		step := fmt.Sprintf("[entry %d]", i/2)
		c.call("Map", "set", copied, c.copyOf(entries[i], at, step+".key"), c.copyOf(entries[i+1], at, step+".value"))
	}
}

func (c *cloner) fillSet(object, copied *goja.Object, at *place) {
	entries := c.entries("Set", object)
	for i, value := range entries {
		c.call("Set", "add", copied, c.copyOf(value, at, fmt.Sprintf("[member %d]", i)))
	}
}

// entries snapshots a Map (key and value in turn) or a Set before anything in
// it is copied, since a getter could change it.
func (c *cloner) entries(kind string, object *goja.Object) []goja.Value {
	var entries []goja.Value
	collect := c.rt.ToValue(func(call goja.FunctionCall) goja.Value {
		if kind == "Map" {
			entries = append(entries, call.Argument(1))
		}
		entries = append(entries, call.Argument(0))
		return goja.Undefined()
	})
	c.call(kind, "forEach", object, collect)
	return entries
}

// error copies name, message, stack, cause and errors, as engines do today.
func (c *cloner) error(object *goja.Object, at *place) (*goja.Object, func()) {
	if isDOMException := object.Prototype() == c.env.need("domexception").Get("DOMException").(*goja.Object).Get("prototype"); isDOMException {
		copied := c.env.domException(object.Get("message").String(), object.Get("name").String())
		define(copied, "stack", object.Get("stack"))
		return copied, nil
	}
	name := "Error"
	if value := object.Get("name"); value != nil {
		switch text := value.String(); text {
		case "EvalError", "RangeError", "ReferenceError", "SyntaxError", "TypeError", "URIError", "AggregateError":
			name = text
		}
	}
	var copied *goja.Object
	if name == "AggregateError" {
		copied = c.construct(name, c.rt.NewArray())
	} else {
		copied = c.construct(name)
	}
	for _, key := range []string{"message", "stack"} {
		if value := object.Get(key); value != nil && !goja.IsUndefined(value) {
			define(copied, key, c.rt.ToValue(value.String()))
		}
	}
	return copied, func() {
		for _, key := range []string{"cause", "errors"} {
			if value := object.Get(key); value != nil && !goja.IsUndefined(value) {
				define(copied, key, c.copyOf(value, at, "."+key))
			}
		}
	}
}

func (c *cloner) buffer(object *goja.Object, at *place) *goja.Object {
	buffer := object.Export().(goja.ArrayBuffer)
	if buffer.Detached() {
		c.refuse("a detached ArrayBuffer cannot be cloned", at)
	}
	return c.rt.ToValue(c.rt.NewArrayBuffer(append([]byte(nil), buffer.Bytes()...))).(*goja.Object)
}

func (c *cloner) view(kind string, object *goja.Object, at *place) *goja.Object {
	length := object.Get("length")
	if kind == "DataView" {
		length = object.Get("byteLength")
	}
	buffer := c.copyOf(object.Get("buffer"), at, ".buffer")
	return c.construct(kind, buffer, object.Get("byteOffset"), length)
}

func (c *cloner) construct(constructor string, args ...goja.Value) *goja.Object {
	object, err := c.rt.New(c.rt.Get(constructor), args...)
	if err != nil {
		panic(err)
	}
	return object
}

// call calls a method of a built-in prototype on object.
func (c *cloner) call(constructor, method string, object *goja.Object, args ...goja.Value) goja.Value {
	f, _ := goja.AssertFunction(c.env.prototypeOf(constructor).Get(method))
	result, err := f(object, args...)
	if err != nil {
		panic(err)
	}
	return result
}

// className is the name of an object's constructor, for messages.
func (e *environment) className(object *goja.Object) string {
	if constructor, ok := object.Get("constructor").(*goja.Object); ok {
		if name := constructor.Get("name"); name != nil && name.String() != "" {
			return name.String()
		}
	}
	return "Object"
}

// isHostObject reports whether an object is of a class of this package that
// has private state, such as URL or AbortSignal: those are not serializable,
// though their own properties are none.
func (e *environment) isHostObject(object *goja.Object) bool {
	for prototype := object.Prototype(); prototype != nil; prototype = prototype.Prototype() {
		if e.platform[prototype] {
			return true
		}
	}
	return false
}

func (e *environment) isBlob(object *goja.Object) bool {
	module, made := e.modules["blob"]
	return made && e.rt.InstanceOf(object, module.Get("Blob").(*goja.Object))
}
