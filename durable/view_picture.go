package durable

import (
	"slices"
	"sync/atomic"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// picture is what a large view shows after a commit. It is made when somebody asks
// for it, of an earlier one that is there and what came after that. It is safe for
// concurrent use.
type picture struct {
	made atomic.Pointer[value.Object] // nil before
	// before is the picture before the commit, nil once this one is made, and ops what
	// the commit changed.
	before atomic.Pointer[picture]
	ops    delta.Ops
	// behind is how many operations there are after the last picture that was made on
	// purpose.
	behind int
}

func newPicture(of *value.Object) *picture {
	p := new(picture)
	p.made.Store(of)
	return p
}

// after returns the picture after another commit.
func (p *picture) after(ops delta.Ops) *picture {
	next := &picture{ops: ops, behind: p.behind + len(ops)}
	next.before.Store(p)
	return next
}

// value returns what the picture shows.
func (p *picture) value() (*value.Object, error) {
	var missing []delta.Ops
	at := p
	base := at.made.Load()
	for base == nil {
		if before := at.before.Load(); before != nil { // or it was made at this moment
			missing = append(missing, at.ops)
			at = before
		}
		base = at.made.Load()
	}
	if len(missing) == 0 {
		return base, nil
	}
	slices.Reverse(missing)
	now, err := delta.Apply(base, slices.Concat(missing...))
	if err != nil {
		return nil, err
	}
	p.made.Store(now.(*value.Object))
	p.before.Store(nil)
	return now.(*value.Object), nil
}

// settled is how many operations may follow a picture that was made, at least.
const settled = 100

// settle makes the picture when there is as much to do for that as there is to show,
// so that what is kept of the past, and what is done for it, is in proportion to what
// changes.
func (p *picture) settle(size int) error {
	if p.behind < max(settled, size) {
		return nil
	}
	p.behind = 0
	_, err := p.value()
	return err
}
