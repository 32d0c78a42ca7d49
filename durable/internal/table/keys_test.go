package table

import (
	"bytes"
	"cmp"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// texts are texts with the bytes that matter to keys.
func texts() *rapid.Generator[string] {
	return rapid.Custom(func(t *rapid.T) string {
		return string(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 2, 'a', 'd', 'f', 0xfe, 0xff}), 0, 4).Draw(t, "text"))
	})
}

func addresses() *rapid.Generator[record.Address] {
	return rapid.Custom(func(t *rapid.T) record.Address {
		at := record.Address{Kind: texts().Draw(t, "kind")}
		at.Scope.Kind = rapid.SampledFrom([]record.ScopeKind{record.SessionScope, record.ConversationScope, record.TaskScope}).Draw(t, "scope")
		id := rapid.SampledFrom([]int64{1, 0x0100, 0x6400, record.MaxID}).Draw(t, "id")
		switch at.Scope.Kind {
		case record.ConversationScope:
			at.Scope.Conversation = record.ConversationID(id)
		case record.TaskScope:
			at.Scope.Task = record.TaskID(id)
		}
		if at.Family = rapid.Bool().Draw(t, "family"); at.Family {
			at.Key = texts().Draw(t, "key")
		}
		return at
	})
}

func TestAKeyIsReadAsItWasWritten(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		at, id := addresses().Draw(r, "address"), rapid.Int64Range(0, record.MaxID).Draw(r, "id")
		text := texts().Draw(r, "text")
		k := reading{rest: key(nil).text(text).number(id).address(at).number(id)}
		gotText, gotID, gotAt, last := k.text(), k.number(), k.address(), k.number()
		if gotText != text || gotID != id || gotAt != at || last != id || k.bad || len(k.rest) > 0 {
			r.Errorf("%q, %d and %v became %q, %d, %v and %d (%v)", text, id, at, gotText, gotID, gotAt, last, k)
		}
	})
}

// No address is found below another one's, and the keys of a scope begin with it.
func TestNoAddressBeginsAnother(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		a, b := addresses().Draw(r, "a"), addresses().Draw(r, "b")
		one, two := key(nil).address(a), key(nil).address(b)
		if bytes.HasPrefix(one, two) != (a == b) {
			r.Errorf("%v is %q and %v is %q", a, one, b, two)
		}
		if bytes.HasPrefix(one, key(nil).scope(b.Scope)) != (a.Scope == b.Scope) {
			r.Errorf("%q begins like the scope %v", one, b.Scope)
		}
	})
}

func TestKeysAreInTheOrderOfTextsAndNumbers(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		type pair struct {
			text   string
			number int64
		}
		pairs := rapid.SliceOf(rapid.Custom(func(t *rapid.T) pair {
			return pair{texts().Draw(t, "text"), rapid.Int64Range(0, record.MaxID).Draw(t, "number")}
		})).Draw(r, "pairs")
		byKey := slices.Clone(pairs)
		slices.SortStableFunc(byKey, func(a, b pair) int {
			return bytes.Compare(key(nil).text(a.text).number(a.number), key(nil).text(b.text).number(b.number))
		})
		slices.SortStableFunc(pairs, func(a, b pair) int {
			return cmp.Or(cmp.Compare(a.text, b.text), cmp.Compare(a.number, b.number))
		})
		if diff := gocmp.Diff(pairs, byKey, gocmp.AllowUnexported(pair{})); diff != "" {
			r.Error(diff)
		}
	})
}

func TestBoundsOfIdsAreInclusive(t *testing.T) {
	prefix := key{0x77}
	rapid.Check(t, func(r *rapid.T) {
		number := rapid.SampledFrom([]int64{1, 2, 3, 255, 256, 257, record.MaxID - 1, record.MaxID})
		ids := IDs{Min: number.Draw(r, "min"), Max: number.Draw(r, "max")}
		if rapid.Bool().Draw(r, "no min") {
			ids.Min = 0
		}
		if rapid.Bool().Draw(r, "no max") {
			ids.Max = 0
		}
		id := number.Draw(r, "id")
		want := (ids.Min == 0 || id >= ids.Min) && (ids.Max == 0 || id <= ids.Max)
		if got := ids.over(prefix).Contains(key{0x77}.number(id)); got != want {
			r.Errorf("id %d is within %v: %v", id, ids, got)
		}
		if ids.over(prefix).Contains(key{0x78}) || ids.over(prefix).Contains(key{0x76}.number(id)) {
			r.Errorf("%v has keys of other tables", ids)
		}
	})
}
