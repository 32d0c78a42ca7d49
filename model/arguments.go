package model

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// MaxArgumentsDepth is how deeply the arguments of a tool call may nest.
const MaxArgumentsDepth = 500

// ParseArguments reads the text that a model gave as the arguments of a tool call,
// once it is complete. It returns a JSON object without white space, or {} and what is
// wrong with the text, which includes its beginning: the ArgumentsError of a
// [message.ToolCall]. No text at all is {}.
//
// Two things that models do are mended: control characters that stand in strings, and
// backslashes there before a character that needs none. A text that breaks off, is
// something other than an object, nests deeper than [MaxArgumentsDepth] or has a
// number beyond the range of numbers is wrong.
func ParseArguments(text string) (arguments json.RawMessage, flaw string) {
	if strings.TrimSpace(text) == "" {
		return json.RawMessage("{}"), ""
	}
	arguments, err := readArguments(validText(text))
	if err != nil {
		return json.RawMessage("{}"), fmt.Sprintf("%v\n\nReceived arguments:\n%s", err, beginning(text))
	}
	return arguments, ""
}

func readArguments(text string) (json.RawMessage, error) {
	var compact bytes.Buffer
	err := json.Compact(&compact, []byte(text))
	if err != nil {
		mended := mendStrings(text)
		if mended == text {
			return nil, located(err)
		}
		compact.Reset()
		if err := json.Compact(&compact, []byte(mended)); err != nil {
			return nil, located(err)
		}
	}
	arguments := compact.Bytes()
	if len(arguments) == 0 || arguments[0] != '{' {
		return nil, errors.New("tool arguments must be a JSON object")
	}
	if err := checkArguments(arguments); err != nil {
		return nil, err
	}
	return arguments, nil
}

// located adds to an error of package json where the text is wrong.
func located(err error) error {
	if syntax, ok := errors.AsType[*json.SyntaxError](err); ok && syntax.Offset > 0 {
		return fmt.Errorf("%w (byte %d)", err, syntax.Offset)
	}
	return err
}

// beginning returns the text, or what of it tells a model enough.
func beginning(text string) string {
	const most = 8 << 10
	text = validText(text)
	if len(text) <= most {
		return text
	}
	at := most
	for !utf8.RuneStart(text[at]) {
		at--
	}
	return fmt.Sprintf("%s\n(%d more bytes)", text[:at], len(text)-at)
}

// checkArguments refuses valid, compact JSON that could not be stored.
func checkArguments(text []byte) error {
	depth := 0
	for at := 0; at < len(text); at++ {
		switch c := text[at]; {
		case c == '"':
			for at++; text[at] != '"'; at++ {
				if text[at] == '\\' {
					at++
				}
			}
		case c == '{' || c == '[':
			if depth++; depth > MaxArgumentsDepth {
				return fmt.Errorf("the arguments nest deeper than %d levels", MaxArgumentsDepth)
			}
		case c == '}' || c == ']':
			depth--
		case c == '-' || c >= '0' && c <= '9':
			end := at + bytes.IndexAny(text[at:], ",]}")
			if number := string(text[at:end]); !ranged(number) {
				return fmt.Errorf("the number %.40s is beyond the range of numbers", number)
			}
			at = end - 1
		}
	}
	return nil
}

// ranged says whether a float64 can hold a number.
func ranged(number string) bool {
	_, err := strconv.ParseFloat(number, 64)
	return err == nil
}

// mendStrings escapes, inside the strings of JSON, control characters and backslashes
// that begin no escape.
func mendStrings(text string) string {
	var mended strings.Builder
	mended.Grow(len(text) + 16)
	quoted := false
	for at := 0; at < len(text); at++ {
		c := text[at]
		switch {
		case c == '"':
			quoted = !quoted
			mended.WriteByte(c)
		case !quoted || c >= ' ' && c != '\\':
			mended.WriteByte(c)
		case c != '\\':
			mended.Write(escaped(c))
		default:
			n := escapeLength(text[at:])
			if n == 0 {
				mended.WriteString(`\\`)
				continue
			}
			mended.WriteString(text[at : at+n])
			at += n - 1
		}
	}
	return mended.String()
}

// escaped returns the escape of a control character.
func escaped(c byte) []byte { return fmt.Appendf(nil, `\u%04x`, c) }

// escapeLength returns how long the escape at the beginning of text is; 0 when there
// is none.
func escapeLength(text string) int {
	switch {
	case len(text) >= 2 && strings.IndexByte(`"\/bfnrt`, text[1]) >= 0:
		return 2
	case len(text) >= 6 && text[1] == 'u' && hexadecimal(text[2:6]):
		return 6
	}
	return 0
}

func hexadecimal(text string) bool {
	for i := range len(text) {
		if c := text[i]; !(c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'f') {
			return false
		}
	}
	return true
}
