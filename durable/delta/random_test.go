package delta_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/value"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func parse(t testing.TB, text string) value.Value {
	t.Helper()
	v, err := value.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return v
}

func text(v value.Value) string { return string(value.Marshal(v)) }

// keys are those of random objects: ordinary ones, ones that JavaScript sorts, and
// those that may not stand in a path.
var keys = rapid.SampledFrom([]string{"a", "b", "c", "d", "e", "id", "", "ü \"", "1", "10", "2", "__proto__", "constructor", "toString"})

// texts are random strings that have much in common, some of them long, with
// characters of each length in UTF-8 and with halves of surrogate pairs.
var texts = rapid.Custom(func(t *rapid.T) value.String {
	parts := rapid.SliceOfN(rapid.SampledFrom([]value.String{
		"a", "bc", "ä", "€", "😀", "\u2028", "\"\\\n", "\xed\xa0\xbd", "\xed\xb8\x80",
		value.String(strings.Repeat("long text ", 8)), value.String(strings.Repeat("0123456789", 20)),
	}), 0, 6).Draw(t, "parts")
	var s value.String
	for _, part := range parts {
		s = s.Join(part)
	}
	return s
})

var scalars = rapid.Custom(func(t *rapid.T) value.Value {
	switch rapid.IntRange(0, 5).Draw(t, "kind") {
	case 0:
		return value.Null{}
	case 1:
		return value.Bool(rapid.Bool().Draw(t, "bool"))
	case 2, 3:
		return value.Number(rapid.SampledFrom([]float64{0, 1, 2, 3, 4, 5, -1, 0.1, 1e21, 1e-7, 123456789}).Draw(t, "number"))
	}
	return texts.Draw(t, "text")
})

// values returns random values that nest no deeper than so many levels.
func values(depth int) *rapid.Generator[value.Value] {
	if depth == 0 {
		return scalars
	}
	return rapid.Custom(func(t *rapid.T) value.Value {
		inner := values(depth - 1)
		switch rapid.IntRange(0, 4).Draw(t, "kind") {
		case 0, 1:
			return value.Array(rapid.SliceOfN(inner, 0, 6).Draw(t, "items"))
		case 2, 3:
			members := make([]value.Member, rapid.IntRange(0, 6).Draw(t, "members"))
			for i := range members {
				members[i] = value.Member{Key: keys.Draw(t, "key"), Value: inner.Draw(t, "value")}
			}
			return value.NewObject(members...)
		}
		return scalars.Draw(t, "scalar")
	})
}

// things returns a list, or an object, of many things with ids that are mostly their own.
func things(t *rapid.T, label string) value.Value {
	long := rapid.Bool().Draw(t, "long")
	var list value.Array
	var b value.Builder
	for _, id := range rapid.SliceOfN(rapid.IntRange(0, 40), 0, 40).Draw(t, label) {
		thing := value.NewObject(
			value.Member{Key: "id", Value: value.Number(id)}, value.Member{Key: "state", Value: scalars.Draw(t, "state")},
			value.Member{Key: "text", Value: value.String(strings.Repeat("text ", id))},
		)
		if !long {
			thing = value.NewObject(value.Member{Key: "id", Value: value.Number(id)})
		}
		list = append(list, thing)
		b.Set(fmt.Sprint("k", id), thing)
	}
	if rapid.Bool().Draw(t, "list") {
		return list
	}
	return b.Object()
}

// edited returns a value that came of another one by a few random changes.
func edited(t *rapid.T, v value.Value) value.Value {
	for i := range rapid.IntRange(1, 4).Draw(t, "changes") {
		v = changed(t, v, fmt.Sprint("change ", i))
	}
	return v
}

// changed returns a value with one random change somewhere inside of it.
func changed(t *rapid.T, v value.Value, label string) value.Value {
	inside := rapid.IntRange(0, 3).Draw(t, label) > 0
	switch v := v.(type) {
	case value.Array:
		items := slices.Clone(v)
		i := rapid.IntRange(0, len(items)).Draw(t, "index")
		if inside && i < len(items) {
			items[i] = changed(t, items[i], label)
			return items
		}
		return rearranged(t, items, i)
	case *value.Object:
		i := rapid.IntRange(0, v.Len()).Draw(t, "member")
		if inside && i < v.Len() {
			b := v.Edit()
			b.Set(v.At(i).Key, changed(t, v.At(i).Value, label))
			return b.Object()
		}
		return reworked(t, v, i)
	case value.String:
		rest, _ := v.Cut(rapid.IntRange(0, v.Units()).Draw(t, "cut"))
		return rest.Join(texts.Draw(t, "more"))
	}
	return values(2).Draw(t, "replacement")
}

func rearranged(t *rapid.T, items value.Array, i int) value.Value {
	j := rapid.IntRange(i, len(items)).Draw(t, "end")
	switch rapid.IntRange(0, 5).Draw(t, "how") {
	case 0:
		return slices.Delete(items, i, j)
	case 1:
		return slices.Insert(items, i, value.Array(rapid.SliceOfN(values(1), 1, 3).Draw(t, "items"))...)
	case 2:
		slices.Reverse(items[i:j])
	case 3:
		return append(append(slices.Clone(items[j:]), items[i:j]...), items[:i]...)
	case 4:
		return value.Array(rapid.Permutation(items).Draw(t, "order"))
	case 5:
		return slices.DeleteFunc(items, func(value.Value) bool { return rapid.Bool().Draw(t, "gone") })
	}
	return items
}

func reworked(t *rapid.T, o *value.Object, i int) value.Value {
	b := o.Edit()
	switch rapid.IntRange(0, 2).Draw(t, "how") {
	case 0:
		b.Set(keys.Draw(t, "key"), values(1).Draw(t, "value"))
	case 1:
		if i < o.Len() {
			b.Delete(o.At(i).Key)
		}
	case 2:
		var members []value.Member
		for key, v := range o.All() {
			members = append(members, value.Member{Key: key, Value: v})
		}
		return value.NewObject(rapid.Permutation(members).Draw(t, "order")...)
	}
	return b.Object()
}
