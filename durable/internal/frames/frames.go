// Package frames keeps what somebody who watches has not been told yet: a bounded
// number of frames, each of them one change.
package frames

import (
	"context"
	"sync"
)

// Limit is how many frames wait at most. One that was taken does not wait any more.
const Limit = 100

// Buffer holds frames in their order until they are taken. Adding never waits: where
// one frame too many would wait, a single frame that stands for all of them takes
// their place. It is safe for concurrent use, and has no goroutine.
type Buffer[F any] struct {
	whole func(newest F) F
	more  chan struct{} // has a token when there may be something to take
	done  chan struct{} // closed when it has ended

	mu      sync.Mutex
	waiting []F
	last    error // why it ends once nothing waits; nil while more may come
	ended   error // why it has ended; nil before
}

// New returns an empty buffer. whole makes of the newest frame one that makes up for
// all that came before it; it is called by Add, and must not use the buffer.
func New[F any](whole func(newest F) F) *Buffer[F] {
	return &Buffer[F]{whole: whole, more: make(chan struct{}, 1), done: make(chan struct{})}
}

// Add appends a frame. After Finish or End it does nothing.
func (b *Buffer[F]) Add(frame F) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended != nil || b.last != nil {
		return
	}
	if len(b.waiting) == Limit {
		clear(b.waiting)
		b.waiting, frame = b.waiting[:0], b.whole(frame)
	}
	b.waiting = append(b.waiting, frame)
	b.wake()
}

// Finish has the buffer end for a reason once the frames that wait were taken.
func (b *Buffer[F]) Finish(reason error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil && b.last == nil {
		b.last = reason
		b.wake()
	}
}

// End drops what waits, and says whether the buffer had not ended before. The first
// reason counts.
func (b *Buffer[F]) End(reason error) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.end(reason)
}

func (b *Buffer[F]) end(reason error) bool {
	if b.ended != nil {
		return false
	}
	b.ended, b.waiting = reason, nil
	close(b.done)
	return true
}

// Next takes the oldest frame, and waits for one. It fails with the reason of the end
// and, when ctx ends first, with its cause.
func (b *Buffer[F]) Next(ctx context.Context) (F, error) {
	for {
		frame, found, err := b.take(ctx)
		if found || err != nil {
			return frame, err
		}
		select {
		case <-b.more:
		case <-b.done:
		case <-ctx.Done():
		}
	}
}

func (b *Buffer[F]) take(ctx context.Context) (frame F, found bool, err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.ended == nil && len(b.waiting) == 0 && b.last != nil {
		b.end(b.last)
	}
	if b.ended != nil {
		return frame, false, b.ended
	}
	if err := context.Cause(ctx); err != nil || len(b.waiting) == 0 {
		return frame, false, err
	}
	frame = b.waiting[0]
	clear(b.waiting[:1])
	b.waiting = b.waiting[1:]
	if len(b.waiting) > 0 || b.last != nil {
		b.wake() // whoever else waits
	}
	return frame, true, nil
}

// wake has one of those who wait look again.
func (b *Buffer[F]) wake() {
	select {
	case b.more <- struct{}{}:
	default:
	}
}

// Done is closed when the buffer has ended.
func (b *Buffer[F]) Done() <-chan struct{} { return b.done }

// Err returns why the buffer has ended; nil before.
func (b *Buffer[F]) Err() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.ended
}
