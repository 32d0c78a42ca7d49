package badgerdb

import (
	"errors"
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
