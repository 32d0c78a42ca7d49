package delta_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

func operations(t testing.TB, text string) delta.Ops {
	t.Helper()
	ops, err := delta.Parse([]byte(text))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ops
}

func TestApply(t *testing.T) {
	for _, c := range []struct{ base, ops, want string }{
		{`{"a":1}`, `[]`, `{"a":1}`},
		{`{"a":1}`, `[["r",[1]],["p",[],1,0,[2]]]`, `[1,2]`},
		{`{"a":1,"b":2}`, `[["s",["a"],3],["s",["c"],4]]`, `{"a":3,"b":2,"c":4}`},
		{`{"a":1,"b":2}`, `[["d",["a"]],["s",["a"],1],["d",["none"]]]`, `{"b":2,"a":1}`},
		{`[1,2]`, `[["s",[2],3],["s",[0],0],["d",[1]]]`, `[0,3]`},
		{`[1,2,3]`, `[["p",[],1,1,[7,8]],["p",[],4,0,[9]],["p",[],0,1,[]]]`, `[7,8,3,9]`},
		{`[1,2,3]`, `[["m",[],[2,0,1]]]`, `[3,1,2]`},
		{`[]`, `[["m",[],[]]]`, `[]`},
		{`["ab"]`, `[["a",[0],"c"],["a",[0],"d"],["t",[0],1],["a",[0],"e"],["t",[0],0]]`, `["bcde"]`},
		{`["😀x"]`, `[["t",[0],1]]`, `["\ude00x"]`},
		{`["😀x"]`, `[["t",[0],1],["t",[0],1]]`, `["x"]`},
		{`["a\ud83d"]`, `[["a",[0],"\ude00b"]]`, `["a😀b"]`},
		{`["a"]`, `[["a",[0],"\ud83d"],["a",[0],"\ude00b"]]`, `["a😀b"]`},
		{`{"a":{"b":[{"c":1}]}}`, `[["s",["a","b",0,"c"],2],["s",["a","b",0,"d"],3]]`, `{"a":{"b":[{"c":2,"d":3}]}}`},
		{`{"a":[[1],[2]]}`, `[["s",["a",0,0],9],["m",["a"],[1,0]],["s",["a",1,0],8],["d",["a",0]]]`, `{"a":[[8]]}`},
		{`{"a":{"b":1}}`, `[["s",["a","b"],2],["s",["a"],{"c":1}],["s",["a","c"],2]]`, `{"a":{"c":2}}`},
		{`{"a":{"b":1}}`, `[["s",["a","b"],2],["d",["a"]],["s",["a"],{}],["s",["a","x"],1]]`, `{"a":{"x":1}}`},
		{`{"0":{"a":1}}`, `[["s",["0","a"],2]]`, `{"0":{"a":2}}`},
	} {
		base, ops := parse(t, c.base), operations(t, c.ops)
		got, err := delta.Apply(base, ops)
		if err != nil || text(got) != c.want {
			t.Errorf("%s after %s is %s, %v, want %s", c.base, c.ops, text(got), err, c.want)
		}
		if text(base) != text(parse(t, c.base)) {
			t.Errorf("%s was changed by %s", c.base, c.ops)
		}
		if diff := cmp.Diff(c.ops, string(ops.AppendJSON(nil))); diff != "" {
			t.Error(diff)
		}
	}
}

