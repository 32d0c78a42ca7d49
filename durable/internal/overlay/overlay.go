// Package overlay shows a storage as it will be once the commits that are on their
// way have been stored: what a commit reads that comes after them.
package overlay

import (
	"bytes"
	"iter"
	"sync"

	"github.com/tidwall/btree"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// change is the newest write of a key, and the commit that it is of.
type change struct {
	value []byte // nil when the key is removed
	seq   record.Seq
}

type changes = btree.Map[string, change]

// commit is the writes of a commit.
type commit struct {
	seq    record.Seq
	writes []storage.Write
}

// Overlay holds the writes of commits until they are stored. It is safe for
// concurrent use. The zero value is empty.
type Overlay struct {
	mu      sync.Mutex
	commits []commit // those that are not removed, in the order in which they came
	// changes are the writes of the first so many commits: the others are laid over
	// them by the next who looks, and many commits are stored before anybody does.
	changes changes
	indexed int
}

// Add lays the writes of a commit over those of earlier ones. It keeps them: they
// are not changed afterwards.
func (o *Overlay) Add(seq record.Seq, writes []storage.Write) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.commits = append(o.commits, commit{seq, writes})
}

// Remove takes away the writes of the oldest commit, which is stored.
func (o *Overlay) Remove() {
	o.mu.Lock()
	defer o.mu.Unlock()
	oldest := o.commits[0]
	o.commits[0] = commit{} // what is behind it may stay for long
	o.commits = o.commits[1:]
	if o.indexed == 0 {
		return
	}
	o.indexed--
	for _, write := range oldest.writes {
		if now, found := o.changes.Get(string(write.Key)); found && now.seq == oldest.seq {
			o.changes.Delete(string(write.Key))
		}
	}
}

// index lays over what was not yet. The caller holds mu.
func (o *Overlay) index() {
	for ; o.indexed < len(o.commits); o.indexed++ {
		next := o.commits[o.indexed]
		for _, write := range next.writes {
			o.changes.Set(string(write.Key), change{write.Value, next.seq})
		}
	}
}

// Over returns the state that a snapshot has that is taken now, with everything that
// was added. The caller closes it. The error is that of taking it.
func (o *Overlay) Over(take func() (storage.Snapshot, error)) (storage.Snapshot, error) {
	o.mu.Lock()
	o.index()
	over := o.changes.Copy()
	o.mu.Unlock()
	// A commit that is stored meanwhile is in both, which does no harm; the other way
	// round it could be in neither.
	snapshot, err := take()
	if err != nil || over.Len() == 0 {
		return snapshot, err
	}
	return &view{over: over, below: snapshot}, nil
}

// view is a snapshot with changes over it.
type view struct {
	mu    sync.Mutex // a btree that was copied may mark its nodes as shared when read
	over  *changes
	below storage.Snapshot
}

var _ storage.Snapshot = (*view)(nil)

// Get implements [storage.Snapshot].
func (v *view) Get(key []byte) ([]byte, bool, error) {
	v.mu.Lock()
	now, found := v.over.Get(string(key))
	v.mu.Unlock()
	if found {
		return bytes.Clone(now.value), now.value != nil, nil
	}
	return v.below.Get(key)
}

// Close implements [storage.Snapshot].
func (v *view) Close() { v.below.Close() }

// Scan implements [storage.Snapshot].
func (v *view) Scan(over storage.Range) iter.Seq2[storage.Pair, error] {
	return func(yield func(storage.Pair, error) bool) {
		mine := v.within(over)
		before := func(key []byte) bool {
			if over.Descending {
				return mine[0].key > string(key)
			}
			return mine[0].key < string(key)
		}
		// own yields the first of mine, unless it is a removal.
		own := func() bool {
			next := mine[0]
			mine = mine[1:]
			return next.value == nil || yield(next.pair(over.KeysOnly), nil)
		}
		for pair, err := range v.below.Scan(over) {
			if err != nil {
				yield(storage.Pair{}, err)
				return
			}
			for len(mine) > 0 && before(pair.Key) {
				if !own() {
					return
				}
			}
			if len(mine) > 0 && mine[0].key == string(pair.Key) {
				if !own() {
					return
				}
				continue
			}
			if !yield(pair, nil) {
				return
			}
		}
		for len(mine) > 0 {
			if !own() {
				return
			}
		}
	}
}

type entry struct {
	key   string
	value []byte
}

func (e entry) pair(keyOnly bool) storage.Pair {
	pair := storage.Pair{Key: []byte(e.key)}
	if !keyOnly {
		pair.Value = bytes.Clone(e.value)
	}
	return pair
}

// within returns the changes of a range, in its order. They are few: what one group
// of commits writes.
func (v *view) within(over storage.Range) []entry {
	v.mu.Lock()
	defer v.mu.Unlock()
	var found []entry
	from, to := string(over.From), string(over.To)
	if over.Descending {
		take := func(key string, c change) bool {
			if over.To != nil && key >= to {
				return true
			}
			if key < from {
				return false
			}
			found = append(found, entry{key, c.value})
			return true
		}
		if over.To != nil {
			v.over.Descend(to, take)
		} else {
			v.over.Reverse(take)
		}
		return found
	}
	v.over.Ascend(from, func(key string, c change) bool {
		if over.To != nil && key >= to {
			return false
		}
		found = append(found, entry{key, c.value})
		return true
	})
	return found
}
