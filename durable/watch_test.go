package durable_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// client is somebody far away: all that it has is the first value and the operations,
// as text.
type client struct {
	t     failing
	watch *durable.Watch
	value value.Value
}

// attach makes a client of what a watch was asked for.
func attach(t failing, watch *durable.Watch, err error) *client {
	t.Helper()
	if err != nil || watch == nil {
		t.Fatal("there is no watch:", err)
	}
	start, err := value.Parse(value.Marshal(watch.Value()))
	if err != nil {
		t.Fatal(err)
	}
	return &client{t, watch, start}
}

// next takes the next frame.
func (c *client) next() durable.Frame {
	c.t.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	frame, err := c.take(ctx)
	if err != nil {
		c.t.Fatal(err)
	}
	return frame
}

// take takes the next frame and applies its operations.
func (c *client) take(ctx context.Context) (durable.Frame, error) {
	c.t.Helper()
	frame, err := c.watch.Next(ctx)
	if err != nil {
		return frame, err
	}
	if len(frame.Ops) == 0 {
		c.t.Fatal("a frame has no operations")
	}
	ops, err := delta.Parse(frame.Ops.AppendJSON(nil))
	if err != nil {
		c.t.Fatal(err)
	}
	if c.value, err = delta.Apply(c.value, ops); err != nil {
		c.t.Fatal(err)
	}
	if !value.Equal(c.value, frame.Value) || !value.Equal(frame.Value, c.watch.Value()) {
		c.t.Fatal("the client has ", c.value, "\nthe frame ", frame.Value, "\nthe watch ", c.watch.Value(), "\nafter ", string(frame.Ops.AppendJSON(nil)))
	}
	return frame, nil
}

// until takes frames until the client has a value.
func (c *client) until(want value.Value) {
	c.t.Helper()
	for !value.Equal(c.value, want) {
		c.next()
	}
}

// ended requires the watch to end for a reason, with nothing before it.
func (c *client) ended(reason durable.WatchEndReason) *durable.WatchEndError {
	c.t.Helper()
	_, err := c.watch.Next(context.Background())
	end, is := errors.AsType[*durable.WatchEndError](err)
	if !is || end.Reason != reason {
		c.t.Fatal("the watch says", err, "and not that it is", reason)
	}
	<-c.watch.Done()
	if c.watch.Err() != error(end) {
		c.t.Fatal("it ended because of", end, "and says", c.watch.Err())
	}
	return end
}

// shows compares the client's value with JSON.
func (c *client) shows(want string) {
	c.t.Helper()
	if diff := cmp.Diff(want, string(value.Marshal(c.value))); diff != "" {
		c.t.Fatal(diff)
	}
}

// requireOps compares operations with JSON.
func requireOps(t testing.TB, frame durable.Frame, want string) {
	t.Helper()
	if diff := cmp.Diff(want, string(frame.Ops.AppendJSON(nil))); diff != "" {
		t.Fatal(diff)
	}
}

// set has a counter say a number.
func set(s *opened, in record.ConversationID, n int) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error { return setIn(tx, in, n) })
}

func setIn(tx *durable.Tx, in record.ConversationID, n int) error {
	counted, err := counter().Edit(tx, durable.InConversation(in))
	if err == nil {
		counted.N = n
	}
	return err
}

// counting is a session with a counter, and a client that watches it.
func counting(t testing.TB) (*opened, record.ConversationID, *client) {
	t.Helper()
	s := open(t, durable.Options{})
	in := s.conversation()
	set(s, in, 1)
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	return s, in, attach(t, watch.Watch, err)
}

func TestAWatchTellsEachCommit(t *testing.T) {
	s, in, c := counting(t)
	set(s, in, 2)
	set(s, in, 2)
	s.append(in, "other")
	set(s, in, 3)
	if got := string(value.Marshal(c.watch.Value())); got != `{"n":1}` {
		t.Fatalf("before a frame is taken the value is %s", got)
	}
	requireOps(t, c.next(), `[["s",["n"],2]]`)
	requireOps(t, c.next(), `[["s",["n"],3]]`)
	c.shows(`{"n":3}`)
}

