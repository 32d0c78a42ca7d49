package durable

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// EventDraft is an event before it is emitted.
type EventDraft struct {
	Type string `json:"type"`
	// Payload is JSON; nil for null.
	Payload json.RawMessage `json:"payload,omitempty"`
	// Extension is who emits it; "" for a Go program.
	Extension string `json:"extension,omitempty"`
	// Conversation is the one it is about; 0 for none.
	Conversation record.ConversationID `json:"conversationId,omitempty"`
}

func (d EventDraft) check() error {
	if d.Type == "" {
		return invalid("an event", "it has no type")
	}
	if err := checkName("the type of an event", d.Type); err != nil {
		return err
	}
	if err := checkName("the extension of an event", d.Extension); err != nil {
		return err
	}
	return checkUTF8("the payload of an event of type "+d.Type, d.Payload)
}

// Emit appends an event to the session's log, which has it once the commit is
// stored. It may be called at any time, as documents may be edited: tables can be
// read afterwards.
//
// An unknown conversation is a [*NotFoundError]; an empty or long type, and a payload
// that is no JSON in UTF-8, is an [*InvalidError].
func (tx *Tx) Emit(draft EventDraft) (event record.Event, err error) {
	if err := draft.check(); err != nil {
		return record.Event{}, err
	}
	event, err = copied(record.Event{
		Type: draft.Type, Payload: draft.Payload, Extension: draft.Extension, Conversation: draft.Conversation,
	})
	if err != nil {
		return record.Event{}, invalid("the payload of an event of type "+draft.Type, "%s", err)
	}
	err = tx.stage(func(r table.Reader) error {
		if event.Conversation != 0 {
			if err := tx.known(r, event.Conversation); err != nil {
				return err
			}
		}
		id, err := tx.mint()
		if err != nil {
			return err
		}
		event.ID, event.Time = record.EventID(id), tx.session.milliseconds()
		tx.staged.events = append(tx.staged.events, event)
		event.Payload = slices.Clone(event.Payload) // what is returned is the caller's
		return nil
	})
	if err != nil {
		return record.Event{}, err
	}
	return event, nil
}

// Emit is a commit with one event. Its errors are those of [Session.Commit] and
// [Tx.Emit].
func (s *Session) Emit(ctx context.Context, draft EventDraft) (event record.Event, err error) {
	err = s.Commit(ctx, func(_ context.Context, tx *Tx) (err error) {
		event, err = tx.Emit(draft)
		return err
	})
	if err != nil {
		return record.Event{}, err
	}
	return event, nil
}

// EventType is a type of events whose payloads are the JSON of a T.
type EventType[T any] struct {
	// Extension is who emits them; "" for a Go program.
	Extension string
	Name      string
}

// Emit is [Tx.Emit] of an event about a conversation, 0 for none.
func (e EventType[T]) Emit(tx *Tx, about record.ConversationID, payload T) (record.Event, error) {
	text, err := marshalled(payload)
	if err != nil {
		return record.Event{}, invalid("the payload of an event of type "+e.Name, "%s", err)
	}
	return tx.Emit(EventDraft{Type: e.Name, Payload: text, Extension: e.Extension, Conversation: about})
}

// Decode returns the payload of an event. An event of another type is an
// [*InvalidError].
func (e EventType[T]) Decode(event record.Event) (payload T, err error) {
	if event.Type != e.Name {
		return payload, invalid(fmt.Sprintf("event %d", event.ID), "its type is %q, not %q", event.Type, e.Name)
	}
	if err := json.Unmarshal(event.Payload, &payload); err != nil {
		return payload, fmt.Errorf("the payload of event %d of type %q: %w", event.ID, e.Name, err)
	}
	return payload, nil
}
