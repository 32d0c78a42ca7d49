package registry

import (
	"cmp"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// maxCoercion bounds the work of one coercion, counted like that of a
// validation: unions inside unions multiply.
const maxCoercion = 200_000

// coercer changes a decoded JSON value towards a schema where that repairs what
// models usually get wrong: a number or boolean sent as text, one value where a
// list is expected, null for an optional property. What already fits stays. A
// value that a change cannot repair is left for validation to refuse.
//
// The rules are those of pi-schema's coercion, but for null: it stands for an
// absent optional property and is never made into "null", 0 or false, so that a
// required value which the model left open is asked for again.
type coercer struct {
	left int // work
}

func coerce(schema *jsonschema.Schema, value any) any {
	c := &coercer{left: maxCoercion}
	return c.value(schema, value)
}

// value may change value in place and gives what replaces it.
func (c *coercer) value(s *jsonschema.Schema, value any) any {
	if c.left--; c.left < 0 || s == nil {
		return value
	}
	if s.Ref != nil {
		value = c.value(s.Ref, value)
	}
	value = c.wrap(s, value)
	value = c.scalar(s, value)
	switch v := value.(type) {
	case map[string]any:
		c.object(s, v)
	case []any:
		c.array(s, v)
	}
	for _, part := range s.AllOf {
		value = c.value(part, value)
	}
	value = c.union(s.AnyOf, value)
	return c.union(s.OneOf, value)
}

// fits reports whether value fits the schema, as far as there is work left to
// find out.
func (c *coercer) fits(s *jsonschema.Schema, value any) bool {
	c.left -= work(s, value)
	return c.left >= 0 && s.Validate(value) == nil
}

// wrap makes one value a list of it where only a list is expected.
func (c *coercer) wrap(s *jsonschema.Schema, value any) any {
	if value == nil || s.Types == nil || !slices.Equal(s.Types.ToStrings(), []string{"array"}) {
		return value
	}
	if _, ok := value.([]any); ok {
		return value
	}
	return []any{value}
}

func (c *coercer) object(s *jsonschema.Schema, object map[string]any) {
	for _, name := range slices.Sorted(maps.Keys(object)) {
		value := object[name]
		for _, schema := range propertySchemas(s, name) {
			if value == nil && !slices.Contains(s.Required, name) && !c.fits(schema, nil) {
				delete(object, name)
				break
			}
			value = c.value(schema, value)
			object[name] = value
		}
	}
}

// propertySchemas gives the schemas that apply to a property by its name, in an
// order of their own: what is coerced must not depend on that of a map.
func propertySchemas(s *jsonschema.Schema, name string) []*jsonschema.Schema {
	var list []*jsonschema.Schema
	if schema := s.Properties[name]; schema != nil {
		list = append(list, schema)
	}
	byText := func(a, b jsonschema.Regexp) int { return cmp.Compare(a.String(), b.String()) }
	for _, pattern := range slices.SortedFunc(maps.Keys(s.PatternProperties), byText) {
		if pattern.MatchString(name) {
			list = append(list, s.PatternProperties[pattern])
		}
	}
	if additional, ok := s.AdditionalProperties.(*jsonschema.Schema); ok && len(list) == 0 {
		list = append(list, additional)
	}
	return list
}

func (c *coercer) array(s *jsonschema.Schema, array []any) {
	prefix, rest := itemSchemas(s)
	for i, value := range array {
		if i < len(prefix) {
			array[i] = c.value(prefix[i], value)
		} else {
			array[i] = c.value(rest, value)
		}
	}
}

// itemSchemas gives the schemas of the first items and of the others.
func itemSchemas(s *jsonschema.Schema) (prefix []*jsonschema.Schema, rest *jsonschema.Schema) {
	switch items := s.Items.(type) { // the keyword of drafts before 2020-12
	case *jsonschema.Schema:
		return nil, items
	case []*jsonschema.Schema:
		rest, _ = s.AdditionalItems.(*jsonschema.Schema)
		return items, rest
	}
	return s.PrefixItems, s.Items2020
}

// union takes the first branch that the value fits once it is coerced to it. A
// value that fits a branch already stays.
func (c *coercer) union(branches []*jsonschema.Schema, value any) any {
	if len(branches) == 0 || slices.ContainsFunc(branches, func(b *jsonschema.Schema) bool { return c.fits(b, value) }) {
		return value
	}
	for _, branch := range branches {
		if candidate := c.value(branch, clone(value)); c.fits(branch, candidate) {
			return candidate
		}
	}
	return value
}

func clone(value any) any {
	switch v := value.(type) {
	case map[string]any:
		copied := make(map[string]any, len(v))
		for name, element := range v {
			copied[name] = clone(element)
		}
		return copied
	case []any:
		copied := make([]any, len(v))
		for i, element := range v {
			copied[i] = clone(element)
		}
		return copied
	}
	return value
}
