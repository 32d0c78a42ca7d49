package globals

import (
	"runtime"
	"testing"
)

func TestAWeakRefLetsGo(t *testing.T) {
	l := newLoop(t)
	if _, err := l.run("weak.js", `globalThis.kept = {}; globalThis.strong = new WeakRef(kept); (() => { globalThis.weak = new WeakRef({ big: new Uint8Array(1000) }); })()`); err != nil {
		t.Fatal(err)
	}
	// Running other code takes the object off the engine's stack.
	for range 100 {
		runtime.GC()
		value, err := l.run("weak.js", `[1, 2, 3].map((x) => [x]); weak.deref() === undefined && strong.deref() === kept`)
		if err != nil {
			t.Fatal(err)
		}
		if value.ToBoolean() {
			return
		}
	}
	t.Error("the object is still there")
}