func TestWatchingMakesNothing(t *testing.T) {
	s := open(t, durable.Options{})
	in := s.conversation()
	_, found, err := counter().Watch(within(t), s, durable.InConversation(in))
	if found || err != nil {
		t.Fatal(found, err)
	}
	set(s, in, 1)
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	attach(t, watch.Watch, err).shows(`{"n":1}`)
}

func TestAWatchOfAFamilyIsOfOneMember(t *testing.T) {
	s := open(t, durable.Options{})
	family := durable.DefineFamily(durable.FamilySpec[count, int]{
		Kind: "test.counts", Version: 1, Scope: record.SessionScope, Initial: func(n int) count { return count{n} },
	})
	edit := func(key string, n int) {
		s.commit(func(tx *durable.Tx) error {
			member, err := family.Edit(tx, durable.InSession(), key, 0)
			if err == nil {
				member.N = n
			}
			return err
		})
	}
	edit("a", 1)
	edit("b", 1)
	watch, _, err := family.Watch(within(t), s, durable.InSession(), "b")
	c := attach(t, watch.Watch, err)
	edit("a", 7)
	edit("b", 2)
	c.next()
	if got, there, err := watch.Read(); got.N != 2 || !there || err != nil {
		t.Fatal(got, there, err)
	}
	if _, found, err := family.Watch(within(t), s, durable.InSession(), "c"); found || err != nil {
		t.Fatal(found, err)
	}
}

func TestHundredFramesWaitForAConsumer(t *testing.T) {
	s, in, c := counting(t)
	for n := range 100 {
		set(s, in, n+2)
	}
	requireOps(t, c.next(), `[["s",["n"],2]]`) // it does not wait any more
	set(s, in, 102)
	for n := range 99 {
		requireOps(t, c.next(), string(delta.Ops{delta.Set{Path: value.Path{value.Key("n")}, Value: value.Number(n + 3)}}.AppendJSON(nil)))
	}
	requireOps(t, c.next(), `[["s",["n"],102]]`)
}

func TestAFrameTooManyReplacesAllThatWait(t *testing.T) {
	s, in, c := counting(t)
	set(s, in, 2)
	c.next()
	for n := range 101 {
		set(s, in, n+3)
	}
	set(s, in, 104)
	requireOps(t, c.next(), `[["r",{"n":103}]]`)
	requireOps(t, c.next(), `[["s",["n"],104]]`)
}

func TestAWatchEndsWithItsDocument(t *testing.T) {
	s, in, c := counting(t)
	set(s, in, 2)
	s.commit(func(tx *durable.Tx) error {
		if err := counter().Retire(tx, durable.InConversation(in)); err != nil {
			return err
		}
		return setIn(tx, in, 9)
	})
	set(s, in, 10)
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	again := attach(t, watch.Watch, err)
	again.shows(`{"n":10}`)
	set(s, in, 11)
	requireOps(t, again.next(), `[["s",["n"],11]]`)

	requireOps(t, c.next(), `[["s",["n"],2]]`)
	select {
	case <-c.watch.Done():
		t.Fatal("it has ended before the end was told")
	default:
	}
	requireOps(t, c.next(), `[["r",null]]`)
	if _, there, err := (durable.DocumentWatch[count]{Watch: c.watch}).Read(); there || err != nil {
		t.Fatal(there, err)
	}
	c.ended(durable.WatchRetired)
}

func TestTheEndOfADocumentMakesUpForAllThatWaits(t *testing.T) {
	s, in, c := counting(t)
	for n := range 100 {
		set(s, in, n+2)
	}
	s.commit(func(tx *durable.Tx) error { return counter().Retire(tx, durable.InConversation(in)) })
	requireOps(t, c.next(), `[["r",null]]`)
	c.ended(durable.WatchRetired)
}

