package agent

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// Events tell one consumer what happens in a conversation, not in those that it owns:
// first how everything stands, then one batch for each commit that is to be told of,
// once it is stored. An event is relative to the snapshot and the events before it.
//
// The consumer takes the batches in its own time, on one goroutine. At most 100 commits
// wait for it: where one more would, one snapshot of the newest state takes the place
// of all of them, and of everything that the consumer holds.
//
// Calls that a tool makes have the member "parentToolCallId", and end before the call
// that made them. A snapshot does not have them: one that ran before it is told of when
// it is stored again what it does.
type Events struct {
	watch    *durable.Watch
	snapshot Event
	teller   teller
}

// WatchEvents begins to tell what happens in a conversation. The end of ctx, Close and
// the end of the session end it. An unknown conversation is a [*durable.NotFoundError].
func (h *Harness) WatchEvents(ctx context.Context, conversation record.ConversationID) (*Events, error) {
	watch, err := h.FollowConversation(ctx, conversation)
	if err != nil {
		return nil, err
	}
	e := &Events{watch: watch, teller: teller{conversation: conversation}}
	e.snapshot = e.teller.anew(watch.Value())
	return e, nil
}

// Snapshot returns the [EventSnapshot] of the moment at which the watch began.
func (e *Events) Snapshot() Event { return e.snapshot }

// Next returns the next batch, which has at least one event, and waits for it. It fails
// with a [*durable.WatchEndError] once the watch has ended. When ctx ends first it fails
// with its cause, and with a [*durable.CommitInsideCommitError] inside the callback of a
// commit; the watch goes on then.
func (e *Events) Next(ctx context.Context) ([]Event, error) {
	for {
		frame, err := e.watch.Next(ctx)
		if err != nil {
			return nil, err
		}
		if frame.Commit == nil {
			return []Event{e.teller.anew(frame.Value)}, nil
		}
		if batch := e.teller.told(view{frame.Value}, frame.Commit); len(batch) > 0 {
			return batch, nil
		}
	}
}

// Close ends the watch. It does not wait for the consumer.
func (e *Events) Close() { e.watch.Stop() }

// anew forgets what was told and returns how everything stands.
func (t *teller) anew(now value.Value) Event {
	t.before, t.nested = view{now}, make(map[record.TaskID]value.Value)
	t.turns = make(map[record.TaskID]struct{})
	live := t.before.live()
	if task, running := number(live, "run", "taskId"); running {
		t.turns[record.TaskID(task)] = struct{}{}
	}
	entries := at(now, "entries")
	members := []member{{"entries", orEmpty(entries)}}
	if inputs := at(live, "run", "inputs"); inputs != nil {
		members = append(members, member{"run", value.NewObject(value.Member{Key: "inputs", Value: inputs})})
	}
	if generation := at(live, "generation"); generation != nil {
		members = append(members, member{"generation", generation})
	}
	members = append(members,
		member{"tools", orEmpty(at(live, "tools"))},
		member{"compactions", orEmpty(at(live, "compactions"))},
		member{"inbox", t.before.inbox()},
		member{"agent", t.before.agent()},
		member{"usage", t.before.usage()},
	)
	return event(EventSnapshot, members...)
}
