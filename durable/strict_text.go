package durable

import (
	"bytes"
	"encoding"
	"encoding/json"
	"errors"
	"reflect"
	"unicode/utf8"
)

// errNotUTF8 is JSON with a text that would be another one when it is read again.
var errNotUTF8 = errors.New("a text in it is not UTF-8")

// checkUTF8 refuses JSON that is not UTF-8.
func checkUTF8(what string, text []byte) error {
	if !utf8.Valid(text) {
		return invalid(what, "%s", errNotUTF8)
	}
	return nil
}

// marshalled returns the JSON of a Go value, and [errNotUTF8] for one with texts that are
// not UTF-8.
func marshalled(from any) ([]byte, error) {
	text, err := json.Marshal(from)
	if err == nil {
		err = asSaid(text, from)
	}
	return text, err
}

// replacement is what encoding/json writes for bytes of a Go string that are not UTF-8.
// The character itself it writes as it is.
var replacement = []byte(`\ufffd`)

// asSaid returns an error when the JSON of a Go value has other texts than the value.
func asSaid(text []byte, from any) error {
	if !utf8.Valid(text) || bytes.Contains(text, replacement) && broken(reflect.ValueOf(from)) {
		return errNotUTF8
	}
	return nil
}

var (
	jsonMarshaler = reflect.TypeFor[json.Marshaler]()
	textMarshaler = reflect.TypeFor[encoding.TextMarshaler]()
)

// broken says whether encoding/json finds a string in a value that is not UTF-8. It has
// written the value, which therefore has no cycles. What types write themselves is
// theirs.
func broken(v reflect.Value) bool {
	if !v.IsValid() {
		return false
	}
	if of := reflect.PointerTo(v.Type()); of.Implements(jsonMarshaler) || of.Implements(textMarshaler) {
		return false
	}
	switch v.Kind() {
	case reflect.String:
		return !utf8.ValidString(v.String())
	case reflect.Pointer, reflect.Interface:
		return broken(v.Elem())
	case reflect.Struct:
		for field, of := range v.Fields() {
			if (field.IsExported() || field.Anonymous) && field.Tag.Get("json") != "-" && broken(of) {
				return true
			}
		}
	case reflect.Map:
		for key, of := range v.Seq2() {
			if broken(key) || broken(of) {
				return true
			}
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			if broken(v.Index(i)) {
				return true
			}
		}
	}
	return false
}
