package globals

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"strings"
	"unicode/utf16"

	"github.com/dop251/goja"
)

// lendBuffer lends encode(text, encoding) → Uint8Array and
// decode(bytes, encoding) → text for Node's encodings, known(encoding) → its
// usual name or undefined, copy(target, at, source), compare(a, b) and indexOf(bytes, part, from, last).
func (e *environment) lendBuffer(natives *goja.Object) {
	e.lend(natives, "known", func(call goja.FunctionCall) goja.Value {
		if name := bufferEncoding(call.Argument(0).String()); name != "" {
			return e.rt.ToValue(name)
		}
		return goja.Undefined()
	})
	e.lend(natives, "encode", func(call goja.FunctionCall) goja.Value {
		return e.uint8Array(encodeBuffer(call.Argument(0).(goja.String), call.Argument(1).String()))
	})
	e.lend(natives, "decode", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(decodeBuffer(e.bytesOf(call.Argument(0), "the buffer"), call.Argument(1).String()))
	})
	e.lend(natives, "copy", func(call goja.FunctionCall) goja.Value {
		target, source := e.bytesOf(call.Argument(0), "the target"), e.bytesOf(call.Argument(2), "the source")
		at := call.Argument(1).ToInteger()
		if at < 0 || at > int64(len(target)) {
			panic(e.rt.NewTypeError("Buffer: the offset %d is outside of the target, which has %d bytes", at, len(target)))
		}
		copy(target[at:], source)
		return goja.Undefined()
	})
	e.lend(natives, "compare", func(call goja.FunctionCall) goja.Value {
		return e.rt.ToValue(bytes.Compare(e.bytesOf(call.Argument(0), "the buffer"), e.bytesOf(call.Argument(1), "the other buffer")))
	})
	e.lend(natives, "indexOf", func(call goja.FunctionCall) goja.Value {
		data, part := e.bytesOf(call.Argument(0), "the buffer"), e.bytesOf(call.Argument(1), "the value")
		from := call.Argument(2).ToInteger()
		if call.Argument(3).ToBoolean() {
			end := min(from+int64(len(part)), int64(len(data)))
			return e.rt.ToValue(bytes.LastIndex(data[:max(end, 0)], part))
		}
		start := min(max(from, 0), int64(len(data)))
		at := bytes.Index(data[start:], part)
		if at >= 0 {
			at += int(start)
		}
		return e.rt.ToValue(at)
	})
}

// bufferEncoding maps a name that Node knows to the usual one, else "".
func bufferEncoding(name string) string {
	switch name = strings.ToLower(name); name {
	case "utf8", "utf-8":
		return "utf8"
	case "hex", "base64", "base64url", "ascii":
		return name
	case "latin1", "binary":
		return "latin1"
	case "utf16le", "utf-16le", "ucs2", "ucs-2":
		return "utf16le"
	}
	return ""
}

func encodeBuffer(text goja.String, encoding string) []byte {
	switch encoding {
	case "hex":
		return decodeHexPrefix(text.String())
	case "base64", "base64url":
		return decodeBase64(text.String())
	case "latin1", "ascii":
		data := make([]byte, text.Length())
		for i := range data {
			data[i] = byte(text.CharAt(i))
		}
		return data
	case "utf16le":
		data := make([]byte, 0, 2*text.Length())
		for i := range text.Length() {
			data = binary.LittleEndian.AppendUint16(data, text.CharAt(i))
		}
		return data
	}
	return []byte(text.String())
}

// decodeHexPrefix decodes up to the first pair that is not hexadecimal.
func decodeHexPrefix(text string) []byte {
	n := 0
	for n+1 < len(text) && isHex(text[n]) && isHex(text[n+1]) {
		n += 2
	}
	data, _ := hex.DecodeString(text[:n])
	return data
}

// decodeBase64 takes both alphabets, skips what is in neither, and ends at =.
func decodeBase64(text string) []byte {
	text, _, _ = strings.Cut(text, "=")
	kept := strings.Map(func(r rune) rune {
		switch {
		case r == '-':
			return '+'
		case r == '_':
			return '/'
		case r == '+', r == '/', r >= '0' && r <= '9', r >= 'A' && r <= 'Z', r >= 'a' && r <= 'z':
			return r
		}
		return -1
	}, text)
	if len(kept)%4 == 1 {
		kept = kept[:len(kept)-1]
	}
	data, _ := base64.RawStdEncoding.DecodeString(kept)
	return data
}

func decodeBuffer(data []byte, encoding string) string {
	switch encoding {
	case "hex":
		return hex.EncodeToString(data)
	case "base64":
		return base64.StdEncoding.EncodeToString(data)
	case "base64url":
		return base64.RawURLEncoding.EncodeToString(data)
	case "latin1":
		return latin1(data)
	case "ascii":
		ascii := bytes.Clone(data)
		for i := range ascii {
			ascii[i] &= 0x7F
		}
		return string(ascii)
	case "utf16le":
		units := make([]uint16, len(data)/2)
		for i := range units {
			units[i] = binary.LittleEndian.Uint16(data[2*i:])
		}
		return string(utf16.Decode(units))
	}
	return decodeUTF8(data)
}
