package globals

import (
	"bytes"
	"encoding/base64"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/dop251/goja"
	"golang.org/x/text/encoding/charmap"
)

// lendEncoding lends encode(text) → Uint8Array, encodeInto(text, array) →
// [code units read, bytes written], encodingOf(label) → name or undefined,
// decoder(name, fatal, ignoreBOM) → handle, and decode(handle, bytes or
// undefined, stream) → text, or undefined when fatal and malformed.
func (e *environment) lendEncoding(natives *goja.Object) {
	e.lend(natives, "encode", func(call goja.FunctionCall) goja.Value {
		return e.uint8Array([]byte(call.Argument(0).String()))
	})
	e.lend(natives, "encodeInto", func(call goja.FunctionCall) goja.Value {
		read, written := encodeInto(call.Argument(0).String(), e.bytesOf(call.Argument(1), "the destination"))
		return e.rt.NewArray(read, written)
	})
	e.lend(natives, "encodingOf", func(call goja.FunctionCall) goja.Value {
		if name := encodingOf(call.Argument(0).String()); name != "" {
			return e.rt.ToValue(name)
		}
		return goja.Undefined()
	})
	e.lend(natives, "decoder", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(&textDecoder{
			encoding:  call.Argument(0).String(),
			fatal:     call.Argument(1).ToBoolean(),
			ignoreBOM: call.Argument(2).ToBoolean(),
		})
	})
	e.lend(natives, "decode", func(call goja.FunctionCall) goja.Value {
		var data []byte
		if input := call.Argument(1); !goja.IsUndefined(input) {
			data = e.bytesOf(input, "TextDecoder.decode: the input")
		}
		text, ok := call.Argument(0).Export().(*textDecoder).decode(data, call.Argument(2).ToBoolean())
		if !ok {
			return goja.Undefined()
		}
		return e.rt.ToValue(text)
	})
}

// encodeInto writes whole characters only.
func encodeInto(text string, destination []byte) (read, written int) {
	for _, r := range text {
		if written+utf8.RuneLen(r) > len(destination) {
			break
		}
		written += utf8.EncodeRune(destination[written:], r)
		read += utf16.RuneLen(r)
	}
	return read, written
}

// encodingOf maps a label to the name of its encoding (Encoding Standard
// section 4.2), "" when the label is unknown or the encoding not provided.
func encodingOf(label string) string {
	switch strings.ToLower(strings.Trim(label, "\t\n\f\r ")) {
	case "utf-8", "utf8", "unicode-1-1-utf-8", "unicode11utf8", "unicode20utf8", "x-unicode20utf8":
		return "utf-8"
	case "utf-16le", "utf-16", "ucs-2", "unicode", "unicodefeff", "iso-10646-ucs-2", "csunicode":
		return "utf-16le"
	case "utf-16be", "unicodefffe":
		return "utf-16be"
	case "latin1", "iso-8859-1", "iso8859-1", "iso88591", "iso_8859-1", "ascii", "us-ascii", "windows-1252", "cp1252", "x-cp1252", "l1":
		return "windows-1252"
	}
	return ""
}

// textDecoder is the state of one TextDecoder. It has no exported members, so
// that JavaScript sees none.
type textDecoder struct {
	encoding  string
	fatal     bool
	ignoreBOM bool

	started bool   // past the place where a byte order mark counts
	pending []byte // an unfinished character of the last chunk
}

// decode decodes the next chunk; without stream it is the last one and the
// decoder starts anew. It reports false for malformed input when fatal.
func (d *textDecoder) decode(data []byte, stream bool) (string, bool) {
	if len(d.pending) > 0 {
		data = append(d.pending, data...)
		d.pending = nil
	}
	if stream {
		keep := d.unfinished(data)
		d.pending = bytes.Clone(data[len(data)-keep:])
		data = data[:len(data)-keep]
	}
	text, valid := d.characters(data)
	if text != "" && !d.started {
		if !d.ignoreBOM && d.encoding != "windows-1252" {
			text = strings.TrimPrefix(text, "\uFEFF")
		}
		d.started = true
	}
	if !stream {
		d.started = false
	}
	if !valid && d.fatal {
		d.started, d.pending = false, nil
		return "", false
	}
	return text, true
}

