package durable_test

import (
	"fmt"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/internal/frames"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// followed returns a watch that follows a conversation.
func (s *opened) followed(in record.ConversationID) *durable.Watch {
	s.t.Helper()
	watch, err := s.FollowConversation(within(s.t), in)
	if err != nil {
		s.t.Fatal(err)
	}
	return watch
}

func TestWhoFollowsAConversationHasEachCommitThatConcernsIt(t *testing.T) {
	s := begin(t)
	in, other := s.ID(), s.conversation()
	mark := durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "mark", Version: 1, Scope: record.TaskScope, Initial: func() count { return count{} },
	})
	inert := task("test.inert", phases{"begin": hangs})
	var mine, elsewhere record.TaskID
	create := func(tx *durable.Tx, in record.ConversationID, id *record.TaskID) (err error) {
		*id, err = inert.Create(tx, 1, own(in))
		return err
	}
	edit := func(tx *durable.Tx, id record.TaskID) error {
		_, err := mark.Edit(tx, durable.InTask(id))
		return err
	}
	s.commit(func(tx *durable.Tx) error { return create(tx, in, &mine) })
	watch := s.followed(in)
	for _, c := range []struct {
		name   string
		change func(tx *durable.Tx) error
		want   string // entries, tasks, submissions and documents; "" for no frame
	}{
		{"an entry", func(tx *durable.Tx) error { return appendTo(tx, in, other) }, "1 0 0 0"},
		{"an entry elsewhere", func(tx *durable.Tx) error { return appendTo(tx, other) }, ""},
		{"a document of a task", func(tx *durable.Tx) error { return edit(tx, mine) }, "0 0 0 1"},
		{"a task elsewhere", func(tx *durable.Tx) error { return create(tx, other, &elsewhere) }, ""},
		{"its document", func(tx *durable.Tx) error { return edit(tx, elsewhere) }, ""},
		{"a task", func(tx *durable.Tx) error { return create(tx, in, &mine) }, "0 1 0 0"},
		{"a document of the new task", func(tx *durable.Tx) error { return edit(tx, mine) }, "0 0 0 1"},
		{"a submission", func(tx *durable.Tx) error {
			_, err := tx.CreateSubmission(record.Submission{Conversation: in, Type: record.Input, Status: record.Queued})
			return err
		}, "0 0 1 0"},
	} {
		s.commit(c.change)
		if c.want == "" {
			continue
		}
		frame, err := watch.Next(within(t))
		if err != nil {
			t.Fatal(err)
		}
		if frame.Commit == nil {
			t.Fatalf("%s: the frame has no commit", c.name)
		}
		got := fmt.Sprint(len(frame.Commit.Entries), len(frame.Commit.Tasks), len(frame.Commit.Submissions), len(frame.Commit.Documents))
		if got != c.want {
			t.Errorf("%s: the commit has %s, want %s", c.name, got, c.want)
		}
		if view := s.view(in); !value.Equal(view, frame.Value) {
			t.Errorf("%s: the view is %s, want %s", c.name, frame.Value, view)
		}
	}
}

// appendTo appends an entry to each of some conversations.
func appendTo(tx *durable.Tx, all ...record.ConversationID) error {
	for _, in := range all {
		if _, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "note"}); err != nil {
			return err
		}
	}
	return nil
}

func TestAFrameForSeveralCommitsHasNone(t *testing.T) {
	s := begin(t)
	in := s.ID()
	watch := s.followed(in)
	for range frames.Limit + 1 {
		s.commit(func(tx *durable.Tx) error { return appendTo(tx, in) })
	}
	frame, err := watch.Next(within(t))
	if err != nil {
		t.Fatal(err)
	}
	if frame.Commit != nil || !value.Equal(frame.Value, s.view(in)) {
		t.Errorf("the frame has the commit %+v and the view %s", frame.Commit, frame.Value)
	}
}
