package durable

import "time"

// Clock tells the time and calls back when some of it has passed. It is safe for
// concurrent use.
type Clock interface {
	Now() time.Time
	// AfterFunc calls call in a goroutine of its own once the duration has passed,
	// and returns what prevents that, and says whether it did.
	AfterFunc(duration time.Duration, call func()) (stop func() bool)
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now implements [Clock].
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc implements [Clock].
func (SystemClock) AfterFunc(duration time.Duration, call func()) func() bool {
	return time.AfterFunc(duration, call).Stop
}

// milliseconds is how times are stored: since 1970.
func (s *Session) milliseconds() int64 { return s.options.Clock.Now().UnixMilli() }
