package prooftest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// verify reports what is wrong with what a load has left in a session that is open
// and at rest: parts of commits that do not agree, events that the consumer has
// missed or heard twice, and violations of what every database keeps to.
func verify(t testing.TB, s *durable.Session) {
	t.Helper()
	verifyUnless(t, s, false)
}

// verifyUnless is verify of a load whose conversations may have been aborted.
func verifyUnless(t testing.TB, s *durable.Session, aborted bool) {
	t.Helper()
	ctx := t.Context()
	for violation, err := range s.Check(ctx) {
		t.Errorf("check: %v %v", violation, err)
	}
	at, _, err := places().Read(ctx, s, durable.InSession())
	if err != nil {
		t.Fatal(err)
	}
	steps := make(map[record.ConversationID]int)
	var events []record.EventID
	for _, event := range all(t, s.Events(ctx, durable.EventQuery{})) {
		said, err := stepEvent.Decode(event)
		if err != nil {
			t.Fatal(err)
		}
		events = append(events, event.ID)
		if steps[said.Lane]++; said.N != steps[said.Lane] || event.Conversation != said.Lane {
			t.Errorf("event %d is of step %d of conversation %d, after %d steps", event.ID, said.N, said.Lane, steps[said.Lane]-1)
		}
	}
	forks := make(map[record.ConversationID]int)
	for _, c := range all(t, s.Conversations(ctx, durable.ConversationQuery{})) {
		if c.Parent != nil {
			forks[c.Parent.Conversation]++
			verifyFork(t, s, c)
		}
	}
	for _, lane := range at.Lanes {
		verifyLane(t, s, lane, steps[lane], forks[lane])
		verifyOutcomes(t, s, lane, aborted)
	}
	verifyJournal(t, s, at, events)
}

// verifyLane compares what the commits of one conversation have left.
func verifyLane(t testing.TB, s *durable.Session, lane record.ConversationID, events, forks int) {
	t.Helper()
	var seen tallyState
	for _, entry := range all(t, s.Entries(t.Context(), durable.EntryQuery{Conversation: lane, Order: durable.Ascending})) {
		switch entry.Kind {
		case stepEntry:
			seen.Steps++
			seen.Last = entry.ID
			then, _, err := tally().ReadAt(t.Context(), s, lane, entry.ID)
			if n, wrong := numberOf(entry); err != nil || wrong != nil || n != seen.Steps || then.Steps != n || then.Last != entry.ID {
				t.Errorf("entry %d is step %d in the place of %d, and the count then is %+v (%v)", entry.ID, n, seen.Steps, then, errors.Join(err, wrong))
			}
		case phaseEntry:
			seen.Phases++
		case durable.AssistantEntry:
			seen.Answers++
		}
	}
	for _, task := range all(t, s.Tasks(t.Context(), durable.TaskQuery{Conversation: lane})) {
		if task.Owner == 0 && task.Kind != "echo" {
			seen.Tasks++
		}
	}
	seen.Forks = forks
	count, _, err := tally().Read(t.Context(), s, durable.InConversation(lane))
	if err != nil || count != seen || events != seen.Steps {
		t.Errorf("conversation %d counts %+v (%v), and has %+v and %d events", lane, count, err, seen, events)
	}
	answered := 0
	for _, submission := range all(t, s.Submissions(t.Context(), durable.SubmissionQuery{Conversation: lane, Status: record.Done})) {
		if submission.Type == record.Input {
			answered++
		}
	}
	if answered != seen.Answers {
		t.Errorf("conversation %d has %d answers for %d inputs", lane, seen.Answers, answered)
	}
}

// verifyOutcomes reports what has ended as it should not have.
func verifyOutcomes(t testing.TB, s *durable.Session, lane record.ConversationID, aborted bool) {
	t.Helper()
	for _, task := range all(t, s.Tasks(t.Context(), durable.TaskQuery{Conversation: lane})) {
		end := task.State.Outcome
		if end == nil || end.Status == record.Completed || end.Status == record.Aborted && task.AbortRequested && (aborted || task.Kind == "stuck") {
			continue
		}
		t.Errorf("task %d of kind %s has ended as %+v", task.ID, task.Kind, *end)
	}
	for _, submission := range all(t, s.Submissions(t.Context(), durable.SubmissionQuery{Conversation: lane, Status: record.Unanswered})) {
		if !aborted || submission.Reason != durable.ReasonAborted {
			t.Errorf("submission %d is unanswered: %s", submission.ID, submission.Reason)
		}
	}
}

// verifyFork compares the count of a fork with its parent's at that time.
func verifyFork(t testing.TB, s *durable.Session, fork record.Conversation) {
	t.Helper()
	got, _, err := tally().Read(t.Context(), s, durable.InConversation(fork.ID))
	if err != nil {
		t.Fatal(err)
	}
	want, _, err := tally().ReadAt(t.Context(), s, fork.Parent.Conversation, fork.Parent.At)
	if err != nil || got != want || got.Last != fork.Parent.At {
		t.Errorf("conversation %d counts %+v, and forks %+v, whose count then was %+v (%v)", fork.ID, got, *fork.Parent, want, err)
	}
}

