package host

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/registry"
)

// maxSettingsDepth is how deep settings may be nested: what reads and freezes them
// calls itself for each level, on the call stack of an extension.
const maxSettingsDepth = 100

// checkSettings reports where data is not a JSON object that every reader takes, or
// nil.
func checkSettings(data []byte) *SettingsError {
	at, err := findFault(data)
	if err == nil {
		return nil
	}
	invalid := &SettingsError{Position: registry.Position{File: SettingsFile}, Message: "the settings must be a JSON object: " + err.Error()}
	if at >= 0 {
		before := data[:min(at, len(data))]
		invalid.Position.Line = bytes.Count(before, []byte("\n")) + 1
		invalid.Position.Column = len(before) - bytes.LastIndexByte(before, '\n')
	}
	return invalid
}

// findFault returns what is wrong with settings, and the byte where, or -1 when it is
// the whole.
func findFault(data []byte) (int, error) {
	if at, err := findEncodingFault(data); err != nil {
		return at, err
	}
	var object map[string]json.RawMessage
	err := json.Unmarshal(data, &object)
	var syntax *json.SyntaxError
	switch {
	case errors.As(err, &syntax):
		return max(int(syntax.Offset)-1, 0), err
	case err != nil:
		return -1, err
	case object == nil:
		return -1, errors.New("it is null")
	}
	return findExcess(data)
}

// findEncodingFault reports text that is not UTF-8 (RFC 8259, section 8.1, which
// allows no byte order mark either).
func findEncodingFault(data []byte) (int, error) {
	const save = "; save the file as UTF-8 without a byte order mark"
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return 0, errors.New("it begins with a byte order mark" + save)
	case bytes.HasPrefix(data, []byte("\xff\xfe")), bytes.HasPrefix(data, []byte("\xfe\xff")), bytes.IndexByte(data[:min(2, len(data))], 0) >= 0:
		return 0, errors.New("it is UTF-16 or UTF-32" + save)
	}
	for at := 0; at < len(data); {
		r, size := utf8.DecodeRune(data[at:])
		if r == utf8.RuneError && size == 1 {
			return at, errors.New("it is not UTF-8" + save)
		}
		at += size
	}
	return -1, nil
}

// findExcess reports JSON that is nested too deeply, or has a number that is too
// large for one of JavaScript.
func findExcess(data []byte) (int, error) {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	for depth := 0; ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return -1, nil
		}
		if err != nil {
			return int(decoder.InputOffset()), err
		}
		switch token := token.(type) {
		case json.Delim:
			depth += nesting(token)
			if depth > maxSettingsDepth {
				return int(decoder.InputOffset()) - 1, fmt.Errorf("it is nested deeper than %d", maxSettingsDepth)
			}
		case json.Number:
			if _, err := strconv.ParseFloat(token.String(), 64); err != nil {
				return int(decoder.InputOffset()) - len(token), errors.New("the number is too large; the largest is about 1.8e308")
			}
		}
	}
}

func nesting(bracket json.Delim) int {
	if bracket == '{' || bracket == '[' {
		return 1
	}
	return -1
}
