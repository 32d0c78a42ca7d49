package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// emit emits an event that must be accepted.
func (s *opened) emit(draft durable.EventDraft) record.Event {
	s.t.Helper()
	event, err := s.Emit(context.Background(), draft)
	if err != nil {
		s.t.Fatal(err)
	}
	return event
}

// emitted returns the events that a query finds.
func (s *opened) emitted(q durable.EventQuery) []record.Event {
	s.t.Helper()
	return collect(s.t, s.Events(within(s.t), q))
}

// failing is a test, or a run of a property.
type failing interface {
	Helper()
	Fatal(...any)
}

// collect returns what a scan yields that must not fail.
func collect[T any](t failing, scan iter.Seq2[T, error]) (found []T) {
	t.Helper()
	for value, err := range scan {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, value)
	}
	return found
}

func eventIDs(events []record.Event) (ids []record.EventID) {
	for _, event := range events {
		ids = append(ids, event.ID)
	}
	return ids
}

func TestAnEventIsThereWithItsCommit(t *testing.T) {
	clock := &manual{now: time.UnixMilli(1234)}
	s := open(t, durable.Options{Clock: clock})
	id := s.conversation()
	wrong := errors.New("wrong")
	err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		if _, err := tx.Emit(durable.EventDraft{Type: "lost"}); err != nil {
			return err
		}
		return wrong
	})
	if err != wrong {
		t.Fatal(err)
	}
	var published [][]record.Event
	defer s.SubscribeCommits(func(p *durable.Publication) { published = append(published, p.Events) })()
	var want []record.Event
	s.commit(func(tx *durable.Tx) error {
		first, err := tx.Emit(durable.EventDraft{Type: "a", Payload: json.RawMessage(`{"n": 1}`), Extension: "shop", Conversation: id})
		if err != nil {
			return err
		}
		if got := s.emitted(durable.EventQuery{}); len(got) > 0 {
			t.Errorf("outside of the open commit there are %v", got)
		}
		second, err := tx.Emit(durable.EventDraft{Type: "b"})
		want = []record.Event{first, second}
		return err
	})
	shape := []record.Event{
		{ID: want[0].ID, Type: "a", Payload: json.RawMessage(`{"n":1}`), Time: 1234, Extension: "shop", Conversation: id},
		{ID: want[1].ID, Type: "b", Payload: json.RawMessage(`null`), Time: 1234},
	}
	if diff := cmp.Diff(shape, want); diff != "" {
		t.Errorf("what Emit returned:\n%s", diff)
	}
	if diff := cmp.Diff([][]record.Event{want}, published); diff != "" {
		t.Errorf("what was published:\n%s", diff)
	}
	s.reopen()
	if diff := cmp.Diff(want, s.emitted(durable.EventQuery{})); diff != "" {
		t.Errorf("what is stored:\n%s", diff)
	}
}

func TestEmittingIsNoWriteOfATable(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	s.commit(func(tx *durable.Tx) error {
		if _, err := tx.Emit(durable.EventDraft{Type: "a"}); err != nil {
			return err
		}
		if _, found, err := tx.Conversation(id); !found || err != nil {
			t.Errorf("reading a table after Emit: %v %v", found, err)
		}
		if _, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "a"}); err != nil {
			return err
		}
		_, err := tx.Emit(durable.EventDraft{Type: "b"})
		return err
	})
	if got := s.emitted(durable.EventQuery{}); len(got) != 2 {
		t.Errorf("%d events, not 2", len(got))
	}
}

func TestEventsThatCannotBeAreRefused(t *testing.T) {
	s := open(t, durable.Options{})
	var invalid *durable.InvalidError
	for name, draft := range map[string]durable.EventDraft{
		"no type":        {},
		"a long type":    {Type: strings.Repeat("x", 1001)},
		"a long name":    {Type: "a", Extension: strings.Repeat("x", 1001)},
		"no JSON":        {Type: "a", Payload: json.RawMessage(`{`)},
		"empty, no JSON": {Type: "a", Payload: json.RawMessage{}},
	} {
		if _, err := s.Emit(within(t), draft); !errors.As(err, &invalid) {
			t.Errorf("%s: %v", name, err)
		}
	}
	var unknown *durable.NotFoundError
	if _, err := s.Emit(within(t), durable.EventDraft{Type: "a", Conversation: 99}); !errors.As(err, &unknown) {
		t.Errorf("an unknown conversation: %v", err)
	}
	s.commit(func(tx *durable.Tx) error {
		created, err := tx.CreateConversation(durable.Ownerless())
		if err == nil {
			_, err = tx.Emit(durable.EventDraft{Type: "a", Conversation: created.ID})
		}
		return err
	})
	var escaped *durable.Tx
	s.commit(func(tx *durable.Tx) error { escaped = tx; return nil })
	if _, err := escaped.Emit(durable.EventDraft{Type: "a"}); !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("after the callback: %v", err)
	}
	if got := s.emitted(durable.EventQuery{}); len(got) != 1 {
		t.Errorf("%d events are there, not 1", len(got))
	}
}

