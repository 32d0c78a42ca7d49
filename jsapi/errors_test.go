package jsapi

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"testing"
)

func TestErrorsKeepTheirMeaning(t *testing.T) {
	for _, test := range []struct{ rule, make, condition string }{
		{"an error", `new Error("m")`, `x instanceof Error && x.name === "Error" && x.message === "m"`},
		{"built-in classes", `[new TypeError("t"), new RangeError("r"), new SyntaxError("s"), new ReferenceError("f"), new EvalError("e"), new URIError("u")]`,
			`x[0] instanceof TypeError && x[1] instanceof RangeError && x[2] instanceof SyntaxError && x[3] instanceof ReferenceError && x[4] instanceof EvalError && x[5] instanceof URIError && x.map((e: Error) => e.message).join("") === "trsfeu"`},
		{"a class of one's own", `new (class NotFound extends TypeError { override name = "NotFound"; code = "ENOENT"; })("gone")`,
			`x instanceof Error && x.name === "NotFound" && x.message === "gone" && x.code === "ENOENT" && String(x) === "NotFound: gone"`},
		{"members", `Object.assign(new Error("m"), { code: "E1", details: { list: [1] }, n: 1n })`, `x.code === "E1" && x.details.list[0] === 1 && x.n === 1n`},
		{"members that cannot be carried are left out", `Object.assign(new Error("m"), { code: 1, promise: Promise.resolve() })`, `x.code === 1 && !("promise" in x)`},
		{"a cause", `new Error("outer", { cause: new TypeError("inner", { cause: "root" }) })`, `x.cause instanceof TypeError && x.cause.message === "inner" && x.cause.cause === "root"`},
		{"an error that caused itself", `(() => { const e: any = new Error("m"); e.cause = e; return e; })()`, `x.cause === x`},
		{"no cause", `new Error("m")`, `!("cause" in x)`},
		{"errors in a list", `new AggregateError([new Error("a"), new TypeError("b")], "both")`, `x.name === "AggregateError" && x.message === "both"`},
		{"the stack", `(function inner() { return new Error("m"); })()`, `x.stack.startsWith("Error: m\n\tat inner (main.ts:1:65") && !Object.keys(x).includes("stack")`},
		{"name and message do not show", `new TypeError("m")`, `Object.keys(x).length === 0`},
		{"a DOMException", `new DOMException("stop", "AbortError")`, `x instanceof DOMException && x instanceof Error && x.name === "AbortError" && x.message === "stop" && x.code === 20`},
		{"an aborted signal's reason", `AbortSignal.abort().reason`, `x instanceof DOMException && x.name === "AbortError"`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			from, to := newIsolate(t, Options{}), newIsolate(t, Options{})
			// An error that is a result is wrapped, so that it is data.
			made := call(t, from, evaluate(t, from, "export const make = (): unknown => [ "+test.make+" ];"), "make")
			checker := evaluate(t, to, "export const check = ([x]: any): unknown => ("+test.condition+");\nexport const see = ([x]: any) => [x.stack, Object.keys(x)].join();")
			if got := call(t, to, checker, "check", made); got != true {
				t.Errorf("%s = %v\n%q", test.condition, got, call(t, to, checker, "see", made))
			}
		})
	}
}

func TestErrorText(t *testing.T) {
	for _, test := range []struct{ rule, code, want string }{
		{"the place", "export function run() {\n  throw new Error('m');\n}", "Error: m (main.ts:2:9)"},
		{"a cause", "export function run() {\n  try {\n    throw new TypeError('inner');\n  } catch (cause) {\n    throw new Error('outer', { cause });\n  }\n}",
			"Error: outer (main.ts:5:11)\n  caused by TypeError: inner (main.ts:3:11)"},
		{"after an await", "export async function run() {\n  await null;\n  throw new Error('m');\n}", "Error: m (main.ts:3:9)"},
		{"an error without a message", "export function run() { throw new Error(); }", "Error (main.ts:1:31)"},
		{"what the engine throws", "export function run(x?: any) {\n  return x.y.z;\n}", "TypeError: Cannot read property 'y' of undefined (main.ts:2:12)"},
		{"a thrown string", "export function run() { throw 'text'; }", "Error: thrown: text"},
		{"a thrown object", "export function run() { throw { code: 1 }; }", "Error: thrown: an object of class Object"},
		{"a thrown object with a message", "export function run() { throw { code: 1, message: 'told' }; }", "Error: thrown: an object of class Object: told"},
		{"a thrown null", "export function run() { throw null; }", "Error: thrown: null"},
		{"a thrown undefined", "export function run() { throw undefined; }", "Error: thrown: undefined"},
		{"a rejection with a number", "export function run() { return Promise.reject(42); }", "Error: thrown: 42"},
		{"an object that is no primitive", "export function run() { return `${{ toString: () => ({}), valueOf: () => [] } as any}`; }", "TypeError: Cannot convert object to primitive value (main.ts:1:35)"},
		{"an object without a prototype", "export function run() { return String(Object.create(null)); }", "TypeError: Cannot convert object to primitive value (main.ts:1:32)"},
		{"a number of what is no primitive", "export function run() { return +({ valueOf: () => ({}), toString: () => ({}) } as any); }", "TypeError: Cannot convert object to primitive value (main.ts:1:34)"},
		{"a cause that leads back", "export function run() {\n  const a: any = new Error('a'), b = new Error('b', { cause: a });\n  a.cause = b;\n  throw a;\n}", "Error: a (main.ts:2:18)"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			ns := evaluate(t, iso, test.code)
			_, err := iso.Call(t.Context(), testJob, ns.Method("run"))
			if err == nil || !strings.HasPrefix(err.Error(), test.want) || strings.Count(err.Error(), "\n") != strings.Count(test.want, "\n") {
				t.Errorf("error = %v\nwant    %s", err, test.want)
			}
			if errors.Is(err, fs.ErrExist) { // walks the chain; it must have an end
				t.Error("unrelated error found")
			}
		})
	}
}

