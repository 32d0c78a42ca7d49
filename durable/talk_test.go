package durable_test

import (
	"context"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// hand is a source of runs whose tasks are numbers: what they do, the test does by
// hand.
type hand struct {
	modes durable.QueueModes
	last  record.TaskID
	fails error
}

func (h *hand) Start(context.Context, *durable.Tx, record.ConversationID) (record.TaskID, error) {
	h.last++
	return 1_000_000 + h.last, h.fails
}

func (h *hand) Modes() durable.QueueModes { return h.modes }

// talk is a session with a conversation that is talked in.
type talk struct {
	*opened
	*durable.Conversation
	runs  *hand
	clock *manual
}

// begin opens a session and makes its first conversation.
func begin(t testing.TB) *talk {
	t.Helper()
	h, clock := &hand{}, &manual{now: time.UnixMilli(1000)}
	s := &talk{opened: open(t, durable.Options{Runs: h, Clock: clock}), runs: h, clock: clock}
	s.root()
	return s
}

func (s *talk) root() {
	s.t.Helper()
	root, err := s.Root(within(s.t), durable.ConversationOptions{})
	if err != nil {
		s.t.Fatal(err)
	}
	s.Conversation = root
}

// commit makes a commit that must succeed.
func (s *talk) commit(change func(tx *durable.Tx) error) { s.t.Helper(); s.opened.commit(change) }

func says(text string) durable.Input { return durable.Input{Content: message.Content{Text: text}} }

func steers(text string) durable.Input {
	return durable.Input{Content: message.Content{Text: text}, WhenBusy: durable.Steer}
}

func writes(kind string) durable.Write { return durable.Write{Entry: durable.EntryDraft{Kind: kind}} }

// submit hands something in that must be taken.
func (s *talk) submit(draft durable.SubmissionDraft) *durable.Submission {
	s.t.Helper()
	submission, err := s.Submit(within(s.t), draft)
	if err != nil {
		s.t.Fatal(err)
	}
	return submission
}

// status returns how a submission stands.
func (s *talk) status(of *durable.Submission) record.Submission {
	s.t.Helper()
	now, err := of.Status(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	return now
}

func (s *talk) live() durable.LiveState {
	s.t.Helper()
	live, _, err := durable.LiveDocument.Read(within(s.t), s.Session, durable.InConversation(s.ID()))
	if err != nil {
		s.t.Fatal(err)
	}
	return live
}

func (s *talk) inbox() (ids []record.SubmissionID) {
	s.t.Helper()
	inbox, _, err := durable.InboxDocument.Read(within(s.t), s.Session, durable.InConversation(s.ID()))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, item := range inbox.Items {
		ids = append(ids, item.ID)
	}
	return ids
}

// answer ends the run with an answer.
func (s *talk) answer() (answer record.Entry) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) (err error) {
		if answer, err = tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: durable.AssistantEntry}); err != nil {
			return err
		}
		_, err = tx.EndRun(s.ID(), durable.RunEnd{Answer: answer.ID})
		return err
	})
	return answer
}

// fail ends the run without an answer.
func (s *talk) fail(reason string) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.EndRun(s.ID(), durable.RunEnd{Reason: reason})
		return err
	})
}

// round ends a round of tools, with the entry of a result.
func (s *talk) round() {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		if _, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: string(durable.ToolResultEntry)}); err != nil {
			return err
		}
		_, err := tx.ContinueRun(s.ID())
		return err
	})
}

// script returns the conversation's entries, oldest first: the text of users' turns,
// and the kinds of others.
func (s *talk) script() (lines []string) {
	s.t.Helper()
	for entry, err := range s.Conversation.Entries(within(s.t), durable.EntryQuery{Order: durable.Ascending}) {
		if err != nil {
			s.t.Fatal(err)
		}
		line := entry.Kind
		if entry.Kind == durable.UserEntry {
			line = entry.Model[0].Text()
		}
		lines = append(lines, line)
	}
	return lines
}

type ctx = context.Context
