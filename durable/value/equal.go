package value

// Equal says whether two values are the same, the order of members included, since
// a model sees it. What two values share is not walked through. A nil Value equals
// nothing but nil.
func Equal(a, b Value) bool { return equal(a, b, (*Object).ordered) }

// Equivalent says whether two values are the same to a reader for whom the order of
// members means nothing.
func Equivalent(a, b Value) bool { return equal(a, b, (*Object).unordered) }

// equal compares two values, and objects of the same length with the function given.
func equal(a, b Value, objects func(a, b *Object) bool) bool {
	switch a := a.(type) {
	case Array:
		b, ok := b.(Array)
		if !ok || len(a) != len(b) {
			return false
		}
		if len(a) == 0 || &a[0] == &b[0] {
			return true
		}
		for i := range a {
			if !equal(a[i], b[i], objects) {
				return false
			}
		}
		return true
	case *Object:
		b, ok := b.(*Object)
		return ok && (a == b || a.Len() == b.Len() && objects(a, b))
	}
	if _, ok := b.(Array); ok {
		return false // Go does not compare slices
	}
	return a == b
}

func (o *Object) ordered(other *Object) bool {
	for i := range o.Len() {
		a, b := &o.members[i], &other.members[i]
		if a.Key != b.Key || !Equal(a.Value, b.Value) {
			return false
		}
	}
	return true
}

func (o *Object) unordered(other *Object) bool {
	for i := range o.Len() {
		a, b := &o.members[i], &other.members[i]
		same := b.Value
		if a.Key != b.Key {
			same, _ = other.Get(a.Key)
		}
		if !Equivalent(a.Value, same) {
			return false
		}
	}
	return true
}
