package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

func TestIdsAreOfOneNamespaceAndNeverUsedAgain(t *testing.T) {
	s := open(t, durable.Options{})
	of := task("waits", phases{"begin": hangs})
	var ids []int64
	make := func(tx *durable.Tx) error {
		c, err1 := tx.CreateConversation(durable.Ownerless())
		e, err2 := tx.AppendEntry(c.ID, durable.EntryDraft{Kind: "a"})
		task, err3 := of.Create(tx, 1, own(c.ID))
		sub, err4 := tx.CreateSubmission(record.Submission{Conversation: c.ID, Type: record.WriteEntry, Status: record.Queued})
		ids = append(ids, int64(c.ID), int64(e.ID), int64(task), int64(sub.ID))
		_, err5 := counter().Edit(tx, durable.InConversation(c.ID))
		return errors.Join(err1, err2, err3, err4, err5)
	}
	documents := 0
	defer s.SubscribeCommits(func(p *durable.Publication) {
		documents += len(p.Documents)
		ids = append(ids, int64(p.Documents[0].Record.ID))
	})()
	s.commit(make)
	wrong := errors.New("wrong")
	s.fails(&wrong, func(tx *durable.Tx) error { return errors.Join(make(tx), wrong) })
	s.commit(make)
	if ids[0] != 2 || documents != 2 {
		t.Errorf("the first id is %d, and %d documents were made", ids[0], documents)
	}
	for i, id := range ids {
		if i > 0 && id <= ids[i-1] {
			t.Errorf("id %d comes after %d", id, ids[i-1])
		}
	}
	s.reopen()
	if id := s.conversation(); int64(id) <= ids[len(ids)-1] {
		t.Errorf("id %d comes after %d", id, ids[len(ids)-1])
	}
	valid(t, s.memory)
}

func TestIdsEndWhereNumbersOfJavaScriptDo(t *testing.T) {
	below := new(memory.Storage)
	last, err := json.Marshal(map[string]any{"format": 1, "seq": 1, "id": int64(record.MaxID) - 1})
	if err != nil {
		t.Fatal(err)
	}
	if err := below.Commit(t.Context(), []storage.Write{{Key: []byte{0x10}, Value: last}}); err != nil {
		t.Fatal(err)
	}
	s := opening(t, below, durable.Options{})
	defer closing(t, s)
	create := func() (id record.ConversationID, err error) {
		err = s.Commit(t.Context(), func(_ context.Context, tx *durable.Tx) error {
			made, err := tx.CreateConversation(durable.Ownerless())
			id = made.ID
			return err
		})
		return id, err
	}
	if id, err := create(); id != 1<<53-1 || err != nil {
		t.Errorf("the last id is %d (%v)", id, err)
	}
	var refused *durable.InvalidError
	if id, err := create(); !errors.As(err, &refused) {
		t.Errorf("after the last id there is %d (%v)", id, err)
	}
}

func TestCommitNumbersIncrease(t *testing.T) {
	s := open(t, durable.Options{})
	var heard []record.Seq
	listen := func() { s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, p.Seq) }) }
	listen()
	s.conversation()
	wrong := errors.New("wrong")
	s.fails(&wrong, func(tx *durable.Tx) error { return wrong })
	s.commit(func(*durable.Tx) error { return nil })
	s.conversation()
	s.reopen()
	listen()
	s.conversation()
	if len(heard) != 3 || heard[0] >= heard[1] || heard[1] >= heard[2] {
		t.Errorf("the commits are %v", heard)
	}
}

func TestAConversationSaysWhoseItIs(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	of := task("waits", phases{"begin": hangs})
	owner := s.create(of, 1, own(id))
	var refused *durable.InvalidError
	for _, wrong := range []durable.Ownership{{}, durable.OfConversation()} {
		s.fails(&refused, func(tx *durable.Tx) error { _, err := tx.CreateConversation(wrong); return err })
	}
	var unknown *durable.NotFoundError
	s.fails(&unknown, func(tx *durable.Tx) error { _, err := tx.CreateConversation(durable.OwnedBy(99)); return err })
	s.commit(func(tx *durable.Tx) error {
		made, err := tx.CreateConversation(durable.OwnedBy(owner))
		if diff := cmp.Diff(&record.Owner{Conversation: id, Task: owner}, made.Owner); diff != "" {
			t.Error(diff)
		}
		return err
	})
	valid(t, s.memory)
}

func TestAnEntryIsACopyAndNamesTheTaskOfItsCommit(t *testing.T) {
	var appended, plain record.Entry
	of := task("writes", phases{"begin": once(func(run *work, tx *durable.Tx) (_ next, err error) {
		appended, err = tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "by"})
		return run.Complete(1), err
	})})
	s := openWith(t, of)
	id := s.conversation()
	by := s.create(of, 1, own(id))
	s.end(by)
	if appended.Task != by {
		t.Errorf("the entry names task %d, not %d", appended.Task, by)
	}
	data := json.RawMessage(`{"a":[1,2]}`)
	edits := []record.Edit{{Target: appended.ID, Action: record.Omit}}
	s.commit(func(tx *durable.Tx) (err error) {
		plain, err = tx.AppendEntry(id, durable.EntryDraft{Kind: "plain", Data: data, Edits: edits, Self: true})
		return err
	})
	data[2], edits[0].Target = 'z', 99
	plain.Data[2] = 'y'
	got, found, err := s.Entry(within(t), plain.ID)
	want := record.Entry{
		ID: plain.ID, Conversation: id, Kind: "plain", Data: json.RawMessage(`{"a":[1,2]}`), Head: plain.ID,
		Edits: []record.Edit{{Target: appended.ID, Action: record.Omit}},
	}
	if diff := cmp.Diff(want, got); diff != "" || !found || err != nil {
		t.Errorf("%v %v %s", found, err, diff)
	}
	valid(t, s.memory)
}

func TestAHeadIsVisibleWhereItIsAppended(t *testing.T) {
	s := open(t, durable.Options{})
	parent, other := s.conversation(), s.conversation()
	first, foreign := s.append(parent, "first"), s.append(other, "foreign")
	hidden := s.append(parent, "hidden")
	child := s.fork(parent, first.ID)
	var unseen *durable.NotFoundError
	for _, head := range []record.EntryID{foreign.ID, hidden.ID, 999, -1} {
		s.fails(&unseen, func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(child, durable.EntryDraft{Kind: "head", Head: head})
			return err
		})
	}
	s.commit(func(tx *durable.Tx) error {
		made, err := tx.AppendEntry(child, durable.EntryDraft{Kind: "head", Head: first.ID})
		if err != nil {
			return err
		}
		_, err = tx.AppendEntry(child, durable.EntryDraft{Kind: "head", Head: made.ID})
		return err
	})
	valid(t, s.memory)
}
