package delta

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// array makes one array into another.
func (d *differ) array(from, to value.Array) {
	// What both start and end with stays as it is.
	short := min(len(from), len(to))
	start := 0
	for start < short && value.Equal(from[start], to[start]) {
		start++
	}
	rest := short - start
	if len(from) == len(to) {
		if rest == 0 {
			return
		}
		rest-- // the first difference has been seen
	}
	end := 0
	for end < rest && value.Equal(from[len(from)-1-end], to[len(to)-1-end]) {
		end++
	}
	a := align(from[start:len(from)-end], to[start:len(to)-end])
	moved := a.moved()
	if len(moved) > 0 && d.permuting(a, moved, start, end) {
		d.permute(a, start, end)
	} else {
		for _, j := range moved {
			a.old[j], a.equal[j] = none, false
		}
	}
	a.pair()
	d.splices(a, start)
}

// permuting says whether it is shorter to put items in another order than to remove
// those that moved and insert them again.
func (d *differ) permuting(a *alignment, moved []int, start, end int) bool {
	kept := start + end
	for _, i := range a.old {
		if i != none {
			kept++
		}
	}
	room := tuple + d.deep + kept*(digits(kept)+1)
	for _, j := range moved {
		room -= 2 * (tuple + d.deep)
		if room < 0 || !value.Within(a.to[j], room) {
			return true
		}
		room -= value.Size(a.to[j])
	}
	return false
}

// permute removes the items that are not kept and puts the others in their new order.
// The alignment then is that of what came of it.
func (d *differ) permute(a *alignment, start, end int) {
	gone := slices.Repeat([]bool{true}, len(a.from))
	for _, i := range a.old {
		if i != none {
			gone[i] = false
		}
	}
	place := make([]int, len(a.from)) // of an item among those that are kept
	kept := 0
	for i := 0; i < len(gone); {
		first := i
		for i < len(gone) && gone[i] {
			i++
		}
		if i > first {
			d.add(digits(start+kept)+digits(i-first)+2, Splice{Path: d.here(), Index: start + kept, Remove: i - first})
		}
		for ; i < len(gone) && !gone[i]; i++ {
			place[i] = kept
			kept++
		}
	}
	order := make([]int, 0, start+kept+end)
	for i := range start {
		order = append(order, i)
	}
	from := make(value.Array, 0, kept)
	for j, i := range a.old {
		if i != none {
			order = append(order, start+place[i])
			a.old[j] = len(from)
			from = append(from, a.from[i])
		}
	}
	for i := range end {
		order = append(order, start+kept+i)
	}
	a.from = from
	d.add(len(order)*(digits(len(order))+1)+1, Permute{Path: d.here(), Order: order})
}

// splices makes the items of an alignment, whose places in the old array rise, into
// the new ones. All before the item that it looks at is then as it shall be, so that
// items have the index which they have in the new array.
func (d *differ) splices(a *alignment, start int) {
	i, j := 0, 0 // the first items that are not done
	for next, old := range a.old {
		if old == none {
			continue
		}
		d.splice(start+j, old-i, a.to[j:next])
		if !a.equal[next] {
			d.at(value.Index(start+next), func() { d.value(a.from[old], a.to[next]) })
		}
		i, j = old+1, next+1
	}
	d.splice(start+j, len(a.from)-i, a.to[j:])
}

// splice replaces items of the current array.
func (d *differ) splice(index, remove int, items value.Array) {
	switch {
	case remove == 0 && len(items) == 0:
	case remove == 1 && len(items) == 1:
		d.at(value.Index(index), func() { d.replace(items[0]) })
	default:
		d.add(digits(index)+digits(remove)+value.Size(items), Splice{Path: d.here(), Index: index, Remove: remove, Items: items})
	}
}
