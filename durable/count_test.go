package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"iter"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// length counts what a scan yields.
func length[T any](t *testing.T, scan iter.Seq2[T, error]) (n int) {
	t.Helper()
	for _, err := range scan {
		if err != nil {
			t.Fatal(err)
		}
		n++
	}
	return n
}

func TestCountsAreThoseOfTheScans(t *testing.T) {
	s := begin(t)
	s.submit(says("hello"))
	s.submit(says("and more"))
	other := s.conversation()
	s.append(other, "note")
	notes := latest(nil)
	s.commit(func(tx *durable.Tx) error {
		_, err := notes.Edit(tx, durable.InConversation(other))
		if err == nil {
			_, err = tx.Emit(durable.EventDraft{Type: "test.happened"})
		}
		return err
	})
	work := task("test.work", phases{"begin": hangs}).Definition
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.CreateTask(work, json.RawMessage("1"), durable.TaskOptions{Conversation: other, Ownership: durable.OfConversation()})
		return err
	})
	documents := s.rows(0x60)
	s.commit(func(tx *durable.Tx) error { return notes.Retire(tx, durable.InConversation(other)) })

	counts, err := durable.Count(within(t), s.memory)
	if err != nil {
		t.Fatal(err)
	}
	ctx := within(t)
	want := durable.Counts{
		Format:          counts.Format,
		Commits:         counts.Commits,
		Conversations:   length(t, s.Conversations(ctx, durable.ConversationQuery{})),
		Entries:         length(t, s.Entries(ctx, durable.EntryQuery{Conversation: s.ID()})) + length(t, s.Entries(ctx, durable.EntryQuery{Conversation: other})),
		Tasks:           length(t, s.Tasks(ctx, durable.TaskQuery{})),
		LiveTasks:       length(t, s.Tasks(ctx, durable.TaskQuery{Live: true})),
		Submissions:     length(t, s.Submissions(ctx, durable.SubmissionQuery{})),
		OpenSubmissions: length(t, s.Submissions(ctx, durable.SubmissionQuery{Status: record.Queued})) + length(t, s.Submissions(ctx, durable.SubmissionQuery{Status: record.Placed})),
		Documents:       documents - 1,
		LiveDocuments:   s.rows(0x62),
		Contents:        s.rows(contentRows),
		Events:          1,
		Consumers:       0,
	}
	if diff := cmp.Diff(want, counts); diff != "" || counts.Format < 1 || counts.Commits < 5 || counts.Entries < 2 || counts.Submissions != 2 || counts.LiveTasks < 1 {
		t.Errorf("%+v (-scans +counts):\n%s", counts, diff)
	}
}

func TestAnEmptyStorageCountsNothing(t *testing.T) {
	below := new(memory.Storage)
	counts, err := durable.Count(t.Context(), below)
	if err != nil || counts != (durable.Counts{}) {
		t.Errorf("counted %+v, %v", counts, err)
	}
	if err := below.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := durable.Count(t.Context(), below); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a closed storage: %v", err)
	}
}

func TestCountingEndsWithItsContext(t *testing.T) {
	s := begin(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := durable.Count(ctx, s.memory); !errors.Is(err, context.Canceled) {
		t.Errorf("counted with a context that has ended: %v", err)
	}
}
