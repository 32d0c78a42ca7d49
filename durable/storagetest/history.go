package storagetest

import (
	"maps"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// point is a snapshot with what it must show.
type point struct {
	at   storage.Snapshot
	want []storage.Pair
}

// history is a storage beside a map that had the same commits.
type history struct {
	*opened
	t      *testing.T
	model  map[string]string
	points []point
}

// randomHistories compares random commits, snapshots and reopenings with a map.
func randomHistories(t *testing.T, o *opened) {
	bytes := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 'a', 'b', 0x7f, 0xff}), 1, 3)
	keys := rapid.Map(bytes, func(key []byte) string { return string(key) })
	rapid.Check(t, func(r *rapid.T) {
		h := &history{opened: o, t: t, model: make(map[string]string)}
		h.clear()
		defer h.forget()
		r.Repeat(map[string]func(*rapid.T){
			"commit":   func(r *rapid.T) { h.commitSome(r, keys) },
			"snapshot": h.take,
			"scan":     func(r *rapid.T) { h.scan(r, keys) },
			"get":      func(r *rapid.T) { h.get(r, keys) },
			"reopen": func(r *rapid.T) {
				if !o.backend.Survives || rapid.IntRange(0, 15).Draw(r, "reopen") > 0 {
					r.Skip("seldom")
				}
				h.forget()
				h.reopen(t)
			},
			"": func(r *rapid.T) {
				if got := Contents(t, o); !slices.EqualFunc(h.sorted(), got, equal) {
					r.Fatalf("the storage has %q and should have %q", got, h.sorted())
				}
			},
		})
	})
}

// clear removes what the history before left.
func (h *history) clear() {
	var writes []storage.Write
	for _, pair := range Contents(h.t, h) {
		writes = append(writes, storage.Write{Key: pair.Key})
	}
	h.opened.commit(h.t, writes...)
}

// forget closes the snapshots.
func (h *history) forget() {
	for _, point := range h.points {
		point.at.Close()
	}
	h.points = nil
}

func (h *history) sorted() []storage.Pair {
	var pairs []storage.Pair
	for _, key := range slices.Sorted(maps.Keys(h.model)) {
		pairs = append(pairs, pair(key, h.model[key]))
	}
	return pairs
}

func (h *history) commitSome(r *rapid.T, keys *rapid.Generator[string]) {
	var writes []storage.Write
	for range rapid.IntRange(0, 6).Draw(r, "writes") {
		key := keys.Draw(r, "key")
		if rapid.Bool().Draw(r, "remove") {
			writes = append(writes, remove(key))
			delete(h.model, key)
			continue
		}
		value := rapid.StringN(0, 5, -1).Draw(r, "value")
		writes = append(writes, set(key, value))
		h.model[key] = value
	}
	h.opened.commit(h.t, writes...)
}

func (h *history) take(r *rapid.T) {
	if len(h.points) > 4 {
		h.points[0].at.Close()
		h.points = h.points[1:]
	}
	at, err := h.Snapshot()
	if err != nil {
		r.Fatal(err)
	}
	h.points = append(h.points, point{at: at, want: h.sorted()})
}

func (h *history) some(r *rapid.T) point {
	if len(h.points) == 0 {
		r.Skip("no snapshot")
	}
	return rapid.SampledFrom(h.points).Draw(r, "snapshot")
}

func (h *history) scan(r *rapid.T, keys *rapid.Generator[string]) {
	point := h.some(r)
	bound := rapid.OneOf(rapid.Just(""), keys)
	over := storage.Range{
		From:       []byte(bound.Draw(r, "from")),
		To:         []byte(bound.Draw(r, "to")),
		Descending: rapid.Bool().Draw(r, "descending"),
		KeysOnly:   rapid.Bool().Draw(r, "keys only"),
	}
	want := within(point.want, over)
	if got := collect(h.t, point.at, over); !slices.EqualFunc(want, got, equal) {
		r.Fatalf("range %+v has %q and should have %q", over, got, want)
	}
}

func (h *history) get(r *rapid.T, keys *rapid.Generator[string]) {
	point, key := h.some(r), keys.Draw(r, "key")
	value, found, err := point.at.Get([]byte(key))
	i := slices.IndexFunc(point.want, func(pair storage.Pair) bool { return string(pair.Key) == key })
	if err != nil || found != (i >= 0) || found && string(value) != string(point.want[i].Value) {
		r.Fatalf("key %q has %q, %t (%v)", key, value, found, err)
	}
}
