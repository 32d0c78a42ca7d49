package durable_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

func TestAStorageHasOneSession(t *testing.T) {
	for name, make := range map[string]func() storage.Storage{
		"memory": func() storage.Storage { return new(memory.Storage) },
		"badger": func() storage.Storage {
			db, err := badgerdb.Open(t.TempDir(), badgerdb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return db
		},
	} {
		t.Run(name, func(t *testing.T) {
			below := make()
			first, err := durable.Open(within(t), below, durable.Options{})
			if err != nil {
				t.Fatal(err)
			}
			if _, err := durable.Open(within(t), below, durable.Options{}); !errors.Is(err, storage.ErrClaimed) {
				t.Errorf("the second session: %v", err)
			}
			if err := first.Close(within(t)); err != nil {
				t.Error(err)
			}
		})
	}
}

// rotten is a storage whose files are damaged.
type rotten struct{ storage.Storage }

func (rotten) Verify() error { return errors.New("table 7 is damaged") }

func TestADamagedDatabaseIsNotBackedUp(t *testing.T) {
	below := new(memory.Storage)
	s, err := durable.Open(within(t), rotten{below}, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(within(t))
	var text bytes.Buffer
	if _, err := s.Backup(within(t), &text); err == nil || text.Len() > 0 {
		t.Errorf("%d bytes, %v", text.Len(), err)
	}
	text.Reset()
	if _, err := durable.Backup(within(t), below, &text); err != nil || text.Len() == 0 {
		t.Errorf("of a whole one: %d bytes, %v", text.Len(), err)
	}
}

func TestADocumentIsReadInsideOfACommit(t *testing.T) {
	s := open(t, durable.Options{})
	in, doc := durable.InConversation(s.conversation()), counter()
	s.commit(func(tx *durable.Tx) error {
		if _, found, err := doc.Get(tx, in); found || err != nil {
			t.Errorf("before it is made: %v %v", found, err)
		}
		edited, err := doc.Edit(tx, in)
		if err != nil {
			return err
		}
		edited.N = 3
		if now, found, err := doc.Get(tx, in); now.N != 3 || !found || err != nil {
			t.Errorf("after an edit: %+v %v %v", now, found, err)
		}
		return nil
	})
	s.commit(func(tx *durable.Tx) error {
		if now, found, err := doc.Get(tx, in); now.N != 3 || !found || err != nil {
			t.Errorf("in a later commit: %+v %v %v", now, found, err)
		}
		return doc.Retire(tx, in)
	})
}
