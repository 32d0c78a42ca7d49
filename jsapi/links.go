package jsapi

import (
	"runtime"
	"weak"

	"github.com/dop251/goja"
)

// links remembers which objects of an isolate stand for what lives elsewhere, so
// that a stub that is handed on leads to the original and one original always
// has one stub. Entries keep neither alive: a stub keeps its original, so that the
// two go together when nobody else has them. It belongs to the loop.
type links[T any] struct {
	targets map[weak.Pointer[goja.Object]]weak.Pointer[T]
	objects map[weak.Pointer[T]]weak.Pointer[goja.Object]
}

// link returns the object that stands for target, made by create when there is
// none; what create makes must keep target alive. table finds the links of an
// isolate.
func link[T any](iso *Isolate, table func(*Isolate) *links[T], target *T, create func() (*goja.Object, error)) (*goja.Object, error) {
	l, original := table(iso), weak.Make(target)
	if object := l.objects[original].Value(); object != nil {
		return object, nil
	}
	object, err := create()
	if err != nil {
		return nil, err
	}
	stub := weak.Make(object)
	if l.targets == nil {
		l.targets = make(map[weak.Pointer[goja.Object]]weak.Pointer[T])
		l.objects = make(map[weak.Pointer[T]]weak.Pointer[goja.Object])
	}
	l.targets[stub], l.objects[original] = original, stub
	onCollected(iso, object, func(iso *Isolate) { table(iso).forget(stub) })
	return object, nil
}

func (l *links[T]) forget(stub weak.Pointer[goja.Object]) {
	original, known := l.targets[stub]
	delete(l.targets, stub)
	if known && l.objects[original] == stub {
		delete(l.objects, original)
	}
}

// lookUp returns what an object stands for.
func (l *links[T]) lookUp(object *goja.Object) (target *T, ok bool) {
	if len(l.targets) > 0 {
		target = l.targets[weak.Make(object)].Value()
	}
	return target, target != nil
}

// exports remembers what stands outside for objects of an isolate, so that an
// object that is handed out twice is one thing there. Entries keep nothing alive.
// It belongs to the loop.
type exports[T any] map[exported]weak.Pointer[T]

// exported is an object that was handed out by code of an owner.
type exported struct {
	object weak.Pointer[goja.Object]
	owner  weak.Pointer[Owner]
}

// export returns what stands for an object, made by create when there is
// nothing. table finds the exports of an isolate.
func export[T any](iso *Isolate, table func(*Isolate) *exports[T], object *goja.Object, owner *Owner, create func() *T) *T {
	key := exported{weak.Make(object), weak.Make(owner)}
	e := table(iso)
	if known := (*e)[key].Value(); known != nil {
		return known
	}
	made := create()
	if *e == nil {
		*e = make(exports[T])
	}
	pointer := weak.Make(made)
	(*e)[key] = pointer
	onCollected(iso, made, func(iso *Isolate) {
		if e := table(iso); (*e)[key] == pointer {
			delete(*e, key)
		}
	})
	return made
}

// onCollected runs f on the isolate's loop after value was collected. It does not
// keep the isolate alive; f must not either.
func onCollected[T any](iso *Isolate, value *T, f func(*Isolate)) {
	runtime.AddCleanup(value, func(home weak.Pointer[Isolate]) {
		if iso := home.Value(); iso != nil {
			iso.loop.post(func() { f(iso) })
		}
	}, weak.Make(iso))
}

func functionsOf(iso *Isolate) *links[Function]      { return &iso.functions }
func signalsOf(iso *Isolate) *links[Signal]          { return &iso.signals }
func ownFunctionsOf(iso *Isolate) *exports[Function] { return &iso.ownFunctions }
func ownSignalsOf(iso *Isolate) *exports[Signal]     { return &iso.ownSignals }
