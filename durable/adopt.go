package durable

import (
	"cmp"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// adopt makes what a transaction staged the newest state, on the line, and hands it
// to be stored. Everything that can be refused is refused before anything is
// adopted. The batch is nil when there is nothing to store. The caller holds tx.mu.
func (s *Session) adopt(tx *Tx) (*batch, error) {
	r, err := tx.reader()
	if err != nil {
		return nil, err
	}
	if err := tx.finishTasks(r); err != nil {
		return nil, err
	}
	changes, err := tx.preparedDocuments()
	if err != nil {
		return nil, err
	}
	if err := tx.checkForks(changes); err != nil {
		return nil, err
	}
	if tx.staged.empty() && len(changes) == 0 {
		tx.adopted()
		return nil, nil
	}
	seq := s.meta.Seq + 1
	publication := tx.staged.publication(seq)
	var w table.Writer
	tx.staged.writeTo(&w, seq)
	for _, change := range changes {
		change.seq = seq
		if err := change.writeTo(&w, r); err != nil {
			return nil, err
		}
		publication.Documents = append(publication.Documents, change.published())
	}
	writes, err := w.Writes(table.Meta{Seq: seq, ID: s.meta.ID})
	if err != nil {
		return nil, invalid("a commit", "%s", err)
	}
	stored := &batch{seq: seq, writes: writes, publication: publication, done: make(chan struct{})}
	stored.size.Add(writes...)
	if err := s.admissible(writes, stored.size); err != nil {
		return nil, err
	}
	s.meta.Seq = seq
	s.overlay.Add(seq, writes)
	for _, change := range changes {
		change.remember(s)
	}
	s.committer.add(stored)
	tx.adopted()
	return stored, nil
}

// adopted calls what waits for the changes to be the newest state.
func (tx *Tx) adopted() {
	for _, call := range tx.staged.after {
		call()
	}
}

// admissible refuses a commit that the storage would not take.
func (s *Session) admissible(writes []storage.Write, size storage.Size) error {
	if err := storage.Check(writes); err != nil {
		return err
	}
	if guarded, guards := s.storage.(storage.Admitter); guards {
		return guarded.Admit(size)
	}
	return nil
}

func (s *staged) empty() bool {
	return len(s.conversations) == 0 && len(s.entries) == 0 && len(s.tasks.order) == 0 &&
		len(s.submissions.order) == 0 && len(s.events) == 0 && len(s.consumers.order) == 0
}

func (s *staged) writeTo(w *table.Writer, seq record.Seq) {
	for _, c := range s.conversations {
		w.Conversation(c)
	}
	for _, e := range s.entries {
		w.Entry(e, seq)
	}
	for _, id := range s.tasks.order {
		task := s.tasks.rows[id]
		w.Task(task.row, task.fresh)
	}
	for _, id := range s.submissions.order {
		submission := s.submissions.rows[id]
		w.Submission(submission.row, submission.fresh)
	}
	for _, e := range s.events {
		w.Event(e)
	}
	for _, name := range s.consumers.order {
		w.Consumer(s.consumers.rows[name].row)
	}
}

func (s *staged) publication(seq record.Seq) *Publication {
	p := &Publication{Seq: seq, Conversations: s.conversations, Entries: s.entries, Events: s.events}
	for _, id := range s.tasks.order {
		task := s.tasks.rows[id]
		p.Tasks = append(p.Tasks, TaskChange{task.row, task.fresh})
	}
	for _, id := range s.submissions.order {
		p.Submissions = append(p.Submissions, s.submissions.rows[id].row)
	}
	for _, name := range s.consumers.order {
		p.Consumers = append(p.Consumers, s.consumers.rows[name].row)
	}
	slices.SortFunc(p.Tasks, func(a, b TaskChange) int { return cmp.Compare(a.ID, b.ID) })
	slices.SortFunc(p.Submissions, func(a, b record.Submission) int { return cmp.Compare(a.ID, b.ID) })
	return p
}

// documentWrite is what a commit does to one document.
type documentWrite struct {
	draft   *Draft
	seq     record.Seq
	ops     delta.Ops
	whole   bool // the whole value is stored
	content bool // there is anything to store but the retirement
	// replaced says that another document is made at the address.
	replaced bool
}

// preparedDocuments compares the drafts with what they were, and ends them.
func (tx *Tx) preparedDocuments() ([]*documentWrite, error) {
	var found []*documentWrite
	drafts := tx.staged.drafts
	for i, draft := range drafts.order {
		write, err := draft.prepared()
		if err != nil {
			return nil, err
		}
		if write == nil {
			continue
		}
		write.replaced = draft.retired && slices.ContainsFunc(drafts.order[i+1:], func(later *Draft) bool {
			return later.stored.Address == draft.stored.Address && !later.retired
		})
		found = append(found, write)
	}
	return found, nil
}

// prepared returns what a draft's commit stores, nil for nothing.
func (d *Draft) prepared() (*documentWrite, error) {
	if !d.retired {
		if err := d.flush(); err != nil {
			return nil, err
		}
	}
	created := d.before == nil
	write := &documentWrite{draft: d, whole: created || d.migrated}
	if !created {
		write.ops = delta.Diff(d.before, d.now)
	}
	write.content = write.whole || len(write.ops) > 0
	if created && d.retired && !d.stored.Rewindable() || !write.content && !d.retired {
		return nil, nil
	}
	if !write.whole && len(write.ops) > 0 && d.definition.Checkpoint != nil {
		err := guarded(func() error {
			write.whole = d.definition.Checkpoint(d.now, write.ops, d.stored.Deltas)
			return nil
		})
		if err != nil {
			return nil, err
		}
	}
	return write, nil
}

// writeTo puts the change into a commit, with what is no longer needed for it.
func (c *documentWrite) writeTo(w *table.Writer, r table.Reader) error {
	d := c.draft
	stored := &d.stored
	created := d.before == nil
	if created {
		stored.Created = c.seq
	}
	if d.retired {
		stored.Retired = c.seq
	}
	content := table.Content{Version: d.definition.Version}
	if c.content {
		stored.Version, stored.Last = d.definition.Version, c.seq
		if c.whole {
			stored.Base, stored.Deltas, content.Base = c.seq, 0, d.now
		} else {
			stored.Deltas++
			content.Ops = c.ops
		}
	}
	kept := stored.Rewindable() || !d.retired
	switch {
	case created:
		w.CreateDocument(*stored, d.now)
	case c.content && kept:
		w.ChangeDocument(*stored, content)
	}
	if d.retired {
		w.RetireDocument(*stored, c.replaced)
	}
	if created || stored.Rewindable() || !d.retired && !c.whole {
		return nil
	}
	below := c.seq
	return w.Reclaim(r, stored.ID, below)
}

// remember keeps the value for those who read it next.
func (c *documentWrite) remember(s *Session) {
	if c.content && !c.draft.retired {
		s.revisions.put(revisionKey{c.draft.stored.ID, c.seq}, c.draft.now)
	}
}

func (c *documentWrite) published() DocumentChange {
	d := c.draft
	return DocumentChange{
		Record: d.stored.Document, Version: d.definition.Version, Created: d.before == nil, Retired: d.retired,
		Value: d.now, Ops: c.ops,
	}
}