func TestATypeOfEventsReadsWhatItEmitted(t *testing.T) {
	type order struct{ Items int }
	ordered := durable.EventType[order]{Extension: "shop", Name: "ordered"}
	s := open(t, durable.Options{})
	id := s.conversation()
	s.commit(func(tx *durable.Tx) error {
		_, err := ordered.Emit(tx, id, order{3})
		return err
	})
	event := s.emitted(durable.EventQuery{Types: []string{"ordered"}})[0]
	if got, err := ordered.Decode(event); err != nil || got.Items != 3 || event.Extension != "shop" || event.Conversation != id {
		t.Errorf("%v %v of %v", got, err, event)
	}
	var invalid *durable.InvalidError
	if _, err := (durable.EventType[order]{Name: "paid"}).Decode(event); !errors.As(err, &invalid) {
		t.Errorf("decoded as another type: %v", err)
	}
	err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
		_, err := durable.EventType[chan int]{Name: "x"}.Emit(tx, 0, nil)
		return err
	})
	if !errors.As(err, &invalid) {
		t.Errorf("a payload without a JSON form: %v", err)
	}
}

// TestQueriesFindTheEventsTheyAskFor compares what indices find with a filter over
// everything.
func TestQueriesFindTheEventsTheyAskFor(t *testing.T) {
	types := []string{"a", "b", "c\x00d", "c", "none"}
	rapid.Check(t, func(rt *rapid.T) {
		s := open(t, durable.Options{})
		defer s.stop()
		about := []record.ConversationID{0, s.conversation(), s.conversation()}
		var all []record.Event
		for range rapid.IntRange(0, 40).Draw(rt, "events") {
			draft := durable.EventDraft{
				Type:         rapid.SampledFrom(types[:4]).Draw(rt, "type"),
				Conversation: rapid.SampledFrom(about).Draw(rt, "about"),
			}
			all = append(all, s.emit(draft))
		}
		bound := rapid.Map(rapid.IntRange(0, 60), func(n int) record.EventID { return record.EventID(n) })
		q := durable.EventQuery{
			Types:        rapid.SliceOfN(rapid.SampledFrom(types), 0, 4).Draw(rt, "types"),
			Conversation: rapid.SampledFrom(append(about, 99)).Draw(rt, "conversation"),
			After:        bound.Draw(rt, "after"),
			Before:       bound.Draw(rt, "before"),
			Order:        rapid.SampledFrom([]durable.Order{"", durable.Ascending, durable.Descending}).Draw(rt, "order"),
		}
		var want []record.Event
		for _, event := range all {
			if (len(q.Types) == 0 || slices.Contains(q.Types, event.Type)) &&
				(q.Conversation == 0 || event.Conversation == q.Conversation) &&
				event.ID > q.After && (q.Before == 0 || event.ID < q.Before) {
				want = append(want, event)
			}
		}
		if q.Order == durable.Descending {
			slices.Reverse(want)
		}
		if diff := cmp.Diff(want, collect(rt, s.Events(within(t), q))); diff != "" {
			rt.Fatalf("%+v:\n%s", q, diff)
		}
		s.sound()
		var paged []record.Event
		limit := rapid.IntRange(1, 10).Draw(rt, "limit")
		for from := (*durable.Cursor)(nil); ; {
			page, err := s.EventPage(within(t), q, limit, from)
			if err != nil {
				rt.Fatal(err)
			}
			paged = append(paged, page.Items...)
			if from = page.Next; from == nil {
				break
			}
		}
		if diff := cmp.Diff(want, paged); diff != "" {
			rt.Fatalf("in pages of %d:\n%s", limit, diff)
		}
	})
}

func TestTrimmingKeepsWhatConsumersWaitFor(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	var all []record.Event
	s.commit(func(tx *durable.Tx) error {
		for i := range 1200 {
			draft := durable.EventDraft{Type: "noise", Conversation: id}
			if i == 1100 {
				draft.Type = "signal"
			}
			event, err := tx.Emit(draft)
			if err != nil {
				return err
			}
			all = append(all, event)
		}
		return nil
	})
	trim := func(before record.EventID, want int) {
		t.Helper()
		if removed, err := s.TrimEvents(within(t), before); err != nil || removed != want {
			t.Errorf("trimmed before %d: %d events and %v, not %d", before, removed, err, want)
		}
	}
	refusing := errors.New("not yet")
	consumer := durable.Consumer{Name: "slow", Types: []string{"signal"}, MaxFailures: 1}
	reaction := s.react(consumer, func(context.Context, record.Event, *durable.Tx) error { return refusing })
	s.until(func() bool { return s.consumer("slow").Paused != "" })
	trim(all[10].ID, 10)
	trim(all[10].ID, 0)
	trim(record.MaxID, 1090)
	for _, q := range []durable.EventQuery{{}, {Types: []string{"signal", "noise"}}, {Conversation: id}} {
		if diff := cmp.Diff(eventIDs(all[1100:]), eventIDs(s.emitted(q))); diff != "" {
			t.Errorf("%+v finds:\n%s", q, diff)
		}
	}
	refusing = nil
	if err := s.ResumeConsumer(within(t), "", "slow"); err != nil {
		t.Fatal(err)
	}
	s.until(func() bool { return s.consumer("slow").After == all[1100].ID })
	trim(record.MaxID, 100)
	if err := reaction.Stop(within(t)); err != nil {
		t.Error(err)
	}
	s.sound()
	if last := s.emit(durable.EventDraft{Type: "noise"}); last.ID <= all[1199].ID {
		t.Errorf("an id is used again: %d", last.ID)
	}
}

func TestATrimmedLogKeepsNothingBehind(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	before := s.keys()
	for i := range 3 {
		s.emit(durable.EventDraft{Type: fmt.Sprint(i), Conversation: id})
	}
	if _, err := s.TrimEvents(within(t), record.MaxID); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(before, s.keys()); diff != "" {
		t.Errorf("what the storage holds:\n%s", diff)
	}
}
