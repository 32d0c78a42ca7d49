package durable

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// scope is what a commit is bound to: where its defaults come from.
type scope struct {
	// conversation is what new tasks belong to when they name none.
	conversation record.ConversationID
	// task appends the entries; 0 for none.
	task record.TaskID
	// unlimited lifts the budget: for commits that run no code from outside.
	unlimited bool
}

// commitKey is the key of the transaction whose callback a context belongs to.
type commitKey struct{}

// OutsideCommit returns a [*CommitInsideCommitError] for a context that belongs to the
// callback of a commit that has not returned: what the operation would wait for could
// not come. It is nil for every other.
func OutsideCommit(ctx context.Context, operation string) error {
	if tx, ok := ctx.Value(commitKey{}).(*Tx); ok {
		return tx.session.outsideCommit(ctx, operation)
	}
	return nil
}

// outsideCommit returns a [*CommitInsideCommitError] for a context that belongs to a
// callback of this session that has not returned.
func (s *Session) outsideCommit(ctx context.Context, operation string) error {
	if tx, ok := ctx.Value(commitKey{}).(*Tx); ok && tx.session == s && tx.open() {
		return &CommitInsideCommitError{operation}
	}
	return nil
}

// Commit changes the session by what the callback does with its transaction: all of
// it, or nothing when the callback returns an error, which Commit then returns as it
// is. It returns once the changes are stored, and everything that the callback can
// have read.
//
// Callbacks run one at a time, in the order in which Commit was called. Once its
// turn has come a commit is not undone by the end of ctx. The callback has
// [Options.CommitBudget] and must not wait for anything but its transaction: its
// context, which is not cancelled with ctx, makes whatever would wait for the line
// fail with a [*CommitInsideCommitError].
//
// Errors besides the callback's: [*CommitTimeoutError], [*UnsettledError],
// [*InvalidError], [*NotFoundError], [*storage.TooLargeError] and
// [*storage.RejectedError], all of which leave everything as it was, a
// [*PanicError], [ErrClosed], [*FailedError], and the cause of ctx when that ended
// before the commit had its turn.
func (s *Session) Commit(ctx context.Context, change func(ctx context.Context, tx *Tx) error) error {
	return s.commit(ctx, scope{}, change)
}

func (s *Session) commit(ctx context.Context, bound scope, change func(context.Context, *Tx) error) error {
	awaited, err := s.admit(ctx, bound, change)
	if failed := awaited.wait(); err == nil {
		err = failed
	}
	return err
}

// admit runs a callback when its turn has come, and returns what is to be waited for
// before anybody hears how that went, nil for nothing.
func (s *Session) admit(ctx context.Context, bound scope, change func(context.Context, *Tx) error) (*batch, error) {
	if err := s.outsideCommit(ctx, "a commit"); err != nil {
		return nil, err
	}
	if err := s.line.acquire(ctx); err != nil {
		return nil, err
	}
	before := s.newest
	stored, err := s.transact(ctx, bound, change)
	if stored == nil {
		stored = before // the callback may have read what is not stored yet
	}
	return stored, err
}

// transact runs a callback on the line, adopts what it did, and gives the line up.
// The batch is nil when nothing is to be stored.
func (s *Session) transact(ctx context.Context, bound scope, change func(context.Context, *Tx) error) (*batch, error) {
	tx := &Tx{session: s, bound: bound, source: txSource{session: s}}
	tx.changed.L = &tx.mu
	inside, cancel := context.WithCancel(context.WithValue(context.WithoutCancel(ctx), commitKey{}, tx))
	defer cancel()
	tx.inside = inside
	if !bound.unlimited {
		defer tx.limit(cancel)()
	}
	defer func() { // the callback has ended its goroutine, as a test's Fatal does
		if tx.end(ErrTxClosed) {
			s.line.release()
		}
	}()
	err := guarded(func() error { return change(inside, tx) })
	stored, err, mine := tx.settle(err)
	if mine {
		s.line.release()
	}
	return stored, err
}

// limit gives code from outside the budget of a commit: once it is over, the
// transaction ends, cancel is called and the line is passed on. The function that is
// returned takes the limit off.
func (tx *Tx) limit(cancel func()) (off func() bool) {
	s := tx.session
	budget := s.options.CommitBudget
	if budget <= 0 {
		return func() bool { return true }
	}
	return s.options.Clock.AfterFunc(budget, func() {
		if tx.end(&CommitTimeoutError{budget}) {
			cancel()
			s.line.release()
		}
	})
}

// guarded calls code from outside and makes an error of its panic.
func guarded(call func() error) (err error) {
	defer func() {
		if value := recover(); value != nil {
			err = &PanicError{Value: value, Stack: debug.Stack()}
		}
	}()
	return call()
}

// errNotReturned is code that ended its goroutine, as a test's Fatal does.
var errNotReturned = errors.New("it ended its goroutine instead of returning")

// apart is guarded for code that must not end the goroutine of its caller either: it
// runs on one of its own, which apart waits for.
func apart(call func() error) error {
	returned := make(chan error, 1)
	go func() {
		err := errNotReturned
		defer func() { returned <- err }()
		err = guarded(call)
	}()
	return <-returned
}
