package table

import (
	"fmt"
	"iter"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// EventFilter says which events are meant: those of one of the types, of all when
// there are none, that are about a conversation, unless it is 0.
type EventFilter struct {
	Types        []string
	Conversation record.ConversationID
}

// Match says whether an event is meant.
func (f EventFilter) Match(e record.Event) bool {
	return f.ofType(e.Type) && (f.Conversation == 0 || e.Conversation == f.Conversation)
}

func (f EventFilter) ofType(name string) bool {
	return len(f.Types) == 0 || slices.Contains(f.Types, name)
}

// Event puts a new event.
func (w *Writer) Event(e record.Event) {
	w.row(tagged(tagEvent, e.ID), e)
	w.index(eventOf(e.Type).number(int64(e.ID)))
	if e.Conversation != 0 {
		w.set(tagged(tagEventAbout, int64(e.Conversation), int64(e.ID)), []byte(e.Type))
	}
}

// RemoveEvent removes an event; its payload is not looked at.
func (w *Writer) RemoveEvent(e record.Event) {
	w.remove(tagged(tagEvent, e.ID))
	w.remove(eventOf(e.Type).number(int64(e.ID)))
	if e.Conversation != 0 {
		w.remove(tagged(tagEventAbout, int64(e.Conversation), int64(e.ID)))
	}
}

// Consumer puts a consumer of events.
func (w *Writer) Consumer(c record.Consumer) { w.row(consumerKey(c.Owner, c.Name), c) }

// ForgetConsumer removes a consumer of events.
func (w *Writer) ForgetConsumer(owner, name string) { w.remove(consumerKey(owner, name)) }

func eventOf(name string) key { return key{tagEventOf}.text(name) }

func consumerKey(owner, name string) key { return key{tagConsumer}.text(owner).text(name) }

// Event returns an event, and whether it is there.
func (r Reader) Event(id record.EventID) (e record.Event, found bool, err error) {
	found, err = r.row(&e, fmt.Sprintf("event %d", id), tagged(tagEvent, id))
	return e, found, err
}

// Events yields the events that are meant, in the order of their ids.
func (r Reader) Events(of EventFilter, ids IDs) iter.Seq2[record.Event, error] {
	if len(of.Types) == 0 && of.Conversation == 0 {
		return rows[record.Event](r, "event", ids.over(key{tagEvent}))
	}
	return func(yield func(record.Event, error) bool) {
		for id, err := range r.eventIDs(of, ids) {
			var event record.Event
			if err == nil {
				event, err = r.indexedEvent(id)
			}
			if !yield(event, err) || err != nil {
				return
			}
		}
	}
}

func (r Reader) indexedEvent(id record.EventID) (record.Event, error) {
	event, found, err := r.Event(id)
	if err == nil && !found {
		err = &CorruptError{fmt.Sprintf("event %d", id), fmt.Errorf("an index names it, and it is not there")}
	}
	return event, err
}

// eventIDs yields the ids of the events that are meant, from an index.
func (r Reader) eventIDs(of EventFilter, ids IDs) iter.Seq2[record.EventID, error] {
	if of.Conversation != 0 {
		over := ids.over(tagged(tagEventAbout, of.Conversation))
		over.KeysOnly = len(of.Types) == 0
		return r.ids(over, func(name []byte) bool { return of.ofType(string(name)) })
	}
	var scans []iter.Seq2[record.EventID, error]
	for _, name := range slices.Compact(slices.Sorted(slices.Values(of.Types))) {
		over := ids.over(eventOf(name))
		over.KeysOnly = true
		scans = append(scans, r.ids(over, func([]byte) bool { return true }))
	}
	if len(scans) == 1 {
		return scans[0]
	}
	return merged(scans, ids.Descending)
}

// ids yields the numbers at the end of the keys of an index whose values are wanted.
func (r Reader) ids(over storage.Range, wanted func(value []byte) bool) iter.Seq2[record.EventID, error] {
	return func(yield func(record.EventID, error) bool) {
		for pair, err := range r.Source.Scan(over) {
			if err == nil && !wanted(pair.Value) {
				continue
			}
			if !yield(record.EventID(lastNumber(pair.Key)), err) || err != nil {
				return
			}
		}
	}
}

// merged yields what several scans yield, in the order that each of them has. The
// first error ends it.
func merged(scans []iter.Seq2[record.EventID, error], descending bool) iter.Seq2[record.EventID, error] {
	return func(yield func(record.EventID, error) bool) {
		type head struct {
			id   record.EventID
			err  error
			next func() (record.EventID, error, bool)
		}
		var heads []*head
		for _, scan := range scans {
			next, stop := iter.Pull2(scan)
			defer stop()
			if id, err, some := next(); some {
				heads = append(heads, &head{id, err, next})
			}
		}
		for len(heads) > 0 {
			first := 0
			for i, h := range heads {
				if h.err != nil {
					yield(0, h.err)
					return
				}
				if (h.id < heads[first].id) != descending {
					first = i
				}
			}
			if !yield(heads[first].id, nil) {
				return
			}
			var some bool
			if heads[first].id, heads[first].err, some = heads[first].next(); !some {
				heads = slices.Delete(heads, first, first+1)
			}
		}
	}
}

// NewestEvent returns the id of the newest event; 0 when there is none.
func (r Reader) NewestEvent() (record.EventID, error) {
	over := IDs{Descending: true}.over(key{tagEvent})
	over.KeysOnly = true
	for pair, err := range r.Source.Scan(over) {
		return record.EventID(lastNumber(pair.Key)), err
	}
	return 0, nil
}

// Consumer returns a consumer of events, and whether it is there.
func (r Reader) Consumer(owner, name string) (c record.Consumer, found bool, err error) {
	found, err = r.row(&c, fmt.Sprintf("consumer %q of %q", name, owner), consumerKey(owner, name))
	return c, found, err
}

// Consumers yields the consumers of events, by owner and name.
func (r Reader) Consumers() iter.Seq2[record.Consumer, error] {
	return rows[record.Consumer](r, "consumer", storage.Prefix(key{tagConsumer}))
}
