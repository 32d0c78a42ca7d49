package jsapi

import (
	"cmp"
	"encoding/json"
	"errors"
	"math"
	"math/big"
	"strings"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
)

// carry makes a value in one isolate and evaluates a condition over x, its copy,
// in another.
func carry(t *testing.T, make, condition string) (data any, holds any) {
	t.Helper()
	from, to := newIsolate(t, Options{}), newIsolate(t, Options{})
	data = call(t, from, evaluate(t, from, "export const make = (): unknown => ("+make+");"), "make")
	checker := evaluate(t, to, "export const check = (x: any): unknown => ("+condition+");")
	return data, call(t, to, checker, "check", data)
}

func TestCarriedValuesKeepTheirMeaning(t *testing.T) {
	for _, test := range []struct{ rule, make, condition string }{
		{"undefined", `undefined`, `x === undefined`},
		{"null", `null`, `x === null`},
		{"booleans", `[true, false]`, `x[0] === true && x[1] === false`},
		{"strings", `["", "abc", "zażółć \u{1f600}", "a\0b"]`, `x.join("|") === "|abc|zażółć \u{1f600}|a\0b"`},
		{"numbers", `[0, 1, -1, 1.5, 2 ** 53, -(2 ** 53), 1e300, 5e-324]`, `x.every((n: number, i: number) => Object.is(n, [0, 1, -1, 1.5, 2 ** 53, -(2 ** 53), 1e300, 5e-324][i]))`},
		{"negative zero", `-0`, `Object.is(x, -0)`},
		{"not a number and infinities", `[NaN, Infinity, -Infinity]`, `Object.is(x[0], NaN) && x[1] === Infinity && x[2] === -Infinity`},
		{"a big integer", `-(2n ** 200n)`, `x === -(2n ** 200n)`},
		{"a small big integer stays one", `1n`, `x === 1n`},
		{"a date", `new Date(1234567890123)`, `x instanceof Date && x.getTime() === 1234567890123`},
		{"dates at the ends of time", `[new Date(8.64e15), new Date(-8.64e15), new Date(0)]`, `x[0].getTime() === 8.64e15 && x[1].getTime() === -8.64e15 && x[2].getTime() === 0`},
		{"an invalid date", `new Date(NaN)`, `x instanceof Date && Number.isNaN(x.getTime())`},
		{"bytes", `new Uint8Array([0, 1, 255])`, `x instanceof Uint8Array && x.length === 3 && x[2] === 255`},
		{"a part of a buffer", `new Uint8Array([1, 2, 3, 4]).subarray(1, 3)`, `x.length === 2 && x[0] === 2 && x.buffer.byteLength === 2`},
		{"bytes of a subclass", `Buffer.from("hi")`, `x instanceof Uint8Array && x[0] === 104`},
		{"an array", `[1, [2, [3]], []]`, `JSON.stringify(x) === "[1,[2,[3]],[]]" && Array.isArray(x[1])`},
		{"a hole is undefined", `[1, , 3]`, `x.length === 3 && x[1] === undefined && 1 in x`},
		{"a short array of holes", `new Array(5)`, `x.length === 5`},
		{"an object", `({ a: 1, b: { c: "d" }, e: undefined })`, `JSON.stringify(x) === '{"a":1,"b":{"c":"d"}}' && "e" in x && Object.getPrototypeOf(x) === Object.prototype`},
		{"an object without prototype", `Object.assign(Object.create(null), { a: 1 })`, `x.a === 1`},
		{"the order of members", `({ b: 1, a: 2, 10: 3, 9: 4, "": 5 })`, `Object.keys(x).join() === "9,10,b,a,"`},
		{"a member named __proto__", `JSON.parse('{"__proto__": {"a": 1}, "b": 2}')`, `Object.keys(x).join() === "__proto__,b" && x.a === undefined && Object.getPrototypeOf(x) === Object.prototype`},
		{"members named like those of Object.prototype", `({ toString: 1, constructor: 2, hasOwnProperty: 3, valueOf: 4 })`, `Object.keys(x).join() === "toString,constructor,hasOwnProperty,valueOf" && x.toString === 1`},
		{"only enumerable members with string names", `Object.defineProperty({ a: 1, [Symbol("s")]: 2 }, "hidden", { value: 3 })`, `Object.keys(x).join() === "a" && !("hidden" in x) && Object.getOwnPropertySymbols(x).length === 0`},
		{"what a getter returns", `({ get a() { return 42; } })`, `Object.getOwnPropertyDescriptor(x, "a")!.value === 42`},
		{"a frozen object thaws", `Object.freeze({ a: 1 })`, `!Object.isFrozen(x)`},
		{"a map", `new Map<unknown, unknown>([["a", 1], [2, new Map([["x", [1]]])], [null, undefined]])`, `x instanceof Map && [...x.keys()].map(String).join() === "a,2,null" && x.get(2).get("x")[0] === 1 && x.has(null)`},
		{"a map with objects as keys", `(() => { const k = {}; return { k, m: new Map([[k, "v"]]) }; })()`, `x.m.get(x.k) === "v"`},
		{"a set", `new Set([1, "a", new Set([NaN])])`, `x instanceof Set && x.size === 3 && [...x][2].has(NaN)`},
		{"an object that contains itself", `(() => { const o: any = { a: {} }; o.a.o = o; return o; })()`, `x.a.o === x`},
		{"an array that contains itself", `(() => { const a: any[] = [1]; a.push(a, [a]); return a; })()`, `x[1] === x && x[2][0] === x && x.length === 3`},
		{"a map and a set that contain themselves", `(() => { const m = new Map<any, any>(), s = new Set<any>([m]); m.set(m, s); s.add(s); return m; })()`, `x.get(x).has(x) && x.get(x).has(x.get(x))`},
		{"shared parts stay shared", `(() => { const o = {}, b = new Uint8Array(1), d = [b]; return [o, o, b, b, d, d]; })()`, `x[0] === x[1] && x[2] === x[3] && x[4] === x[5] && x[4][0] === x[2]`},
		{"equal parts stay apart", `[{}, {}, [], []]`, `x[0] !== x[1] && x[2] !== x[3]`},
		{"a proxy is what it shows", `new Proxy({ a: 1 }, { get: (o: any, k) => k === "a" ? 2 : o[k] })`, `x.a === 2`},
		{"a proxy of an array", `new Proxy([1, 2], {})`, `Array.isArray(x) && x.join() === "1,2"`},
		{"an array with members is an array", `Object.assign([1], { extra: 2 })`, `x.length === 1 && x.extra === undefined`},
		{"depth below the limit", `(() => { let o: any = 1; for (let i = 0; i < 490; i++) o = [o]; return o; })()`, `(() => { let n = 0; for (let o = x; Array.isArray(o); o = o[0]) n++; return n === 490; })()`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			if data, holds := carry(t, test.make, test.condition); holds != true {
				t.Errorf("%s → %#v: %s = %v", test.make, data, test.condition, holds)
			}
		})
	}
}

