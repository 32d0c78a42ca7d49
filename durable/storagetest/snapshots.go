package storagetest

import (
	"errors"
	"fmt"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

func snapshotIsAPoint(t *testing.T, o *opened) {
	nothing := o.snapshot(t)
	o.commit(t, set("a", "1"), set("b", "1"))
	first := o.snapshot(t)
	o.commit(t, set("a", "2"), remove("b"), set("c", "2"))
	second, again := o.snapshot(t), o.snapshot(t)
	second.Close() // closes no other of the same point
	o.commit(t, remove("a"), remove("c"))
	for _, point := range []struct {
		name string
		at   storage.Snapshot
		want []storage.Pair
	}{
		{"before everything", nothing, nil},
		{"after one commit", first, []storage.Pair{pair("a", "1"), pair("b", "1")}},
		{"after two", again, []storage.Pair{pair("a", "2"), pair("c", "2")}},
	} {
		same(t, point.name, point.want, collect(t, point.at, storage.Range{}))
		for _, key := range []string{"a", "b", "c"} {
			var want []storage.Pair
			for _, pair := range point.want {
				if string(pair.Key) == key {
					want = append(want, pair)
				}
			}
			value, found, err := point.at.Get([]byte(key))
			if err != nil || found != (len(want) == 1) || found && string(value) != string(want[0].Value) {
				t.Errorf("%s: key %s holds %q, %t (%v)", point.name, key, value, found, err)
			}
		}
	}
}

func scansDoNotSeeLaterCommits(t *testing.T, o *opened) {
	want := o.fill(t, []string{"b", "d", "f", "h"})
	at := o.snapshot(t)
	var got []storage.Pair
	for found, err := range at.Scan(storage.Range{}) {
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, found)
		next := string(found.Key[0] + 2)
		o.commit(t, set(string(found.Key[0]+1), "new"), set(next, "changed"), remove(string(found.Key)))
	}
	same(t, "a scan with commits between its steps", want, got)
	same(t, "the same scan afterwards", want, collect(t, at, storage.Range{}))
}

// snapshotsSeeCommitsWhole has one writer that makes all values of each commit the
// same, and readers that look for two that differ.
func snapshotsSeeCommitsWhole(t *testing.T, o *opened) {
	const commits, reads, keys, readers = 100, 200, 8, 4
	var returned, read atomic.Int64 // the last commit that did, and how many snapshots were looked at
	var done sync.WaitGroup
	ended := make(chan struct{})
	for range readers {
		done.Go(func() {
			for {
				least := returned.Load()
				if err := wholeCommit(o, keys, least, returned.Load); err != nil {
					t.Error(err)
					read.Add(reads)
					return
				}
				read.Add(1)
				select {
				case <-ended:
					return
				default:
				}
			}
		})
	}
	for n := int64(1); n <= commits || read.Load() < reads; n++ {
		var writes []storage.Write
		for key := range keys {
			writes = append(writes, set(fmt.Sprint("key ", key), fmt.Sprint(n)))
		}
		writes = append(writes, remove(fmt.Sprint("only ", n-1)), set(fmt.Sprint("only ", n), fmt.Sprint(n)))
		if err := o.Commit(t.Context(), writes); err != nil {
			t.Error(err)
			break
		}
		returned.Store(n)
	}
	close(ended)
	done.Wait()
}

// wholeCommit returns an error unless a new snapshot shows one commit, whole, and
// none that is older than least, nor one that had not begun when it was read.
func wholeCommit(s storage.Storage, keys int, least int64, newest func() int64) error {
	at, err := s.Snapshot()
	if err != nil {
		return err
	}
	defer at.Close()
	most := newest() + 1
	seen, count := int64(-1), 0
	for pair, err := range at.Scan(storage.Range{}) {
		if err != nil {
			return err
		}
		n, err := strconv.ParseInt(string(pair.Value), 10, 64)
		if err != nil {
			return err
		}
		if seen >= 0 && n != seen {
			return fmt.Errorf("one snapshot has parts of the commits %d and %d", seen, n)
		}
		seen, count = n, count+1
	}
	if count == 0 && least == 0 {
		return nil // there was nothing yet
	}
	value, found, err := at.Get(fmt.Append(nil, "only ", seen))
	switch {
	case err != nil:
		return err
	case !found || string(value) != fmt.Sprint(seen) || count != keys+1:
		return fmt.Errorf("a snapshot has %d keys of the %d of commit %d", count, keys+1, seen)
	case seen < least || seen > most:
		return fmt.Errorf("a snapshot shows commit %d; %d had returned before it was taken, and %d was the newest after", seen, least, most)
	}
	return nil
}

