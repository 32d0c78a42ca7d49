// Package strictjson reads files that people write: what is not known is refused, so
// that a slip of the pen does not go by without a word.
package strictjson

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
)

// Decode reads one value of JSON. Members that it has no place for, and anything behind
// the value, are errors.
func Decode(text []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(into); err != nil {
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more follows the end of the value")
	}
	return nil
}
