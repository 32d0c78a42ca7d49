package registry

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

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
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(arguments))
	if err != nil {
		return nil, &ArgumentsError{Tool: t.Name, Flaws: []string{"root: not JSON: " + err.Error()}, Received: arguments}
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
