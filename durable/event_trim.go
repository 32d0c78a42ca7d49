package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// trimmedAtOnce is how many events one commit removes.
const trimmedAtOnce = 500

// TrimEvents removes the events before one, exclusive, and returns how many there
// were. The log grows until it is trimmed. Events from the first on that a consumer
// has still to be shown stay; a consumer that is paused, or has no reaction any
// more, keeps them until it goes on or is forgotten ([Session.ForgetConsumer]).
//
// It takes several commits when there are many; an error ends it, and the number is
// of those that are gone. The errors are those of [Session.Commit].
func (s *Session) TrimEvents(ctx context.Context, before record.EventID) (removed int, err error) {
	for {
		var gone int
		err := s.commit(ctx, scope{unlimited: true}, func(_ context.Context, tx *Tx) (err error) {
			gone, err = tx.trimEvents(before)
			return err
		})
		if err != nil {
			return removed, err
		}
		removed += gone
		if gone < trimmedAtOnce {
			return removed, nil
		}
	}
}

// trimEvents removes the oldest events before one that no consumer waits for.
func (tx *Tx) trimEvents(before record.EventID) (removed int, err error) {
	err = tx.stage(func(r table.Reader) error {
		for consumer, err := range r.Consumers() {
			if err != nil {
				return err
			}
			first, err := firstEvent(r, consumer)
			if err != nil {
				return err
			}
			if first != 0 {
				before = min(before, first)
			}
		}
		if before <= 1 {
			return nil
		}
		for event, err := range r.Events(table.EventFilter{}, table.IDs{Max: int64(before) - 1}) {
			if err != nil {
				return err
			}
			event.Payload = nil
			tx.staged.trimmed = append(tx.staged.trimmed, event)
			if removed++; removed == trimmedAtOnce {
				break
			}
		}
		return nil
	})
	return removed, err
}

// firstEvent returns the first event that a consumer has still to be shown; 0 when
// there is none.
func firstEvent(r table.Reader, c record.Consumer) (record.EventID, error) {
	of := table.EventFilter{Types: c.Types, Conversation: c.Conversation}
	for event, err := range r.Events(of, table.IDs{Min: int64(c.After) + 1}) {
		return event.ID, err
	}
	return 0, nil
}
