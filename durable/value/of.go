package value

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Of returns the value that encoding/json writes for something of Go. A Value is
// itself, and a nil pointer, map or interface is Null. Halves of surrogate pairs
// survive in a Value or JSON inside of it, not in Go's own strings.
//
// It fails with the error of encoding/json, for what has no JSON like a channel or
// NaN, or with a *ParseError, for what Parse refuses like an int64 beyond 2^53 that
// a float64 does not hold.
func Of(from any) (Value, error) {
	switch from := from.(type) {
	case Value:
		return from, nil
	case JSON:
		return from.orNull(), nil
	case json.RawMessage:
		return Parse(from)
	}
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(from); err != nil {
		return nil, fmt.Errorf("value of a %T: %w", from, err)
	}
	v, err := Parse(text.Bytes())
	if err != nil {
		return nil, fmt.Errorf("value of a %T: %w", from, err)
	}
	return v, nil
}

// Decode stores a value in what a pointer points to, by the rules of encoding/json.
// A pointer to a Value or JSON gets the value itself. A nil Value decodes as null.
func Decode(v Value, into any) error {
	switch into := into.(type) {
	case *Value:
		*into = v
		return nil
	case *JSON:
		into.Value = v
		return nil
	}
	if err := json.Unmarshal(Marshal(v), into); err != nil {
		return fmt.Errorf("decode a value of kind %s into a %T: %w", Kind(v), into, err)
	}
	return nil
}

// JSON is a Value as the field of a struct, which encoding/json reads and writes.
// The zero JSON holds nothing: it is written as null, and left out by omitzero.
type JSON struct{ Value Value }

// IsZero says whether it holds nothing.
func (j JSON) IsZero() bool { return j.Value == nil }

// MarshalJSON writes the value like Append.
func (j JSON) MarshalJSON() ([]byte, error) { return Marshal(j.Value), nil }

// UnmarshalJSON reads a value like Parse, with its errors.
func (j *JSON) UnmarshalJSON(text []byte) error {
	v, err := Parse(text)
	if err != nil {
		return err
	}
	j.Value = v
	return nil
}

func (j JSON) orNull() Value {
	if j.Value == nil {
		return Null{}
	}
	return j.Value
}

// MarshalJSON writes null.
func (n Null) MarshalJSON() ([]byte, error) { return Marshal(n), nil }

// MarshalJSON writes a number like Append.
func (n Number) MarshalJSON() ([]byte, error) { return Marshal(n), nil }

// MarshalJSON writes a text like Append.
func (s String) MarshalJSON() ([]byte, error) { return Marshal(s), nil }

// MarshalJSON writes a list like Append.
func (a Array) MarshalJSON() ([]byte, error) { return Marshal(a), nil }

// MarshalJSON writes an object like Append.
func (o *Object) MarshalJSON() ([]byte, error) { return Marshal(o), nil }
