package rawjson

import (
	"bytes"
	"encoding/json"
)

// The functions of this file take JSON that is valid and compact, as [Compact] returns
// it, and panic on other text.

// End returns where the value at the beginning of text ends.
func End(text []byte) int {
	depth := 0
	for at := 0; ; at++ {
		switch text[at] {
		case '"':
			at += StringEnd(text[at:]) - 1
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

// StringEnd returns where the string at the beginning of text ends.
func StringEnd(text []byte) int {
	for at := 1; ; at++ {
		at += plain(text[at:])
		switch text[at] {
		case '\\':
			at++
		case '"':
			return at + 1
		}
	}
}

// Elements calls visit with each element of an array, until it fails. The elements
// are parts of the text.
func Elements(array []byte, visit func(element []byte) error) error {
	rest := array[1:]
	for rest[0] != ']' {
		n := End(rest)
		if err := visit(rest[:n]); err != nil {
			return err
		}
		if rest = rest[n:]; rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return nil
}

// Members calls visit with each member of an object, until it fails. A name is a
// string of JSON still; it and the value are parts of the text.
func Members(object []byte, visit func(name, value []byte) error) error {
	rest := object[1:]
	for rest[0] != '}' {
		n := StringEnd(rest)
		name := rest[:n]
		rest = rest[n+1:]
		n = End(rest)
		if err := visit(name, rest[:n]); err != nil {
			return err
		}
		if rest = rest[n:]; rest[0] == ',' {
			rest = rest[1:]
		}
	}
	return nil
}

// String returns the text of a string. What is not UTF-8 stays as it is, unless
// something is escaped: then it becomes U+FFFD.
func String(text []byte) string {
	inner := text[1 : len(text)-1]
	if bytes.IndexByte(inner, '\\') < 0 {
		return string(inner)
	}
	var read string
	if err := json.Unmarshal(text, &read); err != nil {
		panic(err)
	}
	return read
}
