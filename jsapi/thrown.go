package jsapi

import (
	"errors"
	"net/url"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/dop251/goja"
)

// caught turns an error of the engine into one of this package: an exception
// becomes an [*Error], everything else stays.
func (iso *Isolate) caught(err error) error {
	var exception *goja.Exception
	if !errors.As(err, &exception) {
		return err
	}
	carried := iso.thrown(exception.Value())
	if carried.Position.File == "" {
		carried.Position = topPosition(exception.Stack())
	}
	return carried
}

// thrown describes a thrown value. It runs on the loop.
func (iso *Isolate) thrown(value goja.Value) *Error {
	object, isObject := value.(*goja.Object)
	if isObject && object.ClassName() == "Error" || isObject && iso.looksLikeError(object) {
		out := newExporter(iso)
		carried, err := out.exportError(object, "error", 0)
		if err == nil {
			return carried
		}
		return &Error{Message: err.Error()}
	}
	data, err := iso.exportData(value)
	if err != nil {
		data = Undefined{}
	}
	return &Error{Message: "thrown: " + iso.describeThrown(value, data), Thrown: data, thrownNull: data == nil}
}

// describeThrown shows a thrown value. Of an object that says something, data has it.
func (iso *Isolate) describeThrown(value goja.Value, data any) string {
	shown := iso.describe(value)
	if object, is := data.(*Object); is {
		said, _ := object.Get("message")
		if text, is := said.(string); is {
			shown += ": " + Shorten(text, maxShownValue)
		}
	}
	return shown
}

// maxShownValue bounds a value in the text of an error, in bytes.
const maxShownValue = 200

// describe shows a value without running code of an extension.
func (iso *Isolate) describe(value goja.Value) string {
	if value == nil {
		return "undefined"
	}
	if object, ok := value.(*goja.Object); ok {
		return "an object of class " + object.ClassName()
	}
	if text, ok := value.(goja.String); ok {
		return shortText(text, maxShownValue)
	}
	return Shorten(value.String(), maxShownValue)
}

// looksLikeError accepts what is no native error but has a stack, such as a
// DOMException.
func (iso *Isolate) looksLikeError(object *goja.Object) bool {
	looks := false
	_ = iso.runtime.Try(func() {
		_, hasStack := object.Get("stack").(goja.String)
		_, hasMessage := object.Get("message").(goja.String)
		looks = hasStack && hasMessage
	})
	return looks
}

// positionInStack finds the first frame of a stack text that lies in a source
// file.
func positionInStack(stack string) Position {
	for line := range strings.Lines(stack) {
		match := stackFrame.FindStringSubmatch(line)
		if match == nil || isInternal(match[1]) {
			continue
		}
		row, _ := strconv.Atoi(match[2])
		column, _ := strconv.Atoi(match[3])
		return newPosition(match[1], row, column)
	}
	return Position{}
}

// stackFrame matches "	at name (file:line:column(pc))" and "	at file:line:column(pc)".
var stackFrame = regexp.MustCompile(`^\s+at (?:.* \()?([^()\s]+):(\d+):(\d+)\(\d+\)`)

// topPosition is the first frame that lies in a source file.
func topPosition(frames []goja.StackFrame) Position {
	for i := range frames {
		place := frames[i].Position()
		if place.Filename != "" && !isInternal(place.Filename) {
			return newPosition(place.Filename, place.Line, place.Column)
		}
	}
	return Position{}
}

// isInternal reports whether a file is the harness's own, of no interest to an
// author. Synthetic modules are called by their specifiers, which have no
// extension as all files of a tree have.
func isInternal(file string) bool {
	return strings.HasPrefix(file, "<") || path.Ext(file) == ""
}

// newPosition makes a place of what the engine says. It calls files as they are
// in a URL (Source Map specification, ECMA-426, "Resolving sources").
func newPosition(file string, line, column int) Position {
	if name, err := url.PathUnescape(file); err == nil {
		file = name
	}
	return Position{File: file, Line: line, Column: column}
}

// exportError carries an error with its own enumerable members; those that
// cannot be carried are left out.
func (out *exporter) exportError(object *goja.Object, path string, depth int) (*Error, error) {
	carried := &Error{domException: out.isolate.className(object) == domException}
	out.remember(object, carried)
	name, message := out.text(object, "name"), out.text(object, "message")
	carried.Name, carried.Message = shortText(name, maxName), shortText(message, maxErrorText)
	carried.Stack = shortStack(out.text(object, "stack"), name, message)
	carried.hideGoValue()
	carried.Position = positionInStack(carried.Stack)
	carried.wrapped = out.isolate.goErrorOf(object)
	for _, key := range object.Keys() {
		if key == "name" || key == "message" || key == "stack" || key == "cause" {
			continue
		}
		value, ok := out.exportQuietly(object, key, path, depth)
		if !ok {
			continue
		}
		if carried.Properties == nil {
			carried.Properties = &Object{}
		}
		carried.Properties.Set(key, value)
	}
	if cause, ok := out.exportQuietly(object, "cause", path, depth); ok && cause != (Undefined{}) {
		carried.Cause = cause
	}
	return carried, nil
}

// hideGoValue takes away what the engine prints of an object that it cannot make a
// primitive of (ECMA-262, section 7.1.1): its own structures, with their addresses.
func (e *Error) hideGoValue() {
	const found, plain = "Could not convert ", "Cannot convert object to primitive value"
	if e.Name == "TypeError" && strings.HasPrefix(e.Message, found) {
		e.Stack = strings.Replace(e.Stack, e.Message, plain, 1)
		e.Message = plain
	}
}

// text reads a member that should be a text; else it is empty.
func (out *exporter) text(object *goja.Object, key string) (text goja.String) {
	_ = out.isolate.runtime.Try(func() { text, _ = object.Get(key).(goja.String) })
	if text == nil {
		text, _ = out.isolate.runtime.ToValue("").(goja.String)
	}
	return text
}

func (out *exporter) exportQuietly(object *goja.Object, key, path string, depth int) (value any, ok bool) {
	var err error
	thrown := out.isolate.runtime.Try(func() {
		value, err = out.export(object.Get(key), memberPath(path, key), depth+1)
	})
	return value, thrown == nil && err == nil
}
