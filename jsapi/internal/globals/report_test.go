package globals

import (
	"errors"
	"strings"
	"testing"

	"github.com/dop251/goja"
)

func TestUncaughtExceptionsAreReported(t *testing.T) {
	for _, test := range []struct{ where, source string }{
		{"timer", `setTimeout(function thrower() { throw new TypeError("boom"); }, 1)`},
		{"interval", `const t = setInterval(function thrower() { clearInterval(t); throw new TypeError("boom"); }, 1)`},
		{"immediate", `setImmediate(function thrower() { throw new TypeError("boom"); })`},
		{"microtask", `queueMicrotask(function thrower() { throw new TypeError("boom"); })`},
		{"listener", `const t = new EventTarget(); t.addEventListener("x", function thrower() { throw new TypeError("boom"); }); t.dispatchEvent(new Event("x"))`},
		{"abort listener", `const c = new AbortController(); c.signal.onabort = function thrower() { throw new TypeError("boom"); }; c.abort()`},
	} {
		t.Run(test.where, func(t *testing.T) {
			l := newLoop(t)
			if _, err := l.run("reported.js", test.source+"\n; globalThis.after = true"); err != nil {
				t.Fatal(err)
			}
			if len(l.reported) != 1 {
				t.Fatalf("%d errors were reported: %v", len(l.reported), l.reported)
			}
			var exception *goja.Exception
			if !errors.As(l.reported[0], &exception) {
				t.Fatalf("reported a %T", l.reported[0])
			}
			if text := exception.String(); !strings.Contains(text, "TypeError: boom") || !strings.Contains(text, "thrower (reported.js:1:") {
				t.Errorf("reported %s", text)
			}
			if !l.rt.Get("after").ToBoolean() {
				t.Error("the code after it did not run")
			}
		})
	}
}

func TestAThrownPrimitiveIsReportedAsItIs(t *testing.T) {
	l := newLoop(t)
	if _, err := l.run("reported.js", `queueMicrotask(() => { throw 42 }); setTimeout(() => { throw "text" })`); err != nil {
		t.Fatal(err)
	}
	var values []string
	for _, err := range l.reported {
		var exception *goja.Exception
		if errors.As(err, &exception) {
			values = append(values, exception.Value().String())
		}
	}
	if got := strings.Join(values, " "); got != "42 text" {
		t.Errorf("reported %q", got)
	}
}

func TestAnEngineFaultInATimerIsReported(t *testing.T) {
	l := newLoop(t)
	l.rt.SetMaxCallStackSize(200)
	if _, err := l.run("overflow.js", `setTimeout(function again() { again(); }, 1)`); err != nil {
		t.Fatal(err)
	}
	var overflow *goja.StackOverflowError
	if len(l.reported) != 1 || !errors.As(l.reported[0], &overflow) {
		t.Errorf("reported %v", l.reported)
	}
}
