package durable_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// page is a document of about 1 KB.
type page struct {
	Title string            `json:"title"`
	N     int               `json:"n"`
	Lines []string          `json:"lines"`
	Marks map[string]string `json:"marks"`
}

func firstPage() page {
	p := page{Title: "a page", Marks: make(map[string]string)}
	for i := range 10 {
		p.Lines = append(p.Lines, strings.Repeat("line ", 14))
		p.Marks[strings.Repeat("m", i+1)] = "a mark"
	}
	return p
}

// BenchmarkDocumentCommits measures commits that change one member of a document of
// 1 KB, in memory, beside the floor: the same writes on the bare storage.
func BenchmarkDocumentCommits(b *testing.B) {
	definition := durable.DefineDocument(durable.DocumentSpec[page]{
		Kind: "bench.page", Version: 1, Scope: record.SessionScope, Initial: firstPage,
		Checkpoint: func(_ *value.Object, _ delta.Ops, deltas int) bool { return deltas >= 31 },
	})
	edits := map[string]func(tx *durable.Tx, n int) error{
		"typed": func(tx *durable.Tx, n int) error {
			shown, err := definition.Edit(tx, durable.InSession())
			if err == nil {
				shown.N = n
			}
			return err
		},
		"values": func(tx *durable.Tx, n int) error {
			draft, err := tx.Draft(definition.Definition, durable.InSession(), "", nil)
			if err != nil {
				return err
			}
			now, err := draft.Value()
			if err != nil {
				return err
			}
			changed := now.Edit()
			changed.Set("n", value.Number(n))
			return draft.Set(changed.Object())
		},
	}
	for _, name := range []string{"typed", "values"} {
		b.Run(name, func(b *testing.B) {
			below := &recorder{Storage: new(memory.Storage)}
			s := opening(b, below, durable.Options{})
			n := 0
			commit := func() {
				n++
				err := s.Commit(b.Context(), func(_ context.Context, tx *durable.Tx) error { return edits[name](tx, n) })
				if err != nil {
					b.Fatal(err)
				}
			}
			commit()
			below.commits = nil
			b.ReportAllocs()
			b.ResetTimer()
			for range b.N {
				commit()
			}
			b.StopTimer()
			took := b.Elapsed()
			closing(b, s)
			bare := new(memory.Storage)
			begun := time.Now()
			for _, writes := range below.commits {
				if err := bare.Commit(context.Background(), writes); err != nil {
					b.Fatal(err)
				}
			}
			floor := time.Since(begun)
			b.ReportMetric(float64(floor.Microseconds())/float64(b.N), "floor-µs/op")
			b.ReportMetric(float64(took)/float64(floor), "×floor")
		})
	}
}
