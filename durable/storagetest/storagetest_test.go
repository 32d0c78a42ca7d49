package storagetest

import (
	"bytes"
	"context"
	"iter"
	"maps"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// defectVariable of the environment says what TestNaiveBackend's backend does wrong.
const defectVariable = "HARNESS_TEST_DEFECT"

// naive is a backend that does what is promised, slowly, but for one defect.
type naive struct {
	defect  string
	mu      sync.Mutex
	pairs   map[string][]byte
	closed  bool
	dropped bool
	taken   atomic.Int64 // snapshots
}

func TestNaiveBackendPasses(t *testing.T) {
	var mu sync.Mutex
	stored := make(map[string]*naive)
	Run(t, Backend{Survives: true, Open: func(_ testing.TB, dir string) storage.Storage {
		mu.Lock()
		defer mu.Unlock()
		opened := &naive{defect: os.Getenv(defectVariable), pairs: make(map[string][]byte)}
		if before := stored[dir]; before != nil && opened.defect != "forgets" {
			opened.pairs = before.pairs
		}
		stored[dir] = opened
		return opened
	}})
}

// TestEachDefectIsFound runs the check that must notice a defect over a backend
// that has it, in a process of its own.
func TestEachDefectIsFound(t *testing.T) {
	for _, c := range []struct{ defect, check string }{
		{"ascends always", "KeysAreOrderedByBytes"},
		{"is unordered", "KeysAreOrderedByBytes"},
		{"includes the end", "RangesKeepTheirBounds"},
		{"reads values always", "RangesKeepTheirBounds"},
		{"goes on after a break", "ScansMayBreakAnywhere"},
		{"removes what is empty", "AnEmptyValueIsNotARemovedKey"},
		{"writes backwards", "TheLastWriteOfAKeyCounts"},
		{"keeps what it is given", "WhatGoesInIsCopied"},
		{"gives out what it keeps", "WhatComesOutIsTheCallers"},
		{"reads what is newest", "ASnapshotIsAPoint"},
		{"reads what is newest", "ScansDoNotSeeLaterCommits"},
		{"writes one by one", "SnapshotsSeeCommitsWhole"},
		{"takes less", "CommitsAtTheLimitsAreTaken"},
		{"takes all", "CommitsAboveTheLimitsAreRejected"},
		{"is unclear", "CommitsAboveTheLimitsAreRejected"},
		{"works on", "NothingWorksOnceClosed"},
		{"reads on", "ClosingEndsReaders"},
		{"drops the last", "CommitsBeforeTheCloseCount"},
		{"forgets", "AReopenedStorageHasEverything"},
		{"forgets", "RandomHistoriesMatchAModel"},
		{"includes the end", "RandomHistoriesMatchAModel"},
		{"reads what is newest", "ABackupOfALiveStorageIsAPoint"},
	} {
		t.Run(c.defect+"/"+c.check, func(t *testing.T) {
			run := exec.Command(os.Args[0], "-test.run", "^TestNaiveBackendPasses$/^"+c.check+"$", "-rapid.nofailfile")
			run.Env = append(os.Environ(), defectVariable+"="+c.defect)
			output, err := run.CombinedOutput()
			if err == nil || !strings.Contains(string(output), "--- FAIL: TestNaiveBackendPasses/"+c.check) {
				t.Errorf("%s passes with a backend that %s (%v):\n%s", c.check, c.defect, err, output)
			}
		})
	}
}

func (n *naive) Commit(_ context.Context, writes []storage.Write) error {
	err := storage.Check(writes)
	switch {
	case err != nil && n.defect == "is unclear":
		return err
	case err != nil && n.defect != "takes all" || n.defect == "takes less" && len(writes) == storage.MaxWrites:
		return &storage.RejectedError{Reason: err}
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed && n.defect == "drops the last" && !n.dropped {
		n.dropped = true
		return nil
	}
	if n.closed && n.defect != "works on" {
		return storage.ErrClosed
	}
	if n.defect == "writes backwards" {
		writes = slices.Clone(writes)
		slices.Reverse(writes)
	}
	for _, write := range writes {
		switch {
		case write.Value == nil, len(write.Value) == 0 && n.defect == "removes what is empty":
			delete(n.pairs, string(write.Key))
		case n.defect == "keeps what it is given":
			n.pairs[string(write.Key)] = write.Value
		default:
			n.pairs[string(write.Key)] = bytes.Clone(write.Value)
		}
		if n.defect == "writes one by one" {
			n.mu.Unlock()
			for before, turns := n.taken.Load(), 0; n.taken.Load() == before && turns < 1000; turns++ {
				runtime.Gosched()
			}
			n.mu.Lock()
		}
	}
	return nil
}

func (n *naive) Snapshot() (storage.Snapshot, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed && n.defect != "works on" {
		return nil, storage.ErrClosed
	}
	n.taken.Add(1)
	if n.defect == "reads what is newest" {
		return &naiveSnapshot{of: n, pairs: n.pairs}, nil
	}
	return &naiveSnapshot{of: n, pairs: maps.Clone(n.pairs)}, nil
}

func (n *naive) Close() error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed {
		return storage.ErrClosed
	}
	n.closed = true
	return nil
}

type naiveSnapshot struct {
	of     *naive
	pairs  map[string][]byte
	closed bool
}

func (s *naiveSnapshot) ended() bool {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	return s.closed || s.of.closed && s.of.defect != "reads on"
}

func (s *naiveSnapshot) Close() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	s.closed = true
}

func (s *naiveSnapshot) Get(key []byte) ([]byte, bool, error) {
	if s.ended() {
		return nil, false, storage.ErrClosed
	}
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	value, found := s.pairs[string(key)]
	if s.of.defect == "gives out what it keeps" {
		return value, found, nil
	}
	return bytes.Clone(value), found, nil
}

// keys returns the keys of a range, in its order.
func (s *naiveSnapshot) keys(over storage.Range) []string {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	var keys []string
	for key := range s.pairs {
		if over.Contains([]byte(key)) || s.of.defect == "includes the end" && key == string(over.To) {
			keys = append(keys, key)
		}
	}
	if s.of.defect != "is unordered" {
		slices.Sort(keys)
	}
	if over.Descending && s.of.defect != "ascends always" {
		slices.Reverse(keys)
	}
	return keys
}

func (s *naiveSnapshot) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		keys := s.keys(over)
		for i := 0; i <= len(keys); i++ {
			if s.ended() {
				yield(storage.Pair{}, storage.ErrClosed)
				return
			}
			if i == len(keys) {
				return
			}
			pair := storage.Pair{Key: []byte(keys[i])}
			if !over.KeysOnly || s.of.defect == "reads values always" {
				pair.Value, _, _ = s.Get(pair.Key)
			}
			if !yield(pair, nil) && s.of.defect != "goes on after a break" {
				return
			}
		}
	}
}
