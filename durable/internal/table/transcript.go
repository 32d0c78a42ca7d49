package table

import (
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// segment is a stretch of a transcript that one conversation holds: its own entries
// above After, up to Last; Last is 0 for all.
type segment struct {
	conversation record.ConversationID
	after, last  record.EntryID
}

// segments returns the stretches of a conversation's transcript, newest first: its
// own, then what it has of each ancestor (section 2.1 of the pi-durable
// specification, fork traversal).
func (r Reader) segments(id record.ConversationID) ([]segment, error) {
	var found []segment
	var last record.EntryID
	for {
		conversation, there, err := r.Conversation(id)
		if err != nil {
			return nil, err
		}
		if !there {
			if len(found) == 0 {
				return nil, nil
			}
			return nil, &CorruptError{fmt.Sprintf("conversation %d", id), fmt.Errorf("a fork of it is there, and it is not")}
		}
		one := segment{conversation: id, last: last}
		if conversation.Parent == nil {
			return append(found, one), nil
		}
		one.after = conversation.Parent.At
		if last == 0 || one.after < last {
			found = append(found, one)
			last = one.after
		}
		id = conversation.Parent.Conversation
	}
}

// ids narrows bounds to a segment; false when nothing is left.
func (s segment) ids(bounds IDs) (IDs, bool) {
	bounds.Min = max(bounds.Min, int64(s.after)+1)
	if last := int64(s.last); last != 0 && (bounds.Max == 0 || last < bounds.Max) {
		bounds.Max = last
	}
	return bounds, bounds.Max == 0 || bounds.Min <= bounds.Max
}

// Entries yields the entries that are visible in a conversation, its ancestors'
// included, in the order of their ids. An unknown conversation has none.
func (r Reader) Entries(conversation record.ConversationID, ids IDs) iter.Seq2[record.Entry, error] {
	return func(yield func(record.Entry, error) bool) {
		segments, err := r.segments(conversation)
		if err != nil {
			yield(record.Entry{}, err)
			return
		}
		for i := range segments {
			at := i
			if !ids.Descending {
				at = len(segments) - 1 - i
			}
			within, some := segments[at].ids(ids)
			if !some {
				continue
			}
			for pair, err := range r.Source.Scan(within.over(tagged(tagEntry, segments[at].conversation))) {
				var entry record.Entry
				if err == nil {
					entry, _, err = decodeEntry(record.EntryID(lastNumber(pair.Key)), pair.Value)
				}
				if !yield(entry, err) || err != nil {
					return
				}
			}
		}
	}
}

// Visible returns an entry that is visible in a conversation with the commit that
// appended it, and whether it is.
func (r Reader) Visible(conversation record.ConversationID, id record.EntryID) (record.Entry, record.Seq, bool, error) {
	entry, seq, found, err := r.Entry(id)
	if err != nil || !found {
		return record.Entry{}, 0, false, err
	}
	segments, err := r.segments(conversation)
	if err != nil {
		return record.Entry{}, 0, false, err
	}
	for _, s := range segments {
		if s.conversation == entry.Conversation {
			return entry, seq, id > s.after && (s.last == 0 || id <= s.last), nil
		}
	}
	return record.Entry{}, 0, false, nil
}

// LatestHead returns the newest entry with a head that is visible in a conversation
// at or before an entry, 0 for all, and whether there is one.
func (r Reader) LatestHead(conversation record.ConversationID, at record.EntryID) (record.Entry, bool, error) {
	segments, err := r.segments(conversation)
	if err != nil {
		return record.Entry{}, false, err
	}
	for _, s := range segments {
		within, some := s.ids(IDs{Max: int64(at), Descending: true})
		if !some {
			continue
		}
		over := within.over(tagged(tagHead, s.conversation))
		over.KeysOnly = true
		for pair, err := range r.Source.Scan(over) {
			if err != nil {
				return record.Entry{}, false, err
			}
			entry, _, found, err := r.Entry(record.EntryID(lastNumber(pair.Key)))
			return entry, found, err
		}
	}
	return record.Entry{}, false, nil
}

// Tail returns the id of the newest entry that is visible in a conversation; 0 when
// it has none.
func (r Reader) Tail(conversation record.ConversationID) (record.EntryID, error) {
	segments, err := r.segments(conversation)
	if err != nil {
		return 0, err
	}
	for _, s := range segments {
		within, some := s.ids(IDs{Descending: true})
		if !some {
			continue
		}
		over := within.over(tagged(tagEntry, s.conversation))
		over.KeysOnly = true
		for pair, err := range r.Source.Scan(over) {
			return record.EntryID(lastNumber(pair.Key)), err
		}
	}
	return 0, nil
}
