package faulty

import (
	"errors"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/storagetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var errFault = errors.New("the fault")

func TestKeepsThePromisesOfTheInnerStorage(t *testing.T) {
	storagetest.Run(t, storagetest.Backend{Open: func(testing.TB, string) storage.Storage {
		return Around(new(memory.Storage), Faults{Read: func() error { return nil }})
	}})
}

func TestCommitsFailBeforeAndAfterTheyAreStored(t *testing.T) {
	rejected := &storage.RejectedError{Reason: errFault}
	for _, c := range []struct {
		name   string
		faults Faults
		stored string // which of the commits are
		synced bool   // whether the second is known to be
	}{
		{"none", Faults{}, "123", true},
		{"before", Faults{Before: At(2, errFault)}, "13", false},
		{"rejected", Faults{Before: At(2, rejected)}, "13", false},
		{"after", Faults{After: At(2, errFault)}, "123", true},
	} {
		t.Run(c.name, func(t *testing.T) {
			inner := new(memory.Storage)
			s := Around(inner, c.faults)
			for i, key := range []string{"1", "2", "3"} {
				err := s.Commit(t.Context(), []storage.Write{{Key: []byte(key), Value: []byte{}}})
				if fails := i == 1 && c.name != "none"; fails != errors.Is(err, errFault) {
					t.Errorf("commit %s: %v", key, err)
				}
			}
			stored := ""
			for _, pair := range storagetest.Contents(t, inner) {
				stored += string(pair.Key)
			}
			if stored != c.stored || s.Begun() != 3 || s.Stored() != len(stored) || s.Synced([]byte("2")) != c.synced {
				t.Errorf("%s are stored; counted were %d and %d, synced %t", stored, s.Begun(), s.Stored(), s.Synced([]byte("2")))
			}
		})
	}
}

func TestReadsFail(t *testing.T) {
	inner := new(memory.Storage)
	left := 1 << 30
	s := Around(inner, Faults{Read: func() error {
		if left--; left < 0 {
			return errFault
		}
		return nil
	}})
	if err := s.Commit(t.Context(), []storage.Write{{Key: []byte("1"), Value: []byte{}}, {Key: []byte("2"), Value: []byte{}}}); err != nil {
		t.Fatal(err)
	}
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	left = 1
	steps, last := 0, error(nil)
	for _, err := range at.Scan(storage.Range{}) {
		steps, last = steps+1, err
	}
	if steps != 2 || !errors.Is(last, errFault) {
		t.Errorf("a scan that fails at its second step has %d (%v)", steps, last)
	}
	if _, _, err := at.Get([]byte("1")); !errors.Is(err, errFault) {
		t.Errorf("get: %v", err)
	}
	if _, err := s.Snapshot(); !errors.Is(err, errFault) {
		t.Errorf("snapshot: %v", err)
	}
}

// TestAnUnsyncedCommitIsNotSynced has the inner storage wait, to see what is said
// meanwhile.
func TestAnUnsyncedCommitIsNotSynced(t *testing.T) {
	for _, early := range []bool{false, true} {
		release := make(chan struct{})
		slow := Around(new(memory.Storage), Faults{Before: func(int, []storage.Write) error {
			<-release
			return nil
		}})
		s := Around(slow, Faults{Early: early})
		returned := make(chan error, 1)
		go func() { returned <- s.Commit(t.Context(), []storage.Write{{Key: []byte("k"), Value: []byte("v")}}) }()
		if early {
			if err := <-returned; err != nil {
				t.Fatal(err)
			}
			if s.Synced([]byte("k")) || s.Stored() != 0 {
				t.Error("a commit that returned early counts as synced")
			}
		}
		close(release)
		if !early {
			if err := <-returned; err != nil {
				t.Fatal(err)
			}
			if !s.Synced([]byte("k")) || s.Stored() != 1 {
				t.Error("a commit that was stored does not count as synced")
			}
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		if !s.Synced([]byte("k")) || s.Stored() != 1 {
			t.Error("once closed a commit does not count as synced")
		}
	}
}
