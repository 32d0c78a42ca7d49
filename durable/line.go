package durable

import (
	"context"
	"sync"
)

// line is the session's mutation line: one commit at a time holds it, the others
// wait in the order in which they came.
type line struct {
	mu      sync.Mutex
	held    bool
	sealed  error // why nobody is admitted any more to the queue
	waiting []*waiter
	// drained is closed by the last who holds the sealed line; nil unless somebody
	// waits for that.
	drained chan struct{}
}

// waiter is one place in the queue.
type waiter struct {
	turn chan error // gets nil when the line is its, or why it will not be
	left bool
}

// acquire waits for the line. It fails with the cause of ctx when that ends first,
// and with why the line was sealed or broken.
func (l *line) acquire(ctx context.Context) error {
	l.mu.Lock()
	if l.sealed != nil {
		defer l.mu.Unlock()
		return l.sealed
	}
	if err := context.Cause(ctx); err != nil {
		l.mu.Unlock()
		return err
	}
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return nil
	}
	place := &waiter{turn: make(chan error, 1)}
	l.waiting = append(l.waiting, place)
	l.mu.Unlock()
	select {
	case err := <-place.turn:
		return err
	case <-ctx.Done():
		l.mu.Lock()
		place.left = true
		l.mu.Unlock()
		select {
		case err := <-place.turn: // it came at the same moment
			if err == nil {
				l.release()
			}
		default:
		}
		return context.Cause(ctx)
	}
}

// release passes the line on.
func (l *line) release() {
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.waiting) > 0 {
		next := l.waiting[0]
		l.waiting = l.waiting[1:]
		if !next.left {
			next.turn <- nil
			return
		}
	}
	if l.drained != nil {
		close(l.drained) // which holds the line from now on
		l.drained = nil
		return
	}
	l.held = false
}

// queued returns how many wait.
func (l *line) queued() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting)
}

// seal refuses newcomers with an error. Those that wait already are served.
func (l *line) seal(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.sealed == nil {
		l.sealed = reason
	}
}

// refuse refuses newcomers and those that wait.
func (l *line) refuse(reason error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.sealed = reason
	for _, place := range l.waiting {
		place.turn <- reason
	}
	l.waiting = nil
}

// drain takes the sealed line for good, after whoever holds it and everybody who
// waits. Refusing those who wait does not make it return before the holder has gone.
func (l *line) drain() {
	l.mu.Lock()
	if !l.held {
		l.held = true
		l.mu.Unlock()
		return
	}
	drained := make(chan struct{})
	l.drained = drained
	l.mu.Unlock()
	<-drained
}
