package storagetest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// numbered returns a write whose key has 4 bytes, different for each n.
func numbered(n, value int) storage.Write {
	return storage.Write{Key: binary.BigEndian.AppendUint32(nil, uint32(n)), Value: make([]byte, value)}
}

// sized is a commit with what it is about.
type sized struct {
	name   string
	writes []storage.Write
}

// atTheLimits are commits of the largest sizes: one for each limit, and one that is
// at those of writes, inline bytes and bytes at once.
func atTheLimits() []sized {
	longest := []storage.Write{{Key: bytes.Repeat([]byte{0xff}, storage.MaxKey), Value: []byte("v")}}
	largest := []storage.Write{numbered(0, storage.MaxValue)}
	var most, inline, all []storage.Write
	for n := range storage.MaxWrites {
		most = append(most, numbered(n, 0))
	}
	for n := range storage.MaxInline / storage.Inline {
		inline = append(inline, numbered(n, storage.Inline-4))
	}

	const large = 2
	left := storage.MaxInline - 4*storage.MaxWrites
	each := left / (storage.MaxWrites - large)
	all = append(all, numbered(0, storage.MaxValue), numbered(1, storage.MaxCommit-storage.MaxInline-storage.MaxValue))
	all = append(all, numbered(large, left-each*(storage.MaxWrites-large-1)))
	for n := len(all); n < storage.MaxWrites; n++ {
		all = append(all, numbered(n, each))
	}
	return []sized{{"key", longest}, {"value", largest}, {"writes", most}, {"inline bytes", inline}, {"everything", all}}
}

// aboveTheLimits are commits that are one above a limit, or below the least.
func aboveTheLimits() []sized {
	at := atTheLimits()
	most, inline, all := at[2].writes, at[3].writes, at[4].writes
	more := func(writes []storage.Write, write storage.Write) []storage.Write {
		return append(append([]storage.Write(nil), writes...), write)
	}
	larger := more(all[:0], numbered(1, len(all[1].Value)+1))
	return []sized{
		{"key", []storage.Write{{Key: make([]byte, storage.MaxKey+1), Value: []byte("v")}}},
		{"key", []storage.Write{{Key: nil, Value: []byte("v")}}},
		{"key", []storage.Write{numbered(0, 1), {Key: []byte{}}}},
		{"value", []storage.Write{numbered(0, 1), numbered(1, storage.MaxValue+1)}},
		{"commit", more(most, numbered(len(most), 0))},
		{"commit", more(inline, storage.Write{Key: []byte("k")})},
		{"commit", append(append(all[:1:1], larger...), all[2:]...)},
	}
}

func commitsAtTheLimits(t *testing.T, o *opened) {
	for _, commit := range atTheLimits() {
		if err := o.Commit(t.Context(), commit.writes); err != nil {
			t.Fatalf("%s: %v", commit.name, err)
		}
		holds(t, o, commit)
	}
	if o.backend.Survives {
		o.reopen(t)
		commits := atTheLimits()
		holds(t, o, commits[len(commits)-1])
	}
}

// holds fails the test unless everything that a commit set is there.
func holds(t *testing.T, o *opened, commit sized) {
	t.Helper()
	at, err := o.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	for _, write := range commit.writes {
		value, found, err := at.Get(write.Key)
		if err != nil || !found || !bytes.Equal(value, write.Value) {
			t.Fatalf("%s: a value of %d bytes, %d were written (%v)", commit.name, len(value), len(write.Value), err)
		}
	}
}

func commitsAboveTheLimits(t *testing.T, o *opened) {
	o.commit(t, set("before", "1"))
	for _, commit := range aboveTheLimits() {
		err := o.Commit(t.Context(), commit.writes)
		var rejected *storage.RejectedError
		var large *storage.TooLargeError
		if !errors.As(err, &rejected) || !errors.As(err, &large) || large.What != commit.name {
			t.Errorf("%s above its limit: %v", commit.name, err)
		}
	}
	same(t, "after rejected commits", []storage.Pair{pair("before", "1")}, Contents(t, o))
	o.commit(t, set("after", "2"))
	same(t, "a commit after them", []storage.Pair{pair("after", "2"), pair("before", "1")}, Contents(t, o))
}