func TestWhatCannotBeCarried(t *testing.T) {
	const asService = "; pass plain data, or provide it as a service"
	for _, test := range []struct{ make, want string }{
		{`Symbol("s")`, `$ cannot be carried: it is a symbol`},
		{`[1, { a: [Symbol.iterator] }]`, `$[1].a[0] cannot be carried: it is a symbol`},
		{`({ "not an identifier": { "": Symbol() } })`, `$["not an identifier"][""] cannot be carried: it is a symbol`},
		{`new Map([[Symbol(), 1]])`, `$<0>.key cannot be carried: it is a symbol`},
		{`new Map([[1, 1], [2, Symbol()]] as any)`, `$<1>.value cannot be carried: it is a symbol`},
		{`new Set([1, Symbol()])`, `$<1> cannot be carried: it is a symbol`},
		{`({ items: [0, new (class Point { x = 1 })()] })`, `$.items[1] cannot be carried: it is an instance of Point` + asService},
		{`new (class {})()`, `$ cannot be carried: it is an instance of a class without a name` + asService},
		{`Object.create({ a: 1 })`, `$ cannot be carried: it has a prototype of its own` + asService},
		{`({ p: Promise.resolve() })`, `$.p cannot be carried: it is an instance of Promise; await it first`},
		{`/a/`, `$ cannot be carried: it is an instance of RegExp; pass its source`},
		{`new ArrayBuffer(1)`, `$ cannot be carried: it is an instance of ArrayBuffer; wrap it in a Uint8Array`},
		{`new DataView(new ArrayBuffer(1))`, `$ cannot be carried: it is an instance of DataView; copy it into a Uint8Array`},
		{`new Float64Array(1)`, `$ cannot be carried: it is an instance of Float64Array; copy it into an array or a Uint8Array`},
		{`[new Uint8ClampedArray(1)]`, `$[0] cannot be carried: it is an instance of Uint8ClampedArray; copy it into an array or a Uint8Array`},
		{`new BigInt64Array(1)`, `$ cannot be carried: it is an instance of BigInt64Array; copy it into an array or a Uint8Array`},
		{`new WeakMap()`, `$ cannot be carried: it is an instance of WeakMap; pass a Map`},
		{`(function* () {})()`, `$ cannot be carried: it is an instance of Generator; collect its items in an array, or make it an async generator`},
		{`Object(1)`, `$ cannot be carried: it is an instance of Number` + asService},
		{`Object("s")`, `$ cannot be carried: it is an instance of String` + asService},
		{`new URL("http://a/")`, `$ cannot be carried: it is an instance of URL` + asService},
		{`(() => { const a: unknown[] = []; a.length = 4294967295; return a; })()`, `$ cannot be carried: it is an array of length 4294967295 with holes; fill them, or pass a Map`},
		{`(() => { let o: any = {}; for (let i = 0; i < 600; i++) o = [o]; return o; })()`,
			"$" + strings.Repeat("[0]", 501) + ` cannot be carried: it is nested deeper than 500`},
	} {
		t.Run(test.make, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			ns := evaluate(t, iso, "export const make = (): unknown => [ "+test.make+" ][0];")
			if strings.HasPrefix(test.make, "({ p: Promise") {
				ns = evaluate(t, iso, "export const make = (): unknown => ("+test.make+");")
			}
			_, err := iso.Call(t.Context(), testJob, ns.Method("make"))
			var refused *DataCloneError
			if !errors.As(err, &refused) || err.Error() != test.want {
				t.Errorf("got  %v\nwant %s", err, test.want)
			}
		})
	}
}

