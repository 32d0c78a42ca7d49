package durable_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

var errUnread = errors.New("the disk cannot be read")

// readable is a storage with something of everything in it.
type readable struct {
	memory       *memory.Storage
	options      durable.Options
	conversation record.ConversationID
	first        record.EntryID
	task         record.TaskID
	queued       record.SubmissionID
	counter      durable.Document[count]
}

func readableStorage(t *testing.T) *readable {
	t.Helper()
	one := task("one", phases{"begin": completes()})
	options := durable.Options{Definitions: defined(one), Runs: &hand{}}
	s := &talk{opened: open(t, options)}
	s.root()
	made := &readable{options: options, conversation: s.ID(), counter: counter()}
	made.first = s.append(s.ID(), "first").ID
	s.commit(func(tx *durable.Tx) error { return head(tx, s.ID(), "reset", 0) })
	s.set(made.counter, durable.InConversation(s.ID()), 1)
	s.append(s.ID(), "second")
	s.set(made.counter, durable.InConversation(s.ID()), 2)
	made.task = s.create(one, 1, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: s.ID()})
	s.emit(durable.EventDraft{Type: "a", Conversation: s.ID()})
	s.commit(func(tx *durable.Tx) error {
		submission, err := tx.CreateSubmission(record.Submission{Conversation: s.ID(), Request: "r", Type: record.Input, Status: record.Queued})
		made.queued = submission.ID
		return err
	})
	made.memory = s.memory.Clone()
	return made
}

// reads counts down to the read that fails; below 1 none does.
type reads struct{ left atomic.Int64 }

func (r *reads) fault() error {
	if r.left.Add(-1) == 0 {
		return errUnread
	}
	return nil
}

// opened opens a session whose reads all succeed until the test says otherwise.
func (f *readable) opened(t *testing.T, faults *reads) *durable.Session {
	t.Helper()
	s, err := durable.Open(within(t), faulty.Around(f.memory.Clone(), faulty.Faults{Read: faults.fault}), f.options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// isFailed says that an error is of a session whose storage could not be read.
func isFailed(err error) bool {
	var failed *durable.FailedError
	return errors.As(err, &failed) && errors.Is(err, errUnread)
}

// drained returns the error of a scan.
func drained[T any](scan iter.Seq2[T, error]) error {
	for _, err := range scan {
		if err != nil {
			return err
		}
	}
	return nil
}

// kinds of reading, each of which returns the error of a read that fails.
func (f *readable) kinds() map[string]func(context.Context, *durable.Session) error {
	in, at := f.conversation, durable.InConversation(f.conversation)
	inside := func(read func(tx *durable.Tx) error) func(context.Context, *durable.Session) error {
		return func(ctx context.Context, s *durable.Session) error {
			return s.Commit(ctx, func(_ context.Context, tx *durable.Tx) error { return read(tx) })
		}
	}
	return map[string]func(context.Context, *durable.Session) error{
		"a row": func(ctx context.Context, s *durable.Session) error {
			_, _, err := s.Entry(ctx, f.first)
			return err
		},
		"a scan": func(ctx context.Context, s *durable.Session) error {
			return drained(s.Entries(ctx, durable.EntryQuery{Conversation: in}))
		},
		"a page": func(ctx context.Context, s *durable.Session) error {
			_, err := s.TaskPage(ctx, durable.TaskQuery{}, 10, nil)
			return err
		},
		"a document": func(ctx context.Context, s *durable.Session) error {
			_, _, err := f.counter.Read(ctx, s, at)
			return err
		},
		"a document of before": func(ctx context.Context, s *durable.Session) error {
			_, err := s.ReadDocumentAt(ctx, f.counter.Definition, in, "", f.first)
			return err
		},
		"a context": func(ctx context.Context, s *durable.Session) error {
			_, err := s.Context(ctx, in, 0)
			return err
		},
		"a view": func(ctx context.Context, s *durable.Session) error {
			_, err := s.ConversationView(ctx, in)
			return err
		},
		"a watch": func(ctx context.Context, s *durable.Session) error {
			w, err := s.WatchConversation(ctx, in)
			if err == nil {
				w.Stop()
			}
			return err
		},
		"the graph": func(ctx context.Context, s *durable.Session) error {
			_, err := s.TaskGraph(ctx)
			return err
		},
		"an inspection": func(ctx context.Context, s *durable.Session) error {
			_, err := s.Inspect(ctx)
			return err
		},
		"events": func(ctx context.Context, s *durable.Session) error {
			return drained(s.Events(ctx, durable.EventQuery{}))
		},
		"events that follow": func(ctx context.Context, s *durable.Session) error {
			for _, err := range s.FollowEvents(ctx, durable.EventQuery{}) {
				return err
			}
			return nil
		},
		"consumers": func(ctx context.Context, s *durable.Session) error {
			_, err := s.Consumers(ctx)
			return err
		},
		"a submission": func(ctx context.Context, s *durable.Session) error {
			_, err := s.Submission(ctx, f.queued)
			return err
		},
		"the tasks that run": func(ctx context.Context, s *durable.Session) error {
			_, err := s.WaitForTask(ctx, f.task)
			return cmp.Or(err, s.Close(ctx)) // which waits for what reads meanwhile
		},
		"a row in a commit": inside(func(tx *durable.Tx) error {
			_, _, err := tx.Task(f.task)
			return err
		}),
		"a scan in a commit": inside(func(tx *durable.Tx) error {
			return drained(tx.Submissions(durable.SubmissionQuery{}))
		}),
		"a change of a document": inside(func(tx *durable.Tx) error {
			_, err := f.counter.Edit(tx, at)
			return err
		}),
		"an entry": inside(func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "third", Head: f.first})
			return err
		}),
		"an error that the callback drops": inside(func(tx *durable.Tx) error {
			_, _, _ = tx.Task(f.task)
			_, err := tx.Emit(durable.EventDraft{Type: "b"})
			return err
		}),
		"an abort": func(ctx context.Context, s *durable.Session) error {
			_, err := s.AbortSubmission(ctx, f.queued)
			return err
		},
	}
}

