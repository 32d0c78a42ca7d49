package jsapi

import (
	"encoding/json"
	"errors"
	"testing"
)

// An extension that patches what the platform gives it breaks itself at most: its
// calls fail with ordinary errors, or work, and its isolate lives.
func TestPatchedPlatform(t *testing.T) {
	for _, patch := range []string{
		`Promise.prototype.then = () => { throw new Error("patched"); };`,
		`Promise.resolve = (() => 1) as any;`,
		`(globalThis as any).Promise = class {};`,
		`JSON.stringify = () => "patched";`,
		`Object.defineProperty(Object.prototype, "value", { set() { throw new Error("patched"); }, configurable: true });`,
		`Object.freeze(Object.prototype); Object.freeze(Array.prototype);`,
		`(Array.prototype as any)[Symbol.iterator] = () => { throw new Error("patched"); };`,
		`(Map.prototype as any).set = 1; (Map.prototype as any).forEach = 2; (Set.prototype as any).add = null;`,
		`(globalThis as any).Map = (globalThis as any).Set = (globalThis as any).Date = (globalThis as any).Uint8Array = undefined;`,
		`(globalThis as any).Error = (globalThis as any).TypeError = function () {};`,
		`(globalThis as any).AbortController = class { abort = 5; signal = 5; }; (globalThis as any).AbortSignal = 7;`,
		`(globalThis as any).AbortController = undefined;`,
		`AbortController.prototype.abort = undefined as any;`,
		`EventTarget.prototype.addEventListener = 1 as any;`,
		`Object.defineProperty(AbortSignal, Symbol.hasInstance, { value: () => true });`,
		`for (const key of Object.getOwnPropertyNames(globalThis)) if (key !== "globalThis") try { delete (globalThis as any)[key]; } catch {}`,
		`Object.setPrototypeOf(Object.prototype.constructor, null); Object.setPrototypeOf(Array.prototype, { get x() { throw 1; } });`,
	} {
		t.Run(patch, func(t *testing.T) {
			iso := newIsolate(t, Options{Context: contextModule(t)})
			ns := evaluate(t, iso, patch+`
				export const ping = () => "pong";
				export const pass = (x: any) => x;
				export const later = async (x: any) => x;
				export const fail = () => { throw new RangeError("own"); };
				export const signal = (c: any) => String(c.abortSignal?.aborted);
				export const give = () => [new Map([[1, 2]]), new Set([1]), new Date(0), new Uint8Array(1), new AbortController().signal, async function* () {}];
			`)
			inputs := []any{
				NewObject("value", 1.0, "toString", "x", "items", []any{1, 2}), &Map{Entries: [][2]any{{1.0, 2.0}}}, &Set{Items: []any{1.0}},
				Date(5), &Bytes{Data: []byte{1}}, &Error{Name: "TypeError", Message: "m"}, NewSignal(), json.RawMessage(`{"value": [1, {"constructor": 2}]}`),
				&Stream{}, exportedFunction(t, iso, ns, "ping"), &depthError{1}, OwnContext{}, OwnSignal{},
			}
			for _, name := range []string{"pass", "later", "signal"} {
				for _, input := range inputs {
					_, err := iso.Call(t.Context(), testJob, ns.Method(name), input)
					var fault *PanicError
					if errors.As(err, &fault) {
						t.Fatalf("%s(%T): %v\n%s", name, input, err, fault.Stack)
					}
				}
			}
			for _, name := range []string{"fail", "give"} {
				_, _ = iso.Call(t.Context(), testJob, ns.Method(name))
			}
			if got := call(t, iso, ns, "ping"); got != "pong" {
				t.Errorf("ping = %v", got)
			}
			if cause := iso.Cause(); cause != nil {
				t.Error(cause)
			}
		})
	}
}

// Data keeps its classes whatever an extension makes of their names and methods.
func TestDataComesInWhenThePlatformIsPatched(t *testing.T) {
	iso := newIsolate(t, Options{})
	ns := evaluate(t, iso, `
		const own: any = { Map, Set, Date, Uint8Array, TypeError, Error, of: Object.getPrototypeOf };
		(Map.prototype as any).set = () => { throw 1; }; (Set.prototype as any).add = () => { throw 2; };
		for (const name of ["Map", "Set", "Date", "Uint8Array", "TypeError", "Error"]) (globalThis as any)[name] = undefined;
		export const is = (x: any, name: string) => own.of(x) === own[name].prototype;
	`)
	for name, data := range map[string]any{
		"Map": &Map{Entries: [][2]any{{1.0, 2.0}}}, "Set": &Set{Items: []any{1.0}}, "Date": Date(5), "Uint8Array": &Bytes{Data: []byte{1}},
		"TypeError": &Error{Name: "TypeError", Message: "m"}, "Error": errors.New("m"),
	} {
		got, err := iso.Call(t.Context(), testJob, ns.Method("is"), data, name)
		if err != nil || got != true {
			t.Errorf("%s: %v, %v", name, got, err)
		}
	}
}
