package guard

import (
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dop251/goja"
	"github.com/dop251/goja/parser"
)

const (
	maxPattern = 1 << 16 // bytes of a pattern that is made at run time
	maxGroups  = 250     // nested groups of such a pattern

	// subjectCost is how many bytes the engine may need for each unit of a subject.
	subjectCost = 64
)

// backtracking in front of a pattern makes goja use its second engine, the only one that knows \p{…}. It matches
// everywhere and captures nothing, and is taken off again where a program reads the source.
const backtracking = "(?=)"

// regexps makes a regular expression that was cut off by time an error. The engine drops the error of the search and
// answers "no match", so every way to search is measured: below the limit nothing was cut off, and above it "no match"
// is not believed.
//
// Only the backtracking engine is cut off: a search that is sure to have been the linear one's is believed.
func (p *patcher) regexps() {
	g, proto := p.guard, p.prototype("RegExp")
	g.execObject = proto.Get("exec")

	p.method(proto, "exec", g.searching(goja.IsNull, one))
	p.method(proto, "test", g.searching(func(v goja.Value) bool { return !v.ToBoolean() }, one))
	p.symbol(proto, goja.SymMatch, g.searching(goja.IsNull, one))
	p.symbol(proto, goja.SymSearch, g.searching(func(v goja.Value) bool { return v.ToInteger() < 0 }, one))
	p.symbol(proto, goja.SymSplit, g.searching(func(v goja.Value) bool { return length(v) <= 1 }, several))
	p.symbol(proto, goja.SymMatchAll, g.searching(func(goja.Value) bool { return false }, several)) // its iterator calls exec
	match, _ := proto.GetSymbol(goja.SymMatch).Export().(native)
	p.symbol(proto, goja.SymReplace, func(replace native) native { return g.measuringReplace(replace, match) })

	p.constructor("RegExp", p.global("RegExp"), g.checkPattern)
	p.method(proto, "compile", func(compile native) native {
		return func(c goja.FunctionCall) goja.Value {
			c.Arguments = g.checkPattern(c.Arguments)
			return compile(c)
		}
	})
	p.getter(proto, "source", func(source native) native {
		g.sourceOf = source
		return func(c goja.FunctionCall) goja.Value { return g.visible(c.This, source(c), "") }
	})
	p.method(proto, "toString", func(toString native) native {
		return func(c goja.FunctionCall) goja.Value { return g.visible(c.This, toString(c), "/") }
	})
}

// checkPattern bounds the pattern in the arguments of RegExp and sends those with \p{…} to the engine that knows it.
func (g *guard) checkPattern(args []goja.Value) []goja.Value {
	if len(args) == 0 || goja.IsUndefined(args[0]) {
		return args
	}
	if _, ok := args[0].(*goja.Object); ok { // a RegExp was checked when it was made; what else, the engine converts
		return args
	}
	pattern := text(args[0]).String()
	if len(pattern) > maxPattern {
		g.rangeErrorf("a regular expression of %d bytes exceeds the limit of %d", len(pattern), maxPattern)
	}
	if groupDepth(pattern) > maxGroups {
		g.rangeErrorf("the groups of a regular expression exceed the limit of %d levels", maxGroups)
	}
	if len(args) < 2 || !hasProperty(pattern) {
		return args
	}
	flags := args[1]
	if !goja.IsUndefined(flags) {
		flags = text(flags)
	}
	args = append([]goja.Value{args[0], flags}, args[2:]...)
	if strings.Contains(flags.String(), "u") {
		args[0] = g.rt.ToValue(backtracking + pattern)
	}
	return args
}

// hasProperty tells whether the pattern may contain a Unicode property escape (ECMA-262, CharacterClassEscape).
func hasProperty(pattern string) bool {
	return strings.Contains(pattern, `\p{`) || strings.Contains(pattern, `\P{`)
}

// visible takes the added prefix off the source of rx as the engine tells it.
func (g *guard) visible(rx, source goja.Value, before string) goja.Value {
	if object, ok := rx.(*goja.Object); !ok || object.ClassName() != "RegExp" {
		return source
	}
	if s := source.String(); strings.HasPrefix(s, before+backtracking) && hasProperty(s) {
		return g.rt.ToValue(before + strings.TrimPrefix(s, before+backtracking))
	}
	return source
}

