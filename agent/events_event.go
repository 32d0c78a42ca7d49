package agent

import (
	"encoding/json"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// EventType says what an event tells of.
type EventType string

// The types of events (section 9.4 of the pi-durable specification).
const (
	EventSnapshot        EventType = "snapshot"
	EventRunStart        EventType = "run_start"
	EventRunEnd          EventType = "run_end"
	EventTurnStart       EventType = "turn_start"
	EventTurnEnd         EventType = "turn_end"
	EventMessageStart    EventType = "message_start"
	EventMessageUpdate   EventType = "message_update"
	EventMessageEnd      EventType = "message_end"
	EventToolStart       EventType = "tool_execution_start"
	EventToolUpdate      EventType = "tool_execution_update"
	EventToolEnd         EventType = "tool_execution_end"
	EventInboxUpdate     EventType = "inbox_update"
	EventSubmission      EventType = "submission"
	EventRetryStart      EventType = "auto_retry_start"
	EventRetryEnd        EventType = "auto_retry_end"
	EventDeferredPoll    EventType = "deferred_poll"
	EventEntryAppended   EventType = "entry_appended"
	EventAgentChanged    EventType = "agent_changed"
	EventUsageChanged    EventType = "usage_changed"
	EventTaskFailed      EventType = "task_failed"
	EventCompactionStart EventType = "compaction_start"
	EventCompactionEnd   EventType = "compaction_end"
)

// Event is something that happened in a conversation. Its JSON is an object with the
// member "type" and those of the type, as the specification has them. It is shared and
// not to be changed.
type Event struct {
	Type EventType
	// Submission is the record of an [EventSubmission].
	Submission *record.Submission
	// Entry is that of an [EventMessageEnd] and an [EventEntryAppended], and of an
	// [EventToolEnd] whose call has a result.
	Entry *record.Entry
	// members are those that are told beside the type, the entry and the submission.
	members []member
}

// member is one of an event's. Its value has a JSON form.
type member struct {
	name  string
	value any
}

// MarshalJSON implements [json.Marshaler].
func (e Event) MarshalJSON() (to []byte, err error) {
	to = append(append(to, `{"type":"`...), e.Type...)
	to = append(to, '"')
	for _, m := range e.members {
		if to, err = m.append(to); err != nil {
			return nil, err
		}
	}
	if e.Entry != nil {
		if to, err = e.Entry.AppendJSON(append(to, `,"entry":`...)); err != nil {
			return nil, err
		}
	}
	if e.Submission != nil {
		if to, err = (member{"record", e.Submission}).append(to); err != nil {
			return nil, err
		}
	}
	return append(to, '}'), nil
}

// append writes a member behind others. Nothing is escaped that need not be.
func (m member) append(to []byte) ([]byte, error) {
	to = append(append(append(to, `,"`...), m.name...), `":`...)
	switch v := m.value.(type) {
	case value.Value:
		return value.Append(to, v), nil
	case json.RawMessage:
		return append(to, v...), nil
	case message.Message:
		text, err := message.Encode(v)
		return append(to, text...), err
	}
	text, err := json.Marshal(m.value)
	return append(to, text...), err
}

// event makes an event that has members.
func event(kind EventType, members ...member) Event {
	return Event{Type: kind, members: members}
}
