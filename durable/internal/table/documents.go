package table

import (
	"encoding/binary"
	"errors"
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Document is a document's record with what its newest content is.
type Document struct {
	record.Document
	// Version is the version of the definition that wrote it.
	Version int `json:"version"`
	// Last is the commit of its newest content, Base that of its newest base, and
	// Deltas how many deltas there are after that.
	Last   record.Seq `json:"last"`
	Base   record.Seq `json:"base"`
	Deltas int        `json:"deltas,omitempty"`
}

// Rewindable says whether the values of the past are kept.
func (d Document) Rewindable() bool { return d.History == record.Rewindable }

// Lives says whether the document was there after a commit.
func (d Document) Lives(at record.Seq) bool {
	return d.Created <= at && (d.Retired == 0 || at < d.Retired)
}

// Content is one step of a document: a whole value, or the changes since the step
// before.
type Content struct {
	Version int
	// After is the commit of the step before; 0 for the first one.
	After record.Seq
	Base  *value.Object
	Ops   delta.Ops
}

// Document returns a document by its id, and whether it is there. Documents whose
// past is not kept are not there any more once they are retired.
func (r Reader) Document(id record.DocumentID) (d Document, found bool, err error) {
	found, err = r.row(&d, fmt.Sprintf("document %d", id), tagged(tagDocument, id))
	return d, found, err
}

// FindDocument returns the document that lives at an address now, and whether one
// does.
func (r Reader) FindDocument(at record.Address) (Document, bool, error) {
	place, found, err := r.Source.Get(key{tagDocumentAt}.address(at))
	if err != nil || !found {
		return Document{}, false, err
	}
	id := record.DocumentID(lastNumber(place))
	d, found, err := r.Document(id)
	if err == nil && !found {
		err = &CorruptError{fmt.Sprintf("document %d", id), errors.New("its address names it, and it is not there")}
	}
	return d, found, err
}

// FindDocumentAt returns the rewindable document that lived at an address at a
// commit, and whether one did.
func (r Reader) FindDocumentAt(at record.Address, seq record.Seq) (Document, bool, error) {
	for d, err := range r.history(key{tagDocumentHistory}.address(at)) {
		if err != nil || d.Lives(seq) {
			return d, err == nil, err
		}
	}
	return Document{}, false, nil
}

// history yields the rewindable documents below a prefix, by address and age.
func (r Reader) history(prefix key) iter.Seq2[Document, error] {
	return indexed(r, "document", storage.Prefix(prefix), func(id int64) (Document, bool, error) {
		return r.Document(record.DocumentID(id))
	})
}

// Documents yields the documents that live in a scope now, in the order of their
// kinds and keys.
func (r Reader) Documents(scope record.Scope) iter.Seq2[Document, error] {
	return func(yield func(Document, error) bool) {
		for pair, err := range r.Source.Scan(storage.Prefix(key{tagDocumentAt}.scope(scope))) {
			var d Document
			if err == nil {
				var found bool
				d, found, err = r.Document(record.DocumentID(lastNumber(pair.Value)))
				if err == nil && !found {
					err = &CorruptError{fmt.Sprintf("document %d", lastNumber(pair.Value)), errors.New("its address names it, and it is not there")}
				}
			}
			if !yield(d, err) || err != nil {
				return
			}
		}
	}
}

// DocumentsAt yields the rewindable documents that lived in a scope at a commit, in
// the order of their kinds and keys.
func (r Reader) DocumentsAt(scope record.Scope, seq record.Seq) iter.Seq2[Document, error] {
	return filter(r.history(key{tagDocumentHistory}.scope(scope)), func(d Document) bool { return d.Lives(seq) })
}

// CreateDocument puts a new document with its first value; d says how it is stored.
func (w *Writer) CreateDocument(d Document, base *value.Object) {
	place := binary.BigEndian.AppendUint64(nil, uint64(d.ID))
	w.row(tagged(tagDocument, d.ID), d)
	w.content(d, Content{Version: d.Version, Base: base})
	w.set(key{tagDocumentAt}.address(d.Address), place)
	if d.Rewindable() {
		w.index(key{tagDocumentHistory}.address(d.Address).number(int64(d.ID)))
	}
}

// ChangeDocument puts a document's next content; d says how it is stored after it.
func (w *Writer) ChangeDocument(d Document, content Content) {
	w.row(tagged(tagDocument, d.ID), d)
	w.content(d, content)
}

// RetireDocument ends a document; d says how it is stored after it. It comes before
// [Writer.CreateDocument] for the same address. What is not kept of the document is
// dropped by [Writer.Reclaim].
func (w *Writer) RetireDocument(d Document) {
	w.remove(key{tagDocumentAt}.address(d.Address))
	if d.Rewindable() {
		w.row(tagged(tagDocument, d.ID), d)
		return
	}
	w.remove(tagged(tagDocument, d.ID))
}

// Reclaim drops a document's contents below a commit.
func (w *Writer) Reclaim(r Reader, id record.DocumentID, below record.Seq) error {
	over := IDs{Max: int64(below) - 1}.over(tagged(tagContent, id))
	over.KeysOnly = true
	for pair, err := range r.Source.Scan(over) {
		if err != nil {
			return err
		}
		w.remove(pair.Key)
	}
	return nil
}
