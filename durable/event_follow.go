package durable

import (
	"context"
	"iter"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// FollowEvents yields the events that are stored, and then each one as it is stored,
// in the order of their ids, without a gap and without a repetition. It ends with an
// error: the cause of ctx, [ErrClosed] or a [*FailedError] when the session ends, an
// [*InvalidError] for a query that is descending or has an end, or a
// [*CommitInsideCommitError].
//
// The loop may take its time: events wait in the storage, not in memory. Those that
// are trimmed meanwhile are not yielded. To follow from now on, ask for the newest
// event with [Session.EventPage] and follow after it.
func (s *Session) FollowEvents(ctx context.Context, q EventQuery) iter.Seq2[record.Event, error] {
	return func(yield func(record.Event, error) bool) {
		stopped := false
		err := s.followEvents(ctx, q, func(event record.Event) bool {
			stopped = !yield(event, nil)
			return !stopped
		})
		if !stopped {
			yield(record.Event{}, err)
		}
	}
}

// followEvents calls yield until it returns false, and then returns nil.
func (s *Session) followEvents(ctx context.Context, q EventQuery, yield func(record.Event) bool) error {
	if q.Before != 0 || q.Order == Descending {
		return invalid("following events", "the query must be ascending and have no end: it goes on for ever")
	}
	if err := s.outsideCommit(ctx, "following events"); err != nil {
		return err
	}
	feed := newFeed(s, q.filter(), q.After)
	defer feed.subscribe()()
	for {
		events, err := feed.next(ctx)
		if err != nil {
			return err
		}
		for _, event := range events {
			if err := context.Cause(ctx); err != nil {
				return err
			}
			if !yield(event) {
				return nil
			}
		}
		if len(events) == 0 {
			if err := feed.wait(ctx); err != nil {
				return err
			}
		}
	}
}

// What is read of the log at once: at most so many events, and no more once their
// payloads have so many bytes.
const (
	feedEvents = 100
	feedBytes  = 1 << 20
)

// feed reads the events that are stored in their order, and waits for more. It
// belongs to one goroutine.
type feed struct {
	session *Session
	of      table.EventFilter
	// after is the last event that was read, or passed because it is not meant.
	after record.EventID
	// more has a token when there may be more to read.
	more chan struct{}
}

func newFeed(s *Session, of table.EventFilter, after record.EventID) *feed {
	of.Types = slices.Clone(of.Types)
	return &feed{session: s, of: of, after: after, more: make(chan struct{}, 1)}
}

// subscribe has the feed hear of new events until stop is called. What was stored
// before is found by reading first.
func (f *feed) subscribe() (stop func()) {
	return f.session.SubscribeCommits(func(p *Publication) {
		if slices.ContainsFunc(p.Events, f.of.Match) {
			f.nudge()
		}
	})
}

// nudge ends a wait, from any goroutine.
func (f *feed) nudge() {
	select {
	case f.more <- struct{}{}:
	default:
	}
}

// next returns the next events that are stored; none when all were read.
func (f *feed) next(ctx context.Context) (found []record.Event, err error) {
	err = f.session.view(ctx, func(r table.Reader) error {
		newest, err := r.NewestEvent()
		if err != nil {
			return err
		}
		size := 0
		for event, err := range r.Events(f.of, table.IDs{Min: int64(f.after) + 1}) {
			if err != nil {
				return err
			}
			found = append(found, event)
			if size += len(event.Payload); len(found) == feedEvents || size >= feedBytes {
				f.after = event.ID
				return nil
			}
		}
		f.after = max(f.after, newest)
		return nil
	})
	return found, err
}

// wait returns when there may be more. It fails with the cause of ctx, and with why
// the session has ended.
func (f *feed) wait(ctx context.Context) error {
	select {
	case <-f.more:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-f.session.ended:
		return f.session.usable()
	}
}
