package guard

import (
	"math"
	"strings"

	"github.com/dop251/goja"
)

// growth is how many UTF-16 units one unit can become: U+FDFA normalizes to 18, a unit escapes to at most 9 in a URI.
const (
	normalizeGrowth = 18
	escapeGrowth    = 9
)

// strings bounds the members of String.prototype whose result can be larger than what they are given. What + and
// template literals make cannot be fenced in: they are operators.
func (p *patcher) strings() {
	g, proto := p.guard, p.prototype("String")
	p.method(proto, "repeat", g.repeating)
	p.method(proto, "padStart", g.padding)
	p.method(proto, "padEnd", g.padding)
	p.method(proto, "concat", g.concatenatingText)
	p.method(proto, "replace", func(replace native) native { return g.replacingText(replace, false) })
	p.method(proto, "replaceAll", func(replace native) native { return g.replacingText(replace, true) })
	p.method(proto, "split", g.splitting)
	p.method(proto, "normalize", g.growing(normalizeGrowth))
	for _, name := range []string{"encodeURI", "encodeURIComponent", "escape"} {
		p.method(p.rt.GlobalObject(), name, func(original native) native {
			return func(c goja.FunctionCall) goja.Value {
				c.Arguments = g.textArguments(c.Arguments, 1)
				g.checkString(float64(length(c.Argument(0))) * escapeGrowth)
				return original(c)
			}
		})
	}
	p.method(p.global("String"), "raw", func(raw native) native {
		return func(c goja.FunctionCall) goja.Value {
			if cooked, ok := c.Argument(0).(*goja.Object); ok {
				g.checkLength(cooked.Get("raw"))
			}
			return raw(c)
		}
	})
}

// text is v as a string, converted once: v may be an object whose toString answers differently each time. undefined
// and null as a receiver are left for the original to refuse.
func text(v goja.Value) goja.Value {
	if _, ok := v.(goja.String); ok || goja.IsUndefined(v) || goja.IsNull(v) {
		return v
	}
	if s, ok := v.ToString().(goja.String); ok {
		return s
	}
	return v
}

// textArguments converts the first n arguments to strings.
func (g *guard) textArguments(args []goja.Value, n int) []goja.Value {
	converted := append([]goja.Value(nil), args...)
	for i := range converted[:min(n, len(converted))] {
		converted[i] = text(converted[i])
	}
	return converted
}

func (g *guard) repeating(repeat native) native {
	return func(c goja.FunctionCall) goja.Value {
		c.This = text(c.This)
		count := c.Argument(0).ToNumber()
		if n := count.ToFloat(); n > 0 && !math.IsInf(n, 1) {
			g.checkString(n * float64(length(c.This)))
		}
		c.Arguments = []goja.Value{count}
		return repeat(c)
	}
}

func (g *guard) padding(pad native) native {
	return func(c goja.FunctionCall) goja.Value {
		c.This = text(c.This)
		width := c.Argument(0).ToNumber()
		g.checkString(width.ToFloat())
		if len(c.Arguments) > 0 {
			c.Arguments = append([]goja.Value{width}, c.Arguments[1:]...)
		}
		return pad(c)
	}
}

func (g *guard) concatenatingText(concat native) native {
	return func(c goja.FunctionCall) goja.Value {
		c.This = text(c.This)
		c.Arguments = g.textArguments(c.Arguments, len(c.Arguments))
		total := float64(length(c.This))
		for _, arg := range c.Arguments {
			total += float64(textLength(arg))
		}
		g.checkString(total)
		return concat(c)
	}
}

// replacingText bounds what replacing a plain text can make; regular expressions are bounded where they match.
func (g *guard) replacingText(replace native, all bool) native {
	return func(c goja.FunctionCall) goja.Value {
		if _, ok := c.Argument(0).(*goja.Object); ok {
			return replace(c)
		}
		if _, ok := c.Argument(1).(*goja.Object); ok { // a function is bytecode, and bytecode can be interrupted
			return replace(c)
		}
		c.This, c.Arguments = text(c.This), g.textArguments(c.Arguments, 2)
		subject, isText := c.This.(goja.String)
		search, _ := c.Argument(0).(goja.String)
		if !isText || search == nil {
			return replace(c)
		}
		matches := int64(1)
		if all {
			matches = int64(subject.Length()/max(search.Length(), 1)) + 1
		}
		template := c.Argument(1)
		if g.replacedSize(subject, template, matches) > float64(g.MaxBytes) && all {
			matches = int64(strings.Count(subject.String(), search.String())) // exact only when the bound is too large
		}
		g.checkString(g.replacedSize(subject, template, matches))
		return replace(c)
	}
}

// replacedSize is a bound of the size of a text in which so many matches are replaced. A $ in the template can stand for
// the match or for all the text around it (ECMA-262, GetSubstitution).
func (g *guard) replacedSize(subject, template goja.Value, matches int64) float64 {
	size := float64(length(subject))
	each := float64(textLength(template))
	if s, ok := template.(goja.String); ok {
		if dollars := strings.Count(s.String(), "$"); dollars > 0 {
			each += float64(dollars) * size
		}
	}
	return size + float64(matches)*each
}

// splitting bounds the number of parts when a text is split at a plain separator.
func (g *guard) splitting(split native) native {
	return func(c goja.FunctionCall) goja.Value {
		if _, ok := c.Argument(0).(*goja.Object); ok || goja.IsUndefined(c.Argument(0)) {
			return split(c)
		}
		subject, ok := c.This.(goja.String)
		if !ok || int64(subject.Length()) < g.MaxElements {
			return split(c)
		}
		c.Arguments = g.textArguments(c.Arguments, 1)
		parts := float64(subject.Length())
		if separator := c.Arguments[0].String(); separator != "" {
			parts = float64(strings.Count(subject.String(), separator)) + 1
		}
		if limit := c.Argument(1); !goja.IsUndefined(limit) {
			parts = min(parts, float64(uint32(limit.ToInteger())))
		}
		g.checkElements(parts)
		return split(c)
	}
}

func (g *guard) growing(factor float64) func(native) native {
	return func(original native) native {
		return func(c goja.FunctionCall) goja.Value {
			c.This = text(c.This)
			g.checkString(factor * float64(length(c.This)))
			return original(c)
		}
	}
}
