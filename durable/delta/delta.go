// Package delta changes JSON values by operations that can be stored and sent: what a
// document is on disk after its base, and what somebody who watches it is told.
//
// The operations are those of the library chord ("Chord Delta", operation
// vocabulary), as JSON tuples:
//
//	["r", value]                        the whole value is this one
//	["s", path, value]                  a member or an item is set
//	["d", path]                         a member or an item is removed
//	["a", path, text]                   a string gets longer at its end
//	["t", path, units]                  a string loses UTF-16 code units at its front
//	["p", path, index, remove, items]   items of an array are replaced by others
//	["m", path, permutation]            the items of an array change places
//
// A path is a list of keys and of indexes of arrays, counted from 0. An r comes first
// in a batch or not at all, and s, d, a and t do not lead to the root. The keys
// __proto__, constructor and prototype are not allowed in a path, since they are no
// data to a JavaScript replica: what is at or below such a key changes by setting
// the object around it.
//
// Diff finds operations between two values and Apply carries them out. Which ones
// Diff chooses is not part of its contract: only what Apply makes of them.
package delta

import (
	"slices"

	"github.com/seed-d579e5eb/harness/durable/value"
)

// Op is one operation: Replace, Set, Delete, Append, Trim, Splice or Permute. What
// it holds does not change.
type Op interface {
	// verb returns the letter of the tuple.
	verb() string
	// where returns the path that the tuple holds.
	where() value.Path
	// below returns the operation for a value that lies at a path.
	below(prefix value.Path) Op
}

// Ops is a batch of operations, each one applied to what the one before it left.
type Ops []Op

// Replace makes a value the whole of it: r.
type Replace struct{ Value value.Value }

// Set sets the member or the item at a path: s. A new key becomes the last member of
// its object; the index after the last item makes an array longer.
type Set struct {
	Path  value.Path
	Value value.Value
}

// Delete removes the member or the item at a path: d. The object around a member must
// be there, the member need not.
type Delete struct{ Path value.Path }

// Append adds to the end of the string at a path: a.
type Append struct {
	Path value.Path
	Text value.String
}

// Trim removes so many UTF-16 code units from the front of the string at a path: t.
type Trim struct {
	Path  value.Path
	Units int
}

// Splice removes items of the array at a path and inserts others in their place: p.
type Splice struct {
	Path   value.Path
	Index  int
	Remove int
	Items  value.Array
}

// Permute puts the items of the array at a path in another order: m. The item at
// index i afterwards was at index Order[i].
type Permute struct {
	Path  value.Path
	Order []int
}

func (Replace) verb() string { return "r" }
func (Set) verb() string     { return "s" }
func (Delete) verb() string  { return "d" }
func (Append) verb() string  { return "a" }
func (Trim) verb() string    { return "t" }
func (Splice) verb() string  { return "p" }
func (Permute) verb() string { return "m" }

func (o Replace) where() value.Path { return nil }
func (o Set) where() value.Path     { return o.Path }
func (o Delete) where() value.Path  { return o.Path }
func (o Append) where() value.Path  { return o.Path }
func (o Trim) where() value.Path    { return o.Path }
func (o Splice) where() value.Path  { return o.Path }
func (o Permute) where() value.Path { return o.Path }

func (o Replace) below(prefix value.Path) Op { return Set{Path: prefix, Value: o.Value} }
func (o Set) below(prefix value.Path) Op     { o.Path = join(prefix, o.Path); return o }
func (o Delete) below(prefix value.Path) Op  { o.Path = join(prefix, o.Path); return o }
func (o Append) below(prefix value.Path) Op  { o.Path = join(prefix, o.Path); return o }
func (o Trim) below(prefix value.Path) Op    { o.Path = join(prefix, o.Path); return o }
func (o Splice) below(prefix value.Path) Op  { o.Path = join(prefix, o.Path); return o }
func (o Permute) below(prefix value.Path) Op { o.Path = join(prefix, o.Path); return o }

func join(prefix, path value.Path) value.Path { return slices.Concat(prefix, path) }

// Rebase returns the operations for a value of which the one they were made for is a
// part, at the path prefix: the operations of a document for a view that shows it
// there. A Replace becomes a Set. The operations given stay as they are.
func Rebase(ops Ops, prefix value.Path) Ops {
	if len(prefix) == 0 || len(ops) == 0 {
		return ops
	}
	based := make(Ops, len(ops))
	for i, op := range ops {
		based[i] = op.below(prefix)
	}
	return based
}

// reserved says whether a step of a path is not allowed, since it would lead a
// JavaScript replica to the prototype of an object.
func reserved(segment value.Segment) bool {
	key, ok := segment.Key()
	return ok && reservedKey(key)
}

func reservedKey(key string) bool {
	return key == "__proto__" || key == "constructor" || key == "prototype"
}
