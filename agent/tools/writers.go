package tools

import (
	"context"
	"sync"
)

// writers lets one call at a time change a file. The zero value is ready to use.
type writers struct {
	mu    sync.Mutex
	files map[string]*turn
}

// turn is held by the writer of a file.
type turn struct {
	held    chan struct{} // has one token while somebody writes
	waiting int           // those who hold or wait
}

// lock waits for the file's other writers, and returns what lets the next one go on.
// An error is that of the context.
func (w *writers) lock(ctx context.Context, canonical string) (unlock func(), err error) {
	w.mu.Lock()
	if w.files == nil {
		w.files = make(map[string]*turn)
	}
	t := w.files[canonical]
	if t == nil {
		t = &turn{held: make(chan struct{}, 1)}
		w.files[canonical] = t
	}
	t.waiting++
	w.mu.Unlock()
	select {
	case t.held <- struct{}{}:
		return func() {
			<-t.held
			w.leave(canonical, t)
		}, nil
	case <-ctx.Done():
		w.leave(canonical, t)
		return nil, context.Cause(ctx)
	}
}

func (w *writers) leave(canonical string, t *turn) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if t.waiting--; t.waiting == 0 {
		delete(w.files, canonical)
	}
}