func TestATaskWatchesADocument(t *testing.T) {
	notes := durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "test.notes", Version: 1, Scope: record.TaskScope, Initial: func() count { return count{} },
	})
	watches := make(chan durable.DocumentWatch[count], 1)
	edits := func(run *work, n int) func(*durable.Tx) error {
		return func(tx *durable.Tx) error {
			note, err := notes.Edit(tx, durable.InTask(run.TaskID()))
			if err == nil {
				note.N = n
			}
			return err
		}
	}
	notesOf := task("notes", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			return run.Continue(stage{Phase: "watch"}), edits(run, 1)(tx)
		}),
		"watch": func(ctx context.Context, run *work) error {
			watch, _, err := notes.Watch(ctx, run, durable.InTask(run.TaskID()))
			if err != nil {
				return err
			}
			other, _, err := notes.Watch(context.Background(), run.Runtime, durable.InTask(run.TaskID()))
			if err != nil {
				return err
			}
			watches <- other
			return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
				return run.Continue(stage{Phase: "end", N: int(watch.Value().(*value.Object).At(0).Value.(value.Number))}), edits(run, 2)(tx)
			})
		},
		"end": once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(run.State.N), nil }),
	})
	s := openWith(t, notesOf)
	id := s.create(notesOf, 0, own(s.conversation()))
	s.resume()
	other := attach(t, (<-watches).Watch, nil)
	if got := s.outcome(id); got.Status != record.Completed || string(got.Result) != "1" {
		t.Fatalf("%+v", got)
	}
	other.shows(`{"n":1}`)
	<-other.watch.Done()
	end, _ := errors.AsType[*durable.WatchEndError](other.watch.Err())
	if end.Reason != durable.WatchCancelled {
		t.Fatal(end)
	}
	if _, found, err := notes.Watch(within(t), s, durable.InTask(id)); found || err != nil {
		t.Fatal("a document of a task that has ended is there:", found, err)
	}
}

func TestAWatchEndsForTheFirstReason(t *testing.T) {
	broken := errors.New("broken")
	reasons := []struct {
		name string
		end  func(s *opened, in record.ConversationID, c *client, cancel context.CancelCauseFunc)
		want durable.WatchEndReason
		is   error
	}{
		{"stop", func(_ *opened, _ record.ConversationID, c *client, _ context.CancelCauseFunc) {
			c.watch.Stop()
			c.watch.Fail(broken)
		}, durable.WatchStopped, nil},
		{"listener", func(_ *opened, _ record.ConversationID, c *client, _ context.CancelCauseFunc) {
			c.watch.Fail(broken)
			c.watch.Stop()
		}, durable.WatchListenerError, broken},
		{"cancel", func(_ *opened, _ record.ConversationID, c *client, cancel context.CancelCauseFunc) {
			cancel(broken)
			<-c.watch.Done()
			c.watch.Stop()
		}, durable.WatchCancelled, broken},
		{"close", func(s *opened, _ record.ConversationID, c *client, cancel context.CancelCauseFunc) {
			if err := s.Close(within(s.t)); err != nil {
				s.t.Fatal(err)
			}
			cancel(broken)
		}, durable.WatchSessionClosed, durable.ErrClosed},
		{"stop before the end of the document is taken", func(s *opened, in record.ConversationID, c *client, _ context.CancelCauseFunc) {
			s.commit(func(tx *durable.Tx) error { return counter().Retire(tx, durable.InConversation(in)) })
			c.watch.Stop()
		}, durable.WatchStopped, nil},
		{"close before the end of the document is taken", func(s *opened, in record.ConversationID, c *client, _ context.CancelCauseFunc) {
			s.commit(func(tx *durable.Tx) error { return counter().Retire(tx, durable.InConversation(in)) })
			if err := s.Close(within(s.t)); err != nil {
				s.t.Fatal(err)
			}
		}, durable.WatchSessionClosed, durable.ErrClosed},
	}
	for _, reason := range reasons {
		t.Run(reason.name, func(t *testing.T) {
			s := open(t, durable.Options{})
			in := s.conversation()
			set(s, in, 1)
			ctx, cancel := context.WithCancelCause(context.Background())
			defer cancel(nil)
			watch, _, err := counter().Watch(ctx, s, durable.InConversation(in))
			c := attach(t, watch.Watch, err)
			set(s, in, 2) // is dropped
			reason.end(s, in, c, cancel)
			if end := c.ended(reason.want); reason.is != nil && !errors.Is(end, reason.is) {
				t.Fatal(end)
			}
			c.shows(`{"n":1}`)
		})
	}
}

