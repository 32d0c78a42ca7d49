package agent

import (
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/registry"
)

// teller tells what commits have changed, as events. It knows what was told last and
// nothing else: a batch is the difference between two views, and what its commit has
// of entries, tasks and submissions.
type teller struct {
	conversation record.ConversationID
	before       view
	// turns are the generations that have begun and not ended.
	turns map[record.TaskID]struct{}
	// nested are the lists of the calls that running calls have made, by the task of the
	// calling one, as they were told last.
	nested map[record.TaskID]value.Value
}

// told returns the events of a commit, in their order, and the view after it counts as
// told.
func (t *teller) told(now view, commit *durable.Publication) (batch []Event) {
	before, was, is := t.before, t.before.live(), now.live()
	tools := t.tools(was, is, commit)
	batch = append(batch, tools.starts...)
	batch = append(batch, partialEvents(was, is)...)
	batch = append(batch, tools.updates...)
	batch = append(batch, attemptEvents(was, is)...)
	batch = append(batch, tools.nestedEnds...)
	batch = append(batch, entryEvents(was, commit.Entries, tools.results)...)
	batch = append(batch, tools.ends...)
	batch = append(batch, compactionEvents(EventCompactionEnd, is, was)...)
	batch = append(batch, failures(commit.Tasks)...)
	ends, starts := t.turnEvents(commit.Tasks)
	batch = append(batch, ends...)
	batch = append(batch, runEvents(EventRunEnd, is, was)...)
	for i := range commit.Submissions {
		batch = append(batch, Event{Type: EventSubmission, Submission: &commit.Submissions[i]})
	}
	batch = append(batch, documentEvents(before, now)...)
	batch = append(batch, compactionEvents(EventCompactionStart, was, is)...)
	batch = append(batch, runEvents(EventRunStart, was, is)...)
	batch = append(batch, starts...)
	t.before = now
	return batch
}

// attemptEvents tell of what an attempt at a response waits for.
func attemptEvents(was, is value.Value) (told []Event) {
	before, now := at(was, "generation", "retry"), at(is, "generation", "retry")
	if before != nil && !same(before, now) {
		attempt := at(is, "generation", "attempt")
		if attempt == nil {
			attempt = at(was, "generation", "attempt")
		}
		told = append(told, event(EventRetryEnd, member{"attempt", orNull(attempt)}))
	}
	if now != nil && !same(before, now) {
		told = append(told, event(EventRetryStart,
			member{"attempt", orNull(at(is, "generation", "attempt"))}, member{"at", orNull(at(now, "at"))}, member{"errorMessage", orNull(at(now, "error"))}))
	}
	polled, poll := at(was, "generation", "deferred", "pollAt"), at(is, "generation", "deferred", "pollAt")
	if poll != nil && !same(polled, poll) {
		told = append(told, event(EventDeferredPoll, member{"pollAt", poll}))
	}
	return told
}

// entryEvents tell of entries, in the order in which they were appended, each result of
// a call behind the end of the call.
func entryEvents(was value.Value, entries []record.Entry, results map[record.EntryID]Event) (told []Event) {
	begun := at(was, "generation", "message") != nil
	for i := range entries {
		entry := &entries[i]
		if len(entry.Model) == 0 {
			told = append(told, Event{Type: EventEntryAppended, Entry: entry})
			continue
		}
		if end, is := results[entry.ID]; is {
			end.Entry = entry
			told = append(told, end)
		}
		if begun && entry.Kind == durable.AssistantEntry {
			begun = false // its first part was told
		} else {
			told = append(told, event(EventMessageStart, member{"message", entry.Model[0]}))
		}
		told = append(told, Event{Type: EventMessageEnd, Entry: entry})
	}
	return told
}

// compactionEvents tell of the compactions that are under way in one state and not in
// the other.
func compactionEvents(kind EventType, without, with value.Value) (told []Event) {
	known := make(map[int64]bool)
	for _, status := range list(without, "compactions") {
		task, _ := number(status, "taskId")
		known[task] = true
	}
	for _, status := range list(with, "compactions") {
		if task, _ := number(status, "taskId"); known[task] {
			continue
		}
		members := []member{{"taskId", orNull(at(status, "taskId"))}, {"reason", orNull(at(status, "reason"))}}
		if kind == EventCompactionStart {
			members = append(members, member{"blocking", orNull(at(status, "blocking"))})
		}
		told = append(told, event(kind, members...))
	}
	return told
}

// failures tell of tasks that ended by no code of their own.
func failures(tasks []durable.TaskChange) (told []Event) {
	for _, task := range tasks {
		outcome := task.State.Outcome
		if task.State.Status != record.Terminal || outcome == nil {
			continue
		}
		why := outcome.Reason
		switch outcome.Status {
		case record.Orphaned:
		case record.Faulted:
			if outcome.Error != nil {
				why = outcome.Error.Message
			}
		default:
			continue
		}
		told = append(told, event(EventTaskFailed, member{"taskId", task.ID}, member{"kind", task.Kind}, member{"message", why}))
	}
	return told
}

// turnEvents tell of generations that ended, by an outcome that may be held, and of
// those that begin.
func (t *teller) turnEvents(tasks []durable.TaskChange) (ends, starts []Event) {
	for _, task := range tasks {
		if task.Kind != registry.TaskGeneration {
			continue
		}
		if task.Fresh {
			t.turns[task.ID] = struct{}{}
			starts = append(starts, event(EventTurnStart))
		}
		if _, runs := t.turns[task.ID]; runs && task.State.Outcome != nil {
			delete(t.turns, task.ID)
			ends = append(ends, event(EventTurnEnd))
		}
	}
	return ends, starts
}

// runEvents tell of the run of one state when it is not that of the other. It is the
// same one as long as it has the same first input.
func runEvents(kind EventType, without, with value.Value) []Event {
	inputs := at(with, "run", "inputs")
	if inputs == nil || at(without, "run") != nil && same(first(list(without, "run", "inputs")), first(list(with, "run", "inputs"))) {
		return nil
	}
	return []Event{event(kind, member{"inputs", inputs})}
}

func first(items value.Array) value.Value {
	if len(items) == 0 {
		return nil
	}
	return items[0]
}

// documentEvents tell of the documents that are told of whole.
func documentEvents(before, now view) (told []Event) {
	if inbox := now.inbox(); !same(before.inbox(), inbox) {
		told = append(told, event(EventInboxUpdate, member{"items", inbox}))
	}
	if agent := now.agent(); !same(before.agent(), agent) {
		told = append(told, event(EventAgentChanged, member{"agent", agent}))
	}
	if usage := now.usage(); !same(before.usage(), usage) {
		told = append(told, event(EventUsageChanged, member{"usage", usage}))
	}
	return told
}
