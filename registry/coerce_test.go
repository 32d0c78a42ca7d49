package registry

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// What a coercion that runs out of work has changed by then does not depend on the
// order of a map.
func TestTheEndOfACoercionDependsOnNoMap(t *testing.T) {
	var fields []string
	for i := range 40 {
		fields = append(fields, fmt.Sprintf(`"p%02d": "%d"`, i, i))
	}
	value, err := decode([]byte("{" + strings.Join(fields, ",") + "}"))
	if err != nil {
		t.Fatal(err)
	}
	for name, source := range map[string]string{
		"properties":        `{"type": "object", "additionalProperties": {"type": "number"}}`,
		"patternProperties": `{"type": "object", "patternProperties": {"^p": {"type": "number"}, "^p0": {"type": "boolean"}, "^p.$": {"anyOf": [{"type": "null"}, {"type": "number"}]}, "p": {"type": ["integer", "boolean"]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			var cache schemaCache
			schema, err := cache.object(json.RawMessage(source))
			if err != nil {
				t.Fatal(err)
			}
			var first any
			for try := range 50 {
				c := &coercer{left: 30}
				got := c.value(schema, clone(value))
				if c.left >= 0 {
					t.Fatal("the work did not run out")
				}
				if try == 0 {
					first = got
				} else if diff := cmp.Diff(first, got); diff != "" {
					t.Fatalf("another try changed something else (-first +this):\n%s", diff)
				}
			}
		})
	}
}
