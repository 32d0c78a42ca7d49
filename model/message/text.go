package message

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model/message/rawjson"
)

// compact checks that text is one JSON value, and returns it without white space:
// text itself when it has none.
func compact(text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return nil, notUTF8(text)
	}
	compact, ok := rawjson.Compact(text)
	if !ok {
		return nil, notJSON(text)
	}
	return compact, nil
}

// writeRaw appends JSON without its white space.
func writeRaw(to, text []byte) ([]byte, error) {
	if !utf8.Valid(text) {
		return to, notUTF8(text)
	}
	to, ok := rawjson.AppendCompact(to, text)
	if !ok {
		return to, notJSON(text)
	}
	return to, nil
}

func notUTF8(text []byte) error { return fmt.Errorf("byte %d: not UTF-8", validUTF8(text)) }

// notJSON returns the error of a text that is not JSON.
func notJSON(text []byte) error {
	err := json.Unmarshal(text, new(json.RawMessage)) // this one says where
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok {
		return fmt.Errorf("byte %d: %w", syntax.Offset, err)
	}
	return err
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

// elements calls visit with each element of an array in valid, compact JSON.
func elements(value []byte, visit func(element []byte) error) error {
	if value[0] != '[' {
		return mismatch("an array", value)
	}
	i := 0
	return rawjson.Elements(value, func(element []byte) error {
		if err := visit(element); err != nil {
			return within(index(i), err)
		}
		i++
		return nil
	})
}

// split returns the members of an object in valid, compact JSON. The last of equal
// names counts, at the place of the first. The values are parts of the text.
func split(value []byte) ([]part, error) {
	if value[0] != '{' {
		return nil, mismatch("an object", value)
	}
	found := gathered{members: make([]part, 0, 8)}
	err := rawjson.Members(value, func(name, value []byte) error {
		if bytes.IndexByte(name, '\\') >= 0 {
			found.set([]byte(rawjson.String(name)), value)
		} else {
			found.set(name[1:len(name)-1], value)
		}
		return nil
	})
	return found.members, err
}

// part is a member of an object that is being read.
type part struct{ name, value []byte }

// gathered are members with different names.
type gathered struct {
	members []part
	places  map[string]int // only when there are too many to look through
}

func (g *gathered) set(name, value []byte) {
	const few = 24
	place := -1
	if g.places == nil {
		place = slices.IndexFunc(g.members, func(m part) bool { return bytes.Equal(m.name, name) })
	} else if known, ok := g.places[string(name)]; ok {
		place = known
	}
	if place >= 0 {
		g.members[place].value = value
		return
	}
	g.members = append(g.members, part{name, value})
	switch {
	case g.places != nil:
		g.places[string(name)] = len(g.members) - 1
	case len(g.members) > few:
		g.places = make(map[string]int)
		for i, m := range g.members {
			g.places[string(m.name)] = i
		}
	}
}

// readString returns the text of a string in valid JSON.
func readString(value []byte) (string, error) {
	if value[0] != '"' {
		return "", mismatch("a string", value)
	}
	return rawjson.String(value), nil
}
