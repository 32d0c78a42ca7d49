package durable_test

import (
	"encoding/json"
	"errors"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestPagesContinueWhereTheyEnded puts the pages of a scan together, with cursors that
// went through JSON, in both orders and over the fork of a conversation.
func TestPagesContinueWhereTheyEnded(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	var want []record.EntryID
	for range 5 {
		want = append(want, s.append(parent, "a").ID)
	}
	var fork record.ConversationID
	s.commit(func(tx *durable.Tx) error {
		created, err := tx.ForkConversation(parent, want[3], durable.Ownerless())
		fork = created.ID
		return err
	})
	want = want[:4]
	for range 4 {
		want = append(want, s.append(fork, "b").ID)
	}
	for _, order := range []durable.Order{"", durable.Ascending, durable.Descending} {
		for limit := 1; limit <= 9; limit++ {
			var got []record.EntryID
			var from *durable.Cursor
			for {
				query := durable.EntryQuery{Conversation: fork}
				if from == nil {
					query.Order = order // what continues may leave it out
				}
				page, err := s.EntryPage(within(t), query, limit, from)
				if err != nil {
					t.Fatal(err)
				}
				for _, entry := range page.Items {
					got = append(got, entry.ID)
				}
				if page.Next == nil {
					break
				}
				text, err := json.Marshal(page.Next)
				if err != nil {
					t.Fatal(err)
				}
				from = new(durable.Cursor)
				if err := json.Unmarshal(text, from); err != nil {
					t.Fatal(err)
				}
			}
			if order != durable.Ascending {
				slices.Reverse(got)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("order %q, limit %d (-want +got):\n%s", order, limit, diff)
			}
		}
	}
	var refused *durable.InvalidError
	other := &durable.Cursor{After: int64(want[2]), Order: durable.Descending}
	if _, err := s.EntryPage(within(t), durable.EntryQuery{Conversation: fork, Order: durable.Ascending}, 3, other); !errors.As(err, &refused) {
		t.Errorf("a cursor of the other order: %v", err)
	}
	if _, err := s.EntryPage(within(t), durable.EntryQuery{Conversation: fork}, 0, nil); !errors.As(err, &refused) {
		t.Errorf("a page of nothing: %v", err)
	}
}
