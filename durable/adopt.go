package durable

import (
	"cmp"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// adopt makes what a transaction staged the newest state, on the line, and hands it
// to be stored. Everything that can be refused is refused before anything is
// adopted. The batch is nil when there is nothing to store. The caller holds tx.mu.
func (s *Session) adopt(tx *Tx) (*batch, error) {
	if err := s.failure(); err != nil {
		return nil, err
	}
	r := tx.reader()
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
	stored := &batch{seq: seq, writes: writes, publication: publication, told: tx.staged.stored, done: make(chan struct{})}
	stored.size.Add(writes...)
	if err := s.admissible(writes, stored.size); err != nil {
		return nil, err
	}
	s.meta.Seq, s.newest = seq, stored
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

// admissible refuses a commit that the storage would not take together with those
// that are adopted and not stored.
func (s *Session) admissible(writes []storage.Write, size storage.Size) error {
	if err := storage.Check(writes); err != nil {
		return err
	}
	if guarded, guards := s.storage.(storage.Admitter); guards {
		return guarded.Admit(size.With(s.committer.adopted()))
	}
	return nil
}

func (s *staged) empty() bool {
	return len(s.conversations) == 0 && len(s.entries) == 0 && len(s.tasks.order) == 0 &&
		len(s.submissions.order) == 0 && len(s.events) == 0 && len(s.trimmed) == 0 &&
		len(s.consumers.order) == 0 && len(s.forgotten) == 0
}

func (s *staged) writeTo(w *table.Writer, seq record.Seq) {
	for _, c := range s.conversations {
		w.Conversation(c)
	}
	for i, e := range s.entries {
		w.Entry(e, s.rows[i], seq)
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
	for _, e := range s.trimmed {
		w.RemoveEvent(e)
	}
	for _, name := range s.consumers.order {
		w.Consumer(s.consumers.rows[name].row)
	}
	for _, name := range s.forgotten {
		w.ForgetConsumer(name.owner, name.name)
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
