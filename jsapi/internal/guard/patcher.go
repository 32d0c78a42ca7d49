package guard

import (
	"fmt"

	"github.com/dop251/goja"
)

// patcher changes built-ins and keeps the first error, so that the lists of changes read as lists.
type patcher struct {
	*guard
	err error

	asyncFunction, generatorFunction *goja.Object
}

// programs finds the objects without a global name. An empty function is how natives look for an interrupt: the engine
// notices one only while it runs bytecode.
func (p *patcher) programs() {
	found, err := p.rt.RunProgram(hidden())
	if err != nil {
		p.fail("Function", err)
		return
	}
	list := found.(*goja.Object)
	call, ok := list.Get("0").Export().(native)
	if !ok {
		p.fail("Function", errNotCallable)
		return
	}
	p.poll = func() { call(goja.FunctionCall{This: goja.Undefined()}) }
	p.asyncFunction, p.generatorFunction = p.object(list, "1"), p.object(list, "2")
}

// global returns the global object of this name.
func (p *patcher) global(name string) *goja.Object {
	return p.object(p.rt.GlobalObject(), name)
}

// prototype returns the prototype property of the global constructor of this name.
func (p *patcher) prototype(name string) *goja.Object {
	return p.object(p.global(name), "prototype")
}

// object returns the object in the member of holder; a stand-in and p.err when there is none.
func (p *patcher) object(holder *goja.Object, member string) *goja.Object {
	if object, ok := holder.Get(member).(*goja.Object); ok {
		return object
	}
	p.fail(member, fmt.Errorf("not an object"))
	return p.rt.NewObject()
}

func (p *patcher) fail(member string, err error) {
	if p.err == nil && err != nil {
		p.err = fmt.Errorf("built-in %s: %w", member, err)
	}
}

// method changes the function in holder[name] to what change makes of it, and returns what it was.
func (p *patcher) method(holder *goja.Object, name string, change func(native) native) native {
	return p.change(name, holder.Get(name), change)
}

// symbol is like method for a member that is named by a symbol.
func (p *patcher) symbol(holder *goja.Object, name *goja.Symbol, change func(native) native) native {
	return p.change(name.String(), holder.GetSymbol(name), change)
}

// getter is like method for the getter of an accessor property.
func (p *patcher) getter(holder *goja.Object, name string, change func(native) native) native {
	describe, ok := p.object(p.global("Object"), "getOwnPropertyDescriptor").Export().(native)
	if !ok {
		p.fail(name, fmt.Errorf("cannot read its descriptor"))
		return nil
	}
	descriptor, ok := describe(goja.FunctionCall{Arguments: []goja.Value{holder, p.rt.ToValue(name)}}).(*goja.Object)
	if !ok {
		p.fail(name, fmt.Errorf("no such property"))
		return nil
	}
	return p.change("get "+name, descriptor.Get("get"), change)
}

func (p *patcher) change(name string, function goja.Value, change func(native) native) native {
	b, err := builtinOf(function)
	if err == nil && *b.call == nil {
		err = fmt.Errorf("not callable")
	}
	if err != nil {
		p.fail(name, err)
		return nil
	}
	original := *b.call
	*b.call = change(original)
	return original
}

// constructor changes both ways to call the constructor function: as a function and with new.
// check looks at the arguments before the original sees them, and returns those that it shall see.
func (p *patcher) constructor(name string, function goja.Value, check func(args []goja.Value) []goja.Value) {
	b, err := builtinOf(function)
	if err != nil {
		p.fail(name, err)
		return
	}
	if call := *b.call; call != nil {
		*b.call = func(c goja.FunctionCall) goja.Value {
			c.Arguments = check(c.Arguments)
			return call(c)
		}
	}
	if construct := *b.construct; construct != nil {
		*b.construct = func(args []goja.Value, newTarget *goja.Object) *goja.Object {
			return construct(check(args), newTarget)
		}
	}
}

// errors learns how to make a RangeError, whatever becomes of the global of that name.
func (p *patcher) errors() {
	b, err := builtinOf(p.global("RangeError"))
	if err == nil && *b.construct == nil {
		err = fmt.Errorf("not a constructor")
	}
	if err != nil {
		p.fail("RangeError", err)
		return
	}
	p.newRange = *b.construct
}
