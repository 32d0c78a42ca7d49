package durable

import (
	"context"
	"errors"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// Reaction is a consumer of events at work. It belongs to the session, whose Close
// waits for it.
type Reaction struct {
	session  *Session
	consumer Consumer
	handler  func(ctx context.Context, event record.Event, tx *Tx) error

	// ctx ends when the reaction is to end, with the reason as its cause.
	ctx context.Context
	end context.CancelCauseFunc
	// registered gets how the commit went that makes the consumer known.
	registered chan error
	// before is the reaction from which this one takes over; nil for none, and once
	// that has ended.
	before *Reaction
	done   chan struct{}
	err    error // set before done is closed

	// What follows belongs to the reaction's goroutine.
	feed *feed
	// at is the last event that is dealt with, as far as the reaction knows.
	at record.EventID
	// failures counts those since the last success or pause of this reaction.
	failures int
}

// ErrReplaced ends a reaction whose consumer another one has taken over.
var ErrReplaced = errors.New("another reaction has taken over its consumer")

// errStopped ends a reaction that was stopped.
var errStopped = errors.New("the reaction was stopped")

// React has a handler called with each event that a consumer is shown, one after
// another, in order, on a goroutine of the session, until the reaction is stopped,
// replaced, its consumer forgotten, or the session ends. ctx is for the commit that
// makes the consumer known; when React returns, the consumer is stored.
//
// The handler is the callback of a commit, as in [Session.Commit]: its changes and
// the progress of the consumer are one commit. It sees an event again until that
// commit is stored, and never afterwards, also when the process is killed in
// between. Work with effects outside of the session goes into a task that it makes.
//
// A handler that fails, by an error, a panic, a [*CommitTimeoutError] or a commit
// that is refused, is called again after a while: 100 ms, doubled with each failure,
// 30 s at most. After [Consumer.MaxFailures] in a row, counted across restarts, the
// consumer is paused with the error in [record.Consumer], until
// [Session.ResumeConsumer]. That the session ends, its storage has no room
// ([*storage.RejectedError]), or something goes wrong before the handler is called, is
// no failure of the handler; the last is logged, and tried again after such a while.
//
// A consumer has one reaction. Another React takes over: the reaction before it is
// told to end, as by [Reaction.Stop], with [ErrReplaced], and the new handler is not
// called before it has. What the consumer is shown is what the newest React says,
// from where it had got; one that is paused stays paused.
//
// A consumer that contradicts itself is an [*InvalidError], an unknown conversation
// a [*NotFoundError]; the other errors are those of [Session.Commit].
func (s *Session) React(ctx context.Context, consumer Consumer, handler func(ctx context.Context, event record.Event, tx *Tx) error) (*Reaction, error) {
	if err := consumer.check(); err != nil {
		return nil, err
	}
	r := &Reaction{
		session: s, consumer: consumer, handler: handler, registered: make(chan error, 1), done: make(chan struct{}),
		feed: newFeed(s, consumer.filter(), 0),
	}
	r.consumer.Types = r.feed.of.Types
	r.ctx, r.end = context.WithCancelCause(context.WithoutCancel(ctx))
	began := false
	err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) error {
		return tx.register(r.consumer, func() {
			began = true
			s.reactions.begin(r)
		})
	})
	if !began {
		r.end(err)
		return nil, err
	}
	r.registered <- err
	if err != nil {
		return nil, err
	}
	return r, nil
}

