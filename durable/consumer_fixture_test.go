package durable_test

import (
	"context"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// reactor is the handler of a reaction.
type reactor = func(context.Context, record.Event, *durable.Tx) error

// react begins a reaction that must be accepted.
func (s *opened) react(consumer durable.Consumer, handler reactor) *durable.Reaction {
	s.t.Helper()
	reaction, err := s.React(context.Background(), consumer, handler)
	if err != nil {
		s.t.Fatal(err)
	}
	return reaction
}

// consumer returns what is stored of a consumer of a Go program.
func (s *opened) consumer(name string) record.Consumer {
	s.t.Helper()
	all, err := s.Consumers(context.Background())
	if err != nil {
		s.t.Fatal(err)
	}
	for _, one := range all {
		if one.Name == name && one.Owner == "" {
			return one
		}
	}
	s.t.Fatalf("no consumer %q in %v", name, all)
	return record.Consumer{}
}

// until waits for what a commit makes true.
func (s *opened) until(reached func() bool) {
	s.t.Helper()
	changed := make(chan struct{}, 1)
	defer s.SubscribeCommits(func(*durable.Publication) {
		select {
		case changed <- struct{}{}:
		default:
		}
	})()
	late := time.After(time.Minute)
	for !reached() {
		select {
		case <-changed:
		case <-late:
			s.t.Fatal("it has not come to that in a minute")
		}
	}
}

// sound checks the invariants of what is stored.
func (s *opened) sound() {
	s.t.Helper()
	for violation, err := range s.Check(context.Background()) {
		s.t.Errorf("%s %v", violation, err)
	}
}

// keys returns the keys that the storage holds.
func (s *opened) keys() (found []string) {
	s.t.Helper()
	snapshot, err := s.memory.Snapshot()
	if err != nil {
		s.t.Fatal(err)
	}
	defer snapshot.Close()
	for _, pair := range collect(s.t, snapshot.Scan(storage.Range{KeysOnly: true})) {
		found = append(found, string(pair.Key))
	}
	return found
}

// ticking is a clock that says which waits are begun.
type ticking struct {
	manual
	begun chan time.Duration
}

// newTicking returns a clock for a session without a budget of commits, whose waits
// would be among the others.
func newTicking() *ticking {
	return &ticking{manual: manual{now: time.UnixMilli(0)}, begun: make(chan time.Duration, 100)}
}

func (c *ticking) AfterFunc(d time.Duration, f func()) func() bool {
	defer func() { c.begun <- d }()
	return c.manual.AfterFunc(d, f)
}
