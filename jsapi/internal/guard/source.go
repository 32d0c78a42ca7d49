package guard

import (
	"github.com/dop251/goja"
)

// maxSource bounds the source that eval and the function constructors read, in bytes.
const maxSource = 1 << 20

// source bounds what is compiled at run time: the parser is recursive, and so is the compiler behind it.
func (p *patcher) source() {
	g := p.guard
	check := func(args []goja.Value) []goja.Value {
		args = g.textArguments(args, len(args))
		for _, arg := range args {
			g.checkSource(arg.String())
		}
		return args
	}
	p.constructor("Function", p.global("Function"), check)
	p.constructor("AsyncFunction", p.asyncFunction, check)
	p.constructor("GeneratorFunction", p.generatorFunction, check)
	p.eval()
}

// eval replaces the global eval, which is the one built-in that the engine recognizes by identity and runs without
// calling it. What is written as a direct eval is an indirect one then: it sees globals only.
func (p *patcher) eval() {
	g, globals := p.guard, p.rt.GlobalObject()
	indirect, ok := globals.Get("eval").Export().(native)
	if !ok {
		p.fail("eval", errNotCallable)
		return
	}
	guarded := p.rt.ToValue(func(c goja.FunctionCall) goja.Value {
		if s, ok := c.Argument(0).(goja.String); ok {
			g.checkSource(s.String())
		}
		return indirect(c)
	}).(*goja.Object)
	p.fail("eval", guarded.DefineDataProperty("length", p.rt.ToValue(1), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	p.fail("eval", guarded.DefineDataProperty("name", p.rt.ToValue("eval"), goja.FLAG_FALSE, goja.FLAG_TRUE, goja.FLAG_FALSE))
	p.fail("eval", globals.DefineDataProperty("eval", guarded, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE))
}

func (g *guard) checkSource(source string) {
	if len(source) > maxSource {
		g.rangeErrorf("source of %d bytes exceeds the limit of %d", len(source), maxSource)
	}
	if err := CheckSource(source, g.MaxDepth); err != nil {
		g.rangeErrorf("%s", err.Error())
	}
}
