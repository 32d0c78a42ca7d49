// Package rawjson checks, compacts and takes apart JSON that is kept as text. It makes
// no values of it, and goes over a text once, many bytes at a time.
package rawjson

import (
	"encoding/binary"
	"math/bits"
)

// maxDepth is how deeply encoding/json lets arrays and objects nest.
const maxDepth = 10_000

// Compact returns the one JSON value that text is, without white space: text itself
// when it has none. It accepts what [encoding/json.Valid] does; ok is false for
// everything else. Strings are not asked whether they are UTF-8.
func Compact(text []byte) (compact []byte, ok bool) {
	s := scanner{text: text}
	if !s.whole() {
		return nil, false
	}
	if s.copied == 0 {
		return text, true
	}
	return append(s.to, text[s.copied:]...), true
}

// AppendCompact appends the one JSON value that text is, without white space, like
// [Compact]. When ok is false it appends nothing.
func AppendCompact(to, text []byte) (_ []byte, ok bool) {
	s := scanner{text: text, to: to}
	if !s.whole() {
		return to, false
	}
	return append(s.to, text[s.copied:]...), true
}

// scanner goes over a text and leaves out its white space.
type scanner struct {
	text   []byte
	at     int
	to     []byte
	copied int // text before it is in to, but for white space
}

func (s *scanner) whole() bool {
	if !s.value(0) {
		return false
	}
	s.space()
	return s.at == len(s.text)
}

// space skips white space.
func (s *scanner) space() {
	begin := s.at
	for s.at < len(s.text) && isSpace(s.text[s.at]) {
		s.at++
	}
	if s.at > begin {
		s.to = append(s.to, s.text[s.copied:begin]...)
		s.copied = s.at
	}
}

func isSpace(b byte) bool { return b == ' ' || b == '\n' || b == '\t' || b == '\r' }

// is skips white space and then a byte, if it is the next one.
func (s *scanner) is(b byte) bool {
	s.space()
	if s.at == len(s.text) || s.text[s.at] != b {
		return false
	}
	s.at++
	return true
}

// value skips a value, and the white space in front of it.
func (s *scanner) value(depth int) bool {
	s.space()
	if s.at == len(s.text) {
		return false
	}
	switch b := s.text[s.at]; b {
	case '"':
		return s.string()
	case '{':
		return depth < maxDepth && s.list('}', func() bool {
			s.space()
			return s.string() && s.is(':') && s.value(depth+1)
		})
	case '[':
		return depth < maxDepth && s.list(']', func() bool { return s.value(depth + 1) })
	case 't':
		return s.word("true")
	case 'f':
		return s.word("false")
	case 'n':
		return s.word("null")
	}
	return s.number()
}

// list skips an array or object, whose first byte is the next one.
func (s *scanner) list(end byte, item func() bool) bool {
	s.at++
	if s.is(end) {
		return true
	}
	for {
		if !item() {
			return false
		}
		if s.is(end) {
			return true
		}
		if !s.is(',') {
			return false
		}
	}
}

func (s *scanner) word(word string) bool {
	if len(s.text)-s.at < len(word) || string(s.text[s.at:s.at+len(word)]) != word {
		return false
	}
	s.at += len(word)
	return true
}

// number skips a number (RFC 8259, section 6).
func (s *scanner) number() bool {
	s.one('-', '-')
	if !s.one('0', '0') && !s.digits() {
		return false
	}
	if s.one('.', '.') && !s.digits() {
		return false
	}
	if s.one('e', 'E') {
		s.one('+', '-')
		return s.digits()
	}
	return true
}

// one skips one of two bytes, and says whether it was there.
func (s *scanner) one(a, b byte) bool {
	if s.at == len(s.text) || s.text[s.at] != a && s.text[s.at] != b {
		return false
	}
	s.at++
	return true
}

func (s *scanner) digits() bool {
	begin := s.at
	for s.at < len(s.text) && s.text[s.at] >= '0' && s.text[s.at] <= '9' {
		s.at++
	}
	return s.at > begin
}

// string skips a string.
func (s *scanner) string() bool {
	if !s.one('"', '"') {
		return false
	}
	for {
		s.at += plain(s.text[s.at:])
		if s.at == len(s.text) {
			return false
		}
		switch s.text[s.at] {
		case '"':
			s.at++
			return true
		case '\\':
			if !s.escape() {
				return false
			}
		default: // a control character
			return false
		}
	}
}

// escape skips a backslash and what it stands before.
func (s *scanner) escape() bool {
	s.at++
	if s.at == len(s.text) {
		return false
	}
	s.at++
	switch s.text[s.at-1] {
	case '"', '\\', '/', 'b', 'f', 'n', 'r', 't':
		return true
	case 'u':
		for range 4 {
			if s.at == len(s.text) || !isHex(s.text[s.at]) {
				return false
			}
			s.at++
		}
		return true
	}
	return false
}

func isHex(b byte) bool {
	return b >= '0' && b <= '9' || b >= 'a' && b <= 'f' || b >= 'A' && b <= 'F'
}

// plain returns how many bytes at the beginning of text are neither a quote, nor a
// backslash, nor a control character.
func plain(text []byte) int {
	at := 0
	for ; len(text)-at >= 8; at += 8 {
		if found := special(binary.LittleEndian.Uint64(text[at:])); found != 0 {
			return at + bits.TrailingZeros64(found)/8
		}
	}
	for at < len(text) && text[at] >= ' ' && text[at] != '"' && text[at] != '\\' {
		at++
	}
	return at
}

// special marks the first byte of eight that is a quote, a backslash or a control
// character, by its highest bit; later bytes may be marked without reason. A byte
// minus one borrows from that bit only when the byte was 0, and minus 0x20 when it was
// below; both count only where the bit was not set before.
func special(eight uint64) uint64 {
	const each = 0x0101010101010101
	quote, slash := eight^'"'*each, eight^'\\'*each
	return ((eight-' '*each)&^eight | (quote-each)&^quote | (slash-each)&^slash) & (0x80 * each)
}
