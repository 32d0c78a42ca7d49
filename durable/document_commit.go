package durable

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// maxDeltas is how many changes are stored of a document whose past is not kept before
// its whole value is, whatever its definition says: the commit that drops them removes
// each of them, and may have [storage.MaxWrites].
const maxDeltas = 1000

// documentWrite is what a commit does to one document: it ends it, makes it, or
// changes it.
type documentWrite struct {
	draft *Draft
	seq   record.Seq
	// last is the commit of the content before; 0 when there is none.
	last  record.Seq
	ops   delta.Ops
	whole bool // the whole value is stored
}

// preparedDocuments compares the drafts with what they were. The caller holds mu,
// and the callback has returned.
func (tx *Tx) preparedDocuments() ([]*documentWrite, error) {
	var found []*documentWrite
	for _, draft := range tx.staged.drafts.order {
		write, err := draft.prepared()
		if err != nil {
			return nil, err
		}
		if write != nil {
			found = append(found, write)
		}
	}
	return found, nil
}

// prepared returns what is stored of a draft, nil for nothing. Nobody ever saw a
// document that one commit made and ended.
func (d *Draft) prepared() (*documentWrite, error) {
	if d.retired {
		if d.stored.Last == 0 {
			return nil, nil
		}
		return &documentWrite{draft: d, last: d.stored.Last}, nil
	}
	if err := d.flush(); err != nil {
		return nil, err
	}
	write := &documentWrite{draft: d, last: d.stored.Last, whole: d.before == nil || d.migrated}
	if write.whole {
		return write, nil
	}
	if write.ops = delta.Diff(d.before, d.now); len(write.ops) == 0 {
		return nil, nil
	}
	if !d.stored.Rewindable() && d.stored.Deltas >= maxDeltas {
		write.whole = true
		return write, nil
	}
	if d.definition.Checkpoint == nil {
		return write, nil
	}
	err := d.tx.outside(func() error {
		return guarded(func() error {
			write.whole = d.definition.Checkpoint(d.now, write.ops, d.stored.Deltas)
			return nil
		})
	})
	if err != nil {
		return nil, fmt.Errorf("whether %s is stored as a whole: %w", d.definition.what(), err)
	}
	return write, nil
}

// writeTo puts the change into a commit, and takes out what is no longer needed.
func (c *documentWrite) writeTo(w *table.Writer, r table.Reader) error {
	d := c.draft
	stored := &d.stored
	if d.retired {
		stored.Retired = c.seq
		w.RetireDocument(*stored)
		return c.reclaim(w, r)
	}
	content := table.Content{Version: d.definition.Version, After: c.last, Ops: c.ops}
	stored.Version, stored.Last = d.definition.Version, c.seq
	if c.whole {
		stored.Base, stored.Deltas = c.seq, 0
		content.Base, content.Ops = d.now, nil
	} else {
		stored.Deltas++
	}
	if d.before == nil {
		stored.Created = c.seq
		w.CreateDocument(*stored, d.now)
		return nil
	}
	w.ChangeDocument(*stored, content)
	if !c.whole {
		return nil
	}
	return c.reclaim(w, r)
}

// reclaim removes the contents before the change of a document whose past is not
// kept.
func (c *documentWrite) reclaim(w *table.Writer, r table.Reader) error {
	if c.draft.stored.Rewindable() {
		return nil
	}
	return w.Reclaim(r, c.draft.stored.ID, c.seq)
}

// remember keeps the value for those who read it next.
func (c *documentWrite) remember(s *Session) {
	d := c.draft
	if c.last != 0 {
		s.revisions.forget(revisionKey{d.stored.ID, c.last})
	}
	if !d.retired {
		s.revisions.keep(revisionKey{d.stored.ID, c.seq}, d.now)
	}
}

func (c *documentWrite) published() DocumentChange {
	d := c.draft
	change := DocumentChange{
		Record: d.stored.Document, Version: d.definition.Version, Created: d.before == nil && !d.retired, Retired: d.retired,
		Migrated: d.migrated, Ops: c.ops,
	}
	if !d.retired {
		change.Value = d.now
	}
	return change
}