func TestAWatchTellsNothingOnceItIsClosed(t *testing.T) {
	s, in, c := counting(t)
	inside, more := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
			close(inside)
			<-more
			return setIn(tx, in, 2)
		})
	}()
	<-inside
	cancelled, cancel := context.WithCancel(context.Background())
	cancel()
	if err := s.Close(cancelled); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	close(more)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	c.ended(durable.WatchSessionClosed)
	c.shows(`{"n":1}`)
	if _, _, err := counter().Watch(within(t), s, durable.InConversation(in)); !errors.Is(err, durable.ErrClosed) {
		t.Fatal(err)
	}
}

// breakable is a storage whose commits fail once there is a cause.
type breakable struct {
	*memory.Storage
	cause error
}

func (f *breakable) Commit(ctx context.Context, writes []storage.Write) error {
	if f.cause != nil {
		return f.cause
	}
	return f.Storage.Commit(ctx, writes)
}

func TestAWatchEndsWhenTheSessionFails(t *testing.T) {
	below, broken := &breakable{Storage: new(memory.Storage)}, errors.New("broken")
	session, err := durable.Open(within(t), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	in := s.conversation()
	set(s, in, 1)
	watch, _, err := counter().Watch(within(t), s, durable.InConversation(in))
	c := attach(t, watch.Watch, err)
	below.cause = broken
	err = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error { return setIn(tx, in, 2) })
	if !errors.Is(err, broken) {
		t.Fatal(err)
	}
	end := c.ended(durable.WatchSessionFailed)
	if _, is := errors.AsType[*durable.FailedError](end); !is || !errors.Is(end, broken) {
		t.Fatal(end)
	}
	c.shows(`{"n":1}`)
	if err := s.Close(within(t)); !errors.Is(err, broken) {
		t.Fatal(err)
	}
}

func TestAWaitForAFrameCanBeGivenUp(t *testing.T) {
	s, in, c := counting(t)
	ctx, cancel := context.WithCancel(within(t))
	cancel()
	if _, err := c.watch.Next(ctx); !errors.Is(err, context.Canceled) || c.watch.Err() != nil {
		t.Fatal(err, c.watch.Err())
	}
	set(s, in, 2)
	c.next()
	s.commit(func(tx *durable.Tx) error { return setIn(tx, in, 3) })
	for frame, err := range c.watch.Frames(within(t)) {
		if err != nil {
			t.Fatal(err)
		}
		requireOps(t, frame, `[["s",["n"],3]]`)
		break
	}
	c.watch.Stop()
	for _, err := range c.watch.Frames(within(t)) {
		if end, is := errors.AsType[*durable.WatchEndError](err); !is || end.Reason != durable.WatchStopped {
			t.Fatal(err)
		}
	}
}

func TestAWaitForAFrameInsideACommitIsRefused(t *testing.T) {
	s, _, c := counting(t)
	err := s.Commit(within(t), func(ctx context.Context, _ *durable.Tx) error {
		_, err := c.watch.Next(ctx)
		return err
	})
	if _, is := errors.AsType[*durable.CommitInsideCommitError](err); !is {
		t.Fatal(err)
	}
}

func TestCancellingTheMakingOfAWatchLeavesNone(t *testing.T) {
	s, in, _ := counting(t)
	ctx, cancel := context.WithCancelCause(within(t))
	reason := errors.New("enough")
	cancel(reason)
	if _, found, err := counter().Watch(ctx, s, durable.InConversation(in)); found || err != reason {
		t.Fatal(found, err)
	}
}
