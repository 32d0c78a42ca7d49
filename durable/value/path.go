package value

import "strconv"

// Segment is one step of a path: the key of an object's member, or the index of an
// array's item. The zero Segment is the empty key.
type Segment struct {
	key   string
	index int
	array bool
}

// Key returns the step to the member of an object.
func Key(key string) Segment { return Segment{key: key} }

// Index returns the step to the item of an array.
func Index(index int) Segment { return Segment{index: index, array: true} }

// Key returns the key of a step to a member, and false for one to an item.
func (s Segment) Key() (string, bool) { return s.key, !s.array }

// Index returns the index of a step to an item, and false for one to a member.
func (s Segment) Index() (int, bool) { return s.index, s.array }

// Path leads from a value to one inside of it. The empty Path is the value itself.
type Path []Segment

// String writes a path as JavaScript would: a[0].b, or ["a b"][0]. The empty path is
// written "the root".
func (p Path) String() string {
	if len(p) == 0 {
		return "the root"
	}
	var text []byte
	for i, segment := range p {
		switch {
		case segment.array:
			text = append(text, '[')
			text = strconv.AppendInt(text, int64(segment.index), 10)
			text = append(text, ']')
		case !plain(segment.key):
			text = append(text, '[')
			text = appendString(text, segment.key)
			text = append(text, ']')
		default:
			if i > 0 {
				text = append(text, '.')
			}
			text = append(text, segment.key...)
		}
	}
	return string(text)
}

// plain says whether a key can stand behind a dot.
func plain(key string) bool {
	for i, c := range key {
		letter := c == '_' || c == '$' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		if !letter && (i == 0 || c < '0' || c > '9') {
			return false
		}
	}
	return key != ""
}

// Value returns the path as a list of strings and numbers.
func (p Path) Value() Array {
	list := make(Array, len(p))
	for i, segment := range p {
		if segment.array {
			list[i] = Number(segment.index)
		} else {
			list[i] = String(segment.key)
		}
	}
	return list
}

// MarshalJSON writes a path as a list of strings and numbers.
func (p Path) MarshalJSON() ([]byte, error) { return Append(nil, p.Value()), nil }

// Lookup returns the value that a path leads to, and false when there is none: a key
// leads from an object only, and an index from an array only.
func Lookup(v Value, path ...Segment) (Value, bool) {
	for _, segment := range path {
		found := false
		switch container := v.(type) {
		case *Object:
			if !segment.array {
				v, found = container.Get(segment.key)
			}
		case Array:
			if segment.array && segment.index >= 0 && segment.index < len(container) {
				v, found = container[segment.index], true
			}
		}
		if !found {
			return nil, false
		}
	}
	return v, v != nil
}
