package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// WatchDocument implements [Documents].
func (s *Session) WatchDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (*Watch, error) {
	at, err := definition.address(in, key)
	if err != nil {
		return nil, err
	}
	return s.watch(ctx, at, definition, func() source { return &documentSource{session: s, at: at} })
}

// WatchDocument implements [Documents]. The watch ends, as [WatchCancelled], with the
// invocation of the phase too.
func (r *Runtime) WatchDocument(ctx context.Context, definition *DocumentDefinition, in record.Scope, key string) (*Watch, error) {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return nil, err
	}
	w, err := r.invocation.session.WatchDocument(ctx, definition, in, key)
	if w == nil {
		cancel()
		return nil, err
	}
	w.releases(cancel)
	return w, nil
}

// documentSource is one lifetime of a document.
type documentSource struct {
	session *Session
	at      record.Address
	id      record.DocumentID
}

func (d *documentSource) load(_ context.Context, r table.Reader) (step, bool, error) {
	stored, found, err := r.FindDocument(d.at)
	if err != nil || !found {
		return step{}, false, err
	}
	d.id = stored.ID
	now, err := d.session.revisions.read(r, stored)
	if err != nil {
		return step{}, false, err
	}
	return step{Frame: Frame{Value: now}, document: &stored.Document, version: stored.Version}, true, nil
}

func (d *documentSource) advance(p *Publication) (step, bool, error) {
	for i := range p.Documents {
		change := &p.Documents[i]
		if change.Record.ID != d.id {
			continue
		}
		if change.Retired {
			none := value.Null{}
			return step{Frame: Frame{Value: none, Ops: delta.Ops{delta.Replace{Value: none}}}, last: true}, true, nil
		}
		return step{
			Frame:    Frame{Value: change.Value, Ops: change.Ops},
			document: &change.Record, version: change.Version, exact: !change.Migrated,
		}, true, nil
	}
	return step{}, false, nil
}

// DocumentWatch is a watch of a document that can be read as a Go value.
type DocumentWatch[T any] struct{ *Watch }

// Read returns what [Watch.Value] returns, and false once that tells that the document
// was retired.
func (w DocumentWatch[T]) Read() (T, bool, error) {
	lives, _ := w.Value().(*value.Object)
	return readAs[T](lives, nil)
}

// Watch watches the document that is stored now, and says whether there is one. It
// never makes one. The errors are those of [Documents.WatchDocument].
func (d Document[T]) Watch(ctx context.Context, from Documents, in record.Scope) (DocumentWatch[T], bool, error) {
	w, err := from.WatchDocument(ctx, d.Definition, in, "")
	return DocumentWatch[T]{w}, w != nil, err
}

// Watch is [Document.Watch] for the member with a key.
func (f Family[T, Seed]) Watch(ctx context.Context, from Documents, in record.Scope, key string) (DocumentWatch[T], bool, error) {
	w, err := from.WatchDocument(ctx, f.Definition, in, key)
	return DocumentWatch[T]{w}, w != nil, err
}
