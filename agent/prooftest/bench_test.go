package prooftest

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/faux"
)

// BenchmarkTurn measures an input and its answer, with so many rounds of tools. The
// floor is the same commits done bare: their entries and documents, without tasks.
func BenchmarkTurn(b *testing.B) {
	for _, rounds := range []int{0, 1, 5} {
		b.Run(fmt.Sprint("memory/", rounds), func(b *testing.B) { turn(b, rounds, new(memory.Storage), new(memory.Storage)) })
		b.Run(fmt.Sprint("badger/", rounds), func(b *testing.B) { turn(b, rounds, disk(b), disk(b)) })
	}
}

func disk(b *testing.B) storage.Storage {
	db, err := badgerdb.Open(b.TempDir(), badgerdb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

func turn(b *testing.B, rounds int, below, bare storage.Storage) {
	w := opened(b, below, faux.New(faux.Options{Otherwise: toolRounds(rounds)}), agent.Settings{}, look())
	root, err := w.root(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	once := func() {
		if _, err := say(b.Context(), root, "", "Go."); err != nil {
			b.Fatal(err)
		}
	}
	once() // writes the prompt
	var commits []*durable.Publication
	stop := w.SubscribeCommits(func(p *durable.Publication) { commits = append(commits, p) })
	once()
	stop()
	session, err := durable.Open(b.Context(), bare, durable.Options{})
	if err != nil {
		b.Fatal(err)
	}
	defer func() {
		if err := session.Close(context.Background()); err != nil {
			b.Error(err)
		}
	}()
	if _, err := session.Root(b.Context(), durable.ConversationOptions{}); err != nil {
		b.Fatal(err)
	}
	var floor, took time.Duration
	for b.Loop() {
		b.StopTimer()
		began := time.Now()
		for _, p := range commits {
			if err := session.Commit(b.Context(), func(_ context.Context, tx *durable.Tx) error { return again(tx, p) }); err != nil {
				b.Fatal(err)
			}
		}
		floor += time.Since(began)
		b.StartTimer()
		began = time.Now()
		once()
		took += time.Since(began)
	}
	b.ReportMetric(float64(b.N)/took.Seconds(), "turns/s")
	b.ReportMetric(float64(len(commits)), "commits/op")
	b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
	b.ReportMetric(float64(took)/float64(floor), "×floor")
}

// again writes the entries and documents of a commit.
func again(tx *durable.Tx, p *durable.Publication) error {
	for _, entry := range p.Entries {
		if _, err := tx.AppendEntry(record.Root, durable.EntryDraft{Kind: entry.Kind, Model: entry.Model, Data: entry.Data}); err != nil {
			return err
		}
	}
	for _, change := range p.Documents {
		if change.Value == nil || change.Record.Scope.Kind != record.ConversationScope {
			continue
		}
		definition := *durable.LiveDocument.Definition
		definition.Kind, definition.History, definition.Fork = change.Record.Kind, change.Record.History, change.Record.Fork
		draft, err := tx.Draft(&definition, durable.InConversation(record.Root), "", nil)
		if err != nil {
			return err
		}
		// A document that does not change costs nothing: each time it is another one.
		edited := change.Value.Edit()
		edited.Set("seq", value.Number(p.Seq))
		if err := draft.Set(edited.Object()); err != nil {
			return err
		}
	}
	return nil
}
