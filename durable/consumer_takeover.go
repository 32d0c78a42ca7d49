package durable

import "sync"

// reactions are the reactions of a session, by their consumers. The zero value is
// empty.
type reactions struct {
	mu      sync.Mutex
	current map[consumerName]*Reaction
	wait    sync.WaitGroup
}

// begin starts a reaction's goroutine, which takes over from the reaction that its
// consumer has. The caller holds the line, which Close drains before it waits.
func (all *reactions) begin(r *Reaction) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if before := all.current[r.consumer.key()]; before != nil {
		before.end(ErrReplaced)
		r.before = before
	}
	if all.current == nil {
		all.current = make(map[consumerName]*Reaction)
	}
	all.current[r.consumer.key()] = r
	all.wait.Go(r.run)
}

// leave takes out a reaction that has ended.
func (all *reactions) leave(r *Reaction) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if all.current[r.consumer.key()] == r {
		delete(all.current, r.consumer.key())
	}
}

// nudge has a consumer's reaction look at what is stored of it.
func (all *reactions) nudge(name consumerName) {
	all.mu.Lock()
	defer all.mu.Unlock()
	if r := all.current[name]; r != nil {
		r.feed.nudge()
	}
}
