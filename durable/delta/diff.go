package delta

import (
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// Diff returns operations that make one value into another, in the order of the
// members of its objects too; none when they are equal by value.Equal. A nil value
// to reach counts as null.
//
// It looks for strings that got longer or whose front was cut, for items of arrays
// that came, went, moved or changed, and for members, and replaces a subtree as a
// whole where that is shorter. It takes time in proportion to the size of what the
// values do not share, for arrays nested in arrays at each level again.
func Diff(from, to value.Value) Ops {
	if to == nil {
		to = value.Null{}
	}
	d := differ{}
	if from == nil {
		d.replace(to)
	} else {
		d.value(from, to)
	}
	return d.ops
}

// differ collects the operations of one Diff.
type differ struct {
	ops  Ops
	cost int        // of the operations, in bytes of JSON
	path value.Path // where it is
	deep int        // the cost of that path
}

// tuple is how many bytes an operation takes besides its path and its payload.
const tuple = 8

// at visits a value below the current one.
func (d *differ) at(segment value.Segment, visit func()) {
	cost := 3
	if key, ok := segment.Key(); ok {
		cost += len(key)
	} else {
		i, _ := segment.Index()
		cost = 1 + digits(i)
	}
	d.path = append(d.path, segment)
	d.deep += cost
	visit()
	d.path = d.path[:len(d.path)-1]
	d.deep -= cost
}

func digits(n int) int {
	count := 1
	for ; n >= 10; n /= 10 {
		count++
	}
	return count
}

// add adds an operation at the current path, with the cost of its payload.
func (d *differ) add(payload int, op Op) {
	d.ops = append(d.ops, op)
	d.cost += tuple + d.deep + payload
}

// here returns the current path for an operation to keep.
func (d *differ) here() value.Path { return slices.Clone(d.path) }

// replace sets the current value as a whole.
func (d *differ) replace(to value.Value) {
	if len(d.path) == 0 {
		d.add(value.Size(to), Replace{Value: to})
	} else {
		d.add(value.Size(to), Set{Path: d.here(), Value: to})
	}
}

// value makes the current value into another one, by changes inside of it unless it
// is shorter to replace it.
func (d *differ) value(from, to value.Value) {
	before, cost, ok := len(d.ops), d.cost, false
	switch from := from.(type) {
	case *value.Object:
		if to, same := to.(*value.Object); same {
			ok = from == to || d.object(from, to)
		}
	case value.Array:
		if to, same := to.(value.Array); same {
			ok = true
			d.array(from, to)
		}
	case value.String:
		if to, same := to.(value.String); same {
			ok = from == to || len(d.path) > 0 && d.text(from, to)
		}
	default:
		ok = value.Equal(from, to)
	}
	if ok && (len(d.ops) == before || !value.Within(to, d.cost-cost-tuple-d.deep-1)) {
		return
	}
	clear(d.ops[before:])
	d.ops, d.cost = d.ops[:before], cost
	d.replace(to)
}

// text makes one string into another, and says whether they have something in common.
func (d *differ) text(from, to value.String) bool {
	if strings.HasPrefix(string(to), string(from)) {
		more := to[len(from):]
		d.add(len(more)+2, Append{Path: d.here(), Text: more})
		return true
	}
	cut := overlap(string(from), string(to))
	kept := len(from) - cut
	if kept == 0 {
		return false
	}
	units := from[:cut].Units()
	d.add(digits(units), Trim{Path: d.here(), Units: units})
	if more := to[kept:]; more != "" {
		d.add(len(more)+2, Append{Path: d.here(), Text: more})
	}
	return true
}

const (
	probe      = 32 // bytes of an end of a string that are searched in the other
	candidates = 16 // places of it that are looked at
)

// overlap returns the place in a string from which on the other starts with the rest
// of it, or the string's length. It finds the first such place unless the texts are so
// regular that other places look like it, and may miss what is shorter than a probe.
func overlap(from, to string) int {
	if from == "" || to == "" {
		return len(from)
	}
	start := to[:min(len(to), probe)]
	for at, tried := 0, 0; tried < candidates; tried++ {
		next := strings.Index(from[at:], start)
		if next < 0 {
			break
		}
		at += next
		if strings.HasPrefix(to, from[at:]) {
			return at
		}
		at++
	}
	end := from[max(0, len(from)-probe):]
	for rest, tried := to, 0; tried < candidates; tried++ {
		last := strings.LastIndex(rest, end)
		if last < 0 {
			break
		}
		kept := last + len(end)
		if kept <= len(from) && from[len(from)-kept:] == to[:kept] {
			return len(from) - kept
		}
		rest = to[:kept-1]
	}
	return len(from)
}

// object makes one object into another, and says whether that can be said without
// replacing it.
func (d *differ) object(from, to *value.Object) bool {
	// Members that stay are in front in both; whatever comes after them in the other
	// object has to be set anew, for it to come last.
	stay := staying(from, to)
	for key := range from.All() {
		if i := to.Index(key); i >= 0 && i < stay {
			continue
		}
		if reservedKey(key) {
			return false
		}
		d.at(value.Key(key), func() { d.add(0, Delete{Path: d.here()}) })
	}
	for i := range stay {
		member := to.At(i)
		old, _ := from.Get(member.Key)
		if reservedKey(member.Key) {
			if !value.Equal(old, member.Value) {
				return false
			}
			continue
		}
		d.at(value.Key(member.Key), func() { d.value(old, member.Value) })
	}
	for i := stay; i < to.Len(); i++ {
		member := to.At(i)
		if reservedKey(member.Key) {
			return false
		}
		d.at(value.Key(member.Key), func() { d.replace(member.Value) })
	}
	return true
}

// staying returns how many members at the start of an object are in the other one in
// the same order.
func staying(from, to *value.Object) int {
	last := -1
	for i := range to.Len() {
		key := to.At(i).Key
		place := last + 1
		if place >= from.Len() || from.At(place).Key != key {
			place = from.Index(key)
		}
		if place <= last {
			return i
		}
		last = place
	}
	return to.Len()
}
