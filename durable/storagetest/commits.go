package storagetest

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

func emptyValueIsNotRemoved(t *testing.T, o *opened) {
	o.commit(t, set("empty", ""), set("full", "x"), remove("never there"))
	want := []storage.Pair{pair("empty", ""), pair("full", "x")}
	same(t, "an empty value", want, Contents(t, o))
	value, found, err := o.snapshot(t).Get([]byte("empty"))
	if value == nil || len(value) != 0 || !found || err != nil {
		t.Errorf("the empty value is %#v, %t (%v)", value, found, err)
	}
	o.commit(t, set("full", ""), remove("empty"))
	same(t, "made empty, and removed", []storage.Pair{pair("full", "")}, Contents(t, o))
	o.commit(t, remove("full"))
	same(t, "removed", nil, Contents(t, o))
	if value, found, err := o.snapshot(t).Get([]byte("full")); value != nil || found || err != nil {
		t.Errorf("the removed key has %#v, %t (%v)", value, found, err)
	}
	o.commit(t, set("full", "again"))
	same(t, "set again", []storage.Pair{pair("full", "again")}, Contents(t, o))
}

func lastWriteCounts(t *testing.T, o *opened) {
	large := string(bytes.Repeat([]byte("large"), storage.Inline))
	o.commit(t, set("b", "before"), set("c", "before"))
	o.commit(t,
		set("a", "1"), set("a", "2"), set("a", "3"),
		set("b", "1"), remove("b"),
		remove("c"), set("c", "2"),
		set("d", "1"), remove("d"), set("d", ""),
		set("e", large), set("e", "small"),
		set("f", "small"), set("f", large),
		remove("g"), remove("g"),
	)
	want := []storage.Pair{pair("a", "3"), pair("c", "2"), pair("d", ""), pair("e", "small"), pair("f", large)}
	same(t, "what was written last", want, Contents(t, o))
}

func commitOfNothing(t *testing.T, o *opened) {
	o.commit(t)
	o.commit(t, remove("nothing"))
	same(t, "after commits of nothing", nil, Contents(t, o))
}

func whatGoesInIsCopied(t *testing.T, o *opened) {
	for _, size := range []int{3, storage.Inline + 1} {
		key, value := []byte(fmt.Sprint("key ", size)), bytes.Repeat([]byte("v"), size)
		want := storage.Pair{Key: bytes.Clone(key), Value: bytes.Clone(value)}
		o.commit(t, storage.Write{Key: key, Value: value})
		spoil(key)
		spoil(value)
		got, found, err := o.snapshot(t).Get(want.Key)
		if err != nil || !found || !bytes.Equal(got, want.Value) {
			t.Errorf("a value of %d bytes changed with what its writer did to it (%v)", size, err)
		}
	}
}

func spoil(b []byte) {
	for i := range b {
		b[i] ^= 0xff
	}
}

func whatComesOutIsTheCallers(t *testing.T, o *opened) {
	large := string(bytes.Repeat([]byte("l"), storage.Inline+1))
	want := []storage.Pair{pair("a", "1"), pair("b", large), pair("c", "3"), pair("d", ""), pair("e", large)}
	for _, pair := range want {
		o.commit(t, storage.Write(pair))
	}
	at := o.snapshot(t)
	for range 2 {
		got := collect(t, at, storage.Range{})
		same(t, "a scan after its last step, and after a reader changed what another gave", want, got)
		for _, pair := range got {
			spoil(pair.Key)
			spoil(pair.Value)
		}
		for _, pair := range want {
			value, _, err := at.Get(pair.Key)
			if err != nil || !bytes.Equal(value, pair.Value) {
				t.Fatalf("the value of %q changed with what a reader did to it (%v)", pair.Key, err)
			}
			spoil(value)
		}
	}
}

func reopenedHasEverything(t *testing.T, o *opened) {
	if !o.backend.Survives {
		t.Skip("the backend does not promise that a closed storage is found again")
	}
	large := string(bytes.Repeat([]byte("l"), 3*storage.Inline))
	o.commit(t, set("a", "1"), set("b", "2"), set("large", large))
	for i := range 3 {
		want := Contents(t, o)
		o.reopen(t)
		same(t, fmt.Sprintf("reopened %d times", i+1), want, Contents(t, o))
		o.commit(t, remove("a"), set(fmt.Sprint("c", i), ""), set("b", fmt.Sprint(i)))
	}
}
