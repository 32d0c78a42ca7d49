package guard

import "github.com/dop251/goja"

// iterators makes loops over the iterators of arrays and strings look for interrupts: spreading one runs no bytecode, and
// a string or a typed array may have hundreds of millions of elements. A Map or Set has what a program put there itself.
// It also bounds generators that delegate to themselves, where each level of yield* is a Go call without a call frame.
func (p *patcher) iterators() {
	g := p.guard
	polling := func(next native) native {
		return func(c goja.FunctionCall) goja.Value {
			g.step()
			return next(c)
		}
	}
	p.method(p.iteratorPrototype("Array", g.rt.NewArray()), "next", polling)
	p.method(p.iteratorPrototype("String", g.rt.ToValue("")), "next", polling)
	generator := p.object(p.object(p.generatorFunction, "prototype"), "prototype")
	for _, name := range []string{"next", "return", "throw"} {
		p.method(generator, name, g.delegating)
	}
}

// iteratorPrototype is what iterators over values of this class inherit from. receiver is one of them.
func (p *patcher) iteratorPrototype(class string, receiver goja.Value) *goja.Object {
	if iterate, ok := callable(p.prototype(class).GetSymbol(goja.SymIterator)); ok {
		if iterator, ok := iterate(goja.FunctionCall{This: receiver}).(*goja.Object); ok {
			return iterator.Prototype()
		}
	}
	p.fail(class, errNoIterator)
	return p.rt.NewObject()
}

func (g *guard) delegating(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.generators++
		defer func() { g.generators-- }()
		g.checkDepth(g.generators)
		return original(c)
	}
}
