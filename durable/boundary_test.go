package durable_test

import (
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

const answered = durable.AssistantEntry

var all = durable.QueueModes{Steering: durable.AllAtOnce, FollowUp: durable.AllAtOnce}

// expect compares the conversation's entries.
func (s *talk) expect(lines ...string) {
	s.t.Helper()
	if diff := cmp.Diff(lines, s.script()); diff != "" {
		s.t.Error(diff)
	}
}

// settled checks how a submission ended.
func (s *talk) settled(of *durable.Submission, status record.SubmissionStatus, reason string) {
	s.t.Helper()
	if now := s.status(of); now.Status != status || now.Reason != reason {
		s.t.Errorf("submission %d is %+v, want %s %s", of.ID(), now, status, reason)
	}
}

func TestTheEndOfARunPlacesEverything(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	follow, steer := s.submit(says("follow")), s.submit(steers("steer"))
	note := s.submit(writes("note"))
	answer := s.answer()
	s.expect("first", answered, "note", "follow", "steer")
	if now := s.status(first); now.Status != record.Done || now.Answer != answer.ID {
		t.Errorf("the first input is %+v", now)
	}
	s.settled(note, record.Done, "")
	s.settled(follow, record.Placed, "")
	want := &durable.RunState{Task: 1_000_002, Inputs: []record.SubmissionID{follow.ID(), steer.ID()}}
	if diff := cmp.Diff(want, s.live().Run); diff != "" {
		t.Error(diff)
	}
	s.answer()
	s.settled(follow, record.Done, "")
	s.settled(steer, record.Done, "")
	if s.live().Run != nil {
		t.Errorf("the run is %+v", s.live().Run)
	}
}

func TestARoundOfToolsPlacesWritesAndSteers(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	follow, steer, note := s.submit(says("follow")), s.submit(steers("steer")), s.submit(writes("note"))
	s.round()
	s.expect("first", "pi.tool-result", "note", "steer")
	s.settled(first, record.Placed, "")
	s.settled(follow, record.Queued, "")
	s.settled(note, record.Done, "")
	want := &durable.RunState{Task: 1_000_002, Inputs: []record.SubmissionID{first.ID(), steer.ID()}}
	if diff := cmp.Diff(want, s.live().Run); diff != "" {
		t.Error(diff)
	}
	answer := s.answer()
	for _, one := range []*durable.Submission{first, steer} {
		if now := s.status(one); now.Answer != answer.ID {
			t.Errorf("%+v", now)
		}
	}
	s.settled(follow, record.Placed, "")
}

func TestModesSayHowManyInputsAreTaken(t *testing.T) {
	for name, c := range map[string]struct {
		modes durable.QueueModes
		want  []string
	}{
		"the first of each": {want: []string{"0", answered, "f1", "s1"}},
		"all that steer":    {durable.QueueModes{Steering: durable.AllAtOnce}, []string{"0", answered, "f1", "s1", "s2"}},
		"all that follow":   {durable.QueueModes{FollowUp: durable.AllAtOnce}, []string{"0", answered, "f1", "s1", "f2"}},
		"all":               {all, []string{"0", answered, "f1", "s1", "f2", "s2"}},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t)
			s.runs.modes = c.modes
			s.submit(says("0"))
			for _, draft := range []durable.SubmissionDraft{says("f1"), steers("s1"), says("f2"), steers("s2")} {
				s.submit(draft)
			}
			s.answer()
			s.expect(c.want...)
		})
	}
}

func TestAFailedRunLeavesTheInboxAlone(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	follow, note := s.submit(says("follow")), s.submit(writes("note"))
	s.fail("model_error")
	s.settled(first, record.Unanswered, "model_error")
	s.settled(follow, record.Queued, "")
	s.settled(note, record.Queued, "")
	s.expect("first")
	if s.live().Run != nil {
		t.Errorf("the run is %+v", s.live().Run)
	}
}

