package host

import (
	"sync"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// manualClock stands still until a test moves it.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*alarm
	set    chan struct{} // holds a token after an alarm was set
}

type alarm struct {
	at   time.Time
	ring func()
}

var _ jsapi.Clockwork = (*manualClock)(nil)

func newManualClock() *manualClock {
	return &manualClock{now: time.Date(2030, 1, 2, 3, 4, 5, 0, time.UTC), set: make(chan struct{}, 1)}
}

// in makes a host run by the clock.
func (c *manualClock) in(options *Options) { options.Clock, options.Memory = c, -1 }

// Now implements [jsapi.Clockwork].
func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

// AfterFunc implements [jsapi.Clockwork].
func (c *manualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	set := &alarm{at: c.now.Add(d), ring: f}
	c.alarms = append(c.alarms, set)
	select {
	case c.set <- struct{}{}:
	default:
	}
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		for i, other := range c.alarms {
			if other == set {
				c.alarms = append(c.alarms[:i:i], c.alarms[i+1:]...)
				return true
			}
		}
		return false
	}
}

// advance moves the clock and rings what is due.
func (c *manualClock) advance(d time.Duration) {
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due, later []*alarm
	for _, set := range c.alarms {
		if set.at.After(c.now) {
			later = append(later, set)
		} else {
			due = append(due, set)
		}
	}
	c.alarms = later
	c.mu.Unlock()
	for _, set := range due {
		go set.ring()
	}
}

// awaited waits until something is due in d by the clock. What was set with that
// duration before the clock moved is due earlier, and does not count.
func (c *manualClock) awaited(t testing.TB, d time.Duration) {
	t.Helper()
	limit := time.After(patient)
	for !c.due(d) {
		select {
		case <-c.set:
		case <-limit:
			t.Fatalf("nothing is due in %s", d)
		}
	}
}

func (c *manualClock) due(d time.Duration) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, set := range c.alarms {
		if set.at.Equal(c.now.Add(d)) {
			return true
		}
	}
	return false
}

func TestAnAlarmFromBeforeTheClockMovedIsNotTakenForANewOne(t *testing.T) {
	clock := newManualClock()
	clock.AfterFunc(time.Minute, func() {})
	clock.advance(time.Second)
	if clock.due(time.Minute) || !clock.due(59*time.Second) {
		t.Error("an alarm is known by the duration that it was set with, not by when it rings")
	}
	clock.AfterFunc(time.Minute, func() {})
	if !clock.due(time.Minute) {
		t.Error("the new alarm is not seen")
	}
}
