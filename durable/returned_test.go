package durable_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// TestWhatATransactionReturnsIsTheCallersOwn changes everything that was returned
// before the commit is adopted.
func TestWhatATransactionReturnsIsTheCallersOwn(t *testing.T) {
	one := task("one", phases{"begin": completes()})
	s := open(t, durable.Options{Definitions: durable.FixedDefinitions(one.Definition)})
	parent := s.conversation()
	at := s.append(parent, "x")
	var heard []*durable.Publication
	defer s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, p) })()
	var entry record.Entry
	var event record.Event
	var fork, owned record.Conversation
	var owner record.Task
	s.commit(func(tx *durable.Tx) (err error) {
		if fork, err = tx.ForkConversation(parent, at.ID, durable.Ownerless()); err != nil {
			return err
		}
		if owner, err = tx.CreateTask(one.Definition, []byte("1"), durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: parent}); err != nil {
			return err
		}
		if owned, err = tx.CreateConversation(durable.OwnedBy(owner.ID)); err != nil {
			return err
		}
		entry, err = tx.AppendEntry(parent, durable.EntryDraft{Kind: "x", Data: []byte("1"), Model: message.Messages{message.UserText("hello", 1)}})
		if err != nil {
			return err
		}
		if event, err = tx.Emit(durable.EventDraft{Type: "x", Payload: []byte("1")}); err != nil {
			return err
		}
		fork.Parent.At, owned.Owner.Task = 777, 777
		entry.Data[0], event.Payload[0] = '9', '9'
		entry.Model[0] = message.UserText("bye", 1)
		return nil
	})
	p := heard[0]
	got := []any{
		p.Conversations[0].Parent.At, p.Conversations[1].Owner.Task,
		string(p.Entries[0].Data), p.Entries[0].Model[0], string(p.Events[0].Payload),
	}
	want := []any{at.ID, owner.ID, "1", message.UserText("hello", 1), "1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error("published:", diff)
	}
	for id, same := range map[record.ConversationID]func(record.Conversation) bool{
		fork.ID:  func(c record.Conversation) bool { return c.Parent.At == at.ID },
		owned.ID: func(c record.Conversation) bool { return c.Owner.Task == owner.ID },
	} {
		if stored, found, err := s.ConversationRecord(within(t), id); err != nil || !found || !same(stored) {
			t.Errorf("conversation %d is stored as %+v: %v", id, stored, err)
		}
	}
}