func nothingWorksOnceClosed(t *testing.T, o *opened) {
	o.commit(t, set("a", "1"))
	ended := o.snapshot(t)
	ended.Close()
	ended.Close()
	refused(t, "a closed snapshot", ended)
	if err := o.Close(); err != nil {
		t.Fatal(err)
	}
	refused(t, "a closed snapshot of a closed storage", ended)
	ended.Close()
	if err := o.Commit(t.Context(), []storage.Write{set("b", "2")}); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a commit: %v", err)
	}
	if err := o.Commit(t.Context(), nil); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a commit of nothing: %v", err)
	}
	if _, err := o.Snapshot(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a snapshot: %v", err)
	}
	if err := o.Close(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a second close: %v", err)
	}
	if o.backend.Survives {
		o.reopen(t)
		same(t, "reopened", []storage.Pair{pair("a", "1")}, Contents(t, o))
	}
}

// refused fails the test unless a snapshot reads nothing.
func refused(t *testing.T, what string, at storage.Snapshot) {
	t.Helper()
	if value, found, err := at.Get([]byte("a")); value != nil || found || !errors.Is(err, storage.ErrClosed) {
		t.Errorf("%s: get gives %q, %t (%v)", what, value, found, err)
	}
	for _, over := range []storage.Range{{}, {Descending: true}, {KeysOnly: true}, {From: []byte("z")}} {
		steps := 0
		for pair, err := range at.Scan(over) {
			if steps++; pair.Key != nil || !errors.Is(err, storage.ErrClosed) {
				t.Errorf("%s: scan gives %q (%v)", what, pair.Key, err)
			}
		}
		if steps != 1 {
			t.Errorf("%s: a scan has %d steps, and one tells the error", what, steps)
		}
	}
}

func closingEndsReaders(t *testing.T, o *opened) {
	o.fill(t, []string{"a", "b", "c", "d"})
	idle, own := o.snapshot(t), o.snapshot(t)
	steps := func(at storage.Snapshot, end func()) (keys string, last error) {
		for pair, err := range at.Scan(storage.Range{KeysOnly: true}) {
			last = err
			if keys += string(pair.Key); keys == "ab" && err == nil {
				end()
			}
		}
		return keys, last
	}
	if keys, err := steps(own, own.Close); keys != "ab" || !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a scan whose snapshot was closed after b gave %s (%v)", keys, err)
	}
	running := o.snapshot(t)
	keys, err := steps(running, func() {
		if err := o.Close(); err != nil {
			t.Error(err)
		}
	})
	if keys != "ab" || !errors.Is(err, storage.ErrClosed) {
		t.Errorf("a scan whose storage was closed after b gave %s (%v)", keys, err)
	}
	refused(t, "a snapshot from before the close", idle)
}

// commitsBeforeTheClose closes while commits run: those that returned without an
// error are there, those that did not are not.
func commitsBeforeTheClose(t *testing.T, o *opened) {
	if !o.backend.Survives {
		t.Skip("the backend does not promise that a closed storage is found again")
	}
	for round := range 5 {
		committed := make(chan int, 1)
		begun := make(chan struct{})
		var once sync.Once
		go func() {
			n := 0
			for ; ; n++ {
				err := o.Commit(t.Context(), []storage.Write{set("n", fmt.Sprint(round, n)), set(fmt.Sprint(round, n), "")})
				if n == round {
					once.Do(func() { close(begun) })
				}
				if err != nil {
					if !errors.Is(err, storage.ErrClosed) {
						t.Error(err)
					}
					break
				}
			}
			once.Do(func() { close(begun) })
			committed <- n
		}()
		<-begun
		if err := o.Close(); err != nil {
			t.Fatal(err)
		}
		n := <-committed
		o.reopen(t)
		at := o.snapshot(t)
		value, _, err := at.Get([]byte("n"))
		if err != nil || string(value) != fmt.Sprint(round, n-1) {
			t.Errorf("%d commits returned before the close, and reopened it has %q (%v)", n, value, err)
		}
		if found := len(collect(t, at, storage.Prefix(fmt.Append(nil, round, " ")))); found != n {
			t.Errorf("%d commits returned before the close, and reopened it has %d", n, found)
		}
		at.Close()
	}
}