func TestApplyRefusesWhatDoesNotFit(t *testing.T) {
	deep := strings.Repeat("[", 999) + strings.Repeat("]", 999)
	for _, c := range []struct{ base, ops, message string }{
		{``, `[["s",["a"],1]]`, `operation 0 (s at a): the path leads into no value at the root`},
		{`{}`, `[["s",["a"],1],["s",["b","c"],1]]`, `operation 1 (s at b.c): there is no member "b"`},
		{`{"a":1}`, `[["s",["a","b"],1]]`, `operation 0 (s at a.b): the path leads into a number at a`},
		{`{"a":null}`, `[["s",["a","b","c"],1]]`, `operation 0 (s at a.b.c): the path leads into null at a`},
		{`{"a":[]}`, `[["s",["a",1],1]]`, `operation 0 (s at a[1]): the array has 0 items`},
		{`{"a":[]}`, `[["s",["a",0,"b"],1]]`, `operation 0 (s at a[0].b): the array has 0 items`},
		{`{"a":[]}`, `[["s",["a","0"],1]]`, `operation 0 (s at a["0"]): a key leads into an array`},
		{`{"a":{}}`, `[["s",["a",0],1]]`, `operation 0 (s at a[0]): an index leads into an object`},
		{`{"a":{}}`, `[["s",["a",0,"x"],1]]`, `operation 0 (s at a[0].x): an index leads into an object`},
		{`{}`, `[["d",[0]]]`, `operation 0 (d at [0]): an index leads into an object`},
		{`[1]`, `[["d",[1]]]`, `operation 0 (d at [1]): the array has 1 items`},
		{`{"a":{"x":1}}`, `[["a",["a"],"x"]]`, `operation 0 (a at a): there is no string, but an object`},
		{`{"a":[]}`, `[["s",["a",0],1],["a",["a"],"x"]]`, `operation 1 (a at a): there is no string, but an array`},
		{`{}`, `[["a",["a"],"x"]]`, `operation 0 (a at a): there is no member "a"`},
		{`"x"`, `[["a",["a"],"x"]]`, `operation 0 (a at a): the path leads into a string at the root`},
		{`{"a":"x"}`, `[["a",["a"],"y"],["s",["a","b"],1]]`, `operation 1 (s at a.b): the path leads into a string at a`},
		{`{"a":"ä😀"}`, `[["a",["a"],"y"],["t",["a"],5]]`, `operation 1 (t at a): the string has only 4 code units`},
		{`{"a":true}`, `[["p",["a"],0,0,[]]]`, `operation 0 (p at a): there is no array, but a boolean`},
		{`{}`, `[["p",[],0,0,[]]]`, `operation 0 (p at the root): there is no array, but an object`},
		{`{}`, `[["p",["a"],0,0,[]]]`, `operation 0 (p at a): there is no member "a"`},
		{`[1,2]`, `[["p",[],3,0,[]]]`, `operation 0 (p at the root): the array has 2 items, and 0 from 3 on are to go`},
		{`[1,2]`, `[["p",[],1,2,[]]]`, `operation 0 (p at the root): the array has 2 items, and 2 from 1 on are to go`},
		{`"x"`, `[["m",[],[]]]`, `operation 0 (m at the root): there is no array, but a string`},
		{`[1,2]`, `[["m",[],[0]]]`, `operation 0 (m at the root): the order has 1 items and the array 2`},
		{`[1,2]`, `[["m",[],[0,0]]]`, `operation 0 (m at the root): index 0 is not in the order exactly once`},
		{`[1,2]`, `[["m",[],[0,2]]]`, `operation 0 (m at the root): index 2 is not in the order exactly once`},
		{`[[1]]`, `[["s",[0,0],` + deep + `]]`, `operation 0 (s at [0][0]): values would nest deeper than 1000 levels`},
		{`[[1]]`, `[["p",[0],0,0,[` + deep + `]]]`, `operation 0 (p at [0]): values would nest deeper than 1000 levels`},
		{`1`, `[["r",[[` + deep + `]]]]`, `operation 0 (r at the root): values would nest deeper than 1000 levels`},
	} {
		var base value.Value
		if c.base != "" {
			base = parse(t, c.base)
		}
		got, err := delta.Apply(base, operations(t, c.ops))
		var wrong *delta.Error
		if got != nil || !errors.As(err, &wrong) || err.Error() != "delta: "+c.message {
			t.Errorf("%s after %.60s: %v, %v, want %s", c.base, c.ops, got, err, c.message)
		}
	}
	if got, err := delta.Apply(parse(t, `[[1]]`), operations(t, `[["s",[0],`+deep+`]]`)); err != nil || !value.Deeper(got, 999) {
		t.Error("a value as deep as may be was refused:", err)
	}
}

// TestApplyChecksOperationsThatWereNotParsed guards what a program can build.
func TestApplyChecksOperationsThatWereNotParsed(t *testing.T) {
	a := value.Path{value.Key("a")}
	for _, c := range []struct {
		ops     delta.Ops
		message string
	}{
		{delta.Ops{nil}, `operation 0: it is no operation`},
		{delta.Ops{delta.Replace{}}, `operation 0 (r at the root): it holds no value`},
		{delta.Ops{delta.Set{Path: a}}, `operation 0 (s at a): it holds no value`},
		{delta.Ops{delta.Splice{Path: a, Items: value.Array{nil}}}, `operation 0 (p at a): it holds no value`},
		{delta.Ops{delta.Splice{Path: a, Index: -1}}, `operation 0 (p at a): the array has 1 items, and 0 from -1 on are to go`},
		{delta.Ops{delta.Splice{Path: a, Remove: -1}}, `operation 0 (p at a): the array has 1 items, and -1 from 0 on are to go`},
		{delta.Ops{delta.Permute{Path: a, Order: []int{-1}}}, `operation 0 (m at a): index -1 is not in the order exactly once`},
		{delta.Ops{delta.Trim{Path: value.Path{value.Key("b")}, Units: -1}}, `operation 0 (t at b): the string has only 1 code units`},
		{delta.Ops{delta.Delete{Path: value.Path{value.Key("a"), value.Index(-1)}}}, `operation 0 (d at a[-1]): the array has 1 items`},
		{delta.Ops{delta.Delete{}}, `operation 0 (d at the root): the path is empty`},
	} {
		got, err := delta.Apply(parse(t, `{"a":[1],"b":"x"}`), c.ops)
		if got != nil || err == nil || err.Error() != "delta: "+c.message {
			t.Errorf("%v, %v, want %s", got, err, c.message)
		}
	}
}

