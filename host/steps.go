package host

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// errNewerTip is the cause of a load that was cancelled for a newer tip.
var errNewerTip = errors.New("a newer commit came while this one took long to load")

// steps are the modules and factories of a load that run right now. It is safe
// for concurrent use.
type steps struct {
	clock jsapi.Clockwork

	mu      sync.Mutex
	running map[int]time.Time
	next    int
	changed chan struct{} // closed and replaced when a step begins
}

func newSteps(clock jsapi.Clockwork) *steps {
	return &steps{clock: clock, running: make(map[int]time.Time), changed: make(chan struct{})}
}

// begin notes that a step runs until the returned function is called.
func (s *steps) begin() (end func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := s.next
	s.next++
	s.running[id] = s.clock.Now()
	close(s.changed)
	s.changed = make(chan struct{})
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.running, id)
	}
}

// oldest returns how long the step that began first has been running, and a
// channel that is closed when another begins.
func (s *steps) oldest() (age time.Duration, running bool, changed <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := s.clock.Now()
	for _, began := range s.running {
		age, running = max(age, now.Sub(began)), true
	}
	return age, running, s.changed
}

// long waits until some step has run for limit, and reports false when ctx ended
// first.
func (s *steps) long(ctx context.Context, limit time.Duration) bool {
	for {
		age, running, changed := s.oldest()
		switch {
		case running && age >= limit:
			return ctx.Err() == nil
		case running:
			if !pause(ctx, s.clock, limit-age) {
				return false
			}
		default:
			select {
			case <-ctx.Done():
				return false
			case <-changed:
			}
		}
	}
}

// pause waits by the clock and reports false when ctx ended first.
func pause(ctx context.Context, clock jsapi.Clockwork, d time.Duration) bool {
	passed := make(chan struct{})
	stop := clock.AfterFunc(d, func() { close(passed) })
	select {
	case <-passed:
		return true
	case <-ctx.Done():
		stop()
		return false
	}
}
