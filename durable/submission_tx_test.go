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
	for _, fits := range []record.Submission{
		{Conversation: in, Type: record.Input, Status: record.Queued, Request: "r"},
		{Conversation: in, Type: record.Input, Status: record.Placed, Entry: 1},
		{Conversation: in, Type: record.Input, Status: record.Done, Entry: 1, Answer: 2},
		{Conversation: in, Type: record.Input, Status: record.Unanswered, Entry: 1, Reason: "a", Detail: json.RawMessage(`1`)},
		{Conversation: in, Type: record.Input, Status: record.Unanswered, Reason: "a"},
		{Conversation: in, Type: record.WriteEntry, Status: record.Queued},
		{Conversation: in, Type: record.WriteEntry, Status: record.Done, Entry: 1},
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
