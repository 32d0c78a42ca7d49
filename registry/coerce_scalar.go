package registry

import (
	"encoding/json"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// scalar changes a scalar to a type, constant or enumerated value of the schema.
func (c *coercer) scalar(s *jsonschema.Schema, value any) any {
	switch value.(type) {
	case string, bool, json.Number:
	default:
		return value
	}
	if s.Types != nil {
		value = toTypes(s.Types.ToStrings(), value)
	}
	switch {
	case s.Const != nil:
		return toMember([]any{*s.Const}, value)
	case s.Enum != nil:
		return toMember(s.Enum.Values, value)
	}
	return value
}

// toTypes gives value as the first of types it can be read as. A reading that
// loses nothing goes first: "1" is a number before it is true, and "true" a
// boolean before it is 1.
func toTypes(types []string, value any) any {
	if slices.Contains(types, typeName(value)) || typeName(value) == "integer" && slices.Contains(types, "number") {
		return value
	}
	for _, read := range []struct {
		typ string
		as  func(any) (any, bool)
	}{
		{"null", asEmptyNull},
		{"number", asNumeral},
		{"integer", asNumeral},
		{"boolean", asBoolean},
		{"number", asNumber},
		{"integer", asInteger},
		{"string", asString},
		{"null", asNull},
	} {
		if !slices.Contains(types, read.typ) {
			continue
		}
		result, ok := read.as(value)
		if ok && (read.typ != "integer" || typeName(result) == "integer") {
			return result
		}
	}
	return value
}

// toMember gives the member that value is another spelling of.
func toMember(members []any, value any) any {
	for _, m := range members {
		if typeName(m) == typeName(value) && same(m, value) {
			return value
		}
	}
	for _, m := range members {
		var read any
		ok := false
		switch m.(type) {
		case string:
			read, ok = asString(value)
		case bool:
			read, ok = asBoolean(value)
		case json.Number:
			read, ok = asNumeral(value)
		}
		if ok && same(m, read) {
			return m
		}
	}
	return value
}

// same compares two scalars.
func same(a, b any) bool {
	if x, ok := a.(json.Number); ok {
		y, ok := b.(json.Number)
		return ok && (x == y || floatOf(x) == floatOf(y))
	}
	switch a.(type) {
	case string, bool, nil:
		return a == b
	}
	return false
}

// typeName gives the JSON Schema type of a decoded value; a number without a
// fraction is an integer.
func typeName(value any) string {
	switch v := value.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case []any:
		return "array"
	case map[string]any:
		return "object"
	case json.Number:
		if f := floatOf(v); f == math.Trunc(f) && !math.IsInf(f, 0) {
			return "integer"
		}
	}
	return "number"
}

func floatOf(n json.Number) float64 {
	f, _ := n.Float64() // an overflow gives an infinity
	return f
}

func asEmptyNull(value any) (any, bool) {
	return nil, value == ""
}

func asNull(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return nil, v == "" || v == "null" || v == "undefined"
	case bool:
		return nil, !v
	case json.Number:
		return nil, floatOf(v) == 0
	}
	return nil, false
}

func asBoolean(value any) (any, bool) {
	switch v := value.(type) {
	case bool:
		return v, true
	case string:
		switch strings.ToLower(v) {
		case "true", "1":
			return true, true
		case "false", "0":
			return false, true
		}
	case json.Number:
		switch floatOf(v) {
		case 0:
			return false, true
		case 1:
			return true, true
		}
	}
	return nil, false
}

// asString writes a scalar as ECMAScript does (ECMA-262, Number::toString).
func asString(value any) (any, bool) {
	switch v := value.(type) {
	case string:
		return v, true
	case bool:
		return strconv.FormatBool(v), true
	case json.Number:
		text, err := json.Marshal(floatOf(v)) // encoding/json writes floats by the same rule
		return string(text), err == nil
	}
	return nil, false
}

// asNumeral reads a text that spells a number (ECMA-262, StringToNumber,
// without Infinity and the empty text).
func asNumeral(value any) (any, bool) {
	switch v := value.(type) {
	case json.Number:
		return v, true
	case string:
		return numeral(strings.TrimSpace(v))
	}
	return nil, false
}

func numeral(text string) (any, bool) {
	if len(text) > 2 && text[0] == '0' && strings.ContainsRune("xXoObB", rune(text[1])) {
		n, ok := new(big.Int).SetString(text, 0)
		if !ok || strings.Contains(text, "_") {
			return nil, false
		}
		return json.Number(n.String()), true
	}
	if text == "" || strings.Trim(text, "0123456789+-.eE") != "" {
		return nil, false
	}
	f, err := strconv.ParseFloat(text, 64)
	if err != nil {
		return nil, false
	}
	if digits := strings.TrimPrefix(text, "-"); strings.Trim(digits, "0123456789") == "" && (digits[0] != '0' || digits == "0") {
		return json.Number(text), true // keeps digits that a float would lose
	}
	written, err := json.Marshal(f)
	return json.Number(written), err == nil
}

// asNumber reads what ECMAScript converts to a number beyond a numeral.
func asNumber(value any) (any, bool) {
	switch v := value.(type) {
	case bool:
		if v {
			return json.Number("1"), true
		}
		return json.Number("0"), true
	case string:
		switch strings.ToLower(v) {
		case "true":
			return json.Number("1"), true
		case "false", "":
			return json.Number("0"), true
		}
	}
	return nil, false
}

// asInteger cuts a fraction off.
func asInteger(value any) (any, bool) {
	n, ok := asNumeral(value)
	if !ok {
		n, ok = asNumber(value)
	}
	if !ok {
		return nil, false
	}
	f := math.Trunc(floatOf(n.(json.Number)))
	if math.IsInf(f, 0) {
		return nil, false
	}
	return json.Number(strconv.FormatFloat(f, 'f', -1, 64)), true
}
