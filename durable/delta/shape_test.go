package delta_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// list returns the JSON of a list of objects that are too long to be replaced.
func list(ids ...int) string {
	var items []string
	for _, id := range ids {
		items = append(items, item(id, "one"))
	}
	return "[" + strings.Join(items, ",") + "]"
}

func item(id int, state string) string {
	return fmt.Sprintf(`{"id":%d,"state":%q,"text":"%d is a text that nobody wants to send again"}`, id, state, id)
}

func TestDiffIsShort(t *testing.T) {
	long := strings.Repeat("0123456789 ", 20)
	for _, c := range []struct{ rule, from, to, ops string }{
		{"equal values", `{"a":[1,{"b":null}]}`, ` { "a" : [1, {"b":null}] } `, `[]`},
		{"minus zero is zero", `{"a":-0}`, `{"a":0}`, `[]`},
		{"a scalar", `{"a":1,"b":"` + long + `"}`, `{"a":2,"b":"` + long + `"}`, `[["s",["a"],2]]`},
		{"what is shorter to replace", `{"a":1,"b":1,"c":1}`, `{"a":2,"b":2,"c":2}`, `[["r",{"a":2,"b":2,"c":2}]]`},
		{"another kind of root", `{"a":1}`, `[1]`, `[["r",[1]]]`},
		{"a scalar as root", `"a"`, `"ab"`, `[["r","ab"]]`},
		{"the smallest subtree", `{"k":"` + long + `","a":{"b":{"x":1,"y":2}}}`, `{"k":"` + long + `","a":{"b":{"x":3,"y":4}}}`, `[["s",["a","b"],{"x":3,"y":4}]]`},
		{"an appended text", `{"k":"` + long + `"}`, `{"k":"` + long + `more"}`, `[["a",["k"],"more"]]`},
		{"a window that moves", `{"k":"ä😀` + long + `"}`, `{"k":"` + long + `more"}`, `[["t",["k"],3],["a",["k"],"more"]]`},
		{"a front that is cut", `{"k":"cut` + long + `"}`, `{"k":"` + long + `"}`, `[["t",["k"],3]]`},
		{"another text", `{"k":"` + long + `"}`, `{"k":"other"}`, `[["s",["k"],"other"]]`},
		{"a text that comes later in the other", `{"k":"abc"}`, `{"k":"xyz abc abc"}`, `[["s",["k"],"xyz abc abc"]]`},
		{"a new member", `{"k":"` + long + `"}`, `{"k":"` + long + `","n":1}`, `[["s",["n"],1]]`},
		{"a member that goes", `{"n":1,"k":"` + long + `"}`, `{"k":"` + long + `"}`, `[["d",["n"]]]`},
		{"a member that moves to the end", `{"n":1,"k":"` + long + `"}`, `{"k":"` + long + `","n":1}`, `[["d",["n"]],["s",["n"],1]]`},
		{"a member in the middle", `{"k":"` + long + `","b":1}`, `{"k":"` + long + `","a":0,"b":1}`, `[["d",["b"]],["s",["a"],0],["s",["b"],1]]`},
		{"an appended item", list(1, 2), list(1, 2, 3), `[["p",[],2,0,[` + item(3, "one") + `]]]`},
		{"an item at the front", list(1, 2), list(3, 1, 2), `[["p",[],0,0,[` + item(3, "one") + `]]]`},
		{"scattered items that go", list(1, 2, 3, 4, 5, 6, 7), list(1, 3, 4, 7), `[["p",[],1,1,[]],["p",[],3,2,[]]]`},
		{"an item that moves", list(1, 2, 3, 4), list(2, 3, 4, 1), `[["m",[],[1,2,3,0]]]`},
		{"items in another order", list(1, 2, 3, 4), list(4, 3, 2, 1), `[["m",[],[3,2,1,0]]]`},
		{"another order, and items that come and go", list(9, 1, 2, 3, 8), list(9, 3, 7, 1, 8),
			`[["p",[],2,1,[]],["m",[],[0,2,1,3]],["p",[],2,0,[` + item(7, "one") + `]]]`},
		{"a changed item", list(1, 2, 3), strings.Replace(list(1, 2, 3), `2,"state":"one"`, `2,"state":"two"`, 1), `[["s",[1,"state"],"two"]]`},
		{"a changed item behind one that goes", list(1, 2, 3), "[" + item(2, "two") + "," + item(3, "one") + "]", `[["p",[],0,1,[]],["s",[0,"state"],"two"]]`},
		{"a changed item that moves", list(1, 2, 3), "[" + item(3, "two") + "," + item(1, "one") + "," + item(2, "one") + "]",
			`[["m",[],[2,0,1]],["s",[0,"state"],"two"]]`},
		{"another item in the place of one", list(1, 2, 3), list(1, 4, 3), `[["s",[1],` + item(4, "one") + `]]`},
		{"a changed item without an id", `[["` + long + `",1],["` + long + `",2]]`, `[["` + long + `",1],["` + long + `",3],0]`, `[["s",[1,1],3],["p",[],2,0,[0]]]`},
		{"a text in a list, and a new one", `["` + long + `"]`, `["` + long + `x","y"]`, `[["a",[0],"x"],["p",[],1,0,["y"]]]`},
		{"small items that move", `["` + long + `",1,2,3,4,5,6,7,8,9]`, `["` + long + `",2,3,4,5,6,7,8,9,1]`, `[["p",[],1,1,[]],["p",[],9,0,[1]]]`},
		{"an item whose equal moved away", `[[],[[]],[{}],[],[],[]]`, `[[],[],[{}],[{}],[],[]]`, `[["s",[1],[]],["s",[3],[{}]]]`},
		{"a run of items", `["` + long + `",1,2,3,"` + long + `"]`, `["` + long + `",4,5,"` + long + `"]`, `[["p",[],1,3,[4,5]]]`},
		{"no items", list(1, 2), `[]`, `[["r",[]]]`},
		{"a key that may not stand in a path", `{"k":"` + long + `","a":{"__proto__":1}}`, `{"k":"` + long + `","a":{"__proto__":2}}`, `[["s",["a"],{"__proto__":2}]]`},
		{"what lies below such a key", `{"k":1,"constructor":{"a":1}}`, `{"k":1,"constructor":{"a":2}}`, `[["r",{"k":1,"constructor":{"a":2}}]]`},
		{"such a key that goes", `{"k":{"prototype":1,"a":1}}`, `{"k":{"a":1}}`, `[["s",["k"],{"a":1}]]`},
		{"such a key that stays", `{"prototype":1,"k":"` + long + `"}`, `{"prototype":1,"k":"` + long + `x"}`, `[["a",["k"],"x"]]`},
	} {
		ops := delta.Diff(parse(t, c.from), parse(t, c.to))
		if diff := cmp.Diff(c.ops, string(ops.AppendJSON(nil))); diff != "" {
			t.Errorf("%s: %s", c.rule, diff)
		}
		if got, err := delta.Apply(parse(t, c.from), ops); err != nil || text(got) != text(parse(t, c.to)) {
			t.Errorf("%s: %v, %v", c.rule, got, err)
		}
	}
}

