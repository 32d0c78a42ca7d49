package registry_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

func TestArgumentsAreValidatedWithoutATool(t *testing.T) {
	r := registry.New(registry.Options{})
	schema := json.RawMessage(`{"type": "object", "properties": {"n": {"type": "integer"}}, "required": ["n"]}`)
	fitting, err := r.ValidateArguments("count", schema, json.RawMessage(`{"n": "5"}`))
	if err != nil || string(fitting) != `{"n":5}` {
		t.Errorf("got %s, %v", fitting, err)
	}
	var wrong *registry.ArgumentsError
	if _, err := r.ValidateArguments("count", schema, json.RawMessage(`{}`)); !errors.As(err, &wrong) || wrong.Tool != "count" {
		t.Errorf("got %v", err)
	}
	var none *registry.SettingsSchemaError
	if _, err := r.ValidateArguments("count", json.RawMessage(`{"type": "strin"}`), json.RawMessage(`{}`)); !errors.As(err, &none) {
		t.Errorf("got %v", err)
	}
}
