package agent

import (
	"encoding/json"
	"strings"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// toolEvents are the events of calls, by where a batch has them.
type toolEvents struct {
	starts, updates, nestedEnds, ends []Event
	// results are the ends of calls that have a result, by its entry.
	results map[record.EntryID]Event
}

// tools tells what calls have done: those of the round, and those that calls have made.
func (t *teller) tools(was, is value.Value, commit *durable.Publication) *toolEvents {
	told := &toolEvents{results: make(map[record.EntryID]Event)}
	told.round(list(was, "tools"), list(is, "tools"), commit)
	for _, change := range commit.Documents {
		if change.Record.Kind != NestedDocument.Definition.Kind || change.Record.Scope.Kind != record.TaskScope {
			continue
		}
		caller := change.Record.Scope.Task
		before, now := t.nested[caller], value.Value(nil)
		if change.Value == nil {
			delete(t.nested, caller)
		} else {
			now = orEmpty(at(change.Value, "calls"))
			t.nested[caller] = now
		}
		beforeList, _ := before.(value.Array)
		nowList, _ := now.(value.Array)
		if before == nil && !change.Created {
			beforeList = settledOf(nowList)
		}
		told.calls(beforeList, nowList, commit)
	}
	return told
}

// settledOf returns those of some calls that have ended: where nothing was told of calls
// yet, nothing is told of these.
func settledOf(calls value.Array) (ended value.Array) {
	for _, call := range calls {
		if status(call) == durable.SlotDone {
			ended = append(ended, call)
		}
	}
	return ended
}

func status(slot value.Value) durable.SlotStatus { return durable.SlotStatus(textAt(slot, "status")) }

// round tells of the calls of a response.
func (e *toolEvents) round(was, is value.Array, commit *durable.Publication) {
	gone := e.changed(was, is, commit, func(slot value.Value) {
		entry, _ := number(slot, "entry")
		e.end(slot, record.EntryID(entry), commit)
	})
	for _, slot := range gone {
		e.end(slot, resultIn(commit.Entries, textAt(slot, "callId")), commit)
	}
}

// calls tells of calls that a call has made, which have no entries.
func (e *toolEvents) calls(was, is value.Array, commit *durable.Publication) {
	ended := func(slot value.Value) { e.nestedEnds = append(e.nestedEnds, event(EventToolEnd, named(slot)...)) }
	for _, slot := range e.changed(was, is, commit, ended) {
		ended(slot)
	}
}

// changed tells of the calls that a list has now, with ended for those that have ended,
// and returns those that are not there any more and had not.
func (e *toolEvents) changed(was, is value.Array, commit *durable.Publication, ended func(slot value.Value)) (gone value.Array) {
	// A list is long where a model made many calls, and most of them did nothing.
	others := make(map[string]value.Value)
	for i, slot := range was {
		if i >= len(is) || textAt(is[i], "callId") != textAt(slot, "callId") {
			others[textAt(slot, "callId")] = slot
		}
	}
	for i, slot := range is {
		id := textAt(slot, "callId")
		var before value.Value
		if i < len(was) && textAt(was[i], "callId") == id {
			before = was[i]
		} else {
			before = others[id]
			delete(others, id)
		}
		if same(before, slot) {
			continue
		}
		e.running(before, slot, commit)
		if status(slot) == durable.SlotDone && status(before) != durable.SlotDone {
			ended(slot)
		}
	}
	for _, slot := range was {
		if _, left := others[textAt(slot, "callId")]; left && status(slot) != durable.SlotDone {
			gone = append(gone, slot)
		}
	}
	return gone
}

// named are the members that say which call is meant.
func named(slot value.Value) []member {
	id := textAt(slot, "callId")
	members := []member{{"toolCallId", id}, {"toolName", textAt(slot, "name")}}
	if key := textAt(slot, "key"); key != "" {
		members = append(members, member{"parentToolCallId", strings.TrimSuffix(id, "/"+key)})
	}
	return members
}

// running tells that a call began to run, and what it has published.
func (e *toolEvents) running(before, slot value.Value, commit *durable.Publication) {
	if status(slot) != durable.SlotRunning {
		return
	}
	if status(before) != durable.SlotRunning {
		e.starts = append(e.starts, event(EventToolStart, append(named(slot), member{"args", argumentsOf(slot, commit.Tasks)})...))
	}
	if published := changesOf(before, slot); len(published) > 0 {
		e.updates = append(e.updates, event(EventToolUpdate, append(named(slot), published...)...))
	}
}

// argumentsOf returns the arguments with which a call begins to run.
func argumentsOf(slot value.Value, tasks []durable.TaskChange) json.RawMessage {
	id, _ := number(slot, "taskId")
	for _, task := range tasks {
		var state toolState
		if int64(task.ID) == id && json.Unmarshal(task.State.Checkpoint, &state) == nil && state.Arguments != nil {
			return state.Arguments
		}
	}
	return json.RawMessage("{}")
}

// changesOf are the members that say what a call has published since.
func changesOf(before, now value.Value) (told []member) {
	if output := outputChange(at(before, "output"), at(now, "output")); output != nil {
		told = append(told, member{"output", output})
	}
	if details := at(now, "details"); !same(at(before, "details"), details) {
		told = append(told, member{"details", orNull(details)})
	}
	if diagnostics := at(now, "diagnostics"); !same(orEmpty(at(before, "diagnostics")), orEmpty(diagnostics)) {
		told = append(told, member{"diagnostics", orEmpty(diagnostics)})
	}
	return told
}

// outputChange says what became of the output that is kept: some went at its front and
// some came at its end, or it is another one. Nil is nothing.
func outputChange(before, now value.Value) value.Value {
	pair := func(text value.Value) value.Value {
		if text == nil {
			text = value.String("")
		}
		return value.NewObject(value.Member{Key: "output", Value: text})
	}
	ops := delta.Diff(pair(before), pair(now))
	var change value.Builder
	for _, op := range ops {
		switch op := op.(type) {
		case delta.Trim:
			change.Set("trimStart", value.Number(op.Units))
		case delta.Append:
			change.Set("append", op.Text)
		default:
			return value.NewObject(value.Member{Key: "set", Value: at(pair(now), "output")})
		}
	}
	if len(ops) == 0 {
		return nil
	}
	return change.Object()
}

// end tells that a call has ended: before its result, if there is one.
func (e *toolEvents) end(slot value.Value, result record.EntryID, commit *durable.Publication) {
	told := event(EventToolEnd, named(slot)...)
	for _, entry := range commit.Entries {
		if result != 0 && entry.ID == result {
			e.results[result] = told
			return
		}
	}
	e.ends = append(e.ends, told)
}

// resultIn returns the result of a call; 0 when there is none.
func resultIn(entries []record.Entry, call string) record.EntryID {
	for _, entry := range entries {
		for _, m := range entry.Model {
			if result, is := m.(*message.ToolResult); is && result.ToolCallID == call {
				return entry.ID
			}
		}
	}
	return 0
}
