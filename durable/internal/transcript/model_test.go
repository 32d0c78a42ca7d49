package transcript_test

import (
	"encoding/json"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// byTheRules derives a context by applying the rules one after the other to all
// that is there.
func byTheRules(entries []record.Entry) transcript.View {
	var view transcript.View
	var from record.EntryID
	for i, entry := range entries {
		if entry.Head != 0 {
			view.Head, from = &entries[i], entry.Head
			view.Entries = []record.Entry{entry}
		}
	}
	for _, entry := range entries {
		if entry.ID >= from && (view.Head == nil || entry.Head == 0) {
			view.Entries = append(view.Entries, entry)
		}
	}
	var sequence message.Messages
	for _, entry := range view.Entries {
		var shown message.Messages
		for _, m := range edited(entry, from, entries) {
			response, ok := m.(*message.Assistant)
			if !ok || !slices.Contains([]message.StopReason{"aborted", "error", "deferred"}, response.StopReason) {
				shown = append(shown, m)
			}
		}
		view.Contributions = append(view.Contributions, shown)
		sequence = append(sequence, shown...)
	}
	view.Messages = systemFirst(withResults(sequence))
	return view
}

// edited returns the messages of an entry after the newest edit of it at or after
// from.
func edited(entry record.Entry, from record.EntryID, entries []record.Entry) message.Messages {
	messages := entry.Model
	for _, other := range entries {
		for _, edit := range other.Edits {
			if other.ID >= from && edit.Target == entry.ID {
				messages = edit.Messages
				if edit.Action == record.Omit {
					messages = nil
				}
			}
		}
	}
	return messages
}

func withResults(sequence message.Messages) message.Messages {
	var placed message.Messages
	for i, m := range sequence {
		if m.Role() == message.RoleToolResult {
			continue
		}
		placed = append(placed, m)
		response, ok := m.(*message.Assistant)
		if !ok {
			continue
		}
		turn := sequence[i+1:]
		if next := slices.IndexFunc(turn, func(m message.Message) bool { return m.Role() == message.RoleAssistant }); next >= 0 {
			turn = turn[:next]
		}
		for _, call := range response.ToolCalls() {
			at := slices.IndexFunc(turn, func(m message.Message) bool {
				result, ok := m.(*message.ToolResult)
				return ok && result.ToolCallID == call.ID
			})
			if at >= 0 {
				placed = append(placed, turn[at])
				continue
			}
			placed = append(placed, &message.ToolResult{
				ToolCallID: call.ID, ToolName: call.Name, IsError: true, Timestamp: response.Timestamp,
				Content: message.Blocks{&message.Text{Text: "This call has no result: the conversation was cut off before it ended."}},
				Details: json.RawMessage(`{"reason":"missing_result"}`),
			})
		}
	}
	return placed
}

func systemFirst(messages message.Messages) message.Messages {
	at := slices.IndexFunc(messages, func(m message.Message) bool { return m.Role() != message.RoleUser })
	if at <= 0 || messages[at].Role() != message.RoleSystem {
		return messages
	}
	return slices.Concat(messages[at:at+1], messages[:at], messages[at+1:])
}
