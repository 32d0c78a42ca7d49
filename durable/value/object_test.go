package value_test

import (
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// members returns the members of an object.
func members(o *value.Object) []value.Member {
	list := []value.Member{}
	for key, v := range o.All() {
		list = append(list, value.Member{Key: key, Value: v})
	}
	return list
}

// TestABuilderKeepsOrder compares a builder with a list of members, for objects that
// are searched through and such that have an index.
func TestABuilderKeepsOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.Custom(func(t *rapid.T) string { return fmt.Sprint("k", rapid.IntRange(0, 40).Draw(t, "key")) })
		list := []value.Member{}
		find := func(key string) int {
			return slices.IndexFunc(list, func(m value.Member) bool { return m.Key == key })
		}
		b, o := &value.Builder{}, value.NewObject()
		t.Repeat(map[string]func(*rapid.T){
			"set": func(t *rapid.T) {
				key, v := keys.Draw(t, "key"), value.Number(rapid.IntRange(0, 99).Draw(t, "value"))
				b.Set(key, v)
				if i := find(key); i >= 0 {
					list[i].Value = v
				} else {
					list = append(list, value.Member{Key: key, Value: v})
				}
			},
			"delete": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				i := find(key)
				if got := b.Delete(key); got != (i >= 0) {
					t.Fatalf("Delete(%s) = %v", key, got)
				}
				if i >= 0 {
					list = slices.Delete(list, i, i+1)
				}
			},
			"finish": func(t *rapid.T) {
				before, was := o, members(o)
				o = b.Object()
				b = o.Edit()
				if diff := cmp.Diff(was, members(before)); diff != "" {
					t.Fatal("an object changed", diff)
				}
			},
			"": func(t *rapid.T) {
				key := keys.Draw(t, "key")
				i := find(key)
				if v, ok := b.Get(key); ok != (i >= 0) || ok && v != list[i].Value {
					t.Fatalf("Get(%s) = %v, %v", key, v, ok)
				}
			},
		})
		o = b.Object()
		if diff := cmp.Diff(list, members(o)); diff != "" {
			t.Fatal(diff)
		}
		if diff := cmp.Diff(value.NewObject(list...), o); diff != "" {
			t.Fatal(diff)
		}
		for i, member := range list {
			if v, ok := o.Get(member.Key); o.Index(member.Key) != i || o.At(i) != member || !ok || v != member.Value {
				t.Fatalf("%s is not found", member.Key)
			}
		}
		if v, ok := o.Get("none"); ok || v != nil || o.Index("none") != -1 || o.Len() != len(list) {
			t.Fatal("there is more than was set")
		}
	})
}

func TestOfMembersWithOneKeyTheLastGivesTheValue(t *testing.T) {
	o := value.NewObject(value.Member{Key: "a", Value: value.Number(1)}, value.Member{Key: "b", Value: value.Null{}}, value.Member{Key: "a", Value: value.Number(2)})
	if got := o.String(); got != `{"a":2,"b":null}` {
		t.Error(got)
	}
	// In a large object too, from text.
	text := `{"a":1`
	for i := range 100 {
		text += fmt.Sprintf(`,"k%d":%d`, i, i)
	}
	large := parse(t, text+`,"k50":"last","a":2}`).(*value.Object)
	if v, _ := large.Get("k50"); large.Len() != 101 || large.Index("k50") != 51 || v != value.String("last") {
		t.Error(large)
	}
	if v, _ := large.Get("a"); large.Index("a") != 0 || v != value.Number(2) {
		t.Error(large)
	}
}

func TestANilObjectIsEmpty(t *testing.T) {
	var o *value.Object
	if _, ok := o.Get("a"); ok || o.Len() != 0 || o.String() != "{}" || len(members(o)) != 0 || o.Index("a") != -1 || o.Edit().Object().Len() != 0 {
		t.Error("it is not")
	}
}

func TestTheMembersCanBeLeftEarly(t *testing.T) {
	for key := range value.NewObject(value.Member{Key: "a", Value: value.Null{}}, value.Member{Key: "b", Value: value.Null{}}).All() {
		if key != "a" {
			t.Error(key)
		}
		break
	}
}

// TestEditsOfALargeObjectLeaveItAlone guards the index, which copies share as long as
// they have the same keys.
func TestEditsOfALargeObjectLeaveItAlone(t *testing.T) {
	var b value.Builder
	for i := range 50 {
		b.Set(fmt.Sprint(i), value.Number(i))
	}
	o := b.Object()
	same, fewer, more := o.Edit(), o.Edit(), o.Edit()
	same.Set("7", value.Null{})
	fewer.Delete("7")
	more.Set("50", value.Null{})
	for i, c := range []struct {
		o           *value.Object
		seven, last int
	}{{o, 7, -1}, {same.Object(), 7, -1}, {fewer.Object(), -1, -1}, {more.Object(), 7, 50}, {o, 7, -1}} {
		if got := c.o.Index("7"); got != c.seven {
			t.Errorf("%d: 7 is at %d", i, got)
		}
		if got := c.o.Index("50"); got != c.last {
			t.Errorf("%d: 50 is at %d", i, got)
		}
	}
	if v, _ := o.Get("7"); v != value.Number(7) {
		t.Errorf("7 is %v", v)
	}
}

// TestALargeObjectIsReadBySeveral makes its index while others read it.
func TestALargeObjectIsReadBySeveral(t *testing.T) {
	var b value.Builder
	for i := range 200 {
		b.Set(fmt.Sprint(i), value.Number(i))
	}
	first := b.Object()
	e := first.Edit()
	e.Delete("7")
	o := e.Object()
	var readers sync.WaitGroup
	for range 4 {
		readers.Go(func() {
			for i := range 200 {
				if v, ok := o.Get(fmt.Sprint(i)); ok != (i != 7) || ok && v != value.Number(i) {
					t.Errorf("%d is %v", i, v)
				}
			}
		})
	}
	readers.Wait()
}
