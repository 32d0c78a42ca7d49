package registry

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// flaw is one reason why a value does not fit a schema.
type flaw struct {
	at      []string // where in the value; empty for the value itself
	message string
}

// String gives "path: message" with a dotted path, or "root".
func (f flaw) String() string {
	path := strings.Join(f.at, ".")
	if len(f.at) == 0 {
		path = "root"
	}
	return path + ": " + f.message
}

// explain gives the flaws of value in the order in which its JSON text names
// the places; what is missing stands with the object that lacks it.
func explain(invalid *jsonschema.ValidationError, value any, text []byte) []flaw {
	e := &explanation{value: value}
	list := e.causes(invalid)
	places := placesOf(text)
	slices.SortStableFunc(list, func(a, b flaw) int {
		return cmp.Or(cmp.Compare(places.of(a.at), places.of(b.at)), slices.Compare(a.at, b.at))
	})
	return slices.CompactFunc(list, func(a, b flaw) bool { return a.String() == b.String() })
}

type explanation struct{ value any }

func (e *explanation) causes(invalid *jsonschema.ValidationError) []flaw {
	var list []flaw
	for _, c := range invalid.Causes {
		list = append(list, e.flaws(c)...)
	}
	return list
}

func (e *explanation) flaws(invalid *jsonschema.ValidationError) []flaw {
	at := slices.Clone(invalid.InstanceLocation)
	one := func(format string, args ...any) []flaw {
		return []flaw{{at, fmt.Sprintf(format, args...)}}
	}
	each := func(names []string, message string) []flaw {
		var list []flaw
		for _, name := range names {
			list = append(list, flaw{append(slices.Clone(at), name), message})
		}
		return list
	}
	switch k := invalid.ErrorKind.(type) {
	case *kind.Required:
		return each(k.Missing, "missing")
	case *kind.AdditionalProperties:
		return each(k.Properties, "unknown field")
	case *kind.DependentRequired:
		return each(k.Missing, "required when "+k.Prop+" is present")
	case *kind.Dependency:
		return each(k.Missing, "required when "+k.Prop+" is present")
	case *kind.PropertyNames:
		at = e.holder(at, k.Property)
		return each([]string{k.Property}, "invalid property name")
	case *kind.Type:
		return one("expected %s, got %s", strings.Join(nullLast(k.Want), " or "), e.typeAt(at))
	case *kind.Enum:
		return one("expected one of %s", jsonText(k.Want))
	case *kind.Const:
		return one("expected %s", jsonText(k.Want))
	case *kind.Not:
		return one("must not match the schema in not")
	case *kind.FalseSchema:
		if strings.HasSuffix(invalid.SchemaURL, "/unevaluatedProperties") {
			return one("unknown field")
		}
		return one("no value is allowed here")
	case *kind.AnyOf:
		return e.union(at, invalid.Causes)
	case *kind.OneOf:
		if len(k.Subschemas) > 0 {
			return one("matches more than one alternative")
		}
		return e.union(at, invalid.Causes)
	case *kind.Group, *kind.Schema, *kind.AllOf, *kind.Reference:
		return e.causes(invalid)
	}
	return one("%s", boundMessage(invalid.ErrorKind))
}

func nullLast(types []string) []string {
	if i := slices.Index(types, "null"); i >= 0 {
		return append(slices.Delete(slices.Clone(types), i, i+1), "null")
	}
	return types
}

// typeAt names the type of the value at a place.
func (e *explanation) typeAt(at []string) string {
	value, _ := valueAt(e.value, at)
	return typeName(value)
}

func valueAt(value any, at []string) (any, bool) {
	for _, name := range at {
		switch v := value.(type) {
		case map[string]any:
			element, ok := v[name]
			if !ok {
				return nil, false
			}
			value = element
		case []any:
			i, err := strconv.Atoi(name)
			if err != nil || i < 0 || i >= len(v) {
				return nil, false
			}
			value = v[i]
		default:
			return nil, false
		}
	}
	return value, true
}

