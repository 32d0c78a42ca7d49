package jsapi

import (
	"context"
	"slices"
	"sync"
)

// queueLine serves asynchronous work one after another. The zero value is an
// empty line.
type queueLine struct {
	mu      sync.Mutex
	waiting []chan struct{} // the first is being served; closed when its turn comes
}

// async takes a place in the line now. Work whose context ends while it waits
// leaves its place.
func (l *queueLine) async(work func(context.Context) (any, error)) Async {
	place := l.join()
	return Async{Work: func(ctx context.Context) (any, error) {
		defer l.leave(place)
		select {
		case <-place:
			return work(ctx)
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}}
}

func (l *queueLine) join() chan struct{} {
	l.mu.Lock()
	defer l.mu.Unlock()
	place := make(chan struct{})
	if len(l.waiting) == 0 {
		close(place)
	}
	l.waiting = append(l.waiting, place)
	return place
}

func (l *queueLine) leave(place chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	at := slices.Index(l.waiting, place)
	l.waiting = slices.Delete(l.waiting, at, at+1)
	if at == 0 && len(l.waiting) > 0 {
		close(l.waiting[0])
	}
}
