package durable

import (
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
)

// listeners are called in the order in which they came. They may come and go at any
// time, also while they are called. The zero value has none.
type listeners[T any] struct {
	mu  sync.Mutex
	all []*listener[T]
}

// listener is code from outside that is told of something.
type listener[T any] struct {
	call    func(T)
	stopped atomic.Bool
}

// add has code called until stop is.
func (l *listeners[T]) add(call func(T)) (stop func()) {
	one := &listener[T]{call: call}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, one)
	return func() { l.drop(one) }
}

func (l *listeners[T]) drop(one *listener[T]) {
	one.stopped.Store(true)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = slices.DeleteFunc(l.all, func(other *listener[T]) bool { return other == one })
}

// tell calls those who are there now and have not stopped when their turn comes. One
// that panics is logged and not called again.
func (l *listeners[T]) tell(logger *slog.Logger, what T) {
	l.mu.Lock()
	now := slices.Clone(l.all)
	l.mu.Unlock()
	for _, one := range now {
		if one.stopped.Load() {
			continue
		}
		err := guarded(func() error {
			one.call(what)
			return nil
		})
		if err != nil {
			logger.Error("a listener has failed and is not called any more", "error", err)
			l.drop(one)
		}
	}
}
