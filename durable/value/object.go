package value

import (
	"iter"
	"maps"
	"sync/atomic"
)

// Member is one key of an object with its value.
type Member struct {
	Key   string
	Value Value
}

// Object is a JSON object whose members keep their order. A nil *Object is an empty
// one.
type Object struct {
	members []Member
	// index is made by the first search in a large object. Objects of the same keys
	// at the same places share it.
	index atomic.Pointer[map[string]int]
}

// scanned is up to how many members a search compares each of them: less work than
// an index.
const scanned = 12

// NewObject makes an object. Of members with the same key the last one gives the
// value and the first one the place.
func NewObject(members ...Member) *Object {
	var b Builder
	for _, member := range members {
		b.Set(member.Key, member.Value)
	}
	return b.Object()
}

// Len returns the number of members.
func (o *Object) Len() int {
	if o == nil {
		return 0
	}
	return len(o.members)
}

// At returns the member at a place, which is between 0 and Len()-1.
func (o *Object) At(i int) Member { return o.members[i] }

// Get returns the value of a key.
func (o *Object) Get(key string) (Value, bool) {
	if i := o.Index(key); i >= 0 {
		return o.members[i].Value, true
	}
	return nil, false
}

// Index returns the place of a key, or -1. It takes constant time.
func (o *Object) Index(key string) int {
	if o == nil {
		return -1
	}
	if len(o.members) <= scanned {
		return find(o.members, nil, key)
	}
	return find(o.members, o.indexed(), key)
}

// All returns the members in their order.
func (o *Object) All() iter.Seq2[string, Value] {
	return func(yield func(string, Value) bool) {
		if o == nil {
			return
		}
		for _, member := range o.members {
			if !yield(member.Key, member.Value) {
				return
			}
		}
	}
}

// Equal says what the function Equal says of two objects.
func (o *Object) Equal(other *Object) bool { return Equal(o, other) }

func (o *Object) String() string { return string(Append(nil, o)) }

// indexed returns the places of all keys.
func (o *Object) indexed() map[string]int {
	if index := o.index.Load(); index != nil {
		return *index
	}
	index := places(o.members)
	o.index.Store(&index)
	return index
}

// places indexes members.
func places(members []Member) map[string]int {
	index := make(map[string]int, len(members))
	for i, member := range members {
		if member.Value != nil {
			index[member.Key] = i
		}
	}
	return index
}

// find returns the place of a key by an index, or without one by comparing it with
// that of each member, or -1.
func find(members []Member, index map[string]int, key string) int {
	if index != nil {
		if i, ok := index[key]; ok {
			return i
		}
		return -1
	}
	for i := range members {
		if members[i].Key == key && members[i].Value != nil {
			return i
		}
	}
	return -1
}

// Builder makes an object member by member, or a changed copy of one. The zero
// Builder starts with no members. It belongs to one goroutine.
type Builder struct {
	members []Member // a removed one has no value
	removed int
	base    *Object        // whose index still fits, or nil
	index   map[string]int // of members, once there are many and base is nil
}

// Edit returns a builder that starts with the members of the object, which does not
// change.
func (o *Object) Edit() *Builder {
	if o == nil {
		return &Builder{}
	}
	return &Builder{members: append(make([]Member, 0, len(o.members)+1), o.members...), base: o}
}

// Get returns the value of a key as it is now.
func (b *Builder) Get(key string) (Value, bool) {
	if i := b.find(key); i >= 0 {
		return b.members[i].Value, true
	}
	return nil, false
}

// Set gives a key its value, which is not nil. A key that is new becomes the last
// member; one that is there keeps its place.
func (b *Builder) Set(key string, v Value) {
	if i := b.find(key); i >= 0 {
		b.members[i].Value = v
		return
	}
	b.own()
	if b.index != nil {
		b.index[key] = len(b.members)
	}
	b.members = append(b.members, Member{Key: key, Value: v})
}

// Delete removes a key and says whether it was there.
func (b *Builder) Delete(key string) bool {
	i := b.find(key)
	if i < 0 {
		return false
	}
	b.own()
	delete(b.index, key)
	b.members[i].Value = nil
	b.removed++
	return true
}

// Object returns the finished object. The builder is not used afterwards.
func (b *Builder) Object() *Object {
	made := &Object{members: b.members}
	switch {
	case b.removed > 0:
		made.members = make([]Member, 0, len(b.members)-b.removed)
		for _, member := range b.members {
			if member.Value != nil {
				made.members = append(made.members, member)
			}
		}
	case b.base != nil:
		made.index.Store(b.base.index.Load())
	case b.index != nil:
		index := b.index // so that a builder need not be on the heap
		made.index.Store(&index)
	}
	return made
}

// find returns the place of a key in the members.
func (b *Builder) find(key string) int {
	if b.base != nil {
		return b.base.Index(key)
	}
	if b.index == nil && len(b.members) > scanned {
		b.index = places(b.members)
	}
	return find(b.members, b.index, key)
}

// own ends the use of the index of the object that the builder started with.
func (b *Builder) own() {
	if b.base == nil {
		return
	}
	if index := b.base.index.Load(); index != nil {
		b.index = maps.Clone(*index)
	}
	b.base = nil
}
