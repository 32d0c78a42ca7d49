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
	for of, receiver := range map[string]goja.Value{"Array": g.rt.NewArray(), "String": g.rt.ToValue("")} {
		iterate, ok := p.prototype(of).GetSymbol(goja.SymIterator).Export().(native)
		if !ok {
			p.fail(of, errNoIterator)
			return
		}
		iterator := iterate(goja.FunctionCall{This: receiver}).(*goja.Object)
		p.method(iterator.Prototype(), "next", polling)
	}
	generator := p.object(p.object(p.generatorFunction, "prototype"), "prototype")
	for _, name := range []string{"next", "return", "throw"} {
		p.method(generator, name, g.delegating)
	}
}

func (g *guard) delegating(original native) native {
	return func(c goja.FunctionCall) goja.Value {
		g.generators++
		defer func() { g.generators-- }()
		g.checkDepth(g.generators)
		return original(c)
	}
}
