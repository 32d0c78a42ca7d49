package jsapi

import (
	"fmt"
	"maps"
	"math"
	"math/big"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph makes data of every form but functions, in which any container may
// stand anywhere, also in itself.
func drawGraph(t *rapid.T) any {
	containers := make([]any, rapid.IntRange(1, 8).Draw(t, "containers"))
	for i := range containers {
		containers[i] = rapid.SampledFrom([]func() any{
			func() any { return &Array{} },
			func() any { return &Object{} },
			func() any { return &Map{} },
			func() any { return &Set{} },
			func() any { return &Bytes{Data: rapid.SliceOfN(rapid.Byte(), 0, 5).Draw(t, "bytes")} },
			func() any {
				return &Error{Name: rapid.SampledFrom([]string{"Error", "TypeError", "Mine"}).Draw(t, "name")}
			},
		}).Draw(t, "kind")()
	}
	value := func() any {
		if rapid.Bool().Draw(t, "shared") {
			return rapid.SampledFrom(containers).Draw(t, "container")
		}
		return drawLeaf(t)
	}
	for _, container := range containers {
		fill(t, container, value)
	}
	return containers[0]
}

func drawLeaf(t *rapid.T) any {
	return rapid.SampledFrom([]func() any{
		func() any { return nil },
		func() any { return Undefined{} },
		func() any { return rapid.Bool().Draw(t, "boolean") },
		func() any { return rapid.String().Draw(t, "string") },
		func() any { return rapid.Float64().Draw(t, "number") },
		func() any { return float64(rapid.Int64().Draw(t, "integer")) },
		func() any { return math.NaN() },
		func() any { return math.Copysign(0, -1) },
		func() any { return new(big.Int).Lsh(big.NewInt(rapid.Int64().Draw(t, "bigint")), 70) },
		func() any { return Date(rapid.Int64Range(-8.64e15, 8.64e15).Draw(t, "date")) },
		func() any { return Date(math.NaN()) },
	}).Draw(t, "leaf")()
}

// fill gives a container members. Keys are strings that do not look like array
// indices, whose order JavaScript decides.
func fill(t *rapid.T, container any, value func() any) {
	n := rapid.IntRange(0, 4).Draw(t, "size")
	key := rapid.OneOf(rapid.StringMatching(`[a-z_$ ]{1,5}`), rapid.Just("__proto__"), rapid.Just("toString"), rapid.Just(""))
	switch container := container.(type) {
	case *Array:
		for range n {
			container.Items = append(container.Items, value())
		}
	case *Object:
		for range n {
			container.Set(key.Draw(t, "key"), value())
		}
	case *Map:
		for i := range n {
			container.Entries = append(container.Entries, [2]any{fmt.Sprint("key ", i), value()})
		}
	case *Set:
		for i := range n {
			container.Items = append(container.Items, NewObject("n", float64(i), "value", value()))
		}
	case *Error:
		container.Message = rapid.String().Draw(t, "message")
		if rapid.Bool().Draw(t, "caused") {
			container.Cause = value()
		}
		if n > 0 {
			container.Properties = NewObject("code", value())
		}
	}
}

// sameGraph reports how two graphs differ in values, order or sharing; "" when
// they do not. seen maps what stands for what.
func sameGraph(a, b any, seen map[any]any) string {
	switch a.(type) {
	case *Array, *Object, *Map, *Set, *Bytes, *Error:
		if known, ok := seen[a]; ok {
			if known != b {
				return "sharing differs"
			}
			return ""
		}
		seen[a] = b
	}
	return sameContent(a, b, seen)
}

func sameContent(a, b any, seen map[any]any) string {
	if fmt.Sprintf("%T", a) != fmt.Sprintf("%T", b) {
		return fmt.Sprintf("%T became %T", a, b)
	}
	switch a := a.(type) {
	case float64:
		if math.Float64bits(a) != math.Float64bits(b.(float64)) && !math.IsNaN(a) {
			return fmt.Sprintf("%v became %v", a, b)
		}
	case Date:
		return sameContent(float64(a), float64(b.(Date)), seen)
	case *big.Int:
		if a.Cmp(b.(*big.Int)) != 0 {
			return fmt.Sprintf("%v became %v", a, b)
		}
	case *Bytes:
		if !slices.Equal(a.Data, b.(*Bytes).Data) {
			return fmt.Sprintf("%v became %v", a, b)
		}
	case *Array:
		return sameItems(a.Items, b.(*Array).Items, seen)
	case *Set:
		return sameItems(a.Items, b.(*Set).Items, seen)
	case *Map:
		return sameItems(pairs(a), pairs(b.(*Map)), seen)
	case *Object:
		return sameObject(a, b.(*Object), seen)
	case *Error:
		return sameError(a, b.(*Error), seen)
	default:
		if a != b {
			return fmt.Sprintf("%#v became %#v", a, b)
		}
	}
	return ""
}

func pairs(m *Map) []any {
	var items []any
	for _, entry := range m.Entries {
		items = append(items, entry[0], entry[1])
	}
	return items
}

func sameItems(a, b []any, seen map[any]any) string {
	if len(a) != len(b) {
		return fmt.Sprintf("%d items became %d", len(a), len(b))
	}
	for i := range a {
		if difference := sameGraph(a[i], b[i], seen); difference != "" {
			return fmt.Sprintf("[%d]: %s", i, difference)
		}
	}
	return ""
}

func sameObject(a, b *Object, seen map[any]any) string {
	if a == nil || b == nil {
		if a != b {
			return fmt.Sprintf("members %v became %v", a, b)
		}
		return ""
	}
	if !slices.Equal(a.Keys(), b.Keys()) {
		return fmt.Sprintf("keys %q became %q", a.Keys(), b.Keys())
	}
	for _, key := range a.Keys() {
		if difference := sameGraph(a.values[key], b.values[key], seen); difference != "" {
			return fmt.Sprintf("%q: %s", key, difference)
		}
	}
	return ""
}

func sameError(a, b *Error, seen map[any]any) string {
	if a.Name != b.Name || a.Message != b.Message {
		return fmt.Sprintf("%q: %q became %q: %q", a.Name, a.Message, b.Name, b.Message)
	}
	if a.Cause != nil || b.Cause != nil {
		if difference := sameGraph(a.Cause, b.Cause, seen); difference != "" {
			// A cause that is undefined counts as none.
			if a.Cause != (Undefined{}) || b.Cause != nil {
				return "cause: " + difference
			}
		}
	}
	return sameObject(a.Properties, b.Properties, seen)
}

func TestDataSurvivesAJourney(t *testing.T) {
	const source = `export const pass = (x: unknown) => x;`
	first, second := newIsolate(t, Options{}), newIsolate(t, Options{})
	inFirst, inSecond := evaluate(t, first, source), evaluate(t, second, source)
	rapid.Check(t, func(r *rapid.T) {
		want := drawGraph(r)
		between, err := first.Call(t.Context(), testJob, inFirst.Method("pass"), want)
		if _, isError := want.(*Error); err != nil && !isError {
			r.Fatal(err)
		}
		got, err := second.Call(t.Context(), testJob, inSecond.Method("pass"), between)
		if err != nil {
			r.Fatal(err)
		}
		seen := map[any]any{}
		if difference := sameGraph(want, got, seen); difference != "" {
			r.Fatal(difference)
		}
		// Nothing that was apart became shared.
		if images := slices.Collect(maps.Values(seen)); len(images) != len(distinct(images)) {
			r.Fatal("containers that were apart are one")
		}
	})
}

func distinct(values []any) map[any]bool {
	set := make(map[any]bool)
	for _, value := range values {
		set[value] = true
	}
	return set
}
