package registry

import (
	"errors"
	"maps"
	"slices"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// The validator tries every branch of a union, so that unions which contain
// themselves cost it two or more to the power of the depth, and it cannot be
// interrupted. What a validation will cost is therefore counted first where the
// value is deep enough for it to matter.
const (
	// maxWork bounds the schemas that one validation applies, at about a
	// microsecond each.
	maxWork = 200_000
	// shallow is a depth at which no schema a person writes costs too much.
	shallow = 8
)

var errTooDeep = errors.New("nested too deep for the unions of this schema")

// checkWork refuses a value that costs too much to validate.
func checkWork(schema *jsonschema.Schema, value any) error {
	if deeper(value, shallow) && work(schema, value) >= maxWork {
		return errTooDeep
	}
	return nil
}

// deeper reports whether value nests deeper than depth.
func deeper(value any, depth int) bool {
	switch v := value.(type) {
	case map[string]any:
		for _, element := range v {
			if depth == 0 || deeper(element, depth-1) {
				return true
			}
		}
	case []any:
		for _, element := range v {
			if depth == 0 || deeper(element, depth-1) {
				return true
			}
		}
	}
	return false
}

// work counts how many schemas the validator applies to value, up to maxWork.
func work(schema *jsonschema.Schema, value any) int {
	c := workCounter{known: map[application]int{}}
	return c.count(schema, newNode(value))
}

// node is a place of a value, with an identity.
type node struct {
	fields map[string]*node
	items  []*node
}

func newNode(value any) *node {
	n := &node{}
	switch v := value.(type) {
	case map[string]any:
		n.fields = make(map[string]*node, len(v))
		for name, element := range v {
			n.fields[name] = newNode(element)
		}
	case []any:
		for _, element := range v {
			n.items = append(n.items, newNode(element))
		}
	}
	return n
}

// application is a schema applied at a place.
type application struct {
	*jsonschema.Schema
	*node
}

// workCounter counts each application once and knows it afterwards, so that the
// count is cheap where the work is not.
type workCounter struct{ known map[application]int }

func (c *workCounter) count(s *jsonschema.Schema, n *node) int {
	if s == nil {
		return 0
	}
	key := application{s, n}
	if total, ok := c.known[key]; ok {
		return total
	}
	c.known[key] = 1 // for a schema that refers to itself at the same place
	total := 1
	add := func(n *node, schemas ...*jsonschema.Schema) {
		for _, s := range schemas {
			total = min(total+c.count(s, n), maxWork)
		}
	}
	add(n, s.Ref, s.RecursiveRef, s.Not, s.If, s.Then, s.Else)
	if s.DynamicRef != nil {
		add(n, s.DynamicRef.Ref)
	}
	add(n, s.AllOf...)
	add(n, s.AnyOf...)
	add(n, s.OneOf...)
	for _, name := range slices.Sorted(maps.Keys(s.DependentSchemas)) {
		add(n, s.DependentSchemas[name])
	}
	for name, field := range n.fields {
		add(field, propertySchemas(s, name)...)
		add(field, s.UnevaluatedProperties)
	}
	prefix, rest := itemSchemas(s)
	for i, item := range n.items {
		if i < len(prefix) {
			add(item, prefix[i])
		} else {
			add(item, rest)
		}
		add(item, s.Contains, s.UnevaluatedItems)
	}
	c.known[key] = total
	return total
}
