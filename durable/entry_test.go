package durable_test

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestAKindOfEntriesKnowsItsData(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var summary, other record.Entry
	s.commit(func(tx *durable.Tx) error {
		draft, err := durable.CompactionEntry.Draft(durable.CompactionData{Reason: "manual"})
		if err != nil {
			return err
		}
		if summary, err = tx.AppendEntry(id, draft); err != nil {
			return err
		}
		other, err = tx.AppendEntry(id, durable.EntryDraft{Kind: "other", Data: json.RawMessage(`3`)})
		return err
	})
	if data, err := durable.CompactionEntry.Data(summary); err != nil || data.Reason != "manual" || !durable.CompactionEntry.Is(summary) {
		t.Errorf("%+v %v", data, err)
	}
	var refused *durable.InvalidError
	if _, err := durable.CompactionEntry.Data(other); !errors.As(err, &refused) {
		t.Errorf("an entry of another kind: %v", err)
	}
	if _, err := durable.EntryKind[string]("other").Data(other); err == nil {
		t.Error("data of another type was read")
	}
	s.commit(func(tx *durable.Tx) error {
		if found, is, err := durable.CompactionEntry.Entry(tx, summary.ID); !is || err != nil || found.ID != summary.ID {
			t.Errorf("%+v %v %v", found, is, err)
		}
		if _, is, err := durable.CompactionEntry.Entry(tx, other.ID); is || err != nil {
			t.Errorf("an entry of another kind: %v %v", is, err)
		}
		if _, is, err := durable.CompactionEntry.Entry(tx, 999); is || err != nil {
			t.Errorf("an unknown entry: %v %v", is, err)
		}
		return nil
	})
}

func TestADraftOfAnEntryIsWrittenAndRead(t *testing.T) {
	for _, draft := range []durable.EntryDraft{
		{Kind: "plain"},
		{Kind: "self", Self: true, Model: message.Messages{message.UserText("a", 1)}},
		{Kind: "all", Head: 7, Data: json.RawMessage(`{"a":1}`), Edits: []record.Edit{{Target: 3, Action: record.Omit}}},
	} {
		text, err := json.Marshal(draft)
		if err != nil {
			t.Fatal(err)
		}
		var read durable.EntryDraft
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(draft, read); diff != "" {
			t.Errorf("%s: %s", text, diff)
		}
	}
	for _, text := range []string{`{"kind":"a","head":"other"}`, `{"kind":"a","model":3}`, `{"kind":1}`, `{"kind":"a","head":{}}`} {
		if err := json.Unmarshal([]byte(text), new(durable.EntryDraft)); err == nil {
			t.Errorf("%s was read", text)
		}
	}
}
