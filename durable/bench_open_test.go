package durable_test

import (
	"context"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model/message"
)

// filled writes conversations with entries into a storage, as a session would have.
func filled(b *testing.B, below storage.Storage, conversations, entries int) {
	b.Helper()
	meta := table.Meta{ID: int64(record.Root)}
	commit := func(w *table.Writer) {
		meta.Seq++
		writes, err := w.Writes(meta)
		if err != nil {
			b.Fatal(err)
		}
		if err := below.Commit(context.Background(), writes); err != nil {
			b.Fatal(err)
		}
	}
	for range conversations {
		var w table.Writer
		meta.ID++
		conversation := record.Conversation{ID: record.ConversationID(meta.ID)}
		w.Conversation(conversation)
		for i := range entries {
			if i > 0 && i%1000 == 0 {
				commit(&w)
				w = table.Writer{}
			}
			meta.ID++
			entry := record.Entry{
				ID: record.EntryID(meta.ID), Conversation: conversation.ID, Kind: "pi.user",
				Model: message.Messages{message.UserText("what is the weather like where you are today?", int64(i))},
			}
			row, entry, err := table.NewEntryRow(entry)
			if err != nil {
				b.Fatal(err)
			}
			w.Entry(entry, row, meta.Seq+1)
		}
		commit(&w)
	}
}

// inUse returns the bytes that live on the heap.
func inUse() uint64 {
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return stats.HeapInuse
}

// BenchmarkOpen measures opening a database of a million entries in a thousand
// conversations, up to the first read, beside opening badger alone; and what it
// holds in memory then.
func BenchmarkOpen(b *testing.B) {
	dir := filepath.Join(b.TempDir(), "session")
	db := badgerAt(b, dir)
	filled(b, db, 1000, 1000)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	var floor, took time.Duration
	var held uint64
	for b.Loop() {
		begun := time.Now()
		bare := badgerAt(b, dir)
		floor += time.Since(begun)
		if err := bare.Close(); err != nil {
			b.Fatal(err)
		}
		before := inUse()
		begun = time.Now()
		s, err := durable.Open(b.Context(), badgerAt(b, dir), durable.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if _, found, err := s.ConversationRecord(b.Context(), 2); err != nil || !found {
			b.Fatal(found, err)
		}
		took += time.Since(begun)
		held = max(held, inUse()-min(before, inUse()))
		if err := s.Close(context.Background()); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(took.Milliseconds())/float64(b.N), "ms/op")
	b.ReportMetric(float64(floor.Microseconds())/1000/float64(b.N), "floor-ms/op")
	b.ReportMetric(float64(took)/float64(floor), "x-floor")
	b.ReportMetric(float64(held)/(1<<20), "MB")
}
