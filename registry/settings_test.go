package registry_test

import (
	"encoding/json"
	"testing"

	"github.com/seed-d579e5eb/harness/registry"
)

func TestSettingsAreCompletedAndValidated(t *testing.T) {
	r := registry.New(registry.Options{})
	for _, test := range []struct{ name, schema, settings, want, err string }{
		{name: "defaults", schema: `{"properties": {"a": {"default": {}, "properties": {"b": {"default": [1]}}}, "c": {"default": 3}}}`,
			settings: `{"c": 4, "other": true}`, want: `{"a":{"b":[1]},"c":4,"other":true}`},
		{name: "a wrong type", schema: `{"properties": {"greeter": {"properties": {"greeting": {"type": "string"}}}}}`,
			settings: `{"greeter": {"greeting": 5}}`, err: "/greeter/greeting: expected string, got integer"},
		{name: "nothing is coerced", schema: `{"properties": {"n": {"type": "number"}}}`,
			settings: `{"n": "5"}`, err: "/n: expected number, got string"},
		{name: "names with separators", schema: `{"additionalProperties": false}`,
			settings: `{"a/b~c": 1}`, err: "/a~1b~0c: unknown field"},
		{name: "several flaws, in order", schema: `{"required": ["z"], "properties": {"a": {"type": "string"}}, "minProperties": 5}`,
			settings: `{"a": 1}`, err: "expected at least 5 properties; /z: missing; /a: expected string, got integer"},
		{name: "a default that does not fit", schema: `{"properties": {"a": {"type": "string", "default": 1}}}`,
			settings: `{}`, err: "/a: expected string, got integer"},
		{name: "a pattern that only ECMAScript has", schema: `{"properties": {"a": {"pattern": "^(?!x)[\\u0061-z]+$"}}}`,
			settings: `{"a": "xa"}`, err: `/a: expected to match ^(?!x)[\u0061-z]+$`},
		{name: "a format", schema: `{"properties": {"a": {"format": "ipv4"}}}`, settings: `{"a": "x"}`, err: "/a: expected format ipv4"},
		{name: "a file of the machine", schema: `{"$ref": "file:///etc/hostname"}`, settings: `{}`,
			err: "the settings schema is not valid: "},
		{name: "no schema", schema: `[]`, settings: `{}`, err: "the settings schema is not valid: the schema is not an object"},
	} {
		t.Run(test.name, func(t *testing.T) {
			for range 2 { // the second time the schema is known
				got, err := r.CompleteSettings(json.RawMessage(test.schema), json.RawMessage(test.settings))
				if string(got) != test.want {
					t.Errorf("got %s, want %s", got, test.want)
				}
				message := ""
				if err != nil {
					message = err.Error()
				}
				if test.name == "a file of the machine" {
					message = message[:min(len(test.err), len(message))]
				}
				if message != test.err {
					t.Errorf("got %q, want %q", message, test.err)
				}
			}
		})
	}
}
