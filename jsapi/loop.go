package jsapi

import (
	"container/heap"
	"sync"
	"time"
)

// loop runs functions one after another on one goroutine, in the order they
// were posted, and timers in the order of their deadlines. Timers of one
// deadline fire in the order they were set.
//
// post and stop may be called from any goroutine. Everything else belongs to the
// loop's goroutine.
type loop struct {
	clock Clockwork
	done  chan struct{}
	wake  chan struct{}

	mu      sync.Mutex
	queue   []func()
	stopped bool

	timers timerHeap
	byID   map[int64]*timer // those of timers
	nextID int64
	alarm  func() bool
	rings  time.Time
}

// Clockwork tells the time to an isolate and wakes it. It must be safe for
// concurrent use.
type Clockwork interface {
	Now() time.Time
	// AfterFunc calls f on any goroutine once d has passed. stop reports whether
	// it prevented the call.
	AfterFunc(d time.Duration, f func()) (stop func() bool)
}

// SystemClock is the machine's clock.
type SystemClock struct{}

// Now implements [Clockwork].
func (SystemClock) Now() time.Time { return time.Now() }

// AfterFunc implements [Clockwork].
func (SystemClock) AfterFunc(d time.Duration, f func()) func() bool {
	return time.AfterFunc(d, f).Stop
}

var _ Clockwork = SystemClock{}

// timer is one pending timer.
type timer struct {
	id     int64
	at     time.Time
	every  time.Duration
	owner  *Owner
	values contextValues
	fire   func()
	index  int
}

func newLoop(clock Clockwork) *loop {
	return &loop{clock: clock, byID: make(map[int64]*timer), done: make(chan struct{}), wake: make(chan struct{}, 1)}
}

// post queues work and reports whether the loop will run it.
func (l *loop) post(work func()) bool {
	l.mu.Lock()
	if l.stopped {
		l.mu.Unlock()
		return false
	}
	l.queue = append(l.queue, work)
	l.mu.Unlock()
	l.ring()
	return true
}

func (l *loop) ring() {
	select {
	case l.wake <- struct{}{}:
	default:
	}
}

// stop makes the loop end after the function it is running. Queued functions
// are dropped.
func (l *loop) stop() {
	l.mu.Lock()
	l.stopped = true
	l.queue = nil
	l.mu.Unlock()
	l.ring()
}

// run is the loop's goroutine. fire runs a due timer, end is the last that it
// runs.
func (l *loop) run(fire func(*timer), end func()) {
	defer close(l.done)
	defer end()
	var batch []func()
	for {
		var stopped bool
		batch, stopped = l.take(batch)
		if stopped {
			l.silence()
			l.timers, l.byID = nil, nil
			return
		}
		for _, work := range batch {
			if l.isStopped() {
				break
			}
			work()
		}
		fired := l.fireDue(fire)
		if len(batch) == 0 && !fired {
			<-l.wake
		}
	}
}

// take returns what is queued. done is the slice that it returned before, whose
// functions have run; the queue grows in it from now on.
func (l *loop) take(done []func()) (batch []func(), stopped bool) {
	clear(done)
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.stopped {
		return nil, true
	}
	batch, l.queue = l.queue, done[:0]
	return batch, false
}

func (l *loop) isStopped() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.stopped
}

// depth is the number of jobs that wait.
func (l *loop) depth() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.queue)
}

// fireDue fires the timers that are due, but none that was set meanwhile, and
// sets the alarm for the next. It reports whether any fired.
func (l *loop) fireDue(fire func(*timer)) bool {
	if len(l.timers) == 0 {
		return false
	}
	now, last, fired := l.clock.Now(), l.nextID, false
	for len(l.timers) > 0 && !l.timers[0].at.After(now) && l.timers[0].id <= last {
		due := l.timers[0]
		if due.every > 0 {
			due.at = now.Add(due.every)
			heap.Fix(&l.timers, 0)
		} else {
			heap.Pop(&l.timers)
			delete(l.byID, due.id)
		}
		fired = true
		fire(due)
		if l.isStopped() {
			return true
		}
	}
	l.setAlarm(now)
	return fired
}

func (l *loop) setAlarm(now time.Time) {
	if len(l.timers) == 0 {
		return
	}
	next := l.timers[0].at
	if l.alarm != nil && !next.Before(l.rings) && l.rings.After(now) {
		return
	}
	l.silence()
	l.rings = next
	l.alarm = l.clock.AfterFunc(max(next.Sub(now), 0), l.ring)
}

func (l *loop) silence() {
	if l.alarm != nil {
		l.alarm()
		l.alarm = nil
	}
}

// addTimer sets a timer and returns its id. An interval shorter than a
// millisecond counts as one.
func (l *loop) addTimer(t *timer, delay time.Duration, repeat bool) int64 {
	l.nextID++
	now := l.clock.Now()
	t.id, t.at = l.nextID, now.Add(delay)
	if repeat {
		t.every = max(delay, time.Millisecond)
	}
	heap.Push(&l.timers, t)
	l.byID[t.id] = t
	l.setAlarm(now)
	return t.id
}

// removeTimer takes a timer away; an unknown id is no error.
func (l *loop) removeTimer(id int64) {
	if t := l.byID[id]; t != nil {
		heap.Remove(&l.timers, t.index)
		delete(l.byID, id)
	}
}

// removeTimersOf takes all timers of an owner away.
func (l *loop) removeTimersOf(owner *Owner) {
	kept := l.timers[:0]
	for _, t := range l.timers {
		if t.owner != owner {
			kept = append(kept, t)
		} else {
			delete(l.byID, t.id)
		}
	}
	clear(l.timers[len(kept):])
	l.timers = kept
	for i, t := range l.timers {
		t.index = i
	}
	heap.Init(&l.timers)
}

// timerHeap orders timers by deadline, then by id.
type timerHeap []*timer

func (h timerHeap) Len() int { return len(h) }

func (h timerHeap) Less(i, j int) bool {
	if h[i].at.Equal(h[j].at) {
		return h[i].id < h[j].id
	}
	return h[i].at.Before(h[j].at)
}

func (h timerHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

func (h *timerHeap) Push(x any) {
	t := x.(*timer)
	t.index = len(*h)
	*h = append(*h, t)
}

func (h *timerHeap) Pop() any {
	old := *h
	last := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	return last
}

var _ heap.Interface = (*timerHeap)(nil)
