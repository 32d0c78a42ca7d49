package guard

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dlclark/regexp2/v2"
	"github.com/dop251/goja"
	"go.uber.org/goleak"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(stopped{m}) }

// stopped ends the clock of the backtracking engine, which runs on for a while after the last match.
type stopped struct{ m *testing.M }

func (s stopped) Run() int {
	defer regexp2.StopTimeoutClock()
	return s.m.Run()
}

func newRuntime(t testing.TB) *goja.Runtime {
	t.Helper()
	rt := goja.New()
	if err := Install(rt, Options{}); err != nil {
		t.Fatal(err)
	}
	return rt
}

func TestAnotherMatchTimeoutIsRefused(t *testing.T) {
	newRuntime(t)
	if err := Install(goja.New(), Options{MatchTimeout: time.Hour}); err == nil || !strings.Contains(err.Error(), "500ms") {
		t.Errorf("error %v, want one that names the timeout in force", err)
	}
}

// TestUnknownLayoutFailsClosed: what is not built as this package knows it is an error, not memory written somewhere.
func TestUnknownLayoutFailsClosed(t *testing.T) {
	rt := goja.New()
	script, err := rt.RunString("() => {}")
	if err != nil {
		t.Fatal(err)
	}
	for name, v := range map[string]goja.Value{
		"script function": script, "object": rt.NewObject(), "number": rt.ToValue(1), "undefined": goja.Undefined(), "nothing": nil,
	} {
		if _, err := builtinOf(v); err == nil {
			t.Errorf("%s: taken for a native function", name)
		}
	}
	if err := rt.GlobalObject().Delete("Reflect"); err != nil {
		t.Fatal(err)
	}
	if err := Install(rt, Options{}); err == nil || !strings.Contains(err.Error(), "Reflect") {
		t.Errorf("error %v, want one that names the built-in that is missing", err)
	}
}

func TestLimitsAreThoseOfTheOptions(t *testing.T) {
	rt := goja.New()
	if err := Install(rt, Options{MaxBytes: 1000, MaxElements: 10, MaxDepth: 5}); err != nil {
		t.Fatal(err)
	}
	for script, refused := range map[string]bool{
		`"x".repeat(1000)`: false, `"x".repeat(1001)`: true,
		`new ArrayBuffer(1000)`: false, `new ArrayBuffer(1001)`: true,
		`new Uint16Array(500)`: false, `new Uint16Array(501)`: true,
		`new Array(10)`: false, `new Array(11)`: true,
		`Math.max.apply(null, {length: 10})`: false, `Math.max.apply(null, {length: 11})`: true,
		`JSON.parse("[[[[[]]]]]")`: false, `JSON.parse("[[[[[[]]]]]]")`: true,
		`JSON.stringify([[[[[]]]]])`: false, `JSON.stringify([[[[[[]]]]]])`: true,
		`eval("[[[[[]]]]]")`: false, `eval("[[[[[[]]]]]]")`: true,
		`[[[[[[1]]]]]].flat(Infinity)`: false, `[[[[[[[1]]]]]]].flat(Infinity)`: true,
		`/a/.test("a".repeat(15))`: false, `/a/.test("a".repeat(16))`: true,
		`"a".repeat(10).replace(/a/g, "b".repeat(90))`: false, `"a".repeat(10).replace(/a/g, "b".repeat(100))`: true,
		`"a".repeat(10).replaceAll("a", "b".repeat(90))`: false, `"a".repeat(10).replaceAll("a", "b".repeat(100))`: true,
		`["x".repeat(500), "x".repeat(499)].join()`: false, `["x".repeat(500), "x".repeat(500)].join()`: true,
	} {
		_, err := rt.RunString(script)
		if got := err != nil; got != refused {
			t.Errorf("%s: %v, want refused: %v", script, err, refused)
		}
		if refused && err != nil && !strings.Contains(err.Error(), "limit of") {
			t.Errorf("%s: %v does not name the limit", script, err)
		}
	}
}

