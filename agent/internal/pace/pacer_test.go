package pace_test

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/agent/internal/pace"
	"github.com/seed-d579e5eb/harness/durable"
)

// stores are the commits of a pacer, by when they were made.
type stores struct {
	mu    sync.Mutex
	began time.Time
	at    []time.Duration
	bytes int
	err   error
}

func (s *stores) store() (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.at = append(s.at, time.Since(s.began))
	return s.bytes, s.err
}

func (s *stores) count() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.at)
}

func (s *stores) pacer() *pace.Pacer {
	s.began = time.Now()
	return &pace.Pacer{Clock: durable.SystemClock{}, Interval: 100 * time.Millisecond, Rate: 1000, Store: s.store}
}

// pass lets time pass in a bubble of synctest, where none is really waited for.
func pass(d time.Duration) { <-time.After(d) }

func TestTheFirstChangeIsStoredAtOnceAndLaterOnesTogether(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var s stores
		p := s.pacer()
		for range 15 {
			p.Changed()
			pass(10 * time.Millisecond)
		}
		pass(time.Second)
		p.Changed()
		synctest.Wait()
		p.End()
		want := []time.Duration{0, 100 * time.Millisecond, 200 * time.Millisecond, 1150 * time.Millisecond}
		if s.count() != len(want) {
			t.Fatalf("stored at %v, want %v", s.at, want)
		}
		for i := range want {
			if s.at[i] != want[i] {
				t.Errorf("stored at %v, want %v", s.at, want)
			}
		}
	})
}

func TestLargeCommitsAreFurtherApart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := stores{bytes: 500}
		p := s.pacer()
		p.Changed()
		synctest.Wait()
		p.Changed()
		pass(499 * time.Millisecond)
		synctest.Wait()
		if s.count() != 1 {
			t.Errorf("stored %d times within the half second that 500 bytes take", s.count())
		}
		pass(time.Millisecond)
		synctest.Wait()
		p.End()
		if s.count() != 2 {
			t.Errorf("stored %d times after that", s.count())
		}
	})
}

func TestWhoWaitsIsToldWhatBecameOfTheChange(t *testing.T) {
	ctx := context.Background()
	broken := errors.New("broken")
	t.Run("stored", func(t *testing.T) {
		var s stores
		p := s.pacer()
		defer p.End()
		if err := p.Stored(ctx); err != nil || s.count() != 1 {
			t.Errorf("%v after %d commits", err, s.count())
		}
	})
	t.Run("failed", func(t *testing.T) {
		s := stores{err: broken}
		p := s.pacer()
		defer p.End()
		for range 2 {
			if err := p.Stored(ctx); !errors.Is(err, broken) {
				t.Errorf("got %v", err)
			}
		}
		if s.count() != 1 {
			t.Errorf("%d commits after one failed", s.count())
		}
	})
	t.Run("ended", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var s stores
			p := s.pacer()
			p.Changed()
			synctest.Wait()
			told := make(chan error)
			go func() { told <- p.Stored(ctx) }()
			synctest.Wait()
			p.End()
			p.Settle(nil)
			if err := <-told; err != nil || s.count() != 1 {
				t.Errorf("%v after %d commits", err, s.count())
			}
			if err := p.Stored(ctx); !errors.Is(err, pace.ErrEnded) {
				t.Errorf("after the end: %v", err)
			}
		})
	})
	t.Run("impatient", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			var s stores
			p := s.pacer()
			defer p.End()
			p.Changed()
			synctest.Wait()
			ended, cancel := context.WithTimeout(ctx, time.Millisecond)
			defer cancel()
			if err := p.Stored(ended); !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("got %v", err)
			}
		})
	})
}
