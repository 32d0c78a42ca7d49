package durable_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestASubmissionThatContradictsItselfIsRefused(t *testing.T) {
	s := begin(t)
	create := func(submission record.Submission) error {
		return s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error {
			_, err := tx.CreateSubmission(submission)
			return err
		})
	}
	in := s.ID()
	one, two := entryIn(t, s), entryIn(t, s)
	for _, fits := range []record.Submission{
		{Conversation: in, Type: record.Input, Status: record.Queued, Request: "r"},
		{Conversation: in, Type: record.Input, Status: record.Placed, Entry: one},
		{Conversation: in, Type: record.Input, Status: record.Done, Entry: one, Answer: two},
		{Conversation: in, Type: record.Input, Status: record.Unanswered, Entry: one, Reason: "a", Detail: json.RawMessage(`1`)},
		{Conversation: in, Type: record.Input, Status: record.Unanswered, Reason: "a"},
		{Conversation: in, Type: record.WriteEntry, Status: record.Queued},
		{Conversation: in, Type: record.WriteEntry, Status: record.Done, Entry: one},
		{Conversation: in, Type: record.WriteEntry, Status: record.Unanswered, Reason: "a"},
	} {
		if err := create(fits); err != nil {
			t.Errorf("%+v: %v", fits, err)
		}
	}
	var refused *durable.InvalidError
	for _, wrong := range []record.Submission{
		{Conversation: in, Status: record.Queued},
		{Conversation: in, Type: record.Input},
		{Conversation: in, Type: record.Input, Status: record.Queued, Request: "r"},
		{Conversation: in, Type: record.Input, Status: record.Queued, Request: strings.Repeat("r", 1001)},
		{Conversation: in, Type: record.Input, Status: record.Queued, Detail: json.RawMessage(`1`)},
		{Conversation: in, Type: record.Input, Status: record.Placed},
		{Conversation: in, Type: record.Input, Status: record.Done, Entry: 1},
		{Conversation: in, Type: record.Input, Status: record.Unanswered},
		{Conversation: in, Type: record.WriteEntry, Status: record.Placed, Entry: 1},
		{Conversation: in, Type: record.WriteEntry, Status: record.Done, Entry: 1, Answer: 2},
		{Conversation: in, Type: record.WriteEntry, Status: record.Unanswered, Reason: "a", Entry: 1},
		{Conversation: in, Type: record.WriteEntry, Status: record.Unanswered, Reason: "a", Detail: json.RawMessage(`{`)},
	} {
		if err := create(wrong); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", wrong, err)
		}
	}
	var unknown *durable.NotFoundError
	if err := create(record.Submission{Conversation: 999, Type: record.Input, Status: record.Queued}); !errors.As(err, &unknown) {
		t.Errorf("in an unknown conversation: %v", err)
	}
}

func TestOnlyAPlacedInputIsAnswered(t *testing.T) {
	s := begin(t)
	placed, queued, write := s.submit(says("first")), s.submit(says("second")), s.submit(writes("note"))
	settle := func(id record.SubmissionID, settlement durable.Settlement) error {
		return s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error { return tx.SettleSubmission(id, settlement) })
	}
	var refused *durable.InvalidError
	for _, err := range []error{
		settle(queued.ID(), durable.Settlement{Answer: 1}), settle(write.ID(), durable.Settlement{Answer: 1}),
		settle(placed.ID(), durable.Settlement{}), settle(placed.ID(), durable.Settlement{Reason: "a", Detail: json.RawMessage(`{`)}),
	} {
		if !errors.As(err, &refused) {
			t.Errorf("got %v", err)
		}
	}
	var unknown *durable.NotFoundError
	if err := settle(999, durable.Settlement{Reason: "a"}); !errors.As(err, &unknown) {
		t.Errorf("an unknown one: %v", err)
	}
	if err := settle(placed.ID(), durable.Settlement{Reason: "a", Detail: json.RawMessage(`"why"`)}); err != nil {
		t.Error(err)
	}
	if err := settle(placed.ID(), durable.Settlement{Answer: 1}); err != nil {
		t.Errorf("one that is settled: %v", err)
	}
	if now := s.status(placed); now.Status != record.Unanswered || now.Reason != "a" || string(now.Detail) != `"why"` {
		t.Errorf("it is %+v", now)
	}
	place := func(id record.SubmissionID) error {
		return s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error { return tx.PlaceSubmission(id, 1) })
	}
	if err := place(placed.ID()); !errors.As(err, &refused) {
		t.Errorf("placing what is settled: %v", err)
	}
	if err := place(999); !errors.As(err, &unknown) {
		t.Errorf("placing an unknown one: %v", err)
	}
}

// entryIn appends an entry to the conversation.
func entryIn(t *testing.T, s *talk) (id record.EntryID) {
	t.Helper()
	if err := s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error {
		entry, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: "note"})
		id = entry.ID
		return err
	}); err != nil {
		t.Fatal(err)
	}
	return id
}

func TestTheEntriesOfASubmissionAreVisibleInItsConversation(t *testing.T) {
	s := begin(t)
	placed, queued := s.submit(says("first")), s.submit(says("second"))
	fork, here := s.conversation(), s.ID()
	elsewhere := s.append(fork, "note").ID
	commit := func(change func(tx *durable.Tx) error) error {
		return s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error { return change(tx) })
	}
	create := func(submission record.Submission) func(*durable.Tx) error {
		return func(tx *durable.Tx) error {
			_, err := tx.CreateSubmission(submission)
			return err
		}
	}
	there := entryIn(t, s)
	for _, wrong := range []record.EntryID{777, elsewhere} {
		for name, change := range map[string]func(*durable.Tx) error{
			"created with an entry":  create(record.Submission{Conversation: here, Type: record.WriteEntry, Status: record.Done, Entry: wrong}),
			"created with an answer": create(record.Submission{Conversation: here, Type: record.Input, Status: record.Done, Entry: there, Answer: wrong}),
			"placed at an entry":     func(tx *durable.Tx) error { return tx.PlaceSubmission(queued.ID(), wrong) },
			"placed nowhere":         func(tx *durable.Tx) error { return tx.PlaceSubmission(queued.ID(), 0) },
			"settled with an answer": func(tx *durable.Tx) error { return tx.SettleSubmission(placed.ID(), durable.Settlement{Answer: wrong}) },
		} {
			var unknown *durable.NotFoundError
			if err := commit(change); !errors.As(err, &unknown) {
				t.Errorf("%s %d: %v", name, wrong, err)
			}
		}
	}
	if err := commit(func(tx *durable.Tx) error {
		entry, err := tx.AppendEntry(here, durable.EntryDraft{Kind: "note"})
		if err != nil {
			return err
		}
		return tx.SettleSubmission(placed.ID(), durable.Settlement{Answer: entry.ID})
	}); err != nil {
		t.Errorf("an answer of the same commit: %v", err)
	}
}

func TestASubmissionThatWasCreatedIsTheCallers(t *testing.T) {
	s := begin(t)
	var id record.SubmissionID
	if err := s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error {
		created, err := tx.CreateSubmission(record.Submission{
			Conversation: s.ID(), Type: record.Input, Status: record.Unanswered, Reason: "a", Detail: json.RawMessage(`1`),
		})
		if err != nil {
			return err
		}
		id = created.ID
		created.Detail[0] = '9'
		return nil
	}); err != nil {
		t.Fatal(err)
	}
	stored, err := s.Session.Submission(within(t), id)
	if err != nil {
		t.Fatal(err)
	}
	if got := s.status(stored); string(got.Detail) != `1` {
		t.Errorf("stored is %s", got.Detail)
	}
}