func TestGetterThatThrowsFailsTheCall(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, "export const make = () => ({ a: [{ get b() { throw new RangeError('no b'); } }] });")
	_, err := iso.Call(t.Context(), testJob, ns.Method("make"))
	var thrown *Error
	if !errors.As(err, &thrown) || thrown.Name != "RangeError" || thrown.Message != "no b" {
		t.Errorf("error = %v", err)
	}
}

func TestHostileObjectsCostTheirOwnCallOnly(t *testing.T) {
	for _, make := range []string{
		`new Proxy({}, { ownKeys() { throw new Error("trap"); } })`,
		`new Proxy({}, { getPrototypeOf() { throw new Error("trap"); } })`,
		`new Proxy([], { get() { throw new Error("trap"); } })`,
		`(() => { const r = Proxy.revocable({}, {}); r.revoke(); return [r.proxy]; })()`,
		`(() => { const r = Proxy.revocable([] as any, {}); r.revoke(); return { a: r.proxy }; })()`,
		`(() => { const r = Proxy.revocable(() => 1, {}); r.revoke(); return { a: r.proxy }; })()`,
		`new Proxy(new Date(), {})`,
		`new Proxy(new Map(), {})`,
		`new Proxy(new Uint8Array(3), {})`,
		`({ __proto__: { get constructor() { throw new Error("trap"); } } })`,
		`({ __proto__: { get value() { throw new Error("trap"); } } })`,
		`Object.assign(new Map([[1, 2]]), { [Symbol.iterator]() { throw new Error("trap"); } })`,
		`Object.assign(new Map([[1, 2]]), { *[Symbol.iterator]() { yield 5; } })`,
		`Object.assign(new Set([1]), { [Symbol.iterator]: () => ({ next: 1 }) })`,
		`Object.defineProperty([], "length", { value: 4e9, writable: true })`,
	} {
		t.Run(make, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			ns := evaluate(t, iso, "export const make = (): unknown => ["+make+"]; export const ping = () => 'pong';")
			// Whether the value can be carried is not the point here.
			_, _ = iso.Call(t.Context(), testJob, ns.Method("make"))
			if got := call(t, iso, ns, "ping"); got != "pong" {
				t.Errorf("ping = %v", got)
			}
		})
	}
}