// verifyJournal compares the events with those that were heard.
func verifyJournal(t testing.TB, s *durable.Session, at placesState, events []record.EventID) {
	t.Helper()
	if at.Journal == 0 {
		return
	}
	var heard []record.EventID
	for _, entry := range all(t, s.Entries(t.Context(), durable.EntryQuery{Conversation: at.Journal, Order: durable.Ascending})) {
		n, err := numberOf(entry)
		if err != nil {
			t.Fatal(err)
		}
		heard = append(heard, record.EventID(n))
	}
	if len(heard) > len(events) || !slices.Equal(heard, events[:len(heard)]) || at.Heard != len(heard) {
		t.Errorf("the consumer counts %d and heard %v of %v", at.Heard, heard, events)
	}
	consumers, err := s.Consumers(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, consumer := range consumers {
		if consumer.Failures != 0 || consumer.Paused != "" || len(heard) > 0 && consumer.After != heard[len(heard)-1] {
			t.Errorf("the consumer is %+v, and has heard %v", consumer, heard)
		}
	}
}

// verifyEnd reports what has not come to its end, after so many steps of each lane.
func verifyEnd(t testing.TB, s *durable.Session, target int) {
	t.Helper()
	verifySettled(t, s)
	at, _, err := places().Read(t.Context(), s, durable.InSession())
	if err != nil || at.Heard != len(at.Lanes)*target {
		t.Errorf("of %d times %d events %d were heard (%v)", len(at.Lanes), target, at.Heard, err)
	}
	for _, lane := range at.Lanes {
		if count, _, err := tally().Read(t.Context(), s, durable.InConversation(lane)); err != nil || count.Steps != target {
			t.Errorf("conversation %d has made %d of %d steps (%v)", lane, count.Steps, target, err)
		}
	}
}

// verifySettled reports work that has not ended.
func verifySettled(t testing.TB, s *durable.Session) {
	t.Helper()
	for _, task := range all(t, s.Tasks(t.Context(), durable.TaskQuery{Live: true})) {
		t.Errorf("a task has not ended: %+v", task)
	}
	for _, submission := range all(t, s.Submissions(t.Context(), durable.SubmissionQuery{})) {
		if !submission.Status.Settled() {
			t.Errorf("a submission is not settled: %+v", submission)
		}
	}
}

// verifyEffects reports phases that had an effect after their results were committed.
func verifyEffects(t testing.TB, effects string) {
	t.Helper()
	next := make(map[int]int)        // by task, the first phase that may have an effect
	begun := make(map[[2]int]string) // in this life
	lines := bufio.NewScanner(strings.NewReader(effects))
	for n := 1; lines.Scan(); n++ {
		line := lines.Text()
		var what string
		var task, phase int
		if line == "opened" {
			clear(begun)
			continue
		}
		if _, err := fmt.Sscan(line, &what, &task, &phase); err != nil {
			t.Fatalf("line %d of the effects: %q: %v", n, line, err)
		}
		if phase < next[task] {
			t.Errorf("line %d of the effects: %q, when phase %d was to come", n, line, next[task])
		}
		switch what {
		case "did":
			phase++
		case "do":
			key := [2]int{task, phase}
			if begun[key] != "" {
				t.Errorf("line %d of the effects: %q again, in one life", n, line)
			}
			begun[key] = line
		}
		next[task] = phase
	}
}

// verifyAcknowledged reports what was acknowledged and is not there, and returns how
// many steps were.
func verifyAcknowledged(t testing.TB, s *durable.Session, said string) (steps int) {
	t.Helper()
	ctx := t.Context()
	events := stored(t, s)
	for line := range strings.Lines(said) {
		var what string
		var id int64
		if _, err := fmt.Sscan(line, &what, &id); err != nil {
			t.Fatalf("acknowledged was %q: %v", line, err)
		}
		if what == "step" {
			steps++
		}
		if err := there(ctx, s, line, what, id, events); err != nil {
			t.Errorf("acknowledged was %q: %v", line, err)
		}
	}
	return steps
}

// stored returns the events that there are.
func stored(t testing.TB, s *durable.Session) map[record.EventID]bool {
	t.Helper()
	events := make(map[record.EventID]bool)
	for _, event := range all(t, s.Events(t.Context(), durable.EventQuery{})) {
		events[event.ID] = true
	}
	return events
}

var errMissing = errors.New("it is not there")

// there looks for what was acknowledged.
func there(ctx context.Context, s *durable.Session, line, what string, id int64, events map[record.EventID]bool) (err error) {
	found := false
	switch what {
	case "conversation":
		_, found, err = s.ConversationRecord(ctx, record.ConversationID(id))
	case "entry":
		_, found, err = s.Entry(ctx, record.EntryID(id))
	case "event":
		found = events[record.EventID(id)]
	case "step":
		var n int
		if _, err := fmt.Sscan(line, &what, &id, &n); err != nil {
			return err
		}
		var count tallyState
		count, _, err = tally().Read(ctx, s, durable.InConversation(record.ConversationID(id)))
		found = count.Steps >= n
	case "submitted", "settled":
		var submission *durable.Submission
		if submission, err = s.Submission(ctx, record.SubmissionID(id)); err != nil {
			return err
		}
		var now record.Submission
		now, err = submission.Status(ctx)
		found = what == "submitted" || now.Status.Settled()
	case "ended", "aborted":
		var task record.Task
		task, _, err = s.Task(ctx, record.TaskID(id))
		found = task.State.Status == record.Terminal || what == "aborted" && task.AbortRequested
	default:
		return fmt.Errorf("what is %q?", what)
	}
	if err == nil && !found {
		err = errMissing
	}
	return err
}

// all collects a scan that must not fail.
func all[T any](t rapid.TB, scan func(func(T, error) bool)) (found []T) {
	t.Helper()
	for one, err := range scan {
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, one)
	}
	return found
}
