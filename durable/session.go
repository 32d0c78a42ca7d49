package durable

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/overlay"
	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Session is an open database of conversations, and the one way to change it. It is
// safe for concurrent use.
type Session struct {
	storage   storage.Storage
	options   Options
	line      line
	overlay   overlay.Overlay
	committer *committer
	revisions revisions
	// known are conversations, for those who write to them.
	known     conversations
	contexts  contexts
	reactions reactions
	scheduler *scheduler
	ends      taskWaits
	idle      idleWaits

	// These belong to whoever holds the line: the newest meta that was adopted, and
	// the newest commit; the live work, and what it is read from.
	meta    table.Meta
	newest  *batch
	graph   *ownership.Graph
	records lineRecords
	// cut are the tasks that were running when the process ended and are stored like
	// that still. They are dealt with before anything runs.
	cut map[record.TaskID]struct{}

	// These are told of each commit that is stored, and onClose of the end.
	settlements settlements
	watches     watches
	onCommit    listeners[*Publication]
	onClose     listeners[struct{}]

	mu      sync.Mutex
	failed  error         // a [*FailedError]; nil while the storage works
	closing bool          // Close has begun
	closed  chan struct{} // closed when everything has ended
	ended   chan struct{} // closed when Close begins, or the session fails
}

// Open opens the session that a storage holds, which may be empty. Nothing runs and
// nothing is written before [Session.Resume] or a call that asks for progress; until
// then tasks that were cut off are read as they are stored, running. The session closes
// the storage; when Open fails the caller does.
//
// A storage that another session has is [storage.ErrClaimed], where the storage can
// tell; one that is damaged or has a newer format is an error too.
func Open(ctx context.Context, below storage.Storage, options Options) (*Session, error) {
	s := &Session{storage: below, options: options.withDefaults(), closed: make(chan struct{}), ended: make(chan struct{}), cut: make(map[record.TaskID]struct{})}
	s.revisions.limit, s.contexts.limit, s.known.limit = s.options.Cache, s.options.Cache, s.options.Cache/16
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	if err := s.checkDefinitions(); err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	if exclusive, is := below.(storage.Exclusive); is {
		if err := exclusive.Claim(); err != nil {
			return nil, fmt.Errorf("open session: %w", err)
		}
	}
	s.scheduler = newScheduler(s)
	if err := s.load(); err != nil {
		return nil, fmt.Errorf("open session: %w", err)
	}
	s.committer = newCommitter(s)
	return s, nil
}

// load reads how far the session had got.
func (s *Session) load() error {
	snapshot, err := s.storage.Snapshot()
	if err != nil {
		return err
	}
	defer snapshot.Close()
	r := table.Reader{Source: snapshot}
	if s.meta, err = r.Meta(); err != nil {
		return err
	}
	if s.meta.Format > table.Format {
		return invalid("the database", "its format is %d, and this program knows %d: use a newer program", s.meta.Format, table.Format)
	}
	s.meta.ID = max(s.meta.ID, int64(record.Root))
	return s.loadTasks(r)
}

// usable returns why the session cannot be asked: [ErrClosed], a [*FailedError], or
// nil.
func (s *Session) usable() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.failed != nil:
		return s.failed
	case s.closing:
		return ErrClosed
	}
	return nil
}

// failure returns the [*FailedError] of a session whose storage failed; nil while
// it works.
func (s *Session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.failed
}

// fail ends the session because its storage failed, and returns the error for those
// who wait. The first cause counts. Reading a storage that was closed is no failure.
func (s *Session) fail(cause error) error {
	s.mu.Lock()
	if s.failed == nil && s.closing && errors.Is(cause, storage.ErrClosed) {
		s.mu.Unlock()
		return ErrClosed
	}
	first := s.failed == nil
	if first {
		s.failed = &FailedError{cause}
		if !s.closing {
			close(s.ended)
		}
	}
	failed := s.failed
	s.mu.Unlock()
	if first {
		s.options.Logger.Error("the session has failed", "error", cause)
		s.line.refuse(failed)
		s.watches.end(WatchSessionFailed, failed)
	}
	return failed
}

// Ended is closed when the session can no longer be used: Close has begun, or the
// storage failed, which [Session.Err] tells.
func (s *Session) Ended() <-chan struct{} { return s.ended }

// Err returns the [*FailedError] of a session whose storage failed; nil while it
// works and when it was closed in peace.
func (s *Session) Err() error { return s.failure() }

// SubscribeClose has a listener called when Close begins, once nothing new is admitted
// any more and the watches have ended, and before anything is stored or waited for on
// that account. It must not wait, and is logged when it panics. A session that fails
// calls nobody before it is closed: [Session.Ended] tells of both. The function that
// is returned ends it.
func (s *Session) SubscribeClose(listener func()) (stop func()) {
	return s.onClose.add(func(struct{}) { listener() })
}

// Close ends the session: it refuses what is new, lets the commits that wait in line
// be stored, and closes the storage. It aborts nothing: what was going on goes on
// when the session is opened again. When ctx ends first, Close returns its cause and
// the closing goes on; calling Close again waits for it.
//
// It returns the [*FailedError] of a session that failed, or what closing the
// storage returned. Inside the callback of a commit it closes nothing and fails with
// a [*CommitInsideCommitError].
func (s *Session) Close(ctx context.Context) error {
	if err := s.outsideCommit(ctx, "Close"); err != nil {
		return err
	}
	s.mu.Lock()
	first := !s.closing
	s.closing = true
	if first && s.failed == nil {
		close(s.ended)
	}
	s.mu.Unlock()
	if first {
		s.line.seal(ErrClosed)
		s.watches.end(WatchSessionClosed, ErrClosed)
		s.onClose.tell(s.options.Logger, struct{}{})
		go s.shut() // ends by closing s.closed, which every Close waits for
	}
	select {
	case <-s.closed:
		return s.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// shut waits for what still runs and closes the storage.
func (s *Session) shut() {
	defer close(s.closed)
	s.scheduler.end()
	s.line.drain()
	s.park()
	s.reactions.wait.Wait()
	s.committer.end()
	if err := s.storage.Close(); err != nil && !errors.Is(err, storage.ErrClosed) {
		s.fail(fmt.Errorf("close the storage: %w", err))
	}
}
