package globals

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// lendLanguage lends what the prelude needs of the engine: isWellFormed and
// toWellFormed of a string, escapeRegExp, and stack(object, above), the text that
// Error.captureStackTrace stores, without the frames of the function named
// above and of what it called.
func (e *environment) lendLanguage(natives *goja.Object) {
	e.lend(natives, "isWellFormed", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(isWellFormed(call.Argument(0)))
	})
	e.lend(natives, "toWellFormed", func(call goja.FunctionCall) goja.Value {
		if isWellFormed(call.Argument(0)) {
			return call.Argument(0)
		}
		// The conversion to UTF-8 replaces each lone surrogate by U+FFFD.
		return e.rt.ToValue(call.Argument(0).String())
	})
	e.lend(natives, "escapeRegExp", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(escapeRegExp(call.Argument(0).(goja.String)))
	})
	e.lend(natives, "stack", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(e.stackOf(call.Argument(0), call.Argument(1).String()))
	})
}

func isWellFormed(value goja.Value) bool {
	text, ok := value.(goja.String)
	if !ok {
		return true
	}
	for i := 0; i < text.Length(); i++ {
		unit := rune(text.CharAt(i))
		if !utf16.IsSurrogate(unit) {
			continue
		}
		if unit >= 0xDC00 || i+1 == text.Length() || utf16.DecodeRune(unit, rune(text.CharAt(i+1))) == 0xFFFD {
			return false
		}
		i++
	}
	return true
}

// escapeRegExp implements RegExp.escape (ECMA-262 section 22.2.5.1). It works
// on UTF-16 code units, so that lone surrogates are escaped and not lost.
func escapeRegExp(text goja.String) string {
	var escaped strings.Builder
	for i := 0; i < text.Length(); i++ {
		unit := rune(text.CharAt(i))
		if utf16.IsSurrogate(unit) {
			if unit < 0xDC00 && i+1 < text.Length() {
				if pair := utf16.DecodeRune(unit, rune(text.CharAt(i+1))); pair != 0xFFFD {
					escaped.WriteRune(pair)
					i++
					continue
				}
			}
			fmt.Fprintf(&escaped, `\u%04x`, unit)
			continue
		}
		escapeUnit(&escaped, unit, i == 0)
	}
	return escaped.String()
}

func escapeUnit(escaped *strings.Builder, unit rune, first bool) {
	switch {
	case first && (unit >= '0' && unit <= '9' || unit >= 'a' && unit <= 'z' || unit >= 'A' && unit <= 'Z'),
		unit < 0x80 && strings.ContainsRune(",-=<>#&!%:;@~'`\"", unit),
		unit == ' ', unit == 0xA0:
		fmt.Fprintf(escaped, `\x%02x`, unit)
	case unit < 0x80 && strings.ContainsRune(`^$\.*+?()[]{}|/`, unit):
		escaped.WriteByte('\\')
		escaped.WriteRune(unit)
	case unit >= '\t' && unit <= '\r':
		escaped.WriteByte('\\')
		escaped.WriteByte("tnvfr"[unit-'\t'])
	case unit == 0xFEFF, unit == 0x2028, unit == 0x2029, unit == 0x1680, unit >= 0x2000 && unit <= 0x200A, unit == 0x202F, unit == 0x205F, unit == 0x3000:
		fmt.Fprintf(escaped, `\u%04x`, unit)
	default:
		escaped.WriteRune(unit)
	}
}

// stackOf is the present call stack in the engine's form, headed by the
// object's own text as an Error's is, without the frames of captureStackTrace.
func (e *environment) stackOf(target goja.Value, above string) string {
	var text strings.Builder
	if object, ok := target.(*goja.Object); ok {
		text.WriteString(errorHead(object))
	}
	frames := e.rt.CaptureCallStack(0, nil)
	frames = frames[min(2, len(frames)):]
	if above != "" {
		named := func(frame goja.StackFrame) bool { return frame.FuncName() == above }
		frames = frames[slices.IndexFunc(frames, named)+1:]
	}
	for _, frame := range frames {
		text.WriteString("\n\tat ")
		if name := frame.FuncName(); name != "" {
			fmt.Fprintf(&text, "%s (%s)", name, frame.Position())
		} else {
			text.WriteString(frame.Position().String())
		}
	}
	return text.String()
}

// errorHead is "name: message" as Error.prototype.toString builds it.
func errorHead(object *goja.Object) string {
	name, message := "Error", ""
	if value := object.Get("name"); value != nil && !goja.IsUndefined(value) {
		name = value.String()
	}
	if value := object.Get("message"); value != nil && !goja.IsUndefined(value) {
		message = value.String()
	}
	switch {
	case name == "":
		return message
	case message == "":
		return name
	}
	return name + ": " + message
}
