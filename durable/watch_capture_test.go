package durable_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// spied is a storage that calls around its snapshots and commits.
type spied struct {
	*memory.Storage
	mu                sync.Mutex
	before, after     func() // the next snapshot
	committing, ready chan struct{}
}

func (s *spied) Snapshot() (storage.Snapshot, error) {
	s.mu.Lock()
	before, after := s.before, s.after
	s.before, s.after = nil, nil
	s.mu.Unlock()
	if before == nil {
		return s.Storage.Snapshot()
	}
	before()
	defer after()
	return s.Storage.Snapshot()
}

func (s *spied) Commit(ctx context.Context, writes []storage.Write) error {
	s.mu.Lock()
	committing, ready := s.committing, s.ready
	s.committing = nil
	s.mu.Unlock()
	if committing != nil {
		close(committing)
		<-ready
	}
	return s.Storage.Commit(ctx, writes)
}

// spying is a session with a counter over a storage that is spied on.
func spying(t *testing.T) (*opened, *spied, record.ConversationID) {
	below := &spied{Storage: new(memory.Storage)}
	session, err := durable.Open(within(t), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	t.Cleanup(s.stop)
	in := s.conversation()
	set(s, in, 1)
	return s, below, in
}

func TestCommitsAroundTheFirstLookAreToldOnce(t *testing.T) {
	s, below, in := spying(t)
	below.mu.Lock()
	below.before, below.after = func() { set(s, in, 2) }, func() { set(s, in, 3); set(s, in, 4) }
	below.mu.Unlock()
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	c := attach(t, watch.Watch, err)
	c.shows(`{"n":2}`)
	requireOps(t, c.next(), `[["s",["n"],3]]`)
	requireOps(t, c.next(), `[["s",["n"],4]]`)
	set(s, in, 5)
	requireOps(t, c.next(), `[["s",["n"],5]]`)
}

func TestADocumentThatEndsDuringTheFirstLookEndsItsWatch(t *testing.T) {
	s, below, in := spying(t)
	below.mu.Lock()
	below.before, below.after = func() {}, func() {
		s.commit(func(tx *durable.Tx) error { return counter().Retire(tx, durable.InConversation(in)) })
		set(s, in, 7)
	}
	below.mu.Unlock()
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	c := attach(t, watch.Watch, err)
	c.shows(`{"n":1}`)
	requireOps(t, c.next(), `[["r",null]]`)
	c.ended(durable.WatchRetired)
}

func TestASessionThatClosesDuringTheFirstLookIsNotWatched(t *testing.T) {
	s, below, in := spying(t)
	cancelled, cancel := context.WithCancel(within(t))
	cancel()
	below.mu.Lock()
	below.before, below.after = func() {}, func() { s.Close(cancelled) }
	below.mu.Unlock()
	watch, found, err := counter().Watch(within(t), s, durable.InConversation(in))
	if found || err == nil {
		t.Fatal("it is watched:", watch.Err(), err)
	}
	if !errors.Is(err, durable.ErrClosed) {
		t.Fatal(err)
	}
}

func TestWhoeverBeginsToWatchWithAnotherDoesNotFailWithIt(t *testing.T) {
	s, below, in := spying(t)
	s.append(in, "a")
	reached, proceed := make(chan struct{}), make(chan struct{})
	below.mu.Lock()
	below.before, below.after = func() { close(reached); <-proceed }, func() {}
	below.mu.Unlock()
	ctx, cancel := context.WithCancel(within(t))
	first, second := make(chan error, 1), make(chan *durable.Watch, 1)
	go func() { _, err := s.WatchConversation(ctx, in); first <- err }()
	<-reached
	go func() {
		watch, err := s.WatchConversation(within(t), in)
		if err != nil {
			t.Error(err)
		}
		second <- watch
	}()
	cancel()
	close(proceed)
	if err := <-first; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	c := attach(t, <-second, nil)
	s.append(in, "b")
	c.until(s.view(in))
}

// TestWhatIsStoredAndNotToldYetIsToldOnce begins to watch between the publications of
// two commits that were stored together.
func TestWhatIsStoredAndNotToldYetIsToldOnce(t *testing.T) {
	s, below, in := spying(t)
	committing, ready := make(chan struct{}), make(chan struct{})
	below.mu.Lock()
	below.committing, below.ready = committing, ready
	below.mu.Unlock()
	var late *durable.Watch
	stop := s.SubscribeCommits(func(p *durable.Publication) {
		if len(p.Events) == 0 {
			return
		}
		var err error
		if late, err = s.WatchConversation(context.Background(), in); err != nil {
			t.Error(err)
		}
	})
	defer stop()
	var done sync.WaitGroup
	done.Go(func() { set(s, in, 2) })
	<-committing
	adopted := make(chan struct{}, 2)
	for _, change := range []func(tx *durable.Tx) error{
		func(tx *durable.Tx) error { _, err := tx.Emit(durable.EventDraft{Type: "first"}); return err },
		func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "second"})
			return err
		},
	} {
		done.Go(func() {
			s.commit(func(tx *durable.Tx) error {
				defer func() { adopted <- struct{}{} }()
				return change(tx)
			})
		})
		<-adopted
	}
	// Whoever has the line now comes after both were handed over.
	done.Go(func() { s.commit(func(*durable.Tx) error { adopted <- struct{}{}; return nil }) })
	<-adopted
	close(ready)
	done.Wait()
	c := attach(t, late, nil)
	if got := shownKinds(t, c.value); got != "second" {
		t.Fatalf("the view begins with %q", got)
	}
	s.append(in, "third")
	c.next()
	if got := shownKinds(t, c.value); got != "second third" {
		t.Fatalf("the view goes on with %q", got)
	}
}

