package jsapi

import (
	"bytes"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
)

// decodeJSON makes fresh values of JSON text: key order is kept, "__proto__" is
// an ordinary member, the last of equal keys wins and a lone surrogate stays
// one, as JSON.parse has it (ECMA-262, section 25.5.1). Text that is not valid
// UTF-8 gets U+FFFD in its place. Nesting is bounded. Empty text is undefined.
// It is several times as fast as the engine's own JSON.parse.
func (iso *Isolate) decodeJSON(text []byte) (goja.Value, error) {
	if len(text) == 0 {
		return goja.Undefined(), nil
	}
	decoder := jsonDecoder{isolate: iso, text: text}
	value, err := decoder.value(0)
	if err != nil {
		return nil, err
	}
	if decoder.space(); decoder.at < len(text) {
		return nil, decoder.fail("the text goes on after the value")
	}
	return value, nil
}

// JSONError is text that is not JSON (RFC 8259), or is nested too deeply.
type JSONError struct {
	// Offset is where the text stops being JSON, in bytes.
	Offset int
	Reason string
}

func (e *JSONError) Error() string {
	return fmt.Sprintf("decode JSON: byte %d: %s", e.Offset, e.Reason)
}

// ErrorName implements [Named].
func (e *JSONError) ErrorName() string { return "SyntaxError" }

var _ Named = (*JSONError)(nil)

// jsonDecoder reads one text from left to right.
type jsonDecoder struct {
	isolate *Isolate
	text    []byte
	at      int
	keys    map[string]string // so that equal keys are allocated once
}

func (d *jsonDecoder) fail(reason string) error { return &JSONError{Offset: d.at, Reason: reason} }

func (d *jsonDecoder) unexpected(wanted string) error {
	if d.at >= len(d.text) {
		return d.fail("the text ends where " + wanted + " must follow")
	}
	r, _ := utf8.DecodeRune(d.text[d.at:])
	return d.fail(fmt.Sprintf("%q where %s must follow", r, wanted))
}

// space skips white space and returns the byte after it, 0 at the end.
func (d *jsonDecoder) space() byte {
	for ; d.at < len(d.text); d.at++ {
		switch c := d.text[d.at]; c {
		case ' ', '\t', '\n', '\r':
		default:
			return c
		}
	}
	return 0
}

func (d *jsonDecoder) value(depth int) (goja.Value, error) {
	c := d.space()
	switch {
	case c == '"':
		d.at++
		return d.string()
	case c == '{' || c == '[':
		if depth >= maxDataDepth {
			return nil, d.fail(fmt.Sprintf("nested deeper than %d", maxDataDepth))
		}
		d.at++
		if c == '{' {
			return d.object(depth + 1)
		}
		return d.array(depth + 1)
	case c == '-' || c >= '0' && c <= '9':
		return d.number()
	}
	return d.literal()
}

func (d *jsonDecoder) literal() (goja.Value, error) {
	runtime := d.isolate.runtime
	for _, known := range [...]struct {
		text  string
		value goja.Value
	}{{"true", runtime.ToValue(true)}, {"false", runtime.ToValue(false)}, {"null", goja.Null()}} {
		if bytes.HasPrefix(d.text[d.at:], []byte(known.text)) {
			d.at += len(known.text)
			return known.value, nil
		}
	}
	return nil, d.unexpected("a value")
}

func (d *jsonDecoder) array(depth int) (goja.Value, error) {
	if d.space() == ']' {
		d.at++
		return d.isolate.runtime.NewArray(), nil
	}
	items := make([]any, 0, 8)
	for {
		item, err := d.value(depth)
		if err != nil {
			return nil, err
		}
		items = append(items, item)
		switch d.space() {
		case ',':
			d.at++
		case ']':
			d.at++
			return d.isolate.runtime.NewArray(items...), nil
		default:
			return nil, d.unexpected("a comma or ]")
		}
	}
}

func (d *jsonDecoder) object(depth int) (goja.Value, error) {
	object := d.isolate.runtime.NewObject()
	if d.space() == '}' {
		d.at++
		return object, nil
	}
	for {
		if err := d.member(object, depth); err != nil {
			return nil, err
		}
		switch d.space() {
		case ',':
			d.at++
		case '}':
			d.at++
			return object, nil
		default:
			return nil, d.unexpected("a comma or }")
		}
	}
}

func (d *jsonDecoder) member(object *goja.Object, depth int) error {
	if d.space() != '"' {
		return d.unexpected("a member name in double quotes")
	}
	d.at++
	key, err := d.key()
	if err != nil {
		return err
	}
	if d.space() != ':' {
		return d.unexpected("a colon")
	}
	d.at++
	value, err := d.value(depth)
	if err != nil {
		return err
	}
	return d.isolate.define(object, key, value)
}

