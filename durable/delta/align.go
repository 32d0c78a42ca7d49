package delta

import (
	"math"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// alignment says which items of an array became which ones of another.
type alignment struct {
	from, to value.Array
	old      []int  // the place in from of each item of to, or none when it is new
	equal    []bool // whether that item equals the one of to
	taken    []bool // whether an item of from has become one of to
}

const none = -1

// align finds the items that are in both arrays, wherever they are: those that are
// equal, and objects with the same id.
func align(from, to value.Array) *alignment {
	a := &alignment{
		from: from, to: to,
		old: slices.Repeat([]int{none}, len(to)), equal: make([]bool, len(to)), taken: make([]bool, len(from)),
	}
	if len(from) > 0 && len(to) > 0 && len(from)+len(to) > 2 {
		a.match(contents, value.Equal)
		for j, i := range a.old {
			a.equal[j] = i != none
		}
		a.match(identity, like)
	}
	return a
}

// match pairs the items that no other one is paired with by a hash of theirs, when
// they are the same. Of those with the same hash the first goes with the first.
func (a *alignment) match(hashed func(value.Value) (uint64, bool), same func(from, to value.Value) bool) {
	type label struct {
		hash   uint64
		number int
	}
	places, count := make(map[label]int, len(a.from)), map[uint64]int{}
	for i, item := range a.from {
		if h, ok := hashed(item); ok && !a.taken[i] {
			places[label{h, count[h]}] = i
			count[h]++
		}
	}
	clear(count)
	for j, item := range a.to {
		h, ok := hashed(item)
		if !ok || a.old[j] != none {
			continue
		}
		if i, ok := places[label{h, count[h]}]; ok && same(a.from[i], item) {
			a.old[j], a.taken[i] = i, true
		}
		count[h]++
	}
}

// moved returns the items of to that have to move, as few as there can be, for the
// places of the others to rise.
func (a *alignment) moved() []int {
	// Of each length of a rising sequence: the item that ends the one which can go on
	// most easily. Of each item: the one before it.
	var ends []int
	before := make([]int, len(a.old))
	for j, i := range a.old {
		if i == none {
			continue
		}
		length, _ := slices.BinarySearchFunc(ends, i, func(end, i int) int { return a.old[end] - i })
		before[j] = none
		if length > 0 {
			before[j] = ends[length-1]
		}
		if length == len(ends) {
			ends = append(ends, none)
		}
		ends[length] = j
	}
	stays := make([]bool, len(a.old))
	if len(ends) > 0 {
		for j := ends[len(ends)-1]; j != none; j = before[j] {
			stays[j] = true
		}
	}
	var moved []int
	for j, i := range a.old {
		if i != none && !stays[j] {
			moved = append(moved, j)
		}
	}
	return moved
}

// pair takes items between the ones that are paired for changed ones, in their order,
// where they are alike. The places of the paired items must rise.
func (a *alignment) pair() {
	i := 0
	for j := 0; j < len(a.old); j++ {
		next, end := j, len(a.from)
		for next < len(a.old) && a.old[next] == none {
			next++
		}
		if next < len(a.old) {
			end = a.old[next]
		}
		for ; j < next && i < end; i, j = i+1, j+1 {
			if like(a.from[i], a.to[j]) {
				a.old[j] = i
			}
		}
		i, j = end+1, next
	}
}

// like says whether an item may be what became of another: it has the same kind, and
// the same id if it has one. What is no container and has nothing in common with the
// other is better replaced.
func like(from, to value.Value) bool {
	switch from := from.(type) {
	case *value.Object:
		before, had := idOf(from)
		after, has := idOf(to)
		return value.Kind(to) == "object" && had == has && value.Equal(before, after)
	case value.Array:
		return value.Kind(to) == "array"
	case value.String:
		to, ok := to.(value.String)
		return ok && (strings.HasPrefix(string(to), string(from)) || overlap(string(from), string(to)) < len(from))
	}
	return false
}

// idOf returns the member by which an item of a list is told from others.
func idOf(v value.Value) (value.Value, bool) {
	object, ok := v.(*value.Object)
	if !ok {
		return nil, false
	}
	return object.Get("id")
}

// identity hashes an object's id.
func identity(v value.Value) (uint64, bool) {
	id, ok := idOf(v)
	return hash(fnvOffset, id), ok
}

// contents hashes all that a value holds.
func contents(v value.Value) (uint64, bool) { return hash(fnvOffset, v), true }

// The parameters of FNV-1a, whose hashes are the same in each run.
const fnvOffset, fnvPrime = 14695981039346656037, 1099511628211

func hash(h uint64, v value.Value) uint64 {
	switch v := v.(type) {
	case value.Bool:
		if v {
			return hashWord(h, 2)
		}
		return hashWord(h, 1)
	case value.Number:
		return hashWord(h, math.Float64bits(float64(v+0))) // minus zero equals zero
	case value.String:
		return hashText(hashWord(h, 3), string(v))
	case value.Array:
		h = hashWord(h, 4)
		for _, item := range v {
			h = hash(h, item)
		}
		return hashWord(h, 5)
	case *value.Object:
		h = hashWord(h, 6)
		for key, item := range v.All() {
			h = hash(hashText(h, key), item)
		}
		return hashWord(h, 7)
	}
	return hashWord(h, 8)
}

func hashWord(h, word uint64) uint64 {
	h = (h ^ word) * fnvPrime
	return h ^ h>>32 // a number differs from others in its high bits
}

func hashText(h uint64, s string) uint64 {
	for i := range len(s) {
		h = (h ^ uint64(s[i])) * fnvPrime
	}
	return hashWord(h, uint64(len(s)))
}