// TestWatchesBeginAnywhereAmongCommits has many commit, and many begin to watch
// meanwhile: each has what is there at the end.
func TestWatchesBeginAnywhereAmongCommits(t *testing.T) {
	const committers, commits, watchers = 6, 40, 6
	small := task("small", phases{"begin": completes()})
	s := open(t, durable.Options{Runs: &hand{}, Definitions: defined(small)})
	ins := []record.ConversationID{s.conversation(), s.conversation()}
	for _, in := range ins {
		set(s, in, 1)
	}
	busy, over := context.WithCancel(context.Background())
	defer over()
	var committing, watching sync.WaitGroup
	for range committers {
		committing.Go(func() {
			for range commits {
				in := ins[rand.IntN(len(ins))]
				s.commit(func(tx *durable.Tx) error {
					draft := durable.EntryDraft{Kind: "entry", Self: rand.IntN(10) == 0}
					if _, err := tx.AppendEntry(in, draft); err != nil {
						return err
					}
					if rand.IntN(4) == 0 {
						if _, err := small.Create(tx, 1, own(in)); err != nil {
							return err
						}
					}
					return setIn(tx, in, rand.IntN(1000))
				})
			}
		})
	}
	fresh := make(map[*client]func() (*value.Object, error))
	var mu sync.Mutex
	for range watchers {
		watching.Go(func() {
			for busy.Err() == nil {
				in := ins[rand.IntN(len(ins))]
				ctx := context.Background()
				var watch *durable.Watch
				var err error
				var now func() (*value.Object, error)
				switch rand.IntN(3) {
				case 0:
					watch, err = s.WatchConversation(ctx, in)
					now = func() (*value.Object, error) { return s.ConversationView(ctx, in) }
				case 1:
					watch, err = s.WatchTasks(ctx)
					now = func() (*value.Object, error) { return s.TaskGraph(ctx) }
				default:
					watch, err = s.WatchDocument(ctx, counter().Definition, durable.InConversation(in), "")
					now = func() (*value.Object, error) {
						return s.ReadDocument(ctx, counter().Definition, durable.InConversation(in), "")
					}
				}
				c := attach(t, watch, err)
				for range rand.IntN(20) {
					if _, err := c.take(busy); err != nil {
						break
					}
				}
				if rand.IntN(2) == 0 {
					watch.Stop()
					continue
				}
				mu.Lock()
				fresh[c] = now
				mu.Unlock()
			}
		})
	}
	committing.Wait()
	over()
	watching.Wait()
	for c, now := range fresh {
		want, err := now()
		if err != nil {
			t.Fatal(err)
		}
		c.until(want)
	}
}
