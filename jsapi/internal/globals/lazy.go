package globals

import "github.com/dop251/goja"

// lazyGlobals is the prototype of the global object: it answers for the names
// that nobody has touched yet. The first read of a name makes the value and
// defines it on the global object itself, where every later read finds it; a
// write defines an own property there at once, as on any prototype. So a
// runtime pays for the globals it uses, while an accessor per name would cost
// each of them 1.5 KB.
type lazyGlobals struct {
	rt      *goja.Runtime
	env     *environment
	touched map[string]bool
}

var _ goja.DynamicObject = (*lazyGlobals)(nil)

func (l *lazyGlobals) Get(name string) goja.Value {
	if !l.Has(name) {
		return nil
	}
	if l.touched == nil {
		l.touched = make(map[string]bool)
	}
	// Marked first, so that a script that asks for its own global while it is
	// being made sees it as missing instead of recursing.
	l.touched[name] = true
	made := false
	defer func() {
		if !made {
			delete(l.touched, name)
		}
	}()
	value := l.env.global(name)
	define(l.rt.GlobalObject(), name, value)
	made = true
	return value
}

// Has reports whether name is still to be made. A name that was touched is an
// own property of the global object, or was deleted from there.
func (l *lazyGlobals) Has(name string) bool {
	_, known := lazyNames[name]
	return known && !l.touched[name]
}

// Set refuses: nothing but the prototype object itself is a receiver here.
func (l *lazyGlobals) Set(string, goja.Value) bool { return false }

func (l *lazyGlobals) Delete(name string) bool { return !l.Has(name) }

// Keys is empty, because the globals are not enumerable.
func (l *lazyGlobals) Keys() []string { return nil }

// lazyHelpers is the prototype of the prototype of all iterators until a helper
// is first looked for. Then iterator.js defines them all and this object steps
// aside.
type lazyHelpers struct {
	env               *environment
	iteratorPrototype *goja.Object
	objectPrototype   *goja.Object
}

var _ goja.DynamicObject = (*lazyHelpers)(nil)

func (e *environment) lendLazyHelpers(natives *goja.Object) {
	e.lend(natives, "lazyHelpers", func(call goja.FunctionCall) goja.Value {
		prototype := call.Argument(0).(*goja.Object)
		lazy := &lazyHelpers{env: e, iteratorPrototype: prototype, objectPrototype: prototype.Prototype()}
		if err := prototype.SetPrototype(e.rt.NewDynamicObject(lazy)); err != nil {
			panic(err)
		}
		e.helpers = lazy
		return goja.Undefined()
	})
}

// define runs iterator.js, unless it has run.
func (l *lazyHelpers) define() {
	if l.iteratorPrototype.Prototype() == l.objectPrototype {
		return
	}
	if err := l.iteratorPrototype.SetPrototype(l.objectPrototype); err != nil {
		panic(err)
	}
	l.env.need("iterator")
}

func (l *lazyHelpers) Get(name string) goja.Value {
	if !l.Has(name) {
		return nil
	}
	l.define()
	return l.iteratorPrototype.Get(name)
}

func (l *lazyHelpers) Has(name string) bool {
	switch name {
	case "map", "filter", "take", "drop", "flatMap", "reduce", "toArray", "forEach", "some", "every", "find", "constructor":
		return true
	}
	return false
}

func (l *lazyHelpers) Set(string, goja.Value) bool { return false }
func (l *lazyHelpers) Delete(name string) bool     { return !l.Has(name) }
func (l *lazyHelpers) Keys() []string              { return nil }

// define sets a property as the specification defines globals: writable,
// configurable, not enumerable (ECMA-262 section 17).
func define(object *goja.Object, name string, value goja.Value) {
	if err := object.DefineDataProperty(name, value, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE); err != nil {
		panic(err)
	}
}