func TestEndlessCausesAreCutOff(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export function run() { let e = new Error("0"); for (let i = 1; i < 100_000; i++) e = new Error(String(i), { cause: e }); throw e; }`)
	_, err := iso.Call(t.Context(), testJob, ns.Method("run"))
	if err == nil || strings.Count(err.Error(), "caused by") != maxShownCauses+1 || !strings.HasSuffix(err.Error(), "…") {
		t.Errorf("error = %v", err)
	}
}

func TestThrownValuesComeBackAsTheyWere(t *testing.T) {
	from, to := newIsolate(t, Options{}), newIsolate(t, Options{})
	thrower := evaluate(t, from, `export const fail = (value: unknown) => { throw value; };`)
	catcher := evaluate(t, to, `export async function check(fail: (value: unknown) => Promise<void>) {
		const wrong: string[] = [];
		for (const value of [null, undefined, 0, "", "text", false]) {
			try { await fail(value); wrong.push("nothing thrown"); } catch (e) { if (e !== value) wrong.push(String(value) + " became " + e); }
		}
		try { await fail({ code: 7 }); } catch (e: any) { if (e.code !== 7) wrong.push("object"); }
		return wrong.join();
	}`)
	if got := call(t, to, catcher, "check", exportedFunction(t, from, thrower, "fail")); got != "" {
		t.Error(got)
	}
}

// pathError is a Go error with a name and members for JavaScript.
type pathError struct{ path string }

func (e *pathError) Error() string            { return "no such file: " + e.path }
func (e *pathError) ErrorName() string        { return "NotFound" }
func (e *pathError) ErrorProperties() *Object { return NewObject("code", "ENOENT", "path", e.path) }
func (e *pathError) Is(target error) bool     { return target == fs.ErrNotExist }

var _ Detailed = (*pathError)(nil)

func TestGoErrorsPassThroughJavaScript(t *testing.T) {
	natives := NewObject(
		"read", Native(func(*NativeCall) (any, error) { return nil, &pathError{"/x"} }),
		"readWrapped", Native(func(*NativeCall) (any, error) { return nil, fmt.Errorf("read settings: %w", &pathError{"/x"}) }),
		"readLater", Native(func(*NativeCall) (any, error) {
			return Async{Work: func(context.Context) (any, error) { return nil, &pathError{"/x"} }}, nil
		}))
	iso := newSuppliedIsolate(t, Options{}, natives)
	source := compileSupplied(t, `
		import { read, readWrapped, readLater } from "go:test";
		export const thrown = () => read();
		export const wrapped = () => readWrapped();
		export const rejected = async () => { await readLater(); };
		export const rethrown = () => { try { read(); } catch (e) { throw e; } };
		export const caused = () => { try { read(); } catch (cause) { throw new Error("outer", { cause }); } };
		export const seen = () => {
			try { read(); } catch (e: any) {
				return [e instanceof Error, e.name, e.message, e.code, e.path, Object.keys(e).join(), typeof e.stack].join("|");
			}
		};
		export const seenWrapped = () => { try { readWrapped(); } catch (e: any) { return [e.name, e.message, e.code].join("|"); } };
	`, "read", "readWrapped", "readLater")
	ns, err := iso.Evaluate(t.Context(), testJob, source)
	if err != nil {
		t.Fatal(err)
	}
	other := newIsolate(t, Options{})
	relay := evaluate(t, other, `export const relay = (f: () => unknown) => f();`)
	for _, name := range []string{"thrown", "wrapped", "rejected", "rethrown", "caused"} {
		_, direct := iso.Call(t.Context(), testJob, ns.Method(name))
		_, relayed := other.Call(t.Context(), testJob, relay.Method("relay"), exportedFunction(t, iso, ns, name))
		for way, err := range map[string]error{"direct": direct, "relayed": relayed} {
			var found *pathError
			if !errors.As(err, &found) || found.path != "/x" || !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("%s, %s: %#v", name, way, err)
			}
		}
	}
	if got, want := call(t, iso, ns, "seen"), "true|NotFound|no such file: /x|ENOENT|/x|code,path|string"; got != want {
		t.Errorf("seen = %q, want %q", got, want)
	}
	if got, want := call(t, iso, ns, "seenWrapped"), "NotFound|read settings: no such file: /x|ENOENT"; got != want {
		t.Errorf("seen = %q, want %q", got, want)
	}
}

// A Go error that wraps an error of JavaScript keeps that one's name and members.
func TestWrappedJavaScriptErrorKeepsItsName(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		export const fail = () => { throw Object.assign(new TypeError("inner"), { code: "E7" }); };
		export const see = (e: any) => [e instanceof TypeError, e.message, e.code].join("|");
	`)
	_, err := iso.Call(t.Context(), testJob, ns.Method("fail"))
	if got, want := call(t, iso, ns, "see", fmt.Errorf("service: %w", err)), "true|service: "+err.Error()+"|E7"; got != want {
		t.Errorf("seen = %q, want %q", got, want)
	}
}

