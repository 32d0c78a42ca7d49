package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

func TestACommitIsTablesAndDocumentsTogether(t *testing.T) {
	s := open(t, durable.Options{})
	of := task("waits", phases{"begin": hangs})
	before := s.dump()
	var heard []*durable.Publication
	defer s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, p) })()
	wrong := errors.New("wrong")
	change := func(fails error) func(tx *durable.Tx) error {
		return func(tx *durable.Tx) error {
			made, err := tx.CreateConversation(durable.Ownerless())
			if err != nil {
				return err
			}
			shown, err := counter().Edit(tx, durable.InConversation(made.ID))
			if err != nil {
				return err
			}
			shown.N = 1
			if _, err := tx.AppendEntry(made.ID, durable.EntryDraft{Kind: "a"}); err != nil {
				return err
			}
			if _, err := of.Create(tx, 1, own(made.ID)); err != nil {
				return err
			}
			_, err = tx.CreateSubmission(record.Submission{Conversation: made.ID, Type: record.WriteEntry, Status: record.Queued})
			return errors.Join(err, fails)
		}
	}
	s.fails(&wrong, change(wrong))
	if diff := cmp.Diff(before, s.dump()); diff != "" || len(heard) > 0 {
		t.Errorf("%d publications; stored: %s", len(heard), diff)
	}
	s.commit(change(nil))
	if len(heard) != 1 || len(heard[0].Conversations) != 1 || len(heard[0].Entries) != 1 || len(heard[0].Tasks) != 1 ||
		len(heard[0].Submissions) != 1 || len(heard[0].Documents) != 1 {
		t.Fatalf("published: %+v", heard)
	}
	valid(t, s.memory)
}

// gate lets the commits of a storage through once it is opened.
type gate struct {
	open chan struct{}
	err  error // of the commits
}

func (g *gate) before(int, []storage.Write) error {
	<-g.open
	return g.err
}

// behind opens a session whose storage waits for a gate.
func behind(t *testing.T) (*durable.Session, *gate) {
	g := &gate{open: make(chan struct{})}
	return opening(t, faulty.Around(new(memory.Storage), faulty.Faults{Before: g.before}), durable.Options{}), g
}

// making makes a conversation, and tells of it before it is stored.
func making(s *durable.Session, made chan<- record.ConversationID) error {
	return s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
		c, err := tx.CreateConversation(durable.Ownerless())
		made <- c.ID
		return err
	})
}

func TestTheNextCommitSeesWhatIsOnItsWay(t *testing.T) {
	s, gate := behind(t)
	defer closing(t, s)
	made, done := make(chan record.ConversationID), make(chan error)
	go func() { done <- making(s, made) }()
	id := <-made
	go func() {
		done <- s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
			if _, found, err := tx.Conversation(id); !found || err != nil {
				t.Errorf("the commit after it sees it: %v %v", found, err)
			}
			shown, err := counter().Edit(tx, durable.InConversation(id))
			if err == nil {
				shown.N = 3
			}
			made <- 0
			return err
		})
	}()
	<-made
	if _, found, err := s.ConversationRecord(within(t), id); found || err != nil {
		t.Errorf("before it is stored others see it: %v %v", found, err)
	}
	close(gate.open)
	for range 2 {
		if err := <-done; err != nil {
			t.Error(err)
		}
	}
	if shown, found, err := counter().Read(within(t), s, durable.InConversation(id)); !found || err != nil || shown.N != 3 {
		t.Errorf("after it is stored: %v %v %v", shown, found, err)
	}
}

// What a callback has read may never be stored: a commit that only read must not
// return before it is, and not at all when it will not be.
func TestACommitReturnsAfterWhatItReadIsStored(t *testing.T) {
	s, gate := behind(t)
	gate.err = errors.New("the disk is gone")
	made, first, second := make(chan record.ConversationID), make(chan error), make(chan error)
	go func() { first <- making(s, made) }()
	id := <-made
	go func() {
		second <- s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
			_, found, err := tx.Conversation(id)
			if !found || err != nil {
				t.Errorf("the commit after it sees it: %v %v", found, err)
			}
			made <- 0
			return err
		})
	}()
	<-made
	close(gate.open)
	var failed *durable.FailedError
	if err := <-first; !errors.As(err, &failed) {
		t.Errorf("the commit that failed says %v", err)
	}
	if err := <-second; !errors.As(err, &failed) {
		t.Errorf("the commit that read what was never stored says %v", err)
	}
	if err := s.Close(within(t)); !errors.As(err, &failed) {
		t.Errorf("Close says %v", err)
	}
}