func TestDataOutsideHasTheDocumentedForms(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const make = () => [
		undefined, null, true, "s", 1, -0, 10n, new Date(5), new Uint8Array([1]), [2], { a: 3 },
		new Map([[4, 5]]), new Set([6])];`)
	got := call(t, iso, ns, "make").(*Array).Items
	want := []any{
		Undefined{}, nil, true, "s", 1.0, math.Copysign(0, -1), big.NewInt(10), Date(5), &Bytes{Data: []byte{1}},
		&Array{Items: []any{2.0}}, NewObject("a", 3.0), &Map{Entries: [][2]any{{4.0, 5.0}}}, &Set{Items: []any{6.0}},
	}
	equalBig := gocmp.Comparer(func(a, b *big.Int) bool { return a.Cmp(b) == 0 })
	if diff := gocmp.Diff(want, got, gocmp.AllowUnexported(Object{}), equalBig); diff != "" {
		t.Error(diff)
	}
	if !math.Signbit(got[5].(float64)) {
		t.Error("negative zero lost its sign")
	}
}

func TestGoValuesGoIn(t *testing.T) {
	type point struct {
		X     int    `json:"x"`
		Label string `json:"label,omitempty"`
	}
	self := &Array{}
	self.Items = []any{self}
	deep := any("end")
	for range 5000 {
		deep = []any{deep}
	}
	endless := []any{nil}
	endless[0] = endless
	for _, test := range []struct {
		rule      string
		value     any
		condition string
		fails     string
	}{
		{"a map has sorted keys", map[string]any{"b": 1, "a": []any{2, nil}, "__proto__": 3}, `JSON.stringify(x) === '{"__proto__":3,"a":[2,null],"b":1}'`, ""},
		{"a struct is its JSON", point{X: 1}, `JSON.stringify(x) === '{"x":1}'`, ""},
		{"integers are numbers", []any{1, int64(2), int32(3), uint32(4), uint8(5), float32(0.5)}, `x.join() === "1,2,3,4,5,0.5"`, ""},
		{"a typed map is its JSON", map[string]int{"b": 1, "a": 2}, `Object.keys(x).join() === "a,b"`, ""},
		{"JSON is fresh values", json.RawMessage(`{"b": [1, {}], "a": null}`), `JSON.stringify(x) === '{"b":[1,{}],"a":null}' && Array.isArray(x.b)`, ""},
		{"empty JSON is undefined", json.RawMessage(nil), `x === undefined`, ""},
		{"an array of Go may contain itself", self, `x[0] === x && x.length === 1`, ""},
		{"nil pointers are null", []any{(*Object)(nil), (*point)(nil), (*Error)(nil)}, `x.every((each: unknown) => each === null)`, ""},
		{"a channel has no JSON form", make(chan int), ``, `argument 1: $ cannot be carried: a Go value of type chan int has no JSON form: json: unsupported type: chan int`},
		{"what Go nests too deeply", deep, ``, `argument 1: $ cannot be carried: it is nested deeper than 1000`},
		{"a slice that contains itself", endless, ``, `argument 1: $ cannot be carried: it is nested deeper than 1000`},
		{"broken JSON", json.RawMessage(`{"a": tru}`), ``, `argument 1: decode JSON: byte 6: 't' where a value must follow`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			ns := evaluate(t, iso, "export const check = (x: any): unknown => ("+cmp.Or(test.condition, "x")+");")
			got, err := iso.Call(t.Context(), testJob, ns.Method("check"), test.value)
			if test.fails != "" {
				if err == nil || err.Error() != test.fails {
					t.Errorf("error = %v\nwant    %s", err, test.fails)
				}
				return
			}
			if err != nil || got != true {
				t.Errorf("%s = %v, %v", test.condition, got, err)
			}
		})
	}
}

func TestArgumentsShareTheirParts(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export const same = (a: unknown, b: unknown) => a === b;`)
	shared := NewObject("a", 1.0)
	if got := call(t, iso, ns, "same", shared, shared); got != true {
		t.Error("one object became two")
	}
}