func TestParseSaysWhichOperationIsWrong(t *testing.T) {
	for _, c := range []struct{ ops, message string }{
		{`{`, `operations: json: at the root (byte 1): a key in quotation marks is missing`},
		{`{}`, `delta: operation 0: the batch is no list, but of kind object`},
		{`[["s",["a"],1],1]`, `delta: operation 1: it is no tuple`},
		{`[[]]`, `delta: operation 0: it is no tuple`},
		{`[["x",[]]]`, `delta: operation 0: there is no verb "x"`},
		{`[[1,[]]]`, `delta: operation 0: there is no verb 1`},
		{`[["#",0,["a"]]]`, `delta: operation 0: there is no verb "#"`},
		{`[["r"]]`, `delta: operation 0 (r at the root): the tuple has 1 items of 2`},
		{`[["s",["a"]]]`, `delta: operation 0 (s at the root): the tuple has 2 items of 3`},
		{`[["d",["a"],1]]`, `delta: operation 0 (d at the root): the tuple has 3 items of 2`},
		{`[["s",0,1]]`, `delta: operation 0 (s at the root): item 1 of the tuple is no path of keys and indexes`},
		{`[["s",[-1],1]]`, `delta: operation 0 (s at the root): item 1 of the tuple is no path of keys and indexes`},
		{`[["s",[0.5],1]]`, `delta: operation 0 (s at the root): item 1 of the tuple is no path of keys and indexes`},
		{`[["s",[4294967296],1]]`, `delta: operation 0 (s at the root): item 1 of the tuple is no path of keys and indexes`},
		{`[["s",[null],1]]`, `delta: operation 0 (s at the root): item 1 of the tuple is no path of keys and indexes`},
		{`[["a",["a"],1]]`, `delta: operation 0 (a at a): item 2 of the tuple is no string`},
		{`[["t",["a"],-1]]`, `delta: operation 0 (t at a): item 2 of the tuple is no count`},
		{`[["p",["a"],0,"1",[]]]`, `delta: operation 0 (p at a): item 3 of the tuple is no count`},
		{`[["p",["a"],0,1,{}]]`, `delta: operation 0 (p at a): item 4 of the tuple is no list of items`},
		{`[["m",["a"],[0,"1"]]]`, `delta: operation 0 (m at a): item 2 of the tuple is no list of indexes`},
		{`[["m",["a"],0]]`, `delta: operation 0 (m at a): item 2 of the tuple is no list of indexes`},
		{`[["s",[],1]]`, `delta: operation 0 (s at the root): the path is empty`},
		{`[["d",[]]]`, `delta: operation 0 (d at the root): the path is empty`},
		{`[["a",[],"x"]]`, `delta: operation 0 (a at the root): the path is empty`},
		{`[["t",[],1]]`, `delta: operation 0 (t at the root): the path is empty`},
		{`[["r",1],["r",2]]`, `delta: operation 1 (r at the root): a whole value is allowed at the start of a batch only`},
		{`[["s",["a","__proto__"],1]]`, `delta: operation 0 (s at a.__proto__): the key __proto__ is not allowed in a path: set the object around it`},
		{`[["p",["constructor"],0,0,[]]]`, `delta: operation 0 (p at constructor): the key constructor is not allowed in a path: set the object around it`},
		{`[["m",["prototype"],[]]]`, `delta: operation 0 (m at prototype): the key prototype is not allowed in a path: set the object around it`},
	} {
		ops, err := delta.Parse([]byte(c.ops))
		if ops != nil || err == nil || err.Error() != c.message {
			t.Errorf("%s: %v, want %s", c.ops, err, c.message)
		}
		if json.Valid([]byte(c.ops)) && json.Unmarshal([]byte(c.ops), &ops) == nil {
			t.Errorf("%s was unmarshalled", c.ops)
		}
	}
}

