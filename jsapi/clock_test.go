package jsapi

import (
	"context"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/dop251/goja"
)

// manualClock is a clock that a test moves.
type manualClock struct {
	mu     sync.Mutex
	now    time.Time
	alarms []*manualAlarm
}

type manualAlarm struct {
	at   time.Time
	ring func()
}

var _ Clockwork = (*manualClock)(nil)

func newManualClock() *manualClock { return &manualClock{now: time.UnixMilli(1_700_000_000_000)} }

func (c *manualClock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *manualClock) AfterFunc(d time.Duration, f func()) func() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	alarm := &manualAlarm{at: c.now.Add(d), ring: f}
	c.alarms = append(c.alarms, alarm)
	return func() bool {
		c.mu.Lock()
		defer c.mu.Unlock()
		before := len(c.alarms)
		c.alarms = slices.DeleteFunc(c.alarms, func(each *manualAlarm) bool { return each == alarm })
		return len(c.alarms) < before
	}
}

// advance moves the clock, rings what is due and waits until the isolate has
// fired its timers.
func (c *manualClock) advance(t testing.TB, iso *Isolate, d time.Duration) {
	t.Helper()
	c.mu.Lock()
	c.now = c.now.Add(d)
	var due []func()
	c.alarms = slices.DeleteFunc(c.alarms, func(alarm *manualAlarm) bool {
		if alarm.at.After(c.now) {
			return false
		}
		due = append(due, alarm.ring)
		return true
	})
	c.mu.Unlock()
	for _, ring := range due {
		ring()
	}
	settleLoop(t, iso)
}

// waiting is the number of alarms that are set.
func (c *manualClock) waiting() int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.alarms)
}

// settleLoop returns when the loop has run what was queued before and fired the
// timers that were due: it fires them after each batch of jobs.
func settleLoop(t testing.TB, iso *Isolate) {
	t.Helper()
	for range 2 {
		onLoop(t, iso, func() {})
	}
}

// onLoop runs f in a turn of the isolate.
func onLoop(t testing.TB, iso *Isolate, f func()) {
	t.Helper()
	_, err := iso.submit(context.Background(), testJob, func(*pendingCall) (goja.Value, error) {
		f()
		return goja.Undefined(), nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
