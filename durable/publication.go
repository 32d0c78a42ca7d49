package durable

import (
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Publication is one commit, as those hear of it who watch: everything it changed,
// and only once it is stored. It is shared and never changed.
type Publication struct {
	Seq           record.Seq
	Conversations []record.Conversation
	// Entries are in the order in which they were appended.
	Entries []record.Entry
	// Tasks and Submissions are as they stand after the commit, in the order of
	// their ids.
	Tasks       []TaskChange
	Submissions []record.Submission
	// Documents are in the order in which the commit acquired them.
	Documents []DocumentChange
	Events    []record.Event
	Consumers []record.Consumer
}

// TaskChange is a task after a commit. Fresh says that the commit created it.
type TaskChange struct {
	record.Task
	Fresh bool
}

// DocumentChange is what a commit did to one document. One that the commit both made
// and ended is not told of.
type DocumentChange struct {
	Record record.Document
	// Version is the version of the definition that wrote the document.
	Version int
	// Created and Retired say that the commit made or ended the document, and Migrated
	// that it stored it by a newer version of its definition than before.
	Created, Retired, Migrated bool
	// Value is what the document is after the commit; nil when it ended.
	Value *value.Object
	// Ops lead from the value before the commit to Value. They are empty when it was
	// created, ended or migrated: what the value before was to those who read it is
	// for their definition to say.
	Ops delta.Ops
}

// SubscribeCommits has a listener called with each commit that is stored from now
// on, in order, on the goroutine that stores: it must be quick, must not wait for
// the session, and must not commit. Before Commit returns its listeners have been
// called. One that panics is logged and not called again. The function that is
// returned ends it, for the listener itself too; a call that another goroutine has
// begun may still go on then.
func (s *Session) SubscribeCommits(listener func(*Publication)) (stop func()) {
	return s.onCommit.add(listener)
}

// publish tells everybody of a commit that is stored.
func (s *Session) publish(p *Publication) {
	s.settlements.publish(p)
	for _, stuck := range s.watches.publish(p) {
		s.giveUp(stuck)
	}
	s.onCommit.tell(s.options.Logger, p)
}