func TestABatchMayHoldTheDeepestValue(t *testing.T) {
	deepest := strings.Repeat("[", 1000) + strings.Repeat("]", 1000)
	ops := operations(t, `[["r",`+deepest+`]]`)
	if got, err := delta.Apply(nil, ops); err != nil || text(got) != deepest {
		t.Error(err)
	}
}

func TestApplySharesWhatDidNotChange(t *testing.T) {
	base := parse(t, `{"a":{"x":[1]},"b":[{"y":1},{"z":2}]}`)
	got, err := delta.Apply(base, operations(t, `[["s",["b",0,"y"],2],["p",["b"],2,0,[{}]]]`))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range []value.Path{{value.Key("a")}, {value.Key("b"), value.Index(1)}} {
		before, _ := value.Lookup(base, path...)
		after, _ := value.Lookup(got, path...)
		if before != after {
			t.Errorf("%s was copied", path)
		}
	}
}

// TestAppendedItemsDoNotMeet guards callers who make longer lists of one result.
func TestAppendedItemsDoNotMeet(t *testing.T) {
	got, err := delta.Apply(parse(t, `[1]`), operations(t, `[["s",[1],2],["s",[2],3]]`))
	if err != nil {
		t.Fatal(err)
	}
	list := got.(value.Array)
	one, two := append(list, value.Number(4)), append(list, value.Number(5))
	if text(one) != `[1,2,3,4]` || text(two) != `[1,2,3,5]` {
		t.Error(text(one), text(two))
	}
}

func TestRebasePutsAPathInFront(t *testing.T) {
	prefix := value.Path{value.Key("docs"), value.Index(2)}
	ops := operations(t, `[["r",{}],["s",["a"],1],["d",["a"]],["a",["a"],"x"],["t",["a"],1],["p",[],0,1,[]],["m",["a",0],[0]]]`)
	before := string(ops.AppendJSON(nil))
	want := `[["s",["docs",2],{}],["s",["docs",2,"a"],1],["d",["docs",2,"a"]],["a",["docs",2,"a"],"x"],["t",["docs",2,"a"],1],["p",["docs",2],0,1,[]],["m",["docs",2,"a",0],[0]]]`
	if diff := cmp.Diff(want, string(delta.Rebase(ops, prefix).AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(before, string(ops.AppendJSON(nil))); diff != "" {
		t.Error(diff)
	}
	if got := string(delta.Rebase(ops, nil).AppendJSON(nil)); got != before {
		t.Error(got)
	}
}

func TestOpsAreJSONInsideOfStructs(t *testing.T) {
	type frame struct{ Ops delta.Ops }
	const written = `{"Ops":[["s",["a",0],"\u003c"]]}`
	got, err := json.Marshal(frame{delta.Ops{delta.Set{Path: value.Path{value.Key("a"), value.Index(0)}, Value: value.String("<")}}})
	if err != nil || string(got) != written {
		t.Error(string(got), err)
	}
	var read frame
	if err := json.Unmarshal([]byte(written), &read); err != nil {
		t.Fatal(err)
	}
	if got := string(read.Ops.AppendJSON(nil)); got != `[["s",["a",0],"<"]]` {
		t.Error(got)
	}
}

// FuzzApply feeds what anybody could send. Whatever becomes of it, the base stays as
// it is, and what comes out can be stored and read again.
func FuzzApply(f *testing.F) {
	f.Add(`{"a":[1,"x"]}`, `[["s",["a",0],2],["a",["a",1],"y"],["p",["a"],0,1,[{}]],["m",["a"],[1,0]]]`)
	f.Add(`["😀"]`, `[["t",[0],1],["a",[0],"\ud83d"],["d",[0]],["r",1]]`)
	f.Fuzz(func(t *testing.T, base, ops string) {
		from, err := value.Parse([]byte(base))
		if err != nil {
			return
		}
		before := text(from)
		batch, err := delta.Parse([]byte(ops))
		if err != nil {
			return
		}
		again := operations(t, string(batch.AppendJSON(nil)))
		to, err := delta.Apply(from, batch)
		if text(from) != before {
			t.Fatalf("%s became %s", before, text(from))
		}
		if err != nil {
			return
		}
		if got, err := delta.Apply(from, again); err != nil || !value.Equal(got, to) {
			t.Fatalf("the batch written and read again gives %s, %v", text(got), err)
		}
		if read := parse(t, text(to)); !value.Equal(read, to) {
			t.Fatalf("%s is read as %s", text(to), text(read))
		}
		if got, err := delta.Apply(from, delta.Diff(from, to)); err != nil || text(got) != text(to) {
			t.Fatalf("the difference leads to %s, %v", text(got), err)
		}
	})
}