// Stop has the reaction end after the event it may be dealing with, and waits until
// it has. When ctx ends first, Stop returns its cause and the reaction ends
// nevertheless. Called with the context of a commit's callback it returns a
// [*CommitInsideCommitError]: the reaction may be waiting for that.
func (r *Reaction) Stop(ctx context.Context) error {
	if err := r.session.outsideCommit(ctx, "stopping a reaction"); err != nil {
		return err
	}
	r.end(errStopped)
	select {
	case <-r.done:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// Done is closed when the reaction has ended.
func (r *Reaction) Done() <-chan struct{} { return r.done }

// Err returns why the reaction has ended; nil while it has not, and when it was
// stopped. It is [ErrReplaced], an [*UnknownConsumerError] when the consumer was
// forgotten, [ErrClosed], a [*FailedError], or an error that says why the log cannot be
// read or the handler not be called any more.
func (r *Reaction) Err() error {
	select {
	case <-r.done:
		return r.err
	default:
		return nil
	}
}

// run is the reaction's goroutine.
func (r *Reaction) run() {
	err := errGone
	defer func() { r.finish(err) }()
	registered := <-r.registered
	if r.before != nil {
		<-r.before.done
		r.before = nil
	}
	if registered != nil {
		err = registered
		return
	}
	defer r.feed.subscribe()()
	err = r.follow()
}

// errGone ends a reaction whose handler has ended the goroutine, as a test's Fatal
// does.
var errGone = errors.New("its handler has ended the goroutine")

// finish lets everybody know that the reaction has ended.
func (r *Reaction) finish(err error) {
	if context.Cause(r.ctx) == nil && r.session.usable() == nil {
		r.session.options.Logger.Warn("a consumer of events goes no further", "owner", r.consumer.Owner, "consumer", r.consumer.Name, "error", err)
	}
	if !errors.Is(err, errStopped) {
		r.err = err
	}
	r.end(err)
	r.session.reactions.leave(r)
	close(r.done)
}

// follow deals with events until it cannot.
func (r *Reaction) follow() error {
	for {
		row, err := r.stored()
		if err != nil {
			return err
		}
		if row.After != r.at {
			r.at, r.feed.after = row.After, row.After
		}
		progress := false
		if row.Paused == "" {
			if progress, err = r.consume(); err != nil {
				return err
			}
		}
		if !progress {
			if err := r.feed.wait(r.ctx); err != nil {
				return err
			}
		}
	}
}

// stored returns how far the consumer has got.
func (r *Reaction) stored() (record.Consumer, error) {
	row, found, err := stored(r.ctx, r.session, func(t table.Reader) (record.Consumer, bool, error) {
		return t.Consumer(r.consumer.Owner, r.consumer.Name)
	})
	if err == nil && !found {
		err = &UnknownConsumerError{r.consumer.Owner, r.consumer.Name}
	}
	return row, err
}

// consume deals with the next events, and says whether it is to be called again
// without waiting for more. Each event has its commit; they are stored together.
func (r *Reaction) consume() (bool, error) {
	events, err := r.feed.next(r.ctx)
	if err != nil {
		return false, err
	}
	var newest *batch
	for _, event := range events {
		var failed *handlerError
		awaited, err := r.deal(event)
		if awaited != nil {
			newest = awaited
		}
		if err == nil {
			r.at, r.failures = event.ID, 0
			continue
		}
		if err := newest.wait(); err != nil {
			return false, err
		}
		r.feed.after = r.at
		switch {
		case errors.Is(err, errOvertaken):
			return true, nil
		case errors.As(err, &failed):
			return true, r.recover(event, failed.cause)
		case r.ctx.Err() != nil || r.session.usable() != nil:
			return false, err
		}
		r.failures++
		r.session.options.Logger.Warn("a consumer of events could not be called", "owner", r.consumer.Owner,
			"consumer", r.consumer.Name, "event", event.ID, "error", err)
		return true, r.pause()
	}
	return len(events) > 0, newest.wait()
}

// errOvertaken says that the consumer is not where its reaction thinks, which can
// read where it is once the commit has returned.
var errOvertaken = errors.New("the consumer has been changed")

// handlerError is a commit that failed after the handler was called: by what that
// did, or because the session has ended, which the next commit tells.
type handlerError struct{ cause error }

func (e *handlerError) Error() string { return e.cause.Error() }

// deal runs the commit of one event, and returns what is to be waited for until that
// is stored.
func (r *Reaction) deal(event record.Event) (*batch, error) {
	called := false
	name := r.consumer.key()
	awaited, err := r.session.admit(r.ctx, scope{}, func(ctx context.Context, tx *Tx) error {
		if err := tx.overtaken(name, r.at); err != nil {
			return err
		}
		called = true
		if err := r.handler(ctx, event, tx); err != nil {
			return err
		}
		return tx.changeConsumer(name, func(c *record.Consumer) { c.After, c.Failures = event.ID, 0 })
	})
	if err != nil && called {
		err = &handlerError{err}
	}
	return awaited, err
}

// overtaken returns errOvertaken unless a consumer is where its reaction thinks.
func (tx *Tx) overtaken(name consumerName, at record.EventID) error {
	row, err := tx.consumer(name)
	var unknown *UnknownConsumerError
	if errors.As(err, &unknown) || err == nil && (row.After != at || row.Paused != "") {
		return errOvertaken
	}
	return err
}
