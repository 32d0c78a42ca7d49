package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// ArgumentsError says that a call's arguments do not fit the tool's parameters.
type ArgumentsError struct {
	Tool     string
	Flaws    []string        // "path: message", with a dotted path, or "root"
	Received json.RawMessage // the arguments as they came
}

// Error gives the text that a model gets: the wording of pi-ai's
// validateToolArguments.
func (e *ArgumentsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "Validation failed for tool %q:\n", e.Tool)
	for _, flaw := range e.Flaws {
		b.WriteString("  - " + flaw + "\n")
	}
	b.WriteString("\nReceived arguments:\n")
	var indented bytes.Buffer
	if err := json.Indent(&indented, e.Received, "", "  "); err != nil {
		indented.Reset()
		indented.Write(e.Received)
	}
	b.Write(indented.Bytes())
	return b.String()
}

// Validate checks arguments against the tool's parameters and gives them as
// Execute would get them: as they are when they fit, else with what can be
// coerced (a number as text, null for an absent optional property, and the
// like). The error is an [*ArgumentsError].
func (t *BoundTool) Validate(arguments json.RawMessage) (json.RawMessage, error) {
	if len(arguments) == 0 {
		arguments = json.RawMessage("{}")
	}
	var fitting json.RawMessage
	err := withPatterns(func() (err error) {
		fitting, err = t.fit(arguments)
		return err
	})
	var late *patternTimeout
	if errors.As(err, &late) {
		err = &ArgumentsError{Tool: t.Name, Flaws: []string{"root: " + late.Error()}, Received: arguments}
	}
	return fitting, err
}

func (t *BoundTool) fit(arguments json.RawMessage) (json.RawMessage, error) {
	value, err := decode(arguments)
	if err == nil {
		err = checkWork(t.schema, value)
	}
	if err != nil {
		return nil, &ArgumentsError{Tool: t.Name, Flaws: []string{"root: " + err.Error()}, Received: arguments}
	}
	if t.schema.Validate(value) == nil {
		return arguments, nil
	}
	value = coerce(t.schema, value)
	if err := t.schema.Validate(value); err != nil {
		return nil, &ArgumentsError{Tool: t.Name, Flaws: flaws(err, value, arguments), Received: arguments}
	}
	return encode(value)
}

func flaws(err error, value any, text []byte) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{"root: " + err.Error()}
	}
	var list []string
	for _, f := range explain(invalid, value, text) {
		list = append(list, f.String())
	}
	return list
}

// decode reads a JSON text for validation. The error says why it cannot be
// judged.
func decode(text []byte) (any, error) {
	if !utf8.Valid(text) {
		return nil, errors.New("not JSON: it is not UTF-8")
	}
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("not JSON: %w", err)
	}
	return value, checkNumbers(value)
}

// maxNumberLength and maxExponent bound the numbers of a text. A float64 needs
// less of both, and the validator panics on an exponent beyond a million
// (jsonschema 6.0.3).
const (
	maxNumberLength = 1000
	maxExponent     = 400
)

func checkNumbers(value any) error {
	switch v := value.(type) {
	case map[string]any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case []any:
		for _, element := range v {
			if err := checkNumbers(element); err != nil {
				return err
			}
		}
	case json.Number:
		exponent := 0
		if i := strings.IndexAny(v.String(), "eE"); i >= 0 {
			n, err := strconv.Atoi(v.String()[i+1:])
			if err != nil {
				return errNumber
			}
			exponent = n
		}
		if len(v) > maxNumberLength || exponent < -maxExponent || exponent > maxExponent || math.IsInf(floatOf(v), 0) {
			return errNumber
		}
	}
	return nil
}

var errNumber = errors.New("a number is out of the range of a 64-bit float")

// encode is json.Marshal without escapes for HTML.
func encode(value any) (json.RawMessage, error) {
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, fmt.Errorf("encode arguments: %w", err)
	}
	return bytes.TrimRight(b.Bytes(), "\n"), nil
}
