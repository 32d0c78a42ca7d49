package badgerdb

import (
	"bytes"
	"fmt"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// TestSpaceOfRemovedValuesIsFreed replaces large values until most of their logs is
// of no use.
func TestSpaceOfRemovedValuesIsFreed(t *testing.T) {
	dir := t.TempDir()
	large := make([]byte, storage.MaxValue)
	db := opened(t, dir)
	for n := range 6 {
		large[0] = byte(n)
		writes := []storage.Write{{Key: []byte("large"), Value: large}, {Key: fmt.Append(nil, "kept ", n), Value: large[:storage.Inline+1]}}
		if err := db.Commit(t.Context(), writes); err != nil {
			t.Fatal(err)
		}
	}
	before, err := db.Stats()
	if err != nil || before.ValueBytes < 6*storage.MaxValue {
		t.Errorf("six large values take %d bytes (%v)", before.ValueBytes, err)
	}
	if err := db.Close(); err != nil { // sorts the table, and learns what is gone
		t.Fatal(err)
	}
	hours := make(chan time.Time)
	db, err = Open(dir, Options{after: func(d time.Duration) <-chan time.Time {
		if d == collectEvery {
			return hours
		}
		return time.After(d)
	}})
	if err != nil {
		t.Fatal(err)
	}
	for range 3 {
		hours <- time.Time{}
	}
	after, err := db.Stats()
	if err != nil || after.ValueBytes > 3*storage.MaxValue {
		t.Errorf("one large value takes %d bytes, six took %d (%v)", after.ValueBytes, before.ValueBytes, err)
	}
	at, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	value, _, err := at.Get([]byte("large"))
	if err != nil || !bytes.Equal(value, large) {
		t.Errorf("the large value has %d bytes (%v)", len(value), err)
	}
	for n := range 6 {
		if value, _, err := at.Get(fmt.Append(nil, "kept ", n)); err != nil || len(value) != storage.Inline+1 || value[0] != byte(n) {
			t.Errorf("value %d has %d bytes (%v)", n, len(value), err)
		}
	}
	at.Close()
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