// holder gives the place of the object that has a property. The validator
// reports a bad property name with a place that shares memory with those it
// reports later (jsonschema 6.0.3), so that only its depth can be relied on.
func (e *explanation) holder(at []string, property string) []string {
	if _, ok := valueAt(e.value, append(slices.Clone(at), property)); ok {
		return at
	}
	if found := find(e.value, nil, len(at), property); found != nil {
		return found
	}
	return at
}

// find gives the first place, by path, of an object at a depth with a property.
func find(value any, at []string, depth int, property string) []string {
	switch v := value.(type) {
	case map[string]any:
		if _, ok := v[property]; ok && len(at) == depth {
			return at
		}
		for _, name := range slices.Sorted(maps.Keys(v)) {
			if found := findBelow(v[name], at, name, depth, property); found != nil {
				return found
			}
		}
	case []any:
		for i, element := range v {
			if found := findBelow(element, at, strconv.Itoa(i), depth, property); found != nil {
				return found
			}
		}
	}
	return nil
}

func findBelow(value any, at []string, name string, depth int, property string) []string {
	if len(at) >= depth {
		return nil
	}
	return find(value, append(slices.Clone(at), name), depth, property)
}

// union explains a value that fits no branch by the branch it was meant for:
// one whose type and tags it has, and of those the one that misses least. When
// every branch refuses the same constant, that is what is wrong.
func (e *explanation) union(at []string, branches []*jsonschema.ValidationError) []flaw {
	if tag := e.tag(branches); tag != nil {
		return []flaw{*tag}
	}
	var best []flaw
	var bestScore [3]int
	for i, b := range branches {
		list := e.flaws(b)
		if score := e.score(at, b); i == 0 || slices.Compare(score[:], bestScore[:]) < 0 {
			best, bestScore = list, score
		}
	}
	return best
}

// tag gives the flaw of a union in which each branch wants another constant at
// one place.
func (e *explanation) tag(branches []*jsonschema.ValidationError) *flaw {
	var at []string
	var wanted []any
	for i, b := range branches {
		found := false
		walk(b, func(v *jsonschema.ValidationError) {
			k, ok := v.ErrorKind.(*kind.Const)
			if !ok || found || i > 0 && !slices.Equal(at, v.InstanceLocation) {
				return
			}
			found, at = true, slices.Clone(v.InstanceLocation)
			wanted = append(wanted, k.Want)
		})
		if !found {
			return nil
		}
	}
	if len(wanted) < 2 {
		return nil
	}
	return &flaw{at, "expected one of " + jsonText(wanted)}
}

// score says how far a value is from a branch: wrong type, wrong constants,
// missing or unknown properties.
func (e *explanation) score(at []string, branch *jsonschema.ValidationError) [3]int {
	var score [3]int
	walk(branch, func(v *jsonschema.ValidationError) {
		switch k := v.ErrorKind.(type) {
		case *kind.Type:
			if len(v.InstanceLocation) == len(at) {
				score[0]++
			}
		case *kind.Const:
			score[1]++
		case *kind.Required:
			score[2] += len(k.Missing)
		case *kind.AdditionalProperties:
			score[2] += len(k.Properties)
		}
	})
	return score
}

func walk(v *jsonschema.ValidationError, visit func(*jsonschema.ValidationError)) {
	visit(v)
	for _, c := range v.Causes {
		walk(c, visit)
	}
}

func jsonText(value any) string {
	text, err := encode(value)
	if err != nil {
		return fmt.Sprint(value)
	}
	return string(text)
}

// places is the order in which a JSON text names its places.
type places map[string]int

func placeKey(at []string) string {
	key, _ := json.Marshal(at) // strings always encode
	return string(key)
}

// of gives the place of at, or of the nearest place around it.
func (p places) of(at []string) int {
	for ; len(at) > 0; at = at[:len(at)-1] {
		if i, ok := p[placeKey(at)]; ok {
			return i
		}
	}
	return 0
}
