package host

import (
	"context"
	"sync"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// disk is a storage that outlasts the hosts over it, and refuses or fails commits
// when a test says so.
type disk struct {
	memory.Storage

	mu             sync.Mutex
	refused, fault error
	claimed        bool
}

// refuse has commits refused before anything is written, until reason is nil.
func (d *disk) refuse(reason error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.refused = reason
}

// fail has commits fail, as those of a disk that is broken.
func (d *disk) fail(fault error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fault = fault
}

// Admit implements [storage.Admitter].
func (d *disk) Admit(storage.Size) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused != nil {
		return &storage.RejectedError{Reason: d.refused}
	}
	return nil
}

// Commit implements [storage.Storage].
func (d *disk) Commit(ctx context.Context, writes []storage.Write) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fault != nil {
		return d.fault
	}
	return d.Storage.Commit(ctx, writes)
}

// Claim implements [storage.Exclusive].
func (d *disk) Claim() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.claimed {
		return storage.ErrClaimed
	}
	d.claimed = true
	return nil
}

// Close leaves the storage to the next host.
func (d *disk) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.claimed = false
	return nil
}

var (
	_ storage.Admitter  = (*disk)(nil)
	_ storage.Exclusive = (*disk)(nil)
)

// withSession opens the session of a storage for a moment.
func withSession(t testing.TB, over storage.Storage, use func(*durable.Session) error) {
	t.Helper()
	session, err := durable.Open(t.Context(), over, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := use(session); err != nil {
		t.Error(err)
	}
	if err := session.Close(t.Context()); err != nil {
		t.Error(err)
	}
}

// diskWith returns a storage with a record.
func diskWith(t testing.TB, before Record) *disk {
	t.Helper()
	d := &disk{}
	withSession(t, d, func(session *durable.Session) error { return (&Host{session: session}).save(t.Context(), before) })
	return d
}

// stored returns the record that a storage has.
func stored(t testing.TB, from *disk) (kept Record) {
	t.Helper()
	withSession(t, from.Clone(), func(session *durable.Session) (err error) {
		kept, err = readRecord(t.Context(), session)
		return err
	})
	return kept
}

// over makes a host stand on a storage.
func over(on storage.Storage) func(*Options) {
	return func(o *Options) { o.Storage = on }
}
