package globals

import (
	"maps"
	"slices"
	"sync"
	"testing"

	"github.com/dop251/goja"
)

func TestNothingIsMadeBeforeItIsTouched(t *testing.T) {
	l := newLoop(t)
	env := environmentOf(l.rt)
	if len(env.modules) != 1 || env.modules["prelude"] == nil {
		t.Errorf("after Install these scripts have run: %v", env.modules)
	}
	for _, name := range lazyGlobalNames() {
		if _, err := l.rt.RunString(`if (Object.hasOwn(globalThis, "` + name + `") || !("` + name + `" in globalThis)) throw new Error("made or unknown")`); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestEveryGlobalIsAPlainProperty(t *testing.T) {
	l := newLoop(t)
	for _, name := range lazyGlobalNames() {
		value := l.rt.Get(name)
		if value == nil || goja.IsUndefined(value) {
			t.Errorf("%s is undefined", name)
			continue
		}
		check := `(() => { const d = Object.getOwnPropertyDescriptor(globalThis, "` + name + `");
			return d.writable && d.configurable && !d.enumerable && d.value === globalThis.` + name + `; })()`
		if ok, err := l.rt.RunString(check); err != nil || !ok.ToBoolean() {
			t.Errorf("%s: %v %v", name, ok, err)
		}
	}
}

// TestProgramsAreShared installs in many runtimes at once, as a reload does.
func TestProgramsAreShared(t *testing.T) {
	names := lazyGlobalNames()
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			for range 3 {
				rt := goja.New()
				if err := Install(rt, &loop{rt: rt}); err != nil {
					t.Error(err)
					return
				}
				for _, name := range names {
					if name == "crypto" || name == "performance" {
						continue
					}
					rt.Get(name)
				}
				if _, err := rt.RunString(`[1, 2].values().map((x) => x).toArray(); (1234).toLocaleString(); new Date(0).toLocaleString()`); err != nil {
					t.Error(err)
				}
			}
		})
	}
	group.Wait()
}

func TestAnExtensionThatPatchesBuiltinsBreaksOnlyItself(t *testing.T) {
	first, second := newLoop(t), newLoop(t)
	if _, err := first.run("patch.js", `Array.prototype.filter = () => { throw new Error("patched"); }; Map.prototype.get = null`); err != nil {
		t.Fatal(err)
	}
	value, err := second.run("other.js", `const t = new EventTarget(); let n = 0; t.addEventListener("x", () => n++); t.dispatchEvent(new Event("x")); n`)
	if err != nil || value.ToInteger() != 1 {
		t.Errorf("the other runtime: %v, %v", value, err)
	}
}

// lazyGlobalNames lists the globals that are made at their first touch, sorted.
// The names that the engine has itself are not among them.
func lazyGlobalNames() []string { return slices.Sorted(maps.Keys(lazyNames)) }
