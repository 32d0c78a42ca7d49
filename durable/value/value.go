// Package value holds JSON values as the engine keeps them: immutable, with
// objects whose members keep their order, since a model that reads a document sees
// that order.
//
// A Value is one of Null, Bool, Number, String, Array and *Object. Whoever makes
// one hands it over: neither it nor what it was made from is changed afterwards, by
// anybody. Values may therefore share subtrees, and be read on several goroutines at
// once. Parse and Of make values, Append and Decode turn them into text and into Go's
// own types, and a Builder makes a changed copy of an object.
//
// The values are those of JavaScript's JSON.parse with two differences. The members
// of an object keep the order in which they were written even when their keys look
// like integers, which JavaScript moves to the front. And an integer that a float64
// does not hold is refused instead of being rounded. The keys __proto__, constructor
// and prototype are keys like others.
package value

import "math"

// Value is an immutable JSON value: Null, Bool, Number, String, Array or *Object.
// No other type is one. A nil Value stands for none at all, like the value of a
// document that does not exist; it is written as null.
type Value interface {
	// sealed keeps the list of types closed.
	sealed()
}

// Null is the JSON value null.
type Null struct{}

// Bool is true or false.
type Bool bool

// Number is a number, never NaN nor infinite. Minus zero equals zero and is written
// as zero.
type Number float64

// Array is a list of values, none of them nil. Its items may be read and never
// assigned to; a nil Array is an empty one.
type Array []Value

func (Null) sealed()    {}
func (Bool) sealed()    {}
func (Number) sealed()  {}
func (String) sealed()  {}
func (Array) sealed()   {}
func (*Object) sealed() {}

// Kind names what a value is, for messages: "null", "boolean", "number", "string",
// "array" or "object"; "nothing" for nil.
func Kind(v Value) string {
	switch v.(type) {
	case Null:
		return "null"
	case Bool:
		return "boolean"
	case Number:
		return "number"
	case String:
		return "string"
	case Array:
		return "array"
	case *Object:
		return "object"
	}
	return "nothing"
}

// Deeper says whether containers nest in a value more deeply than so many levels. A
// scalar has none, an array or an object of scalars has one.
func Deeper(v Value, levels int) bool {
	switch v := v.(type) {
	case Array:
		if levels < 1 {
			return true
		}
		for _, item := range v {
			if Deeper(item, levels-1) {
				return true
			}
		}
	case *Object:
		if levels < 1 {
			return true
		}
		for _, item := range v.All() {
			if Deeper(item, levels-1) {
				return true
			}
		}
	}
	return false
}

// Size estimates the bytes that a value takes as JSON. It walks the whole value; a
// number counts as 8 bytes and an escaped character as itself.
func Size(v Value) int { return math.MaxInt - left(v, math.MaxInt) }

// Within says whether the Size of a value is at most so many bytes. It walks no
// further than they reach.
func Within(v Value, bytes int) bool { return left(v, bytes) >= 0 }

// left returns what a value leaves of so many bytes, below zero when they are too few.
func left(v Value, bytes int) int {
	switch v := v.(type) {
	case Number:
		return bytes - 8
	case String:
		return bytes - len(v) - 2
	case Array:
		bytes -= 2
		for _, item := range v {
			if bytes < 0 {
				break
			}
			bytes = left(item, bytes-1)
		}
		return bytes
	case *Object:
		bytes -= 2
		for key, item := range v.All() {
			if bytes < 0 {
				break
			}
			bytes = left(item, bytes-len(key)-4)
		}
		return bytes
	}
	return bytes - 4
}
