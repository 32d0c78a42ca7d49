package guard

import "github.com/dop251/goja"

// iterators makes loops over the engine's own iterators look for interrupts: spreading one runs no bytecode. It also
// bounds generators that delegate to themselves, where each level of yield* is a Go call without a call frame.
func (p *patcher) iterators() {
	g := p.guard
	polling := func(next native) native {
		return func(c goja.FunctionCall) goja.Value {
			g.step()
			return next(c)
		}
	}
	for _, of := range []string{"Array", "String", "Map", "Set"} {
		proto := p.prototype(of)
		iterate, ok := proto.GetSymbol(goja.SymIterator).Export().(native)
		if !ok {
			p.fail(of, errNoIterator)
			return
		}
		receiver := goja.Value(g.rt.NewArray())
		switch of {
		case "String":
			receiver = g.rt.ToValue("")
		case "Map", "Set":
			object, err := g.rt.New(p.global(of))
			if err != nil {
				p.fail(of, err)
				return
			}
			receiver = object
		}
		iterator := iterate(goja.FunctionCall{This: receiver}).(*goja.Object)
		p.method(iterator.Prototype(), "next", polling)
	}

	generator, err := g.rt.RunProgram(generatorPrototype())
	if err != nil {
		p.fail("Generator", err)
		return
	}
	for _, name := range []string{"next", "return", "throw"} {
		p.method(generator.(*goja.Object), name, g.delegating)
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
