package registry

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
)

// slowPattern takes longer than any limit for slowText: only an engine that
// backtracks has the look-ahead.
const (
	slowPattern = `^(?!x)(a+)+$`
	slowText    = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa!"
)

// schemas in which a match that is cut off would let a value through or change it,
// whichever of the two answers it were taken for.
var slowSchemas = map[string]string{
	"pattern":           `{"type": "object", "properties": {"v": {"pattern": PATTERN}}}`,
	"not":               `{"type": "object", "properties": {"v": {"not": {"pattern": PATTERN}}}}`,
	"patternProperties": `{"type": "object", "patternProperties": {PATTERN: false}}`,
	"propertyNames":     `{"type": "object", "propertyNames": {"not": {"pattern": PATTERN}}}`,
	"if":                `{"type": "object", "properties": {"v": {"if": {"pattern": PATTERN}, "then": false}}}`,
	"a coerced union":   `{"type": "object", "properties": {"v": {"anyOf": [{"type": "array", "items": {"pattern": PATTERN}}, {"type": "array"}]}}}`,
}

func slowSchema(name string) json.RawMessage {
	pattern, _ := json.Marshal(slowPattern) // a string always encodes
	return json.RawMessage(strings.ReplaceAll(slowSchemas[name], "PATTERN", string(pattern)))
}

const slowValue = `{"v": "` + slowText + `", "` + slowText + `": 1}`

func TestAPatternThatTakesTooLongIsAnErrorWhereverItStands(t *testing.T) {
	for name := range slowSchemas {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var cache schemaCache
			schema, err := cache.object(slowSchema(name))
			if err != nil {
				t.Fatal(err)
			}
			tool := &BoundTool{Tool: Tool{Name: "T"}, schema: schema}
			got, err := tool.Validate(json.RawMessage(slowValue))
			var invalid *ArgumentsError
			if !errors.As(err, &invalid) || len(invalid.Flaws) != 1 || invalid.Flaws[0] != "root: the pattern "+slowPattern+" took over 1s" {
				t.Errorf("got %s, %v", got, err)
			}
		})
	}
}

func TestAPatternOfSettingsThatTakesTooLongIsAnError(t *testing.T) {
	_, err := New(Options{}).CompleteSettings(slowSchema("not"), json.RawMessage(slowValue))
	var invalid *SettingsError
	if !errors.As(err, &invalid) || invalid.Error() != "the pattern "+slowPattern+" took over 1s" {
		t.Errorf("got %v", err)
	}
}
