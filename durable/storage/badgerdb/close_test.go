package badgerdb

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/storage"
)

// TestClosingGivesUpOnADiskThatDoesNotAnswer holds what closing waits for.
func TestClosingGivesUpOnADiskThatDoesNotAnswer(t *testing.T) {
	dir, patience := t.TempDir(), make(chan time.Time)
	db, err := Open(dir, Options{patience: time.Minute, after: func(d time.Duration) <-chan time.Time {
		if d == time.Minute {
			return patience
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	db.writer.Lock() // a commit that does not return
	closed := make(chan error, 1)
	go func() { closed <- db.Close() }()
	patience <- time.Time{}
	var stuck *StuckStoreError
	if err := <-closed; !errors.As(err, &stuck) || stuck.Dir != dir || stuck.Waited != time.Minute {
		t.Errorf("close: %v", err)
	}
	var used *InUseError
	if _, err := Open(dir, Options{}); !errors.As(err, &used) {
		t.Errorf("opened while it does not close: %v", err)
	}
	db.writer.Unlock()
	for deadline := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		again, err := Open(dir, Options{})
		if err == nil {
			newHistory().whole(t, again, 1, 1)
			if err := again.Close(); err != nil {
				t.Error(err)
			}
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("it never closed: %v", err)
		}
	}
}

// TestClosingDoesNotWaitForReaders closes under a scan that nobody goes on with.
func TestClosingDoesNotWaitForReaders(t *testing.T) {
	db := opened(t, t.TempDir())
	if err := db.Commit(t.Context(), nth(5)); err != nil {
		t.Fatal(err)
	}
	at, err := db.Snapshot()
	if err != nil {
		t.Fatal(err)
	}
	began, end := make(chan struct{}), make(chan struct{})
	ended := make(chan error, 1)
	go func() {
		var last error
		steps := 0
		for _, err := range at.Scan(storage.Range{}) {
			if last = err; steps == 0 {
				close(began)
				<-end
			}
			steps++
		}
		ended <- last
	}()
	<-began
	if err := db.Close(); err != nil {
		t.Errorf("close: %v", err)
	}
	close(end)
	if err := <-ended; !errors.Is(err, storage.ErrClosed) {
		t.Errorf("the scan ends with %v", err)
	}
}

// TestSnapshotsDoNotWaitForTheCommitThatRuns takes one while the writer is busy.
func TestSnapshotsDoNotWaitForTheCommitThatRuns(t *testing.T) {
	db := opened(t, t.TempDir())
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	// Badger's part of a commit that was given its place and is not written yet.
	txn := db.badger.NewTransaction(true)
	if err := txn.Set(stored([]byte("n")), []byte("2")); err != nil {
		t.Fatal(err)
	}
	db.writer.Lock()
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("during a commit there is %d (%v)", n, err)
	}
	if err := txn.Commit(); err != nil {
		t.Fatal(err)
	}
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("before the commit has returned there is %d (%v)", n, err)
	}
	db.advance()
	db.writer.Unlock()
	if n, err := newest(db); err != nil || n != 2 {
		t.Errorf("after the commit there is %d (%v)", n, err)
	}
}

// TestNothingIsCommittedAfterAFault breaks a database under its commits.
func TestNothingIsCommittedAfterAFault(t *testing.T) {
	db := opened(t, t.TempDir())
	defer db.Close()
	if err := db.Commit(t.Context(), nth(1)); err != nil {
		t.Fatal(err)
	}
	db.fault = errors.New("the disk is on fire")
	if err := db.Commit(t.Context(), nth(2)); err == nil || !strings.Contains(err.Error(), "on fire") {
		t.Errorf("commit: %v", err)
	}
	if n, err := newest(db); err != nil || n != 1 {
		t.Errorf("there is %d (%v)", n, err)
	}
}

// TestTheLogHasWhatBadgerWarnsOf and nothing of what it is glad about.
func TestTheLogHasWhatBadgerWarnsOf(t *testing.T) {
	var text bytes.Buffer
	db, err := Open(t.TempDir(), Options{Logger: slog.New(slog.NewTextHandler(&text, nil))})
	if err != nil {
		t.Fatal(err)
	}
	db.log.Warningf("something %s\n", "odd")
	db.log.Errorf("something %s\n", "bad")
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSpace(text.String()), "\n")
	if len(lines) != 2 || !strings.Contains(lines[0], `level=WARN msg=database message="something odd"`) || !strings.Contains(lines[1], "level=ERROR") {
		t.Errorf("the log has\n%s", text.String())
	}
}

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

// TestStatsMeasure looks at a database before and after it has a table.
func TestStatsMeasure(t *testing.T) {
	dir := t.TempDir()
	db := opened(t, dir)
	for n := range 10 {
		if err := db.Commit(t.Context(), []storage.Write{{Key: fmt.Append(nil, n), Value: make([]byte, 50_000)}}); err != nil {
			t.Fatal(err)
		}
	}
	young, err := db.Stats()
	if err != nil || young.Format != 1 || young.Tables != 0 || young.LogBytes < 500_000 || young.DiskBytes < young.LogBytes || young.FreeBytes == 0 || young.NeedBytes < spareSpace {
		t.Errorf("before there is a table: %+v (%v)", young, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db = opened(t, dir)
	old, err := db.Stats()
	if err != nil || old.Tables != 1 || old.Keys != 10 || old.TableBytes < 500_000 || old.LogBytes > young.LogBytes {
		t.Errorf("with a table: %+v (%v)", old, err)
	}
	if err := db.Verify(); err != nil {
		t.Errorf("verify: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Stats(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("stats of a closed database: %v", err)
	}
	if err := db.Verify(); !errors.Is(err, storage.ErrClosed) {
		t.Errorf("verify of a closed database: %v", err)
	}
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) != 1 {
		t.Fatalf("tables: %v (%v)", tables, err)
	}
	file, err := os.OpenFile(tables[0], os.O_RDWR, 0)
	if err == nil {
		_, err = file.WriteAt([]byte("rust"), 200_000)
	}
	if err := errors.Join(err, file.Close()); err != nil {
		t.Fatal(err)
	}
	db = opened(t, dir)
	if err := db.Verify(); err == nil || !strings.Contains(err.Error(), "damaged") || !strings.Contains(err.Error(), "restore a backup") {
		t.Errorf("verify of a rusty table: %v", err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
