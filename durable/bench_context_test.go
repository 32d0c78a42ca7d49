package durable_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model/message"
)

// scanned reads the entries of a storage, and nothing else.
func scanned(b *testing.B, below storage.Storage) (entries int) {
	b.Helper()
	snapshot, err := below.Snapshot()
	if err != nil {
		b.Fatal(err)
	}
	defer snapshot.Close()
	const tagEntry = 0x30
	for pair, err := range snapshot.Scan(storage.Prefix([]byte{tagEntry})) {
		if err != nil {
			b.Fatal(err)
		}
		var entry record.Entry
		if err := json.Unmarshal(pair.Value[8:], &entry); err != nil {
			b.Fatal(err)
		}
		entries++
	}
	return entries
}

// BenchmarkContexts measures the context of a conversation of 10,000 entries: cold,
// beside a bare scan of them with their decoding; warm, with one entry more each time;
// and cold when a head leaves a hundred of them.
func BenchmarkContexts(b *testing.B) {
	const entries, conversation = 10_000, record.ConversationID(2)
	dir := filepath.Join(b.TempDir(), "session")
	db := badgerAt(b, dir)
	filled(b, db, 1, entries)
	var cold, floor, warm, headed time.Duration
	derive := func(s *durable.Session, want int) time.Duration {
		begun := time.Now()
		view, err := s.Context(b.Context(), conversation, 0)
		if err != nil || len(view.Messages) != want {
			b.Fatal(len(view.Messages), err)
		}
		return time.Since(begun)
	}
	appended := 0
	add := func(s *durable.Session, draft durable.EntryDraft) {
		err := s.Commit(b.Context(), func(_ context.Context, tx *durable.Tx) error {
			_, err := tx.AppendEntry(conversation, draft)
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
		appended++
	}
	turn := message.Messages{message.UserText("and now?", 1)}
	for b.Loop() {
		begun := time.Now()
		if found := scanned(b, db); found != entries+appended {
			b.Fatal(found)
		}
		floor += time.Since(begun)
		s, err := durable.Open(b.Context(), db, durable.Options{})
		if err != nil {
			b.Fatal(err)
		}
		cold += derive(s, entries+appended)
		add(s, durable.EntryDraft{Kind: durable.UserEntry, Model: turn})
		warm += derive(s, entries+appended)
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
		db = badgerAt(b, dir)
	}
	s, err := durable.Open(b.Context(), db, durable.Options{})
	if err != nil {
		b.Fatal(err)
	}
	add(s, durable.EntryDraft{Kind: durable.ResetEntry, Self: true, Model: turn})
	for range 99 {
		add(s, durable.EntryDraft{Kind: durable.UserEntry, Model: turn})
	}
	headed = derive(s, 100)
	if err := s.Close(context.Background()); err != nil {
		b.Fatal(err)
	}
	milliseconds := func(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }
	n := float64(b.N)
	b.ReportMetric(milliseconds(cold)/n, "cold-ms")
	b.ReportMetric(milliseconds(floor)/n, "floor-ms")
	b.ReportMetric(float64(cold)/float64(floor), "x-floor")
	b.ReportMetric(milliseconds(warm)/n, "warm-ms")
	b.ReportMetric(milliseconds(headed), "headed-ms")
}
