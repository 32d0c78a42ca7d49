package value

import "unicode/utf8"

// String is a text as JavaScript has it. Characters are UTF-8. Half of a surrogate
// pair alone, which a JavaScript string can hold, takes the three bytes that UTF-8
// would give its number (the form called WTF-8), is written to JSON as an escape
// like \ud83d, and becomes U+FFFD when a value is decoded into a Go string. Two
// halves that fit are always one character of four bytes. Text of other origin is
// made a String by Of, or by conversion if it is known to be valid UTF-8.
type String string

// Halves of surrogate pairs.
const (
	firstHigh, firstLow, lastLow = 0xd800, 0xdc00, 0xdfff
)

// Units returns the length of a text as JavaScript counts it, in UTF-16 code units.
func (s String) Units() int {
	units := 0
	for i := 0; i < len(s); i++ {
		switch b := s[i]; {
		case b < utf8.RuneSelf || b >= 0xc0 && b < 0xf0:
			units++
		case b >= 0xf0:
			units += 2
		}
	}
	return units
}

// Cut returns the text without so many UTF-16 code units at its front, and false
// when it is shorter. A cut between the halves of a pair leaves the second.
func (s String) Cut(units int) (String, bool) {
	if units < 0 {
		return "", false
	}
	i := 0
	for ; units > 0 && i < len(s); units-- {
		switch b := s[i]; {
		case b < utf8.RuneSelf:
			i++
		case b < 0xe0:
			i += 2
		case b < 0xf0:
			i += 3
		case units == 1:
			r, size := utf8.DecodeRuneInString(string(s[i:]))
			low := appendHalf(nil, firstLow+(r-0x10000)&0x3ff)
			return String(low) + s[i+size:], true
		default:
			units--
			i += 4
		}
	}
	if units > 0 {
		return "", false
	}
	return s[min(i, len(s)):], true
}

// Join returns one text after the other. Halves of a pair that meet become one
// character.
func (s String) Join(t String) String {
	high, low := lastHalf(string(s)), firstHalf(string(t))
	if !isHigh(high) || !isLow(low) {
		return s + t
	}
	return s[:len(s)-3] + String(pair(high, low)) + t[3:]
}

// AppendText appends a text to bytes that hold one in the form of String, as Join does.
func AppendText(dst []byte, t String) []byte {
	if len(dst) >= 3 && len(t) >= 3 && t[0] == 0xed {
		high, low := lastHalf(string(dst[len(dst)-3:])), firstHalf(string(t))
		if isHigh(high) && isLow(low) {
			dst = utf8.AppendRune(dst[:len(dst)-3], pair(high, low))
			t = t[3:]
		}
	}
	return append(dst, t...)
}

func isHigh(half rune) bool { return half >= firstHigh && half < firstLow }
func isLow(half rune) bool  { return half >= firstLow && half <= lastLow }

// pair returns the character of two halves.
func pair(high, low rune) rune { return 0x10000 + (high-firstHigh)<<10 + (low - firstLow) }

// firstHalf returns the half of a pair that a text starts with, or 0.
func firstHalf(s string) rune {
	if len(s) < 3 || s[0] != 0xed || s[1] < 0xa0 || s[1] > 0xbf || s[2]&0xc0 != 0x80 {
		return 0
	}
	return 0xd000 | rune(s[1]&0x3f)<<6 | rune(s[2]&0x3f)
}

// lastHalf returns the half of a pair that a text ends with, or 0.
func lastHalf(s string) rune {
	if len(s) < 3 {
		return 0
	}
	return firstHalf(s[len(s)-3:])
}

// appendHalf appends half of a pair.
func appendHalf(dst []byte, half rune) []byte {
	return append(dst, 0xed, 0x80|byte(half>>6)&0x3f, 0x80|byte(half)&0x3f)
}