// unfinished is how many bytes at the end begin a character that may go on.
func (d *textDecoder) unfinished(data []byte) int {
	switch d.encoding {
	case "utf-8":
		for n := 1; n <= min(3, len(data)); n++ {
			tail := data[len(data)-n:]
			if utf8.RuneStart(tail[0]) {
				if utf8.FullRune(tail) {
					return 0
				}
				return n
			}
		}
	case "utf-16le", "utf-16be":
		odd := len(data) % 2
		if whole := len(data) - odd; whole >= 2 && d.unit(data[whole-2:])&0xFC00 == 0xD800 {
			return odd + 2
		}
		return odd
	}
	return 0
}

func (d *textDecoder) unit(data []byte) uint16 {
	if d.encoding == "utf-16be" {
		return uint16(data[0])<<8 | uint16(data[1])
	}
	return uint16(data[1])<<8 | uint16(data[0])
}

func (d *textDecoder) characters(data []byte) (text string, valid bool) {
	switch d.encoding {
	case "utf-8":
		return decodeUTF8(data), utf8.Valid(data)
	case "windows-1252":
		// The five bytes that Go leaves undefined are C1 controls in the standard.
		var text strings.Builder
		for _, b := range data {
			r := charmap.Windows1252.DecodeByte(b)
			if r == utf8.RuneError {
				r = rune(b)
			}
			text.WriteRune(r)
		}
		return text.String(), true
	}
	var decoded strings.Builder
	valid = len(data)%2 == 0
	for i := 0; i+1 < len(data); i += 2 {
		r := rune(d.unit(data[i:]))
		if utf16.IsSurrogate(r) {
			second := rune(0)
			if i+3 < len(data) {
				second = rune(d.unit(data[i+2:]))
			}
			if r = utf16.DecodeRune(r, second); r == utf8.RuneError {
				valid = false
			} else {
				i += 2
			}
		}
		decoded.WriteRune(r)
	}
	if len(data)%2 != 0 {
		decoded.WriteRune(utf8.RuneError)
	}
	return decoded.String(), valid
}

// atob decodes base64 as the Infra Standard section 7 forgives it.
func (e *environment) atob(call goja.FunctionCall) goja.Value {
	e.needsArguments(call, 1, "atob")
	text := strings.Map(func(r rune) rune {
		if strings.ContainsRune("\t\n\f\r ", r) {
			return -1
		}
		return r
	}, call.Argument(0).String())
	if len(text)%4 == 0 {
		text = strings.TrimSuffix(text, "=")
		if len(text)%4 == 3 {
			text = strings.TrimSuffix(text, "=")
		}
	}
	data, err := base64.RawStdEncoding.DecodeString(text)
	if err != nil {
		panic(e.domException("atob: the string to be decoded is not correctly encoded", "InvalidCharacterError"))
	}
	return e.rt.ToValue(latin1(data))
}

// latin1 is the text whose characters have the values of the bytes.
func latin1(data []byte) string {
	var text strings.Builder
	for _, b := range data {
		text.WriteRune(rune(b))
	}
	return text.String()
}

// btoa encodes a string of characters up to U+00FF as base64.
func (e *environment) btoa(call goja.FunctionCall) goja.Value {
	e.needsArguments(call, 1, "btoa")
	text := call.Argument(0).String()
	data := make([]byte, 0, len(text))
	for _, r := range text {
		if r > 0xFF {
			panic(e.domException("btoa: the string has a character above U+00FF; encode it first, for example with TextEncoder", "InvalidCharacterError"))
		}
		data = append(data, byte(r))
	}
	return e.rt.ToValue(base64.StdEncoding.EncodeToString(data))
}

func (e *environment) needsArguments(call goja.FunctionCall, n int, name string) {
	if len(call.Arguments) < n {
		panic(e.rt.NewTypeError("%s: %d argument(s) required, got %d", name, n, len(call.Arguments)))
	}
}