func TestArgumentsOfANativeShareTheirParts(t *testing.T) {
	same := Native(func(call *NativeCall) (any, error) { return call.Arg(0) == call.Arg(1), nil })
	iso := newSuppliedIsolate(t, Options{}, NewObject("same", same))
	ns, err := iso.Evaluate(t.Context(), testJob, compileSupplied(t, `import { same } from "go:test";
		export const check = () => { const o = {}; return same(o, o) && !same({}, {}); };
		export const refused = () => { try { same(1, [new (class Point {})()]); } catch (e: any) { return e.name + ": " + e.message; } };`, "same"))
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, iso, ns, "check"); got != true {
		t.Errorf("check = %v", got)
	}
	const want = "DataCloneError: argument 2: $[0] cannot be carried: it is an instance of Point; pass plain data, or provide it as a service"
	if got := call(t, iso, ns, "refused"); got != want {
		t.Errorf("refused = %q", got)
	}
}

func TestReferencesStayAtHome(t *testing.T) {
	home, other := newIsolate(t, Options{}), newIsolate(t, Options{})
	ns := evaluate(t, home, `class Kept { n = 7; read() { return this.n; } } export const make = () => new Kept(); export const isKept = (x: unknown) => x instanceof Kept;`)
	job := testJob
	job.Result = AsReference
	kept, err := home.Call(t.Context(), job, ns.Method("make"))
	if err != nil {
		t.Fatal(err)
	}
	if got := call(t, home, ns, "isKept", kept); got != true {
		t.Error("the reference leads elsewhere")
	}
	got, err := home.Call(t.Context(), testJob, Method{Object: kept.(*Reference), Name: "read"})
	if err != nil || got != 7.0 {
		t.Errorf("read = %v, %v", got, err)
	}
	foreign := evaluate(t, other, `export const take = (x: unknown) => x;`)
	var refused *DataCloneError
	if _, err := other.Call(t.Context(), testJob, foreign.Method("take"), kept); !errors.As(err, &refused) {
		t.Errorf("another isolate took the reference: %v", err)
	}
	if _, err := other.Call(t.Context(), testJob, Method{Object: kept.(*Reference), Name: "read"}); !errors.As(err, &refused) {
		t.Errorf("another isolate called the reference: %v", err)
	}
}

func TestResultForms(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export const object = () => ({ b: [1, undefined], a: new Date(0), f() {} });
		export const nothing = () => undefined;
		export const big = () => 1n;
	`)
	form := func(form Form, name string) (any, error) {
		job := testJob
		job.Result = form
		return iso.Call(t.Context(), job, ns.Method(name))
	}
	if got, err := form(AsJSON, "object"); err != nil || string(got.(json.RawMessage)) != `{"b":[1,null],"a":"1970-01-01T00:00:00.000Z"}` {
		t.Errorf("JSON = %s, %v", got, err)
	}
	if got, err := form(AsJSON, "nothing"); err != nil || got.(json.RawMessage) != nil {
		t.Errorf("JSON of undefined = %v, %v", got, err)
	}
	if _, err := form(AsJSON, "big"); err == nil || !strings.Contains(err.Error(), "is not JSON: TypeError: ") {
		t.Errorf("JSON of a bigint: %v", err)
	}
	if got, err := form(AsNothing, "big"); err != nil || got != nil {
		t.Errorf("nothing = %v, %v", got, err)
	}
}
