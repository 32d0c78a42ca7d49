package registry

import (
	"encoding/json"
	"errors"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// SettingsError says why settings do not fit the schema that was asked for. Each
// flaw is "place: message", with the place as a JSON Pointer (RFC 6901), empty for
// the settings themselves.
type SettingsError struct{ Flaws []string }

func (e *SettingsError) Error() string { return strings.Join(e.Flaws, "; ") }

// SettingsSchemaError is a schema of settings that is none.
type SettingsSchemaError struct{ Err error }

func (e *SettingsSchemaError) Error() string {
	return "the settings schema is not valid: " + e.Err.Error()
}

func (e *SettingsSchemaError) Unwrap() error { return e.Err }

// CompleteSettings validates settings, a JSON object, by a JSON Schema as the
// parameters of tools are, after giving absent properties the defaults of the
// schema, inside objects that are there or that a default made. Errors: a
// [*SettingsSchemaError]; a [*SettingsError]. It returns within about a second,
// and may be called from any goroutine.
func (r *Registry) CompleteSettings(schema, settings json.RawMessage) (json.RawMessage, error) {
	compiled, err := r.settings.compile(schema)
	if err != nil {
		return nil, &SettingsSchemaError{Err: err}
	}
	value, err := decode(settings)
	if err != nil {
		return nil, &SettingsError{Flaws: []string{err.Error()}}
	}
	value = withDefaults(compiled, value)
	err = withPatterns(func() error {
		if err := checkWork(compiled, value); err != nil {
			return err
		}
		return compiled.Validate(value)
	})
	if err != nil {
		return nil, &SettingsError{Flaws: settingsFlaws(err, value, settings)}
	}
	return encode(value)
}

func settingsFlaws(err error, value any, text []byte) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return []string{err.Error()}
	}
	escape := strings.NewReplacer("~", "~0", "/", "~1")
	var list []string
	for _, f := range explain(invalid, value, text) {
		pointer := ""
		for _, name := range f.at {
			pointer += "/" + escape.Replace(name)
		}
		if pointer != "" {
			pointer += ": "
		}
		list = append(list, pointer+f.message)
	}
	return list
}

// withDefaults may change value in place and gives what replaces it.
func withDefaults(schema *jsonschema.Schema, value any) any {
	object, ok := value.(map[string]any)
	if !ok {
		return value
	}
	for name, property := range schema.Properties {
		present, ok := object[name]
		if !ok {
			if property.Default == nil {
				continue
			}
			present = clone(*property.Default)
		}
		object[name] = withDefaults(property, present)
	}
	return object
}
