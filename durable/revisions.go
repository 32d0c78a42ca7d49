package durable

import (
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// revisions remembers what documents were after the commits that changed them last.
// A revision never changes, so that readers of any point share it. It is safe for
// concurrent use.
type revisions struct {
	recent[revisionKey, *value.Object]
}

// revisionKey is a document and the commit that changed it last.
type revisionKey struct {
	id   record.DocumentID
	last record.Seq
}

// read returns the newest value of a document as r has it.
func (c *revisions) read(r table.Reader, d table.Document) (*value.Object, error) {
	at := revisionKey{d.ID, d.Last}
	if found, known := c.get(at); known {
		return found, nil
	}
	read, _, err := r.Value(d, 0)
	if err != nil {
		return nil, err
	}
	c.keep(at, read)
	return read, nil
}

// readAt returns the value of a document after a commit, 0 for now, and the version
// of the definition that wrote it.
func (c *revisions) readAt(r table.Reader, d table.Document, at record.Seq) (*value.Object, int, error) {
	if at == 0 || at >= d.Last {
		now, err := c.read(r, d)
		return now, d.Version, err
	}
	return r.Value(d, at)
}

// keep remembers a revision, unless it is so large that it would displace many.
func (c *revisions) keep(at revisionKey, v *value.Object) {
	if size := value.Size(v) + 100; size <= c.limit/4 {
		c.put(at, v, size, func(*value.Object) bool { return false })
	}
}
