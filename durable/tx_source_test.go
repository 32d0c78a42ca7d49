package durable_test

import (
	"context"
	"errors"
	"iter"
	"sync/atomic"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// snapshots counts the snapshots of a storage.
type snapshots struct {
	storage.Storage
	taken atomic.Int64
}

func (s *snapshots) Snapshot() (storage.Snapshot, error) {
	s.taken.Add(1)
	return s.Storage.Snapshot()
}

// TestTransactionsThatOnlyWriteTakeNoSnapshot appends to a conversation that was
// appended to before, and then reads.
func TestTransactionsThatOnlyWriteTakeNoSnapshot(t *testing.T) {
	below := &snapshots{Storage: new(memory.Storage)}
	session, err := durable.Open(t.Context(), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	s := &opened{Session: session, t: t}
	t.Cleanup(s.stop)
	id := s.conversation()
	s.append(id, "first")
	before := below.taken.Load()
	for range 5 {
		s.append(id, "next")
	}
	if taken := below.taken.Load() - before; taken != 0 {
		t.Errorf("%d snapshots were taken for 5 entries", taken)
	}
	s.commit(func(tx *durable.Tx) error {
		n := 0
		for _, err := range tx.Entries(durable.EntryQuery{Conversation: id}) {
			if err != nil {
				return err
			}
			n++
		}
		if n != 6 {
			t.Errorf("%d entries are seen, want 6", n)
		}
		_, _, err := tx.Conversation(id)
		return err
	})
	if taken := below.taken.Load() - before; taken != 1 {
		t.Errorf("%d snapshots were taken to read twice", taken)
	}
}

func TestAConversationOfARefusedCommitIsNotThere(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	at := s.append(parent, "x")
	refused := errors.New("refused")
	for name, create := range map[string]func(tx *durable.Tx) (record.Conversation, error){
		"created": func(tx *durable.Tx) (record.Conversation, error) { return tx.CreateConversation(durable.Ownerless()) },
		"forked": func(tx *durable.Tx) (record.Conversation, error) {
			return tx.ForkConversation(parent, at.ID, durable.Ownerless())
		},
	} {
		var id record.ConversationID
		err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			created, err := create(tx)
			if err != nil {
				return err
			}
			id = created.ID
			if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "x"}); err != nil {
				return err
			}
			return refused
		})
		if err != refused {
			t.Fatal(err)
		}
		err = s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "x"})
			return err
		})
		var missing *durable.NotFoundError
		if !errors.As(err, &missing) || missing.ID != int64(id) {
			t.Errorf("%s: an entry was appended to %d: %v", name, id, err)
		}
	}
}

func TestAScanThatTheEndOfItsTransactionCutsOffSaysSo(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	s.append(id, "x")
	s.append(id, "x")
	var next func() (record.Entry, error, bool)
	s.commit(func(tx *durable.Tx) error {
		var stop func()
		next, stop = iter.Pull2(tx.Entries(durable.EntryQuery{Conversation: id}))
		t.Cleanup(stop)
		_, err, _ := next()
		return err
	})
	if _, err, more := next(); !more || !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("it went on: %v %v", err, more)
	}
}