func TestNoTableIsReadAfterAWrite(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	entry := s.append(id, "a")
	of := task("waits", phases{"begin": hangs})
	writes := map[string]func(tx *durable.Tx) error{
		"CreateConversation": func(tx *durable.Tx) error { _, err := tx.CreateConversation(durable.Ownerless()); return err },
		"ForkConversation": func(tx *durable.Tx) error {
			_, err := tx.ForkConversation(id, entry.ID, durable.Ownerless())
			return err
		},
		"AppendEntry": func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "b"})
			return err
		},
		"CreateTask": func(tx *durable.Tx) error { _, err := of.Create(tx, 1, own(id)); return err },
		"CreateSubmission": func(tx *durable.Tx) error {
			_, err := tx.CreateSubmission(record.Submission{Conversation: id, Type: record.WriteEntry, Status: record.Queued})
			return err
		},
	}
	reads := map[string]func(tx *durable.Tx) error{
		"Conversation":        func(tx *durable.Tx) error { _, _, err := tx.Conversation(id); return err },
		"Entry":               func(tx *durable.Tx) error { _, _, err := tx.Entry(entry.ID); return err },
		"Task":                func(tx *durable.Tx) error { _, _, err := tx.Task(1); return err },
		"Submission":          func(tx *durable.Tx) error { _, _, err := tx.Submission(1); return err },
		"SubmissionByRequest": func(tx *durable.Tx) error { _, _, err := tx.SubmissionByRequest(id, "r"); return err },
		"LatestHead":          func(tx *durable.Tx) error { _, _, err := tx.LatestHead(id); return err },
		"Conversations": func(tx *durable.Tx) error {
			for _, err := range tx.Conversations(durable.ConversationQuery{}) {
				return err
			}
			return nil
		},
		"Entries": func(tx *durable.Tx) error {
			for _, err := range tx.Entries(durable.EntryQuery{Conversation: id}) {
				return err
			}
			return nil
		},
		"Tasks": func(tx *durable.Tx) error {
			for _, err := range tx.Tasks(durable.TaskQuery{}) {
				return err
			}
			return nil
		},
		"Submissions": func(tx *durable.Tx) error {
			for _, err := range tx.Submissions(durable.SubmissionQuery{}) {
				return err
			}
			return nil
		},
		"ConversationPage": func(tx *durable.Tx) error {
			_, err := tx.ConversationPage(durable.ConversationQuery{}, 1, nil)
			return err
		},
		"EntryPage": func(tx *durable.Tx) error {
			_, err := tx.EntryPage(durable.EntryQuery{Conversation: id}, 1, nil)
			return err
		},
		"TaskPage": func(tx *durable.Tx) error { _, err := tx.TaskPage(durable.TaskQuery{}, 1, nil); return err },
	}
	for write, do := range writes {
		s.commit(func(tx *durable.Tx) error {
			for read, see := range reads {
				if err := see(tx); err != nil {
					t.Errorf("%s before %s: %v", read, write, err)
				}
			}
			if err := do(tx); err != nil {
				return err
			}
			for read, see := range reads {
				var refused *durable.ReadAfterWriteError
				if err := see(tx); !errors.As(err, &refused) {
					t.Errorf("%s after %s: %v", read, write, err)
				}
			}
			_, err := counter().Edit(tx, durable.InConversation(id))
			return err
		})
	}
	s.commit(func(tx *durable.Tx) error { // a document is no table
		if _, err := counter().Edit(tx, durable.InConversation(id)); err != nil {
			return err
		}
		return reads["Entries"](tx)
	})
}

// slow is a kind of document whose first value takes until it is released.
type slow struct {
	started, release chan bool
}

func (w slow) definition(kind string) *durable.DocumentDefinition {
	return &durable.DocumentDefinition{
		Kind: kind, Version: 1, Scope: record.SessionScope,
		Initial: func(json.RawMessage) (*value.Object, error) {
			w.started <- true
			<-w.release
			return value.NewObject(), nil
		},
	}
}

func TestACommitDoesNotEndBeforeItsAcquisitions(t *testing.T) {
	s := open(t, durable.Options{})
	before := s.dump()
	w := slow{make(chan bool), make(chan bool)}
	acquired := make(chan error)
	var unsettled *durable.UnsettledError
	s.fails(&unsettled, func(tx *durable.Tx) error {
		go func() {
			_, err := tx.Draft(w.definition("test.slow"), durable.InSession(), "", nil)
			acquired <- err
		}()
		<-w.started
		_, err := counters().Edit(tx, durable.InSession(), "a", 1)
		return err
	})
	close(w.release)
	if err := <-acquired; !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("the acquisition says %v", err)
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Error("stored:", diff)
	}
}

