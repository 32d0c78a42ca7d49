package memory

import (
	"errors"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// TestKeepsThePromisesOfStorage takes a clone for what a reopened storage would be.
func TestKeepsThePromisesOfStorage(t *testing.T) {
	var mu sync.Mutex
	stored := make(map[string]*Storage)
	storagetest.Run(t, storagetest.Backend{Survives: true, Open: func(_ testing.TB, dir string) storage.Storage {
		mu.Lock()
		defer mu.Unlock()
		opened := new(Storage)
		if before := stored[dir]; before != nil {
			opened = before.Clone()
		}
		stored[dir] = opened
		return opened
	}})
}

func TestACloneHasWhatWasCommittedAndNothingLater(t *testing.T) {
	var first Storage
	set := func(s *Storage, value string) {
		t.Helper()
		if err := s.Commit(t.Context(), []storage.Write{{Key: []byte("k"), Value: []byte(value)}}); err != nil {
			t.Fatal(err)
		}
	}
	get := func(s *Storage) string {
		t.Helper()
		at, err := s.Snapshot()
		if err != nil {
			t.Fatal(err)
		}
		defer at.Close()
		value, _, err := at.Get([]byte("k"))
		if err != nil {
			t.Fatal(err)
		}
		return string(value)
	}
	set(&first, "1")
	clone := first.Clone()
	set(&first, "2")
	set(clone, "3")
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if a, b, c := get(clone), get(first.Clone()), get(clone.Clone()); a != "3" || b != "2" || c != "3" {
		t.Errorf("clones hold %s, %s and %s", a, b, c)
	}
	if _, err := first.Snapshot(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("the clone reopened the original: %v", err)
	}
}
