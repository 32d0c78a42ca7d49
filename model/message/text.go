package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"unicode/utf8"
)

// compact checks that text is one JSON value, and returns a copy without white space.
func compact(text []byte) ([]byte, error) {
	return writeRaw(make([]byte, 0, len(text)), text)
}

// writeRaw appends JSON without its white space.
func writeRaw(to, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return to, fmt.Errorf("byte %d: not UTF-8", validUTF8(text))
	}
	buffer := bytes.NewBuffer(to)
	if json.Compact(buffer, text) == nil {
		return buffer.Bytes(), nil
	}
	err := json.Unmarshal(text, new(json.RawMessage)) // this one says where
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return to, fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return to, err
}

// validUTF8 returns how many bytes at the beginning of text are UTF-8.
func validUTF8(text []byte) int {
	at := 0
	for at < len(text) {
		r, size := utf8.DecodeRune(text[at:])
		if r == utf8.RuneError && size == 1 {
			break
		}
		at += size
	}
	return at
}

// kindOf says what a value is.
func kindOf(value []byte) string {
	switch value[0] {
	case '{':
		return "an object"
	case '[':
		return "an array"
	case '"':
		return "a string"
	case 't', 'f':
		return "a boolean"
	case 'n':
		return "null"
	}
	return "a number"
}

func mismatch(want string, value []byte) error {
	return fmt.Errorf("want %s, have %s", want, kindOf(value))
}

// end returns where the value at the beginning of valid, compact JSON ends.
func end(text []byte) int {
	depth := 0
	for at := 0; ; at++ {
		switch text[at] {
		case '"':
			at += stringEnd(text[at:]) - 1
		case '{', '[':
			depth++
			continue
		case '}', ']':
			depth--
		default:
			if depth > 0 {
				continue
			}
			if n := bytes.IndexAny(text[at:], ",}]"); n >= 0 {
				return at + n
			}
			return len(text)
		}
		if depth == 0 {
			return at + 1
		}
	}
}

// stringEnd returns where the string at the beginning of valid JSON ends.
func stringEnd(text []byte) int {
	for at := 1; ; at++ {
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
}

// elements calls visit with each element of an array in valid, compact JSON.
func elements(value []byte, visit func(element []byte) error) error {
	if value[0] != '[' {
		return mismatch("an array", value)
	}
	rest := value[1:]
	for i := 0; rest[0] != ']'; i++ {
		n := end(rest)
		if err := visit(rest[:n]); err != nil {
			return within(index(i), err)
		}
		if rest = rest[n:]; rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return nil
}

// split returns the members of an object in valid, compact JSON. The last of equal
// names counts, at the place of the first. The values are parts of the text.
func split(value []byte) ([]Member, error) {
	if value[0] != '{' {
		return nil, mismatch("an object", value)
	}
	found := gathered{members: make([]Member, 0, 8)}
	rest := value[1:]
	for rest[0] != '}' {
		n := stringEnd(rest)
		name, err := readString(rest[:n])
		if err != nil {
			return nil, err
		}
		rest = rest[n+1:]
		n = end(rest)
		found.set(name, rest[:n])
		if rest = rest[n:]; rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return found.members, nil
}

// gathered are members with different names.
type gathered struct {
	members []Member
	places  map[string]int // only when there are too many to look through
}

func (g *gathered) set(name string, value []byte) {
	const few = 24
	place := -1
	if g.places == nil {
		place = find(g.members, name)
	} else if known, ok := g.places[name]; ok {
		place = known
	}
	if place >= 0 {
		g.members[place].Value = value
		return
	}
	g.members = append(g.members, Member{Name: name, Value: value})
	switch {
	case g.places != nil:
		g.places[name] = len(g.members) - 1
	case len(g.members) > few:
		g.places = make(map[string]int)
		for i, m := range g.members {
			g.places[m.Name] = i
		}
	}
}

// readString returns the text of a string in valid JSON.
func readString(value []byte) (string, error) {
	if value[0] != '"' {
		return "", mismatch("a string", value)
	}
	inner := value[1 : len(value)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner), nil
	}
	var text string
	err := json.Unmarshal(value, &text)
	return text, err
}

// writeString appends a string with nothing escaped that need not be, as
// JSON.stringify has it (ECMA-262, section 25.5.2.3). What is not UTF-8 becomes
// U+FFFD.
func writeString(to []byte, text string) []byte {
	to = append(to, '"')
	plain := 0 // text from here has to be appended
	for at := 0; at < len(text); {
		c := text[at]
		if c >= ' ' && c != '"' && c != '\\' && c < utf8.RuneSelf {
			at++
			continue
		}
		if c >= utf8.RuneSelf {
			r, size := utf8.DecodeRuneInString(text[at:])
			if r == utf8.RuneError && size == 1 {
				to = append(append(to, text[plain:at]...), "\ufffd"...)
				plain = at + 1
			}
			at += size
			continue
		}
		to = writeEscape(append(to, text[plain:at]...), c)
		at++
		plain = at
	}
	return append(append(to, text[plain:]...), '"')
}

// writeEscape appends the escape of a quote, a backslash or a control character.
func writeEscape(to []byte, c byte) []byte {
	switch c {
	case '"', '\\':
		return append(to, '\\', c)
	case '\b':
		return append(to, '\\', 'b')
	case '\f':
		return append(to, '\\', 'f')
	case '\n':
		return append(to, '\\', 'n')
	case '\r':
		return append(to, '\\', 'r')
	case '\t':
		return append(to, '\\', 't')
	}
	const hex = "0123456789abcdef"
	return append(to, '\\', 'u', '0', '0', hex[c>>4], hex[c&15])
}
