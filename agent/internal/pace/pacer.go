// Package pace stores what is under way, often enough to be seen and seldom enough to
// cost little.
package pace

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
)

// ErrEnded is returned by who wants something stored after [Pacer.Settle].
var ErrEnded = errors.New("nothing more is stored: it has ended")

// Pacer stores the first change at once, and what changes within a while after that by
// one commit at its end. It has a goroutine from the first change on to [Pacer.End]. All
// methods are safe for concurrent use.
type Pacer struct {
	Clock durable.Clock
	// Interval is the least time between two commits.
	Interval time.Duration
	// Rate is how many bytes a second are stored at most, on average; 0 for no limit.
	Rate int64
	// Store stores what there is, and returns how many bytes that are. An error ends
	// the pacer. It is called on one goroutine at a time.
	Store func() (bytes int, err error)

	mu      sync.Mutex
	changes int // how often there was something to store
	waiting []waiter
	over    error // why nothing more is stored
	ended   bool  // the goroutine is not to be started any more
	news    chan struct{}
	quit    chan struct{}
	done    chan struct{}
}

// waiter is somebody who waits until a change is stored.
type waiter struct {
	change int
	stored chan error // one place
}

// Changed says that there is something to store. It does not wait.
func (p *Pacer) Changed() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.note()
}

// Stored says that there is something to store, and returns once it is stored, or what
// prevented that. The end of ctx ends the wait.
func (p *Pacer) Stored(ctx context.Context) error {
	p.mu.Lock()
	if p.over != nil {
		defer p.mu.Unlock()
		return p.over
	}
	p.note()
	w := waiter{p.changes, make(chan error, 1)}
	p.waiting = append(p.waiting, w)
	p.mu.Unlock()
	select {
	case err := <-w.stored:
		return err
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// note counts a change. The caller holds the mutex.
func (p *Pacer) note() {
	p.changes++
	if p.ended || p.over != nil {
		return
	}
	if p.news == nil {
		p.news, p.quit, p.done = make(chan struct{}, 1), make(chan struct{}), make(chan struct{})
		go p.run()
	}
	select {
	case p.news <- struct{}{}:
	default:
	}
}

// End stops storing and returns when the commit that is on its way has ended. What was
// not stored yet belongs into a commit of the caller's, and who waits for it into
// Settle.
func (p *Pacer) End() {
	p.mu.Lock()
	first, running := !p.ended, p.news != nil
	p.ended = true
	p.mu.Unlock()
	if !running {
		return
	}
	if first {
		close(p.quit)
	}
	<-p.done
}

// Settle tells those who wait what became of everything: nil says that it is stored.
func (p *Pacer) Settle(err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.tell(p.changes, err)
	if p.over = err; err == nil {
		p.over = ErrEnded
	}
}

// tell answers those who wait for a change up to one. The caller holds the mutex.
func (p *Pacer) tell(upTo int, err error) {
	later := p.waiting[:0]
	for _, w := range p.waiting {
		if w.change > upTo {
			later = append(later, w)
			continue
		}
		w.stored <- err
	}
	p.waiting = later
}

func (p *Pacer) run() {
	defer close(p.done)
	for {
		select {
		case <-p.quit:
			return
		case <-p.news:
		}
		bytes, err := p.store()
		if err != nil || !p.rest(bytes) {
			return
		}
	}
}

// store stores what there is now.
func (p *Pacer) store() (bytes int, err error) {
	p.mu.Lock()
	upTo := p.changes
	p.mu.Unlock()
	bytes, err = p.Store()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.over = err
	if err != nil {
		upTo = p.changes
	}
	p.tell(upTo, err)
	return bytes, err
}

// rest waits until there may be another commit, and says whether there may.
func (p *Pacer) rest(bytes int) bool {
	pause := p.Interval
	if p.Rate > 0 {
		pause = max(pause, time.Duration(int64(bytes)*int64(time.Second)/p.Rate))
	}
	passed := make(chan struct{})
	defer p.Clock.AfterFunc(pause, func() { close(passed) })()
	select {
	case <-passed:
		return true
	case <-p.quit:
		return false
	}
}
