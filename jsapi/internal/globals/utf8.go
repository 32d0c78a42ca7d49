package globals

import (
	"strings"
	"unicode/utf8"
)

// decodeUTF8 decodes as the Encoding Standard section 8.1.1 does: each maximal
// part of a broken sequence becomes one U+FFFD.
func decodeUTF8(data []byte) string {
	if utf8.Valid(data) {
		return string(data)
	}
	var text strings.Builder
	text.Grow(len(data))
	for len(data) > 0 {
		r, size := utf8.DecodeRune(data)
		if r == utf8.RuneError && size <= 1 {
			size = brokenPrefix(data)
		}
		text.WriteRune(r)
		data = data[size:]
	}
	return text.String()
}

// brokenPrefix is the length of the longest prefix of data that could begin a
// character, at least 1. data does not begin with a whole character.
func brokenPrefix(data []byte) int {
	low, high := byte(0x80), byte(0xBF)
	var need int
	switch b := data[0]; {
	case b >= 0xC2 && b <= 0xDF:
		need = 1
	case b >= 0xE0 && b <= 0xEF:
		need = 2
		if b == 0xE0 {
			low = 0xA0
		} else if b == 0xED {
			high = 0x9F
		}
	case b >= 0xF0 && b <= 0xF4:
		need = 3
		if b == 0xF0 {
			low = 0x90
		} else if b == 0xF4 {
			high = 0x8F
		}
	}
	length := 1
	for length <= need && length < len(data) && data[length] >= low && data[length] <= high {
		low, high = 0x80, 0xBF
		length++
	}
	return length
}
