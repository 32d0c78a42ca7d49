package registry

import (
	"sync"
	"time"
)

// Unit is a unit of work that holds a generation.
type Unit struct {
	Name  string    `json:"name"` // such as "tool read_file"
	Since time.Time `json:"since"`
}

// units counts what holds a generation. The generation's own place in the
// registry is one holder; when it and every unit have ended, drained closes.
type units struct {
	mu      sync.Mutex
	stage   stage
	first   *unit
	last    *unit
	drained chan struct{}
}

// stage is how far a generation is.
type stage int

const (
	staged   stage = iota // validated
	promoted              // current
	retired               // replaced, or dropped while staged
)

// unit is a place in the list of units, oldest first.
type unit struct {
	Unit
	previous, next *unit
	ended          bool
}

// hold adds a unit. It reports false when the generation has drained.
func (u *units) hold(name string, now time.Time) (*unit, bool) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stage == retired && u.first == nil {
		return nil, false
	}
	n := &unit{Unit: Unit{Name: name, Since: now}, previous: u.last}
	if u.last == nil {
		u.first = n
	} else {
		u.last.next = n
	}
	u.last = n
	return n, true
}

// end removes a unit; the second time it does nothing.
func (u *units) end(n *unit) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if n.ended {
		return
	}
	n.ended = true
	if n.previous == nil {
		u.first = n.next
	} else {
		n.previous.next = n.next
	}
	if n.next == nil {
		u.last = n.previous
	} else {
		n.next.previous = n.previous
	}
	u.closeWhenDrained()
}

// move takes the generation from one stage to the next. It reports false, and
// does nothing, when the generation is not at from.
func (u *units) move(from, to stage) bool {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.stage != from {
		return false
	}
	u.stage = to
	u.closeWhenDrained()
	return true
}

func (u *units) closeWhenDrained() {
	if u.stage == retired && u.first == nil {
		close(u.drained)
	}
}

func (u *units) list() []Unit {
	u.mu.Lock()
	defer u.mu.Unlock()
	var list []Unit
	for n := u.first; n != nil; n = n.next {
		list = append(list, n.Unit)
	}
	return list
}
