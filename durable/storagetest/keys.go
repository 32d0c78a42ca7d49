package storagetest

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// awkward are keys whose order goes wrong when something other than their bytes
// decides it, in order.
func awkward() []string {
	keys := []string{
		"\x00", "\x00\x00", "\x00\x01", "\x00\xff", "\x01", "\x01\x00", "!badger!key", "!badger!txn",
		"0", "10", "2", "A", "a", "a\x00", "a\x00b", "a\xff", "aa", "ab", "b", "\x7f", "\x80", "é",
		"\xfe\xff\xff", "\xff", "\xff\x00", "\xff\xff", "\xff\xff\xff", strings.Repeat("\xff", storage.MaxKey),
	}
	slices.Sort(keys)
	return keys
}

// fill commits keys in another order than their own, and returns the pairs in it.
func (o *opened) fill(t *testing.T, keys []string) []storage.Pair {
	t.Helper()
	var pairs []storage.Pair
	for i, key := range keys {
		pairs = append(pairs, pair(key, fmt.Sprint("value ", i)))
	}
	shuffled := slices.Clone(pairs)
	rand.New(rand.NewPCG(1, 2)).Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
	for several := range slices.Chunk(shuffled, 3) {
		var writes []storage.Write
		for _, pair := range several {
			writes = append(writes, storage.Write(pair))
		}
		o.commit(t, writes...)
	}
	return pairs
}

func keysAreOrderedByBytes(t *testing.T, o *opened) {
	want := o.fill(t, awkward())
	at := o.snapshot(t)
	same(t, "ascending", want, collect(t, at, storage.Range{}))
	for _, pair := range want {
		value, found, err := at.Get(pair.Key)
		if err != nil || !found || !bytes.Equal(value, pair.Value) {
			t.Errorf("key %q holds %q, %t (%v)", pair.Key, value, found, err)
		}
	}
	for _, missing := range []string{"\x00\x02", "aaa", "c", "\xff\x01", "!badger!"} {
		if value, found, err := at.Get([]byte(missing)); found || value != nil || err != nil {
			t.Errorf("key %q holds %q, %t (%v)", missing, value, found, err)
		}
	}
	slices.Reverse(want)
	same(t, "descending", want, collect(t, at, storage.Range{Descending: true}))
}

func rangesKeepTheirBounds(t *testing.T, o *opened) {
	all := o.fill(t, awkward())
	at := o.snapshot(t)
	bounds := append(awkward(), "", "\x00\x02", "!", "a\x00a", "aaa", "\xf0", strings.Repeat("\xff", storage.MaxKey+1))
	for _, from := range bounds {
		for _, to := range bounds {
			for i := range 4 {
				over := storage.Range{From: []byte(from), To: []byte(to), Descending: i&1 != 0, KeysOnly: i&2 != 0}
				same(t, fmt.Sprintf("range %+v", over), within(all, over), collect(t, at, over))
			}
		}
	}
	over := storage.Range{From: []byte{}, To: []byte{}}
	same(t, "empty bounds", all, collect(t, at, over))
	for _, prefix := range []string{"a", "\xff", "\xff\xff", "\x00", "none", "!badger!"} {
		for _, descending := range []bool{false, true} {
			over := storage.Prefix([]byte(prefix))
			over.Descending = descending
			var want []storage.Pair
			for _, pair := range within(all, storage.Range{Descending: descending}) {
				if bytes.HasPrefix(pair.Key, []byte(prefix)) {
					want = append(want, pair)
				}
			}
			same(t, fmt.Sprintf("prefix %q", prefix), want, collect(t, at, over))
		}
	}
}

// within returns what a scan of ordered pairs yields.
func within(ordered []storage.Pair, over storage.Range) []storage.Pair {
	var found []storage.Pair
	for _, pair := range ordered {
		if string(pair.Key) < string(over.From) || len(over.To) > 0 && string(pair.Key) >= string(over.To) {
			continue
		}
		if over.KeysOnly {
			pair.Value = nil
		}
		found = append(found, pair)
	}
	if over.Descending {
		slices.Reverse(found)
	}
	return found
}

func scansMayBreakAnywhere(t *testing.T, o *opened) {
	all := o.fill(t, awkward())
	at := o.snapshot(t)
	for _, descending := range []bool{false, true} {
		want := within(all, storage.Range{Descending: descending})
		for n := range len(all) {
			var got []storage.Pair
			for pair, err := range at.Scan(storage.Range{Descending: descending}) {
				if err != nil {
					t.Fatal(err)
				}
				if got = append(got, pair); len(got) > n {
					break
				}
			}
			same(t, "what came before the break", want[:n+1], got)
		}
	}
	// A scan inside of a scan, and the same scan twice.
	scan := at.Scan(storage.Range{})
	for range 2 {
		var outer []storage.Pair
		for pair, err := range scan {
			if err != nil {
				t.Fatal(err)
			}
			outer = append(outer, pair)
			same(t, "an inner scan", within(all, storage.Range{From: pair.Key}), collect(t, at, storage.Range{From: pair.Key}))
		}
		same(t, "the outer scan", all, outer)
	}
	o.commit(t, set("later", "1"))
}