func TestAnIdleConversationQueuesBehindWhatWaits(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	follow, note := s.submit(says("follow")), s.submit(writes("note"))
	s.fail("model_error")
	commits := 0
	defer s.SubscribeCommits(func(*durable.Publication) { commits++ })()
	second := s.submit(durable.Input{Content: message.Content{Text: "second"}, WhenBusy: durable.Reject})
	s.expect("first", "note", "follow")
	s.settled(note, record.Done, "")
	s.settled(follow, record.Placed, "")
	s.settled(second, record.Queued, "")
	if commits != 1 {
		t.Errorf("it took %d commits", commits)
	}
	s.answer()
	s.expect("first", "note", "follow", answered, "second")
}

func TestAWriteStartsWhatWaitsInAnIdleConversation(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	follow := s.submit(says("follow"))
	s.fail("model_error")
	s.submit(writes("note"))
	s.expect("first", "note", "follow")
	s.settled(follow, record.Placed, "")
}

func TestAResetIsPlacedBeforeInputs(t *testing.T) {
	s := begin(t)
	first := s.submit(says("first"))
	follow := s.submit(says("follow"))
	if err := s.Reset(within(t), "go on"); err != nil {
		t.Fatal(err)
	}
	answer := s.answer()
	if now := s.status(first); now.Answer != answer.ID {
		t.Errorf("a reset at the end of a run leaves its inputs %+v", now)
	}
	s.expect("first", answered, durable.ResetEntry, "follow")
	s.settled(follow, record.Placed, "")
	for entry, err := range s.Conversation.Entries(within(t), durable.EntryQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		if entry.Kind == durable.ResetEntry && (entry.Head != entry.ID || entry.Model[0].Text() != "go on") {
			t.Errorf("the reset is %+v", entry)
		}
	}
}

func TestAResetAfterToolsEndsTheRun(t *testing.T) {
	s := begin(t)
	s.runs.modes = all
	first, steer, follow := s.submit(says("first")), s.submit(steers("steer")), s.submit(says("follow"))
	if err := s.Reset(within(t), ""); err != nil {
		t.Fatal(err)
	}
	s.round()
	s.expect("first", "pi.tool-result", durable.ResetEntry, "steer", "follow")
	s.settled(first, record.Unanswered, durable.ReasonReset)
	want := &durable.RunState{Task: 1_000_002, Inputs: []record.SubmissionID{steer.ID(), follow.ID()}}
	if diff := cmp.Diff(want, s.live().Run); diff != "" {
		t.Error(diff)
	}
}

func TestAResetAfterToolsWithoutInputsLeavesTheConversationIdle(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	if err := s.Reset(within(t), ""); err != nil {
		t.Fatal(err)
	}
	s.round()
	if s.live().Run != nil || s.runs.last != 1 {
		t.Errorf("the run is %+v, and %d began", s.live().Run, s.runs.last)
	}
}

func TestAHeadOfBeforeTheContextIsStale(t *testing.T) {
	s := begin(t)
	old := s.append(s.ID(), "old")
	kept := s.append(s.ID(), "kept")
	heads := func(head record.EntryID) durable.Write {
		return durable.Write{Entry: durable.EntryDraft{Kind: "summary", Head: head}}
	}
	s.settled(s.submit(heads(kept.ID)), record.Done, "")
	s.settled(s.submit(heads(kept.ID)), record.Done, "") // not newer, not older
	s.settled(s.submit(heads(old.ID)), record.Unanswered, durable.ReasonStale)
	s.submit(says("first"))
	before := s.submit(heads(kept.ID))
	if err := s.Reset(within(t), ""); err != nil {
		t.Fatal(err)
	}
	behind := s.submit(heads(kept.ID)) // the reset that is placed before it makes it stale
	self := s.submit(durable.Write{Entry: durable.EntryDraft{Kind: "again", Self: true}})
	s.answer()
	s.settled(before, record.Done, "")
	s.settled(behind, record.Unanswered, durable.ReasonStale)
	s.settled(self, record.Done, "")
	if len(s.inbox()) > 0 {
		t.Errorf("the inbox has %v", s.inbox())
	}
}

func TestAHeadOfTheSameCommitCounts(t *testing.T) {
	s := begin(t)
	old := s.append(s.ID(), "old")
	s.submit(says("first"))
	summary := s.submit(durable.Write{Entry: durable.EntryDraft{Kind: "summary", Head: old.ID}})
	s.commit(func(tx *durable.Tx) error {
		handoff, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: durable.ResetEntry, Self: true})
		if err != nil {
			return err
		}
		_, err = tx.EndRun(s.ID(), durable.RunEnd{Answer: handoff.ID})
		return err
	})
	s.settled(summary, record.Unanswered, durable.ReasonStale)
}

