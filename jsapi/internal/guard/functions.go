package guard

import "github.com/dop251/goja"

// maxBoundName bounds chains of bind: each link is a Go call without a call frame, and adds "bound " to the name.
const maxBoundName = 4096

// functions bounds the argument lists that apply and construct read from array-likes, and chains of bound functions.
func (p *patcher) functions() {
	g := p.guard
	list := func(argument int) func(native) native {
		return func(original native) native {
			return func(c goja.FunctionCall) goja.Value {
				g.checkLength(c.Argument(argument))
				return original(c)
			}
		}
	}
	proto := p.prototype("Function")
	p.method(proto, "apply", list(1))
	p.method(proto, "bind", func(bind native) native {
		return func(c goja.FunctionCall) goja.Value {
			bound := bind(c)
			if length(bound.(*goja.Object).Get("name")) > maxBoundName {
				g.rangeErrorf("the name of a bound function exceeds the limit of %d units", maxBoundName)
			}
			return bound
		}
	})
	reflect := p.global("Reflect")
	p.method(reflect, "apply", list(2))
	p.method(reflect, "construct", list(1))
}
