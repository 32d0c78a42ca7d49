// Package storagetest checks that a backend keeps what package storage promises.
// A backend's tests call [Run].
package storagetest

import (
	"bytes"
	"errors"
	"fmt"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Backend is what is checked.
type Backend struct {
	// Open opens the storage that lives in a folder, which exists. It begins empty. An
	// error fails the test.
	Open func(t testing.TB, dir string) storage.Storage
	// Survives says that a storage that was closed can be opened again and has
	// everything.
	Survives bool
}

// Run checks every promise, each as a subtest of its own. Limits and backups take
// some hundred MB of memory and of disk.
func Run(t *testing.T, backend Backend) {
	for _, promise := range []struct {
		name  string
		check func(*testing.T, *opened)
	}{
		{"KeysAreOrderedByBytes", keysAreOrderedByBytes},
		{"RangesKeepTheirBounds", rangesKeepTheirBounds},
		{"ScansMayBreakAnywhere", scansMayBreakAnywhere},
		{"AnEmptyValueIsNotARemovedKey", emptyValueIsNotRemoved},
		{"TheLastWriteOfAKeyCounts", lastWriteCounts},
		{"ACommitOfNothingIsOne", commitOfNothing},
		{"WhatGoesInIsCopied", whatGoesInIsCopied},
		{"WhatComesOutIsTheCallers", whatComesOutIsTheCallers},
		{"ASnapshotIsAPoint", snapshotIsAPoint},
		{"ScansDoNotSeeLaterCommits", scansDoNotSeeLaterCommits},
		{"SnapshotsSeeCommitsWhole", snapshotsSeeCommitsWhole},
		{"CommitsAtTheLimitsAreTaken", commitsAtTheLimits},
		{"CommitsAboveTheLimitsAreRejected", commitsAboveTheLimits},
		{"NothingWorksOnceClosed", nothingWorksOnceClosed},
		{"ClosingEndsReaders", closingEndsReaders},
		{"CommitsBeforeTheCloseCount", commitsBeforeTheClose},
		{"AReopenedStorageHasEverything", reopenedHasEverything},
		{"RandomHistoriesMatchAModel", randomHistories},
		{"ABackupOfALiveStorageIsAPoint", backupIsAPoint},
		{"ADamagedBackupIsRefused", damagedBackupIsRefused},
	} {
		t.Run(promise.name, func(t *testing.T) {
			promise.check(t, open(t, backend))
		})
	}
}

// Contents returns all pairs of a storage as of now, in ascending order. An error
// fails the test.
func Contents(t testing.TB, s storage.Storage) []storage.Pair {
	t.Helper()
	at, err := s.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	defer at.Close()
	return collect(t, at, storage.Range{})
}

// opened is an open storage of a test.
type opened struct {
	storage.Storage
	backend Backend
	dir     string
}

// open opens a new storage, which ends with the test.
func open(t *testing.T, backend Backend) *opened {
	t.Helper()
	o := &opened{backend: backend, dir: t.TempDir()}
	o.Storage = backend.Open(t, o.dir)
	t.Cleanup(func() {
		if err := o.Close(); err != nil && !errors.Is(err, storage.ErrClosed) {
			t.Errorf("close: %v", err)
		}
	})
	return o
}

// another opens a second storage of the backend.
func (o *opened) another(t *testing.T) *opened {
	t.Helper()
	return open(t, o.backend)
}

// reopen closes the storage, if that was not done, and opens it again.
func (o *opened) reopen(t testing.TB) {
	t.Helper()
	if err := o.Close(); err != nil && !errors.Is(err, storage.ErrClosed) {
		t.Fatal(err)
	}
	o.Storage = o.backend.Open(t, o.dir)
}

// commit commits writes.
func (o *opened) commit(t testing.TB, writes ...storage.Write) {
	t.Helper()
	if err := o.Commit(t.Context(), writes); err != nil {
		t.Fatal(err)
	}
}

// snapshot takes a snapshot that ends with the test.
func (o *opened) snapshot(t testing.TB) storage.Snapshot {
	t.Helper()
	at, err := o.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(at.Close)
	return at
}

func set(key, value string) storage.Write {
	return storage.Write{Key: []byte(key), Value: append([]byte{}, value...)}
}

func remove(key string) storage.Write { return storage.Write{Key: []byte(key)} }

func pair(key, value string) storage.Pair {
	return storage.Pair{Key: []byte(key), Value: append([]byte{}, value...)}
}

// collect returns the pairs of a range.
func collect(t testing.TB, at storage.Snapshot, over storage.Range) []storage.Pair {
	t.Helper()
	var pairs []storage.Pair
	for pair, err := range at.Scan(over) {
		if err != nil {
			t.Fatal(err)
		}
		pairs = append(pairs, pair)
	}
	return pairs
}

// same fails the test unless pairs are those wanted, and shows the first that is not.
// An empty value is not nil.
func same(t testing.TB, what string, want, got []storage.Pair) {
	t.Helper()
	identical := func(a, b storage.Pair) bool { return equal(a, b) && (a.Value == nil) == (b.Value == nil) }
	for i := range max(len(want), len(got)) {
		switch {
		case i >= len(want):
			t.Errorf("%s: pair %d of %d is %s, one too many", what, i, len(got), show(got[i]))
		case i >= len(got):
			t.Errorf("%s: there are %d pairs of %d, and %s is missing", what, len(got), len(want), show(want[i]))
		case !identical(want[i], got[i]):
			t.Errorf("%s: pair %d is %s and should be %s", what, i, show(got[i]), show(want[i]))
		default:
			continue
		}
		return
	}
}

func equal(a, b storage.Pair) bool {
	return bytes.Equal(a.Key, b.Key) && bytes.Equal(a.Value, b.Value)
}

// show shows the beginnings of a key and a value.
func show(pair storage.Pair) string {
	value := "nil"
	if pair.Value != nil {
		value = fmt.Sprintf("%.30q (%d bytes)", pair.Value, len(pair.Value))
	}
	return fmt.Sprintf("%.30q (%d bytes) = %s", pair.Key, len(pair.Key), value)
}
