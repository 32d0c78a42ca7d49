package jsapi

import (
	"context"
	"slices"
	"sync"

	"github.com/dop251/goja"
)

// Signal is an AbortSignal on its way. The zero value is not usable; see
// [NewSignal].
type Signal struct {
	mu        sync.Mutex
	aborted   bool
	reason    any
	next      int
	listeners []signalListener

	// Of a signal that came out of an isolate: where it is at home. The object
	// belongs to that isolate's loop, and is nil when it has ended.
	home   *Isolate
	object *goja.Object
}

type signalListener struct {
	id   int
	home *Isolate // that the listener belongs to, if any
	call func(reason any)
}

// NewSignal returns a signal that has not been aborted.
func NewSignal() *Signal { return &Signal{} }

// Abort aborts the signal with a reason, in one of the forms of data. Listeners
// run on the calling goroutine, in the order they came. A second call does nothing.
func (s *Signal) Abort(reason any) {
	s.mu.Lock()
	if s.aborted {
		s.mu.Unlock()
		return
	}
	s.aborted, s.reason = true, reason
	listeners := s.listeners
	s.listeners = nil
	s.mu.Unlock()
	for _, listener := range listeners {
		listener.call(reason)
	}
}

// Aborted reports whether the signal was aborted, and why.
func (s *Signal) Aborted() (reason any, aborted bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.reason, s.aborted
}

// Listen calls listen once when the signal is aborted, at once when it already
// was. The returned function takes the listener away.
func (s *Signal) Listen(listen func(reason any)) (stop func()) {
	return s.listen(nil, listen)
}

// listen adds a listener that [Signal.forget] takes away with its isolate.
func (s *Signal) listen(home *Isolate, listen func(reason any)) (stop func()) {
	s.mu.Lock()
	if s.aborted {
		reason := s.reason
		s.mu.Unlock()
		listen(reason)
		return func() {}
	}
	id := s.next
	s.next++
	s.listeners = append(s.listeners, signalListener{id, home, listen})
	s.mu.Unlock()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listeners = slices.DeleteFunc(s.listeners, func(l signalListener) bool { return l.id == id })
	}
}

// forget takes the listeners of an isolate away.
func (s *Signal) forget(home *Isolate) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listeners = slices.DeleteFunc(s.listeners, func(l signalListener) bool { return l.home == home })
}

// Context returns a context that ends when the signal is aborted or parent ends.
// The caller must call cancel.
func (s *Signal) Context(parent context.Context) (ctx context.Context, cancel func()) {
	ctx, stop := context.WithCancelCause(parent)
	unlisten := s.Listen(func(reason any) { stop(&AbortError{Reason: reason}) })
	return ctx, func() {
		unlisten()
		stop(context.Canceled)
	}
}
