package durable_test

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
)

// recorder keeps what is committed to a storage, to do the same again without what
// led to it.
type recorder struct {
	storage.Storage
	mu      sync.Mutex
	commits [][]storage.Write
}

func (r *recorder) Commit(ctx context.Context, writes []storage.Write) error {
	kept := make([]storage.Write, len(writes))
	for i, write := range writes {
		kept[i] = storage.Write{Key: slices.Clone(write.Key), Value: slices.Clone(write.Value)}
	}
	r.mu.Lock()
	r.commits = append(r.commits, kept)
	r.mu.Unlock()
	return r.Storage.Commit(ctx, writes)
}

// badgerAt opens a database that syncs.
func badgerAt(b *testing.B, dir string) *badgerdb.DB {
	b.Helper()
	db, err := badgerdb.Open(dir, badgerdb.Options{})
	if err != nil {
		b.Fatal(err)
	}
	return db
}

// BenchmarkCommits measures commits of an entry of 1 KB, each by one of several
// committers that wait for it, beside the floor: the same groups of writes by
// badger alone, as the session made them.
func BenchmarkCommits(b *testing.B) {
	for _, committers := range []int{1, 16, 256} {
		b.Run(fmt.Sprint(committers), func(b *testing.B) {
			dir := b.TempDir()
			below := &recorder{Storage: badgerAt(b, filepath.Join(dir, "session"))}
			s, err := durable.Open(b.Context(), below, durable.Options{})
			if err != nil {
				b.Fatal(err)
			}
			var conversation record.ConversationID
			err = s.Commit(b.Context(), func(_ context.Context, tx *durable.Tx) error {
				created, err := tx.CreateConversation(durable.Ownerless())
				conversation = created.ID
				return err
			})
			if err != nil {
				b.Fatal(err)
			}
			data := json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
			below.commits = nil
			var left atomic.Int64
			left.Store(int64(b.N))
			var wait sync.WaitGroup
			b.ResetTimer()
			for range committers {
				wait.Go(func() {
					for left.Add(-1) >= 0 {
						err := s.Commit(b.Context(), func(_ context.Context, tx *durable.Tx) error {
							_, err := tx.AppendEntry(conversation, durable.EntryDraft{Kind: "note", Data: data})
							return err
						})
						if err != nil {
							b.Error(err)
							return
						}
					}
				})
			}
			wait.Wait()
			b.StopTimer()
			took := b.Elapsed()
			if err := s.Close(context.Background()); err != nil {
				b.Fatal(err)
			}
			floor := replay(b, filepath.Join(dir, "floor"), below.commits)
			b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
			b.ReportMetric(float64(took)/float64(floor), "x-floor")
			b.ReportMetric(float64(b.N)/float64(len(below.commits)), "commits/sync")
		})
	}
}

// replay makes commits of a storage, one after another, and returns what that took.
func replay(b *testing.B, dir string, commits [][]storage.Write) time.Duration {
	b.Helper()
	db := badgerAt(b, dir)
	begun := time.Now()
	for _, writes := range commits {
		if err := db.Commit(context.Background(), writes); err != nil {
			b.Fatal(err)
		}
	}
	took := time.Since(begun)
	if err := db.Close(); err != nil {
		b.Fatal(err)
	}
	return took
}