func TestDiffFromNothingIsTheWholeValue(t *testing.T) {
	for _, c := range []struct {
		from, to value.Value
		ops      string
	}{
		{nil, parse(t, `{"a":1}`), `[["r",{"a":1}]]`},
		{nil, nil, `[["r",null]]`},
		{parse(t, `{"a":1}`), nil, `[["r",null]]`},
	} {
		if got := string(delta.Diff(c.from, c.to).AppendJSON(nil)); got != c.ops {
			t.Errorf("%s, want %s", got, c.ops)
		}
	}
}

func TestAnAppendToALongTextIsShort(t *testing.T) {
	long := value.String(strings.Repeat("a line of output\n", 1<<16))
	at := func(s value.String) value.Value {
		return value.NewObject(value.Member{Key: "output", Value: s})
	}
	for _, to := range []value.String{long + "more", long[1000:] + "more", long[1000:]} {
		if ops := delta.Diff(at(long), at(to)).AppendJSON(nil); len(ops) > 60 {
			t.Errorf("%.80s... (%d bytes)", ops, len(ops))
		}
	}
}

// TestScatteredRemovalsStayShort holds for a list of thousands of items, of which
// some are equal.
func TestScatteredRemovalsStayShort(t *testing.T) {
	var from, to value.Array
	for i := range 5000 {
		item := parse(t, item(i/2, "queued"))
		from = append(from, item)
		if i%1000 != 500 {
			to = append(to, item)
		}
	}
	ops := delta.Diff(from, to)
	if text := ops.AppendJSON(nil); len(text) > 200 {
		t.Errorf("%.200s... (%d bytes)", text, len(text))
	}
	if got, err := delta.Apply(from, ops); err != nil || !value.Equal(got, to) {
		t.Error("the operations do not lead there", err)
	}
}

func TestAnIDIsNoPromise(t *testing.T) {
	// Two items exchange their ids, and a third appears with an id that is there.
	from := parse(t, list(1, 2))
	to := parse(t, "["+item(2, "x")+","+item(1, "y")+","+item(1, "z")+"]")
	if got, err := delta.Apply(from, delta.Diff(from, to)); err != nil || !value.Equal(got, to) {
		t.Error(text(got), err)
	}
}
