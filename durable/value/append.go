package value

import (
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// Append appends a value as compact JSON, the way JSON.stringify writes it: numbers
// with the fewest digits that mean them, only those characters escaped that must be.
// Equal values give equal text. A number that is none, against the rule of Number,
// becomes null.
func Append(dst []byte, v Value) []byte {
	switch v := v.(type) {
	case Bool:
		return strconv.AppendBool(dst, bool(v))
	case Number:
		return appendNumber(dst, float64(v))
	case String:
		return appendString(dst, string(v))
	case Array:
		dst = append(dst, '[')
		for i, item := range v {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = Append(dst, item)
		}
		return append(dst, ']')
	case *Object:
		dst = append(dst, '{')
		for i := range v.Len() {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = appendString(dst, v.members[i].Key)
			dst = append(dst, ':')
			dst = Append(dst, v.members[i].Value)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// Marshal returns a value as Append writes it.
func Marshal(v Value) []byte { return Append(make([]byte, 0, Size(v)), v) }

// appendNumber writes a number like JavaScript's Number::toString (ECMA-262).
func appendNumber(dst []byte, f float64) []byte {
	size := math.Abs(f)
	switch {
	case math.IsNaN(f) || math.IsInf(f, 0):
		return append(dst, "null"...)
	case f == 0:
		return append(dst, '0')
	case size == math.Trunc(size) && size < 1<<53:
		return strconv.AppendInt(dst, int64(f), 10)
	case size >= 1e-6 && size < 1e21:
		return strconv.AppendFloat(dst, f, 'f', -1, 64)
	}
	dst = strconv.AppendFloat(dst, f, 'e', -1, 64)
	if n := len(dst); dst[n-4] == 'e' && dst[n-2] == '0' { // e-09 is e-9 there
		dst[n-2] = dst[n-1]
		dst = dst[:n-1]
	}
	return dst
}

const hex = "0123456789abcdef"

// appendString writes a string with the escapes of JSON.stringify.
func appendString(dst []byte, s string) []byte {
	dst = append(dst, '"')
	start := 0
	for i := 0; i < len(s); {
		b := s[i]
		if b < utf8.RuneSelf {
			if b >= ' ' && b != '"' && b != '\\' {
				i++
				continue
			}
			dst = append(dst, s[start:i]...)
			dst = rawjson.AppendEscape(dst, b)
			i++
			start = i
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r != utf8.RuneError || size > 1 {
			i += size
			continue
		}
		dst = append(dst, s[start:i]...)
		if half := firstHalf(s[i:]); half != 0 {
			dst = append(dst, '\\', 'u', 'd', hex[half>>8&15], hex[half>>4&15], hex[half&15])
			i += 3
		} else {
			dst = append(dst, "\ufffd"...)
			i += brokenPrefix(s[i:])
		}
		start = i
	}
	return append(append(dst, s[start:]...), '"')
}

// brokenPrefix returns how many bytes of invalid UTF-8 at the start of a text become
// one U+FFFD: the longest beginning of a character, as the Encoding Standard of the
// WHATWG has it.
func brokenPrefix[T string | []byte](s T) int {
	n := 1
	for n < len(s) && n < utf8.UTFMax && !utf8.FullRune([]byte(s[:n+1])) && !utf8.FullRune([]byte(s[:1])) {
		n++
	}
	return n
}
