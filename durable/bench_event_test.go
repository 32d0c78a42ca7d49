package durable_test

import (
	"context"
	"encoding/json"
	"path/filepath"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// BenchmarkReactions measures a consumer that appends an entry for each event of a
// log of them, beside the floor: the same groups of writes by badger alone.
func BenchmarkReactions(b *testing.B) {
	dir := b.TempDir()
	below := &recorder{Storage: badgerAt(b, filepath.Join(dir, "session"))}
	session, err := durable.Open(b.Context(), below, durable.Options{})
	if err != nil {
		b.Fatal(err)
	}
	s := &opened{Session: session, t: b}
	id := s.conversation()
	payload := json.RawMessage(`"` + strings.Repeat("x", 1000) + `"`)
	var last record.Event
	for n := 0; n < b.N; {
		s.commit(func(tx *durable.Tx) (err error) {
			for range min(1000, b.N-n) {
				if last, err = tx.Emit(durable.EventDraft{Type: "a", Payload: payload}); err != nil {
					return err
				}
				n++
			}
			return nil
		})
	}
	done := make(chan struct{})
	below.commits = nil
	b.ResetTimer()
	s.react(durable.Consumer{Name: "noter"}, func(_ context.Context, event record.Event, tx *durable.Tx) error {
		_, err := tx.AppendEntry(id, durable.EntryDraft{Kind: "noted", Data: event.Payload})
		return err
	})
	defer s.SubscribeCommits(func(p *durable.Publication) {
		if len(p.Consumers) > 0 && p.Consumers[0].After == last.ID {
			close(done)
		}
	})()
	<-done
	b.StopTimer()
	took := b.Elapsed()
	s.stop()
	floor := replay(b, filepath.Join(dir, "floor"), below.commits)
	b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
	b.ReportMetric(float64(took)/float64(floor), "x-floor")
	b.ReportMetric(float64(b.N)/float64(len(below.commits)), "events/sync")
}