// TestTextThatEntersGoIsBounded throws, rejects, carries and aborts with texts that
// have no end: what comes out says how much was cut, and still where it was.
func TestTextThatEntersGoIsBounded(t *testing.T) {
	const huge, most = `"x".repeat(5e6)`, 2*maxErrorText + 1024
	for _, test := range []struct{ rule, code string }{
		{"a message", `throw new Error(` + huge + `)`},
		{"a message of wide characters", `throw new Error("\u00fc\ud83d\ude00".repeat(2e6))`},
		{"a name", `throw Object.assign(new Error("m"), { name: ` + huge + ` })`},
		{"a stack", `throw Object.assign(new Error("m"), { stack: ` + huge + ` })`},
		{"a cause", `throw new Error("m", { cause: new Error(` + huge + `) })`},
		{"a thrown text", `throw ` + huge},
		{"a thrown bigint", `throw 10n ** 100000n`},
		{"a rejection", `return Promise.reject(new TypeError(` + huge + `))`},
		{"a DOMException", `throw new DOMException(` + huge + `, "AbortError")`},
		{"a class", `class A {}; Object.defineProperty(A, "name", { value: ` + huge + ` }); return new A()`},
		{"a member", `return { [` + huge + `]: Symbol() }`},
	} {
		t.Run(test.rule, func(t *testing.T) {
			iso := newIsolate(t, Options{})
			_, err := iso.Call(t.Context(), testJob, evaluate(t, iso, "export function run(): unknown { "+test.code+"; }").Method("run"))
			if err == nil {
				t.Fatal("nothing was thrown")
			}
			text := err.Error()
			var thrown *Error
			if errors.As(err, &thrown) {
				text += thrown.Stack
			}
			if len(text) > most || !strings.Contains(text, "cut]") {
				t.Errorf("%d bytes entered Go, %.200s", len(text), text)
			}
		})
	}
}

func TestFramesOutliveALongMessage(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `export function run() {
		throw new RangeError("x".repeat(5e6));
	}`)
	_, err := iso.Call(t.Context(), testJob, ns.Method("run"))
	var thrown *Error
	if !errors.As(err, &thrown) {
		t.Fatal(err)
	}
	if thrown.Position.Line != 2 || !strings.Contains(thrown.Stack, "at run (main.ts:2") {
		t.Errorf("place %v, stack ends %q", thrown.Position, thrown.Stack[max(0, len(thrown.Stack)-200):])
	}
}

func TestShorten(t *testing.T) {
	for _, test := range []struct{ text, want string }{
		{"", ""}, {"four", "four"}, {"fives", "five… [1 bytes cut]"}, {"aaaü", "aaa… [2 bytes cut]"},
	} {
		if got := Shorten(test.text, 4); got != test.want {
			t.Errorf("Shorten(%q) = %q, want %q", test.text, got, test.want)
		}
	}
}