// TestAStorageThatCannotBeReadEndsTheSession has each read of each kind of reading fail
// in its turn, once.
func TestAStorageThatCannotBeReadEndsTheSession(t *testing.T) {
	f := readableStorage(t)
	for name, read := range f.kinds() {
		t.Run(name, func(t *testing.T) {
			n := int64(1)
			for f.fails(t, n, read) {
				n++
			}
			if n == 1 {
				t.Error("it read nothing")
			}
		})
	}
}

// fails has the nth read fail, and says whether there were so many.
func (f *readable) fails(t *testing.T, n int64, read func(context.Context, *durable.Session) error) bool {
	t.Helper()
	faults := new(reads)
	s := f.opened(t, faults)
	faults.left.Store(n)
	err := read(within(t), s)
	if faults.left.Swap(0) > 0 {
		if err != nil {
			t.Errorf("without a failure: %v", err)
		}
		if err := s.Close(within(t)); err != nil {
			t.Error(err)
		}
		return false
	}
	if !isFailed(err) {
		t.Errorf("read %d failed, and was told as %v", n, err)
	}
	<-s.Ended()
	if !isFailed(s.Err()) {
		t.Errorf("read %d failed, and the session says %v", n, s.Err())
	}
	if _, _, err := s.Task(within(t), f.task); !isFailed(err) {
		t.Errorf("afterwards a read says %v", err)
	}
	if _, err := s.Emit(within(t), durable.EventDraft{Type: "b"}); !isFailed(err) {
		t.Errorf("afterwards a commit says %v", err)
	}
	if err := s.Close(within(t)); !isFailed(err) {
		t.Errorf("the end says %v", err)
	}
	return !t.Failed()
}

// TestAViewThatCannotBeBroughtOnEndsTheSession has a head reach back to what a view does
// not show, which cannot be read. The commit is stored, and says so.
func TestAViewThatCannotBeBroughtOnEndsTheSession(t *testing.T) {
	f := readableStorage(t)
	faults := new(reads)
	s := f.opened(t, faults)
	watch, err := s.WatchConversation(within(t), f.conversation)
	if err != nil {
		t.Fatal(err)
	}
	err = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		err := head(tx, f.conversation, "back", f.first)
		faults.left.Store(1)
		return err
	})
	if err != nil {
		t.Error(err)
	}
	var ended *durable.WatchEndError
	if _, err := watch.Next(within(t)); !errors.As(err, &ended) || ended.Reason != durable.WatchSessionFailed || !isFailed(err) {
		t.Errorf("the watch has ended by %v", err)
	}
	if err := s.Close(within(t)); !isFailed(err) {
		t.Errorf("the end says %v", err)
	}
}

// TestWhoOnlyLooksForDamageEndsNoSession checks and backs up what cannot be read.
func TestWhoOnlyLooksForDamageEndsNoSession(t *testing.T) {
	f := readableStorage(t)
	faults := new(reads)
	s := f.opened(t, faults)
	faults.left.Store(5)
	if err := drained(s.Check(within(t))); !errors.Is(err, errUnread) || isFailed(err) {
		t.Errorf("a check says %v", err)
	}
	faults.left.Store(5)
	if _, err := s.Backup(within(t), new(bytes.Buffer)); !errors.Is(err, errUnread) || isFailed(err) {
		t.Errorf("a backup says %v", err)
	}
	if err := s.Close(within(t)); err != nil {
		t.Error(err)
	}
}

// garbled is a storage whose rows with a tag make no sense.
type garbled struct {
	memory.Storage
	tag byte
}

func (g *garbled) Snapshot() (storage.Snapshot, error) {
	snapshot, err := g.Storage.Snapshot()
	return garbledSnapshot{snapshot, g.tag}, err
}

type garbledSnapshot struct {
	storage.Snapshot
	tag byte
}

func (g garbledSnapshot) Get(key []byte) ([]byte, bool, error) {
	value, found, err := g.Snapshot.Get(key)
	if found && key[0] == g.tag {
		value = []byte("{")
	}
	return value, found, err
}

func TestARowThatMakesNoSenseIsItsReadersError(t *testing.T) {
	const taskRows = 0x40
	below := &garbled{tag: taskRows}
	s, err := durable.Open(within(t), below, durable.Options{Definitions: defined()})
	if err != nil {
		t.Fatal(err)
	}
	one := task("one", phases{"begin": completes()})
	var id record.TaskID
	err = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		in, err := tx.CreateConversation(durable.Ownerless())
		if err != nil {
			return err
		}
		id, err = one.Create(tx, 1, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in.ID})
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, _, err := s.Task(within(t), id); err == nil {
		t.Error("it was read")
	}
	if err := s.Err(); err != nil {
		t.Errorf("the session says %v", err)
	}
	if err := s.Close(within(t)); err != nil {
		t.Error(err)
	}
}