func TestAContinuationKeepsTheInputsOpen(t *testing.T) {
	for name, c := range map[string]struct {
		waits     durable.SubmissionDraft
		want      []string
		continues bool
	}{
		"nothing waits": {nil, []string{"first", answered, "go on"}, true},
		"a write":       {writes("note"), []string{"first", answered, "note", "go on"}, true},
		"an input":      {says("follow"), []string{"first", answered, "follow"}, false},
		"a reset":       {durable.Write{Entry: durable.EntryDraft{Kind: durable.ResetEntry, Self: true}}, []string{"first", answered, durable.ResetEntry}, false},
	} {
		t.Run(name, func(t *testing.T) {
			s := begin(t)
			first := s.submit(says("first"))
			if c.waits != nil {
				s.submit(c.waits)
			}
			s.commit(func(tx *durable.Tx) error {
				answer, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: answered})
				if err != nil {
					return err
				}
				_, err = tx.EndRun(s.ID(), durable.RunEnd{Answer: answer.ID, Continue: &message.Content{Text: "go on"}})
				return err
			})
			s.expect(c.want...)
			if !c.continues {
				s.settled(first, record.Done, "")
				return
			}
			s.settled(first, record.Placed, "")
			want := &durable.RunState{Task: 1_000_002, Inputs: []record.SubmissionID{first.ID()}}
			if diff := cmp.Diff(want, s.live().Run); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTheEndOfARunClearsWhatGoesOn(t *testing.T) {
	s := begin(t)
	for _, end := range []func(){func() { s.answer() }, func() { s.fail("model_error") }} {
		s.submit(says("hello"))
		s.commit(func(tx *durable.Tx) error {
			live, err := durable.LiveDocument.Edit(tx, durable.InConversation(s.ID()))
			if err != nil {
				return err
			}
			live.Generation = &durable.GenerationState{Attempt: 1}
			live.Tools = []durable.ToolSlot{{Call: "c", Name: "n", Status: durable.SlotRunning}}
			live.Compactions = []durable.CompactionStatus{{Task: 7, Reason: "manual", Attempt: 1}}
			return nil
		})
		end()
		live := s.live()
		if live.Run != nil || live.Generation != nil || live.Tools != nil || live.Compactions == nil {
			t.Errorf("the live document says %+v", live)
		}
	}
}

func TestARunThatIsNotThereCannotEnd(t *testing.T) {
	s := begin(t)
	ends := func(end durable.RunEnd) error {
		return s.Conversation.Commit(within(t), func(_ ctx, tx *durable.Tx) error {
			_, err := tx.EndRun(s.ID(), end)
			return err
		})
	}
	var refused *durable.InvalidError
	if err := ends(durable.RunEnd{Reason: "aborted"}); !errors.As(err, &refused) {
		t.Errorf("no run: %v", err)
	}
	s.submit(says("first"))
	for _, end := range []durable.RunEnd{{}, {Answer: 1, Reason: "aborted"}, {Reason: "aborted", Continue: &message.Content{}}} {
		if err := ends(end); !errors.As(err, &refused) {
			t.Errorf("%+v: %v", end, err)
		}
	}
}

func TestWhatSomebodyElseSettledIsNotPlaced(t *testing.T) {
	s := begin(t)
	s.submit(says("first"))
	input, write := s.submit(says("input")), s.submit(writes("note"))
	s.commit(func(tx *durable.Tx) error {
		for _, one := range []*durable.Submission{input, write} {
			if err := tx.SettleSubmission(one.ID(), durable.Settlement{Reason: "mine"}); err != nil {
				return err
			}
		}
		return nil
	})
	s.answer()
	s.expect("first", answered)
	s.settled(input, record.Unanswered, "mine")
	s.settled(write, record.Unanswered, "mine")
	if len(s.inbox()) > 0 || s.live().Run != nil {
		t.Errorf("inbox %v, run %v", s.inbox(), s.live().Run)
	}
}