func TestADocumentIsMadeOnceHoweverManyAcquireIt(t *testing.T) {
	s := open(t, durable.Options{})
	w := slow{make(chan bool), make(chan bool)}
	var released atomic.Bool
	s.commit(func(tx *durable.Tx) error {
		var wait, entering sync.WaitGroup
		drafts := make([]*durable.Draft, 8)
		entering.Add(len(drafts))
		for i := range drafts {
			wait.Go(func() {
				entering.Done()
				var err error
				if drafts[i], err = tx.Draft(w.definition("test.slow"), durable.InSession(), "", nil); err != nil || !released.Load() {
					t.Errorf("the document was acquired before it had a value: %v (%v)", !released.Load(), err)
				}
			})
		}
		<-w.started
		// The transaction serves others meanwhile.
		if _, err := counters().Edit(tx, durable.InSession(), "a", 1); err != nil {
			return err
		}
		entering.Wait()
		for range 100 {
			runtime.Gosched() // so that most of them have come as far as they can
		}
		released.Store(true)
		w.release <- true
		wait.Wait()
		if len(slices.Compact(drafts)) != 1 {
			t.Error("a document has several drafts")
		}
		return nil
	})
	if got := s.rows(documentRows); got != 2 {
		t.Errorf("%d documents are stored", got)
	}
}

func TestATransactionIsClosedWhileItIsAdopted(t *testing.T) {
	s := open(t, durable.Options{})
	definition := counters().Definition
	set := func(tx *durable.Tx, n int) error {
		draft, err := tx.Draft(definition, durable.InSession(), "", []byte("1"))
		if err != nil {
			return err
		}
		return draft.Set(value.NewObject(value.Member{Key: "n", Value: value.Number(n)}))
	}
	s.commit(func(tx *durable.Tx) error { return set(tx, 1) })
	s.commit(func(tx *durable.Tx) error {
		definition.Checkpoint = func(*value.Object, delta.Ops, int) bool {
			if _, err := tx.CreateConversation(durable.Ownerless()); !errors.Is(err, durable.ErrTxClosed) {
				t.Errorf("a transaction that is being adopted says %v", err)
			}
			if err := set(tx, 3); !errors.Is(err, durable.ErrTxClosed) {
				t.Errorf("a transaction that is being adopted says %v", err)
			}
			return true
		}
		return set(tx, 2)
	})
	valid(t, s.memory)
}

func TestTheBudgetOfACommitCoversItsDefinitions(t *testing.T) {
	hang := slow{make(chan bool), make(chan bool)}
	checkpoint := counters().Definition
	checkpoint.Checkpoint = func(*value.Object, delta.Ops, int) bool {
		hang.started <- true
		<-hang.release
		return true
	}
	for name, definition := range map[string]*durable.DocumentDefinition{
		"initial": hang.definition("test.hangs"), "checkpoint": checkpoint,
	} {
		t.Run(name, func(t *testing.T) {
			clock := &manual{now: time.UnixMilli(0)}
			s := open(t, durable.Options{Clock: clock})
			if name == "checkpoint" {
				s.commit(func(tx *durable.Tx) error {
					_, err := tx.Draft(definition, durable.InSession(), "", []byte("1"))
					return err
				})
			}
			before := s.dump()
			result := make(chan error)
			go func() {
				result <- s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
					draft, err := tx.Draft(definition, durable.InSession(), "", []byte("1"))
					if err != nil {
						return err
					}
					return draft.Set(value.NewObject(value.Member{Key: "n", Value: value.Number(7)}))
				})
			}()
			<-hang.started
			clock.pass(2 * time.Second)
			s.conversation() // the line has been passed on
			after := s.dump()
			hang.release <- true
			var late *durable.CommitTimeoutError
			if err := <-result; !errors.As(err, &late) {
				t.Errorf("the commit says %v", err)
			}
			if diff := cmp.Diff(after, s.dump()); diff != "" || len(after) <= len(before) {
				t.Error("stored:", diff)
			}
		})
	}
}

func TestListenersOfTheCloseAreCalledOnce(t *testing.T) {
	s := opening(t, new(memory.Storage), durable.Options{})
	calls := 0
	s.SubscribeClose(func() {
		calls++
		if err := s.Commit(context.Background(), nil); !errors.Is(err, durable.ErrClosed) {
			t.Errorf("a commit while it closes says %v", err)
		}
	})
	stop := s.SubscribeClose(func() { t.Error("a listener was called that had stopped") })
	stop()
	stop()
	closing(t, s)
	closing(t, s)
	if calls != 1 {
		t.Errorf("the listener was called %d times", calls)
	}
}
