package durable_test

import (
	"context"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// opened is a session over a memory that can be opened again.
type opened struct {
	*durable.Session
	t       testing.TB
	memory  *memory.Storage
	options durable.Options
}

// open opens a session over an empty memory.
func open(t testing.TB, options durable.Options) *opened {
	t.Helper()
	s := &opened{t: t, memory: new(memory.Storage), options: options}
	s.start()
	t.Cleanup(s.stop)
	return s
}

func (s *opened) start() {
	s.t.Helper()
	session, err := durable.Open(context.Background(), s.memory, s.options)
	if err != nil {
		s.t.Fatal(err)
	}
	s.Session = session
}

func (s *opened) stop() {
	s.t.Helper()
	if err := s.Close(context.Background()); err != nil {
		s.t.Error("close:", err)
	}
}

// reopen closes the session and opens it again.
func (s *opened) reopen() {
	s.t.Helper()
	s.stop()
	s.memory = s.memory.Clone()
	s.start()
}

// commit makes a commit that must succeed.
func (s *opened) commit(change func(tx *durable.Tx) error) {
	s.t.Helper()
	err := s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error { return change(tx) })
	if err != nil {
		s.t.Fatal(err)
	}
}

// conversation makes a conversation that is nobody's.
func (s *opened) conversation() (id record.ConversationID) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		created, err := tx.CreateConversation(durable.Ownerless())
		id = created.ID
		return err
	})
	return id
}

// append appends an entry with text as its data.
func (s *opened) append(to record.ConversationID, kind string) (entry record.Entry) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) (err error) {
		entry, err = tx.AppendEntry(to, durable.EntryDraft{Kind: kind})
		return err
	})
	return entry
}

// within returns a context that ends with the test, or a long time after it has
// surely gone wrong.
func within(t testing.TB) context.Context {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// contentRows begins the keys of the contents of documents.
const contentRows = 0x61

// rows counts the keys that are stored with a tag.
func (s *opened) rows(tag byte) (n int) {
	s.t.Helper()
	for key := range s.dump() {
		if key[0] == tag {
			n++
		}
	}
	return n
}

// dump returns everything that is stored, also after the session was closed.
func (s *opened) dump() map[string]string {
	s.t.Helper()
	return dumped(s.t, s.memory.Clone())
}

func dumped(t rapid.TB, below storage.Storage) map[string]string {
	t.Helper()
	snapshot, err := below.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer snapshot.Close()
	found := make(map[string]string)
	for pair, err := range snapshot.Scan(storage.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		found[string(pair.Key)] = string(pair.Value)
	}
	return found
}
