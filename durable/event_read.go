package durable

import (
	"context"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// EventQuery asks for events, oldest first. The zero value asks for all.
type EventQuery struct {
	// Types asks for events of one of them; of all when there are none.
	Types        []string
	Conversation record.ConversationID
	// After and Before are where the events begin and end, both exclusive; 0 for no
	// bound.
	After, Before record.EventID
	Order         Order
}

func (q EventQuery) filter() table.EventFilter {
	return table.EventFilter{Types: q.Types, Conversation: q.Conversation}
}

func (q EventQuery) scan(r table.Reader, from table.IDs) iter.Seq2[record.Event, error] {
	from.Min = max(from.Min, int64(q.After)+1)
	if last := int64(q.Before) - 1; q.Before != 0 && (from.Max == 0 || last < from.Max) {
		from.Max = last
	}
	if q.Before != 0 && from.Max < from.Min {
		return func(func(record.Event, error) bool) {}
	}
	return r.Events(q.filter(), from)
}

func eventNumber(e record.Event) int64 { return int64(e.ID) }

// Events yields events as of one moment; a failure ends it.
func (s *Session) Events(ctx context.Context, q EventQuery) iter.Seq2[record.Event, error] {
	return storedScan(ctx, s, func(r table.Reader) iter.Seq2[record.Event, error] {
		return q.scan(r, q.Order.bounds(Ascending))
	})
}

// EventPage returns at most limit events from a cursor on, nil for the beginning.
func (s *Session) EventPage(ctx context.Context, q EventQuery, limit int, from *Cursor) (Page[record.Event], error) {
	return storedPage(ctx, s, limit, from, q.Order, Ascending, eventNumber, q.scan)
}
