package durable

import (
	"cmp"
	"context"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// batch is a commit that was adopted and waits to be stored.
type batch struct {
	seq         record.Seq
	writes      []storage.Write
	size        storage.Size
	publication *Publication
	told        []func() // called when it is published
	done        chan struct{}
	err         error // set before done is closed
}

// wait returns how storing the batch went, once it is known; nil for no batch.
func (b *batch) wait() error {
	if b == nil {
		return nil
	}
	<-b.done
	return b.err
}

// finish tells who waits how it went.
func (b *batch) finish(err error) {
	b.err = err
	b.writes, b.publication = nil, nil // the session keeps its newest batch
	close(b.done)
}

// How a group forms. Committers that were just told of their commits are about to
// make the next ones, and a sync costs more than a moment's wait for them.
const (
	// gap is how long a group waits for other commits to join, and again when some have.
	gap = time.Millisecond
	// gathering is how long it waits in all.
	gathering = 5 * time.Millisecond
	// crowd is how many commits the last group had when as many are expected again.
	crowd = 4
	// full is how many commits a group does not wait any more with: a sync is shared by
	// enough then, and those that come later prepare while it goes on.
	full = 100
)

// committer stores batches in the order in which they were adopted, as many in one
// commit of the storage as are there: while one group is synced, the next forms
// (group commit; DeWitt et al., "Implementation Techniques for Main Memory Database
// Systems", 1984, section 5.2).
type committer struct {
	session *Session
	mu      sync.Mutex
	queue   []*batch
	queued  storage.Size // what the queue takes
	last    int          // how many commits the last group had
	// pending is what the commits take that are adopted and not stored.
	pending storage.Size
	// work has a token when the queue was empty before, when the group that forms need
	// not wait any more, and when the committer is to end.
	work  chan struct{}
	ended bool
	timer *time.Timer // of the goroutine's own
	wait  sync.WaitGroup
}

func newCommitter(s *Session) *committer {
	c := &committer{session: s, work: make(chan struct{}, 1), timer: time.NewTimer(gap)}
	c.wait.Go(c.run)
	return c
}

// add hands a batch over. The caller holds the line.
func (c *committer) add(b *batch) {
	c.mu.Lock()
	if c.ended {
		c.mu.Unlock()
		b.finish(cmp.Or(c.session.failure(), ErrClosed))
		return
	}
	c.queue = append(c.queue, b)
	c.queued = c.queued.With(b.size)
	c.pending = c.pending.With(b.size)
	first := len(c.queue) == 1
	c.mu.Unlock()
	if first || c.waiting() == 0 {
		c.wake()
	}
}

// adopted returns what the commits take that are adopted and not stored.
func (c *committer) adopted() storage.Size {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.pending
}

// settled takes a group out of what is adopted and not stored.
func (c *committer) settled(group []*batch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, b := range group {
		c.pending = c.pending.Without(b.size)
	}
}

func (c *committer) wake() {
	select {
	case c.work <- struct{}{}:
	default:
	}
}

// end stores what is queued and waits until the goroutine has ended.
func (c *committer) end() {
	c.mu.Lock()
	c.ended = true
	c.mu.Unlock()
	c.wake()
	c.wait.Wait()
}

func (c *committer) run() {
	for range c.work {
		for {
			group := c.gather()
			if len(group) == 0 {
				break
			}
			c.store(group)
		}
		c.mu.Lock()
		ended := c.ended && len(c.queue) == 0
		c.mu.Unlock()
		if ended {
			return
		}
	}
}

// gather takes the batches that go into the next commit of the storage. It gives
// commits that stand in line, or are likely to, a moment to join.
func (c *committer) gather() []*batch {
	deadline := time.Now().Add(gathering)
	for joined := -1; ; {
		waiting := c.waiting()
		if waiting <= joined || waiting == 0 || !time.Now().Before(deadline) {
			break
		}
		joined = waiting
		c.pause()
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	var size storage.Size
	n := 0
	for n < len(c.queue) && (n == 0 || size.With(c.queue[n].size).Fits()) {
		size = size.With(c.queue[n].size)
		n++
	}
	if n == 0 {
		return nil // those of the last group are expected again all the same
	}
	group := c.queue[:n:n]
	c.queue, c.queued, c.last = c.queue[n:], c.queued.Without(size), n
	return group
}

// pause returns after a while in which others may join, or when nobody is waited for
// any more.
func (c *committer) pause() {
	c.timer.Reset(gap)
	defer c.timer.Stop()
	for c.waiting() > 0 {
		select {
		case <-c.work:
		case <-c.timer.C:
			return
		}
	}
}

// waiting returns how many commits wait in a group that others may still join; 0
// when it is to be stored as it is.
func (c *committer) waiting() int {
	inLine := c.session.line.queued()
	c.mu.Lock()
	defer c.mu.Unlock()
	n := len(c.queue)
	if c.ended || n >= full || inLine == 0 && (c.last < crowd || n >= c.last) {
		return 0
	}
	if !c.queued.Fits() {
		return 0
	}
	return n
}

// store writes a group, and then publishes its commits in their order.
func (c *committer) store(group []*batch) {
	s := c.session
	if err := s.failure(); err != nil {
		for _, b := range group {
			b.finish(err)
		}
		return
	}
	writes := group[0].writes
	if len(group) > 1 {
		writes = nil
		for _, b := range group {
			writes = append(writes, b.writes...)
		}
	}
	err := s.storage.Commit(context.Background(), writes)
	c.settled(group)
	if err != nil {
		err = s.fail(err)
		for _, b := range group {
			b.finish(err)
		}
		return
	}
	for _, b := range group {
		s.overlay.Remove()
		s.publish(b.publication)
		for _, tell := range b.told {
			tell()
		}
		b.finish(nil)
	}
}