// key reads a member name. The engine takes names as Go strings only, so that a
// lone surrogate in one becomes U+FFFD.
func (d *jsonDecoder) key() (string, error) {
	text, simple, err := d.plain()
	if err != nil {
		return "", err
	}
	if !simple {
		value, err := d.string()
		if err != nil {
			return "", err
		}
		return value.String(), nil
	}
	key, known := d.keys[string(text)]
	if !known {
		key = string(text)
		if d.keys == nil {
			d.keys = make(map[string]string)
		}
		d.keys[key] = key
	}
	return key, nil
}

// plain reads a string without escapes to its end, after the opening quote. When
// there is an escape it reads nothing and simple is false.
func (d *jsonDecoder) plain() (text []byte, simple bool, err error) {
	for i := d.at; i < len(d.text); i++ {
		switch c := d.text[i]; {
		case c == '"':
			text, d.at = d.text[d.at:i], i+1
			return text, true, nil
		case c == '\\':
			return nil, false, nil
		case c < ' ':
			d.at = i
			return nil, false, d.fail("a control character in a string")
		}
	}
	d.at = len(d.text)
	return nil, false, d.unexpected("the end of a string")
}

// string reads a string, after the opening quote.
func (d *jsonDecoder) string() (goja.Value, error) {
	text, simple, err := d.plain()
	if err != nil {
		return nil, err
	}
	if simple {
		return d.isolate.runtime.ToValue(string(text)), nil
	}
	var units []uint16
	for d.at < len(d.text) {
		switch c := d.text[d.at]; {
		case c == '"':
			d.at++
			return goja.StringFromUTF16(units), nil
		case c == '\\':
			unit, err := d.escape()
			if err != nil {
				return nil, err
			}
			units = append(units, unit)
		case c < ' ':
			return nil, d.fail("a control character in a string")
		case c < utf8.RuneSelf:
			units = append(units, uint16(c))
			d.at++
		default:
			r, size := utf8.DecodeRune(d.text[d.at:])
			units = utf16.AppendRune(units, r)
			d.at += size
		}
	}
	return nil, d.unexpected("the end of a string")
}

// escape reads a backslash and what it stands for.
func (d *jsonDecoder) escape() (uint16, error) {
	d.at++
	if d.at >= len(d.text) {
		return 0, d.unexpected("the end of a string")
	}
	c := d.text[d.at]
	if c == 'u' {
		return d.hexadecimal()
	}
	const letters, meanings = `"\/bfnrt`, "\"\\/\b\f\n\r\t"
	i := strings.IndexByte(letters, c)
	if i < 0 {
		return 0, d.unexpected("an escape")
	}
	d.at++
	return uint16(meanings[i]), nil
}

func (d *jsonDecoder) hexadecimal() (uint16, error) {
	digits := d.text[d.at+1:]
	if len(digits) < 4 {
		return 0, d.fail("\\u without four hexadecimal digits")
	}
	var unit uint16
	for _, c := range digits[:4] {
		switch {
		case c >= '0' && c <= '9':
			c -= '0'
		case c >= 'a' && c <= 'f':
			c -= 'a' - 10
		case c >= 'A' && c <= 'F':
			c -= 'A' - 10
		default:
			return 0, d.fail("\\u without four hexadecimal digits")
		}
		unit = unit<<4 | uint16(c)
	}
	d.at += 5
	return unit, nil
}

// number reads a number. One that is too large is infinite, as in JSON.parse.
func (d *jsonDecoder) number() (goja.Value, error) {
	start := d.at
	negative := d.text[d.at] == '-'
	if negative {
		d.at++
	}
	var integer int64
	digits := d.digits(&integer)
	if digits == 0 {
		return nil, d.unexpected("a digit")
	}
	if first := d.text[d.at-digits]; first == '0' && digits > 1 {
		d.at -= digits
		return nil, d.fail("a number with a leading zero")
	}
	whole := true
	if d.peek() == '.' {
		whole = false
		d.at++
		if d.digits(nil) == 0 {
			return nil, d.unexpected("a digit")
		}
	}
	if c := d.peek(); c == 'e' || c == 'E' {
		whole = false
		d.at++
		if c := d.peek(); c == '+' || c == '-' {
			d.at++
		}
		if d.digits(nil) == 0 {
			return nil, d.unexpected("a digit")
		}
	}
	if whole && digits <= 15 && !negative {
		return d.isolate.runtime.ToValue(integer), nil
	}
	float, _ := strconv.ParseFloat(string(d.text[start:d.at]), 64) // ±Inf out of range
	if float == 0 && negative {
		float = math.Copysign(0, -1)
	}
	return d.isolate.runtime.ToValue(float), nil
}

func (d *jsonDecoder) peek() byte {
	if d.at < len(d.text) {
		return d.text[d.at]
	}
	return 0
}

// digits reads decimal digits, adds up their value when that is asked for, and
// returns how many there were.
func (d *jsonDecoder) digits(sum *int64) int {
	start := d.at
	for ; d.at < len(d.text) && d.text[d.at] >= '0' && d.text[d.at] <= '9'; d.at++ {
		if sum != nil {
			*sum = *sum*10 + int64(d.text[d.at]-'0')
		}
	}
	return d.at - start
}