// groupDepth is the depth of nested groups in a pattern.
func groupDepth(pattern string) int {
	depth, deepest, class := 0, 0, false
	for i := 0; i < len(pattern); i++ {
		switch c := pattern[i]; {
		case c == '\\':
			i++
		case class:
			class = c != ']'
		case c == '[':
			class = true
		case c == '(':
			depth++
			deepest = max(deepest, depth)
		case c == ')':
			depth--
		}
	}
	return deepest
}

// searching measures a search. empty tells whether its result is what the engine makes of a search that failed.
func (g *guard) searching(empty func(goja.Value) bool, sought matches) func(native) native {
	return func(original native) native {
		return func(c goja.FunctionCall) goja.Value {
			if _, ok := c.Argument(0).(goja.String); !ok && len(c.Arguments) > 0 {
				c.Arguments = g.textArguments(c.Arguments, 1) // the time this takes is the program's
			}
			g.checkSubject(c.Argument(0))
			began := time.Now()
			result := original(c)
			if time.Since(began) >= g.MatchTimeout && empty(result) {
				g.doubt(c, sought)
			}
			return result
		}
	}
}

func (g *guard) checkSubject(subject goja.Value) {
	if s, ok := subject.(goja.String); ok && int64(s.Length()) > g.MaxBytes/subjectCost {
		g.rangeErrorf("a subject of %d units exceeds the limit of %d for a regular expression", s.Length(), g.MaxBytes/subjectCost)
	}
}

// doubt throws when a search that took too long was the engine's. Where a program has its own exec, each search of the
// engine within was measured by itself.
func (g *guard) doubt(c goja.FunctionCall, sought matches) {
	rx, ok := c.This.(*goja.Object)
	if !ok || rx.ClassName() != "RegExp" || rx.Get("exec") != g.execObject || g.isLinear(rx, c.Argument(0), sought) {
		return
	}
	g.rangeErrorf("the regular expression took longer than %s on a subject of %d units and may have been cut off; "+
		"make it backtrack less, or search a shorter text", g.MatchTimeout, length(c.Argument(0)))
}

// matches says what one call searches a subject for.
type matches int

const (
	one matches = iota
	several
)

// isLinear reports whether a search was sure to be the linear engine's, which goja takes for patterns that it can translate,
// but neither for a search that starts within the subject nor for several matches in one that is not ASCII.
func (g *guard) isLinear(rx *goja.Object, subject goja.Value, sought matches) bool {
	if rx.Get("global").ToBoolean() || rx.Get("sticky").ToBoolean() {
		return false
	}
	if sought == several && strings.ContainsFunc(subject.String(), func(r rune) bool { return r >= utf8.RuneSelf }) {
		return false
	}
	source := g.sourceOf(goja.FunctionCall{This: rx}).String()
	_, err := parser.TransformRegExp(source, rx.Get("dotAll").ToBoolean(), rx.Get("unicode").ToBoolean())
	return err == nil
}

// measuringReplace measures RegExp.prototype[Symbol.replace] without the time that the program's own function takes: once that
// is called, the searches are over.
func (g *guard) measuringReplace(replace, match native) native {
	return func(c goja.FunctionCall) goja.Value {
		subject := text(c.Argument(0))
		g.checkSubject(subject)
		template := c.Argument(1)
		called := false
		if function, ok := callable(template); ok {
			template = g.rt.ToValue(func(c goja.FunctionCall) goja.Value {
				called = true
				return function(c)
			})
		} else {
			template = text(template)
			g.checkReplaced(c.This, subject, template, match)
		}
		began := time.Now()
		c.Arguments = []goja.Value{subject, template}
		result := replace(c)
		if !called && time.Since(began) >= g.MatchTimeout && result.StrictEquals(subject) {
			g.doubt(c, one)
		}
		return result
	}
}

// checkReplaced bounds what replacing with a template can make. It counts the matches only when a match at every unit
// would be too much.
func (g *guard) checkReplaced(rx, subject, template goja.Value, match native) {
	if g.replacedSize(subject, template, length(subject)+1) <= float64(g.MaxBytes) {
		return
	}
	matches := int64(1)
	if object, ok := rx.(*goja.Object); ok && object.Get("global").ToBoolean() {
		matches = length(match(goja.FunctionCall{This: rx, Arguments: []goja.Value{subject}}))
	}
	g.checkString(g.replacedSize(subject, template, matches))
}
