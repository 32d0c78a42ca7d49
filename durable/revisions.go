package durable

import (
	"container/list"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// revisions remembers what documents were after the commits that changed them last.
// A revision never changes, so that readers of any point share it. The oldest in use
// are forgotten above a limit of bytes. It is safe for concurrent use.
type revisions struct {
	limit int // bytes

	mu    sync.Mutex
	size  int
	known map[revisionKey]*list.Element
	used  list.List // of *revision, the newest in use first
}

// revisionKey is a document and the commit that changed it last.
type revisionKey struct {
	id   record.DocumentID
	last record.Seq
}

type revision struct {
	key   revisionKey
	value *value.Object
	size  int
}

// read returns the newest value of a document as r has it.
func (c *revisions) read(r table.Reader, d table.Document) (*value.Object, error) {
	at := revisionKey{d.ID, d.Last}
	if found := c.get(at); found != nil {
		return found, nil
	}
	read, _, err := r.Value(d, 0)
	if err != nil {
		return nil, err
	}
	c.put(at, read)
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

func (c *revisions) get(at revisionKey) *value.Object {
	c.mu.Lock()
	defer c.mu.Unlock()
	element := c.known[at]
	if element == nil {
		return nil
	}
	c.used.MoveToFront(element)
	return element.Value.(*revision).value
}

func (c *revisions) put(at revisionKey, v *value.Object) {
	one := &revision{key: at, value: v, size: value.Size(v) + 100}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.known == nil {
		c.known = make(map[revisionKey]*list.Element)
	}
	if c.known[at] != nil || one.size > c.limit/4 {
		return
	}
	c.known[at] = c.used.PushFront(one)
	c.size += one.size
	for c.size > c.limit {
		c.drop(c.used.Back())
	}
}

// forget drops a revision that is not the newest any more.
func (c *revisions) forget(at revisionKey) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if element := c.known[at]; element != nil {
		c.drop(element)
	}
}

func (c *revisions) drop(element *list.Element) {
	gone := c.used.Remove(element).(*revision)
	c.size -= gone.size
	delete(c.known, gone.key)
}
