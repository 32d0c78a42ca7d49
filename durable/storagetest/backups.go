package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"iter"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// backupIsAPoint backs a storage up while it changes, and restores that beside it.
func backupIsAPoint(t *testing.T, o *opened) {
	o.fill(t, awkward())
	o.commit(t, set("empty", ""), set("large", string(bytes.Repeat([]byte("l"), 5*storage.Inline))))
	for range 3 {
		want := Contents(t, o)
		at := changing{o.snapshot(t), t, o}
		var stream bytes.Buffer
		written, err := storage.Backup(t.Context(), at, &stream)
		if err != nil {
			t.Fatal(err)
		}
		restored := o.another(t)
		read, err := storage.Restore(t.Context(), restored, &stream)
		if err != nil {
			t.Fatal(err)
		}
		if written != read || read.Pairs != len(want) {
			t.Errorf("%+v was written, %+v was read, and there are %d pairs", written, read, len(want))
		}
		same(t, "restored", want, Contents(t, restored))
		if restored.backend.Survives {
			restored.reopen(t)
			same(t, "restored and reopened", want, Contents(t, restored))
		}
		if _, err := storage.Restore(t.Context(), restored, &stream); !errors.Is(err, storage.ErrNotEmpty) {
			t.Errorf("restored into a storage that is not empty: %v", err)
		}
	}
}

// changing is a snapshot whose storage has a commit after each step of a scan: of a
// key that the scan has passed and of one that it has not.
type changing struct {
	storage.Snapshot
	t       *testing.T
	storage *opened
}

func (c changing) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		n := 0
		for pair, err := range c.Snapshot.Scan(over) {
			if !yield(pair, err) {
				return
			}
			n++
			c.storage.commit(c.t, set(fmt.Sprint("\x00passed ", n), "1"), set(fmt.Sprint("\xffahead ", n), "1"), set("large", fmt.Sprint(n)), remove("\xff"))
		}
	}
}

// damagedBackupIsRefused takes few kinds of damage; package storage tests them all.
func damagedBackupIsRefused(t *testing.T, o *opened) {
	o.fill(t, awkward())
	var stream bytes.Buffer
	if _, err := storage.Backup(t.Context(), o.snapshot(t), &stream); err != nil {
		t.Fatal(err)
	}
	whole := stream.Bytes()
	flipped := bytes.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	for name, damaged := range map[string][]byte{
		"nothing":         nil,
		"cut off":         whole[:len(whole)-1],
		"changed":         flipped,
		"with more after": append(bytes.Clone(whole), 0),
	} {
		_, err := storage.Restore(t.Context(), o.another(t), bytes.NewReader(damaged))
		var refused *storage.BackupError
		if !errors.As(err, &refused) {
			t.Errorf("%s: %v", name, err)
		}
	}
	broken := errors.New("the disk is on fire")
	if _, err := storage.Restore(t.Context(), o.another(t), io.MultiReader(bytes.NewReader(whole[:20]), failing{broken})); !errors.Is(err, broken) {
		t.Errorf("a reader that fails: %v", err)
	}
}

// failing is a reader that fails.
type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }
