package overlay_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/internal/overlay"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// all returns the pairs of a range as text.
func all(t *rapid.T, snapshot storage.Snapshot, over storage.Range) (found []string) {
	t.Helper()
	for pair, err := range snapshot.Scan(over) {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, fmt.Sprintf("%q=%q", pair.Key, pair.Value))
	}
	return found
}

// TestAnOverlayShowsWhatTheStorageWillHold holds an overlay over a storage against
// a storage that has everything, whatever part of the commits is stored.
func TestAnOverlayShowsWhatTheStorageWillHold(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		ctx := context.Background()
		var over overlay.Overlay
		var partly, wholly memory.Storage
		var waiting [][]storage.Write
		seq := record.Seq(0)
		bound := rapid.Custom(func(t *rapid.T) []byte {
			if rapid.Bool().Draw(t, "open") {
				return nil
			}
			return []byte{rapid.ByteRange('a', 'h').Draw(t, "bound")}
		})
		t.Repeat(map[string]func(*rapid.T){
			"adopt": func(t *rapid.T) {
				var writes []storage.Write
				for range rapid.IntRange(1, 4).Draw(t, "writes") {
					write := storage.Write{Key: []byte{rapid.ByteRange('a', 'h').Draw(t, "key")}}
					if rapid.Bool().Draw(t, "set") {
						write.Value = []byte(fmt.Sprint(seq, len(writes)))
					}
					writes = append(writes, write)
				}
				seq++
				over.Add(seq, writes)
				waiting = append(waiting, writes)
				if err := wholly.Commit(ctx, writes); err != nil {
					t.Fatal(err)
				}
			},
			"store": func(t *rapid.T) {
				if len(waiting) == 0 {
					return
				}
				if err := partly.Commit(ctx, waiting[0]); err != nil {
					t.Fatal(err)
				}
				over.Remove()
				waiting = waiting[1:]
			},
			"look": func(t *rapid.T) {
				got, err := over.Over(partly.Snapshot)
				if err != nil {
					t.Fatal(err)
				}
				defer got.Close()
				want, err := wholly.Snapshot()
				if err != nil {
					t.Fatal(err)
				}
				defer want.Close()
				r := storage.Range{From: bound.Draw(t, "from"), To: bound.Draw(t, "to"), Descending: rapid.Bool().Draw(t, "descending"), KeysOnly: rapid.Bool().Draw(t, "keys only")}
				if diff := cmp.Diff(all(t, want, r), all(t, got, r)); diff != "" {
					t.Fatalf("%+v (-want +got):\n%s", r, diff)
				}
				key := []byte{rapid.ByteRange('a', 'h').Draw(t, "one")}
				value, found, _ := got.Get(key)
				wantValue, wantFound, _ := want.Get(key)
				if string(value) != string(wantValue) || found != wantFound {
					t.Fatalf("%s: %q %v, want %q %v", key, value, found, wantValue, wantFound)
				}
			},
		})
	})
}
