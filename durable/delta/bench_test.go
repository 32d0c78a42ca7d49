package delta_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// ratio reports how long the work took beside its floor, which is measured in the
// same run.
func ratio(b *testing.B, floor, work time.Duration) {
	b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N), "floor-ns/op")
	b.ReportMetric(float64(work)/float64(max(floor, 1)), "×floor")
}

type queued struct {
	ID    int      `json:"id"`
	Mode  string   `json:"mode"`
	Text  string   `json:"text"`
	Tags  []string `json:"tags"`
	Score float64  `json:"score"`
}

// inbox returns a document of a thousand items as Go has it.
func inbox() map[string][]queued {
	items := make([]queued, 1000)
	for i := range items {
		items[i] = queued{ID: i, Mode: "followUp", Text: fmt.Sprintf("item %d says what it has to say, and no more", i), Tags: []string{"a", "b"}, Score: float64(i) / 8}
	}
	return map[string][]queued{"items": items}
}

// BenchmarkThousandItems measures one change in a document of a thousand items beside
// the floor of any store: encoding/json writing the document once.
func BenchmarkThousandItems(b *testing.B) {
	document := inbox()
	whole := func(b *testing.B) value.Value {
		v, err := value.Of(document)
		if err != nil {
			b.Fatal(err)
		}
		return v
	}
	from := whole(b)
	document["items"][500].Mode = "steer"
	to := whole(b)
	ops := delta.Diff(from, to)
	shared, err := delta.Apply(from, ops)
	if err != nil {
		b.Fatal(err)
	}
	removed, err := delta.Apply(from, delta.Ops{delta.Splice{Path: value.Path{value.Key("items")}, Index: 300, Remove: 1},
		delta.Splice{Path: value.Path{value.Key("items")}, Index: 700, Remove: 1}})
	if err != nil {
		b.Fatal(err)
	}
	text := value.Marshal(from)
	encoded := ops.AppendJSON(nil)
	long := value.String(strings.Repeat("a line of output\n", 1<<16))
	short, longer := value.Array{long}, value.Array{long + "more"}
	for _, work := range []struct {
		name string
		do   func() error
	}{
		{"Diff", func() error { delta.Diff(from, to); return nil }},
		{"Diff with what it shares", func() error { delta.Diff(from, shared); return nil }},
		{"Diff of scattered removals", func() error { delta.Diff(from, removed); return nil }},
		{"Diff of an append to a megabyte", func() error { delta.Diff(short, longer); return nil }},
		{"Apply", func() error { _, err := delta.Apply(from, ops); return err }},
		{"Parse and Apply", func() error {
			ops, err := delta.Parse(encoded)
			if err == nil {
				_, err = delta.Apply(from, ops)
			}
			return err
		}},
		{"value.Append", func() error { value.Append(nil, from); return nil }},
		{"value.Parse", func() error { _, err := value.Parse(text); return err }},
		{"value.Of", func() error { _, err := value.Of(document); return err }},
	} {
		b.Run(work.name, func(b *testing.B) {
			b.ReportAllocs()
			var floor, spent time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := json.Marshal(document); err != nil {
					b.Fatal(err)
				}
				middle := time.Now()
				if err := work.do(); err != nil {
					b.Fatal(err)
				}
				floor += middle.Sub(start)
				spent += time.Since(middle)
			}
			ratio(b, floor, spent)
		})
	}
}