func TestRefusalsAreRangeErrorsThatCanBeCaught(t *testing.T) {
	rt := newRuntime(t)
	v, err := rt.RunString(`
		const Real = RangeError; globalThis.RangeError = class Other {};
		try { "x".repeat(2**40) } catch (e) { [e instanceof Real, e.name, e.message, typeof e.stack].join() }`)
	if err != nil {
		t.Fatal(err)
	}
	if want := "true,RangeError,a string of 1099511627776 units exceeds the limit of 268435456,string"; v.String() != want {
		t.Errorf("%s, want %s", v, want)
	}
}

// TestEveryWayToABuiltinIsFenced: there is no original to be found on another path.
func TestEveryWayToABuiltinIsFenced(t *testing.T) {
	for _, script := range []string{
		`Function.prototype.call.call("".repeat, "x", 2**40)`,
		`"".repeat.bind("x", 2**40)()`,
		`Reflect.apply("".repeat, "x", [2**40])`,
		`Object.getOwnPropertyDescriptor(String.prototype, "repeat").value.call("x", 2**40)`,
		`Object.getPrototypeOf(new String("")).repeat.call("x", 2**40)`,
		`new (new Uint8Array(1).constructor)(2**40)`,
		`new (Object.getPrototypeOf(Uint8Array.prototype).constructor.prototype.slice.call(new Uint8Array(1)).constructor)(2**40)`,
		`new (new Uint8Array(1).buffer.constructor)(2**40)`,
		`new (ArrayBuffer[Symbol.species])(2**40)`,
		`new ([].constructor)(2**32-1)`,
		`Array[Symbol.species](2**32-1)`,
		`class A extends Array {} new A(2**32-1)`,
		`new (class extends ArrayBuffer { constructor() { super(2**40) } })()`,
		`[..."a"].map(() => 2**40).map("".repeat, "x")`,
		`const [n] = [2**40]; "x"["rep" + "eat"](n)`,
		`Object.values(Object.getOwnPropertyDescriptors(String.prototype)).find(d => d.value?.name === "padEnd").value.call("x", 2**40)`,
		`Reflect.construct(Function, ["[".repeat(2000)])`,
		`(function () {}).constructor.prototype.constructor("[".repeat(2000))`,
		`globalThis.eval("[".repeat(2000))`,
		`const e = eval; e("[".repeat(2000))`,
		`eval("eval('[' + '['.repeat(2000))")`,
		`Function("s", "return eval(s)")("[".repeat(2000))`,
		`new Proxy("".repeat, {}).call("x", 2**40)`,
		`new (new Proxy(Uint8Array, {}))(2**40)`,
	} {
		_, err := newRuntime(t).RunString(script)
		var thrown *goja.Exception
		if !errors.As(err, &thrown) || !strings.Contains(thrown.Value().String(), "limit of") {
			t.Errorf("%s: %v, want refused", script, err)
		}
	}
}

// TestDirectEvalSeesGlobalsOnly is the one change of meaning that Install documents.
func TestDirectEvalSeesGlobalsOnly(t *testing.T) {
	v, err := newRuntime(t).RunString(`globalThis.x = "global"; (() => { const x = "local"; return eval("x") })()`)
	if err != nil || v.String() != "global" {
		t.Errorf("%v, %v", v, err)
	}
}

// TestLoopsInNativesStopAtAnInterrupt: the loop is stopped from within, by the element that asks for it.
func TestLoopsInNativesStopAtAnInterrupt(t *testing.T) {
	for _, script := range []string{
		`big.fill(stop())`, `stop(); [...big]`, `stop(); big.sort()`, `stop(); big.toSorted()`, `stop(); [big].flat()`,
		`stop(); JSON.stringify(big)`, `stop(); big.join()`, `stop(); [..."x".repeat(1e6)]`,
	} {
		rt := newRuntime(t)
		if _, err := rt.RunString(`const big = Array(100000).fill(7)`); err != nil {
			t.Fatal(err)
		}
		// The interrupt is asked for inside the native call that takes its receiver or argument from stop.
		if err := rt.Set("stop", func() { rt.Interrupt("enough") }); err != nil {
			t.Fatal(err)
		}
		_, err := rt.RunString(script)
		var interrupted *goja.InterruptedError
		if !errors.As(err, &interrupted) {
			t.Errorf("%s: %v, want interrupted", script, err)
		}
	}
}
