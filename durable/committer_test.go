package durable

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// gated is a memory whose next commit waits until it is told how it ends.
type gated struct {
	memory.Storage
	once    sync.Once
	entered chan struct{}
	result  chan error

	mu   sync.Mutex
	room int // how many bytes are admitted; 0 for any
}

func newGated() *gated {
	return &gated{entered: make(chan struct{}), result: make(chan error)}
}

func (g *gated) Commit(ctx context.Context, writes []storage.Write) (err error) {
	g.once.Do(func() {
		close(g.entered)
		err = <-g.result
	})
	if err != nil {
		return err
	}
	var size storage.Size
	size.Add(writes...)
	g.mu.Lock()
	if g.room > 0 {
		if g.room -= size.Bytes; g.room <= 0 {
			err = &storage.RejectedError{Reason: errors.New("no space")}
		}
	}
	g.mu.Unlock()
	if err != nil {
		return err
	}
	return g.Storage.Commit(ctx, writes)
}

func (g *gated) Admit(size storage.Size) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.room > 0 && size.Bytes >= g.room {
		return &storage.RejectedError{Reason: errors.New("no space")}
	}
	return nil
}

// until waits for something that nobody tells of.
func until(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not come")
		}
	}
}

func emit(s *Session, payload string) error {
	_, err := s.Emit(context.Background(), EventDraft{Type: "x", Payload: []byte(payload)})
	return err
}

// TestClosingASessionThatFailedWaitsForTheCallbackOnTheLine has the storage fail
// while Close waits for a callback that has something to store.
func TestClosingASessionThatFailedWaitsForTheCallbackOnTheLine(t *testing.T) {
	below := newGated()
	s, err := Open(t.Context(), below, Options{})
	if err != nil {
		t.Fatal(err)
	}
	broken := errors.New("broken")
	first, second, closed := make(chan error, 1), make(chan error, 1), make(chan error, 1)
	go func() { first <- emit(s, "1") }()
	<-below.entered
	inside, leave := make(chan struct{}), make(chan struct{})
	go func() {
		second <- s.Commit(context.Background(), func(_ context.Context, tx *Tx) error {
			close(inside)
			<-leave
			_, err := tx.Emit(EventDraft{Type: "x"})
			return err
		})
	}()
	<-inside
	go func() { closed <- s.Close(context.Background()) }()
	until(t, func() bool {
		s.line.mu.Lock()
		defer s.line.mu.Unlock()
		return s.line.drained != nil
	})
	below.result <- broken
	if err := <-first; !errors.Is(err, broken) {
		t.Errorf("the commit that failed says %v", err)
	}
	select {
	case err := <-closed:
		t.Errorf("the session was closed while a callback held the line: %v", err)
	default:
	}
	close(leave)
	for what, result := range map[string]chan error{"the callback's commit": second, "close": closed} {
		if err := <-result; !errors.Is(err, broken) {
			t.Errorf("%s says %v", what, err)
		}
	}
}

func TestACommitThatComesAfterTheEndOfStoringIsToldSo(t *testing.T) {
	s, err := Open(t.Context(), new(memory.Storage), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	late := &batch{done: make(chan struct{})}
	s.committer.add(late)
	if err := late.wait(); !errors.Is(err, ErrClosed) {
		t.Errorf("it says %v", err)
	}
}

// TestACommitIsAdmittedTogetherWithThoseThatWaitToBeStored has room for two commits
// of three.
func TestACommitIsAdmittedTogetherWithThoseThatWaitToBeStored(t *testing.T) {
	below := newGated()
	s, err := Open(t.Context(), below, Options{})
	if err != nil {
		t.Fatal(err)
	}
	below.room = 25_000
	payload := make([]byte, 9000)
	for i := range payload {
		payload[i] = '1'
	}
	results := make(chan error, 4)
	go func() { results <- emit(s, string(payload)) }()
	<-below.entered
	var inside sync.WaitGroup
	for range 3 {
		inside.Add(1)
		go func() {
			results <- s.Commit(context.Background(), func(_ context.Context, tx *Tx) error {
				defer inside.Done()
				_, err := tx.Emit(EventDraft{Type: "x", Payload: payload})
				return err
			})
		}()
	}
	inside.Wait()
	if _, err := s.onLine(t.Context(), func() error { return nil }); err != nil { // after the last of them
		t.Fatal(err)
	}
	below.result <- nil
	stored, refused := 0, 0
	for range 4 {
		var rejected *storage.RejectedError
		switch err := <-results; {
		case err == nil:
			stored++
		case errors.As(err, &rejected) && s.Err() == nil:
			refused++
		default:
			t.Error(err)
		}
	}
	if stored != 2 || refused != 2 {
		t.Errorf("%d commits were stored and %d refused", stored, refused)
	}
	if left := s.committer.adopted(); left != (storage.Size{}) {
		t.Errorf("%+v counts as not stored", left)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

func TestAQueueThatIsEmptyDoesNotMakeTheCrowdForgotten(t *testing.T) {
	c := &committer{session: new(Session), last: crowd}
	if group := c.gather(); len(group) != 0 || c.last != crowd {
		t.Errorf("after an empty group %d commits are expected", c.last)
	}
}
