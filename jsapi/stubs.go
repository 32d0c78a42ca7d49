package jsapi

import (
	"runtime"
	"weak"

	"github.com/dop251/goja"
)

// stubs remembers which function objects of an isolate stand for functions of
// other isolates, so that a stub that is handed on leads to the original and one
// function always has one stub. Entries do not keep anything alive.
type stubs struct {
	loop     *loop
	objects  map[weak.Pointer[goja.Object]]*Function
	byTarget map[*Function]weak.Pointer[goja.Object]
}

// of returns the object that stands for target, made by create when there is
// none. It runs on the loop.
func (s *stubs) of(target *Function, create func() *goja.Object) *goja.Object {
	if object := s.byTarget[target].Value(); object != nil {
		return object
	}
	object := create()
	pointer := weak.Make(object)
	if s.objects == nil {
		s.objects = make(map[weak.Pointer[goja.Object]]*Function)
		s.byTarget = make(map[*Function]weak.Pointer[goja.Object])
	}
	s.objects[pointer], s.byTarget[target] = target, pointer
	runtime.AddCleanup(object, func(pointer weak.Pointer[goja.Object]) {
		s.loop.post(func() { s.forget(pointer) })
	}, pointer)
	return object
}

func (s *stubs) forget(pointer weak.Pointer[goja.Object]) {
	target := s.objects[pointer]
	delete(s.objects, pointer)
	if target != nil && s.byTarget[target] == pointer {
		delete(s.byTarget, target)
	}
}

// lookUp returns what an object stands for.
func (s *stubs) lookUp(object *goja.Object) (*Function, bool) {
	if len(s.objects) == 0 {
		return nil, false
	}
	target, ok := s.objects[weak.Make(object)]
	return target, ok
}
