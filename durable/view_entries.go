package durable

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// activeEntries are the entries that a conversation's context is made of, as values:
// the newest one that has a head, and those without one from the entry that it names
// on.
type activeEntries struct {
	// shown are their values. What was returned of them is only ever appended to.
	shown value.Array
	// headed says that the first of them has a head, and from is that; 0 otherwise.
	headed bool
	from   record.EntryID
	// ids are those of the others.
	ids []record.EntryID
}

// value returns the values.
func (a *activeEntries) value() value.Array { return slices.Clip(a.shown) }

// headings is how many of the values stand before those of ids.
func (a *activeEntries) headings() int {
	if a.headed {
		return 1
	}
	return 0
}

func (a *activeEntries) load(ctx context.Context, r table.Reader, id record.ConversationID) error {
	head, headed, err := r.LatestHead(id, 0)
	if err != nil {
		return err
	}
	if headed {
		shown, err := entryValue(&head)
		if err != nil {
			return err
		}
		a.shown, a.headed, a.from = value.Array{shown}, true, head.Head
	}
	shown, ids, err := headless(ctx, r, id, table.IDs{Min: int64(a.from)})
	a.shown, a.ids = append(a.shown, shown...), ids
	return err
}

// headless returns the visible entries of a range that have no head.
func headless(ctx context.Context, r table.Reader, id record.ConversationID, bounds table.IDs) (shown value.Array, ids []record.EntryID, err error) {
	for entry, err := range r.Entries(id, bounds) {
		if err == nil {
			err = context.Cause(ctx)
		}
		if err != nil {
			return nil, nil, err
		}
		if entry.Head != 0 {
			continue
		}
		one, err := entryValue(&entry)
		if err != nil {
			return nil, nil, err
		}
		shown, ids = append(shown, one), append(ids, entry.ID)
	}
	return shown, ids, nil
}

// append adds entries without a head.
func (a *activeEntries) append(shown value.Array, ids []record.EntryID) delta.Ops {
	if len(shown) == 0 {
		return nil
	}
	added := delta.Splice{Path: value.Path{value.Key("entries")}, Index: len(a.shown), Items: shown}
	a.shown, a.ids = append(a.shown, shown...), append(a.ids, ids...)
	return delta.Ops{added}
}

// begin has the context begin anew with a head. What the head reaches back to and is
// not shown is given.
func (a *activeEntries) begin(shown value.Value, head record.EntryID, earlier value.Array, ids []record.EntryID) delta.Ops {
	kept, _ := slices.BinarySearch(a.ids, head)
	first := value.Array{shown}
	first = append(first, earlier...)
	gone := a.headings() + kept
	begun := delta.Splice{Path: value.Path{value.Key("entries")}, Remove: gone, Items: slices.Clip(first)}
	a.shown = append(first, a.shown[gone:]...)
	a.ids = append(ids, a.ids[kept:]...)
	a.headed, a.from = true, head
	return delta.Ops{begun}
}

// appended shows the entries that a commit appended.
func (c *conversationSource) appended(p *Publication) (ops delta.Ops, err error) {
	var shown value.Array // without a head, and not shown yet
	var ids []record.EntryID
	for i := range p.Entries {
		entry := &p.Entries[i]
		if entry.Conversation != c.id {
			continue
		}
		one, err := entryValue(entry)
		if err != nil {
			return nil, err
		}
		if entry.Head == 0 {
			shown, ids = append(shown, one), append(ids, entry.ID)
			continue
		}
		ops = append(ops, c.entries.append(shown, ids)...)
		shown, ids = nil, nil
		earlier, earlierIDs, err := c.earlier(entry.Head)
		if err != nil {
			return nil, err
		}
		ops = append(ops, c.entries.begin(one, entry.Head, earlier, earlierIDs)...)
	}
	return append(ops, c.entries.append(shown, ids)...), nil
}

// earlier returns what a head reaches back to before what is shown. Only commits that
// are no harness's reach back like that: for them the storage is read while it stores
// nothing else, with everything locked: a storage that fails is an [*unreadError].
func (c *conversationSource) earlier(head record.EntryID) (shown value.Array, ids []record.EntryID, err error) {
	if head >= c.entries.from {
		return nil, nil, nil
	}
	snapshot, err := c.session.reading(func(err error) error { return &unreadError{err} })
	if err != nil {
		return nil, nil, err
	}
	defer snapshot.Close()
	bounds := table.IDs{Min: int64(head), Max: int64(c.entries.from) - 1}
	return headless(context.Background(), table.Reader{Source: snapshot}, c.id, bounds)
}
