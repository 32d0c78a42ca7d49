package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// TestACrashRepeatsNoEffectAndLosesNone runs consumers that fail at random while
// events are emitted, trimmed and reactions replaced. At every instant at which the
// process could die, what the consumers have done is what the events say up to their
// cursors; and from any of these instants they go on to the end.
func TestACrashRepeatsNoEffectAndLosesNone(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		h := newEventful(t, rt)
		defer func() { h.stop() }()
		for range rapid.IntRange(1, 12).Draw(rt, "steps") {
			switch rapid.SampledFrom([]string{"emit", "emit", "emit", "react", "react", "trim", "crash", "reopen"}).Draw(rt, "step") {
			case "emit":
				h.emitSome()
			case "react":
				h.begin(rapid.IntRange(0, len(h.effects)-1).Draw(rt, "consumer"))
			case "trim":
				if _, err := h.TrimEvents(within(t), rapid.SampledFrom(append(eventIDs(h.acked), 1)).Draw(rt, "before")); err != nil {
					rt.Fatal(err)
				}
			case "crash":
				h.crash(rapid.Float64Range(0, 1).Draw(rt, "instant"))
			case "reopen":
				h.crash(1)
			}
		}
		h.finish()
	})
}

// effect is a consumer whose handler appends the ids of events to a conversation.
type effect struct {
	consumer durable.Consumer
	into     record.ConversationID
	after    record.EventID // what it is shown comes later
}

func (e *effect) shows(event record.Event) bool {
	return event.ID > e.after && (len(e.consumer.Types) == 0 || slices.Contains(e.consumer.Types, event.Type)) &&
		(e.consumer.Conversation == 0 || event.Conversation == e.consumer.Conversation)
}

// eventful is a session with consumers, and what is known of it.
type eventful struct {
	*opened
	rt      *rapid.T
	below   *remembering
	effects []*effect
	about   []record.ConversationID
	faults  []int // how the next calls of handlers fail
	calls   atomic.Int64

	mu    sync.Mutex
	acked []record.Event
}

// remembering is a storage that keeps each of its states.
type remembering struct {
	*memory.Storage
	acked    func() int
	instants []instant // changed by the one commit that runs
}

// instant is a state of a storage, with how many events were acknowledged then.
type instant struct {
	state *memory.Storage
	acked int
}

func (r *remembering) Commit(ctx context.Context, writes []storage.Write) error {
	acked := r.acked()
	err := r.Storage.Commit(ctx, writes)
	r.instants = append(r.instants, instant{r.Clone(), acked})
	return err
}

// hasty is a clock on which nothing takes any time.
type hasty struct{}

func (hasty) Now() time.Time { return time.UnixMilli(0) }

func (hasty) AfterFunc(_ time.Duration, f func()) func() bool { return time.AfterFunc(0, f).Stop }

func newEventful(t *testing.T, rt *rapid.T) *eventful {
	h := &eventful{rt: rt, faults: rapid.SliceOfN(rapid.IntRange(0, 4), 0, 40).Draw(rt, "faults")}
	h.opened = &opened{t: t}
	h.open(new(memory.Storage))
	h.about = []record.ConversationID{0, h.conversation(), h.conversation()}
	for i, consumer := range []durable.Consumer{
		{MaxFailures: -1},
		{Types: []string{"a", "b"}, MaxFailures: 2},
		{Conversation: h.about[1], From: durable.FromNow, MaxFailures: 1},
		{Types: []string{"b"}, Conversation: h.about[2]},
	} {
		consumer.Name = fmt.Sprint(i)
		h.effects = append(h.effects, &effect{consumer: consumer, into: h.conversation()})
	}
	h.stop()
	h.open(h.below.Clone()) // there is no instant without the conversations
	return h
}

// open opens a session over a state.
func (h *eventful) open(state *memory.Storage) {
	h.below = &remembering{Storage: state, acked: func() int {
		h.mu.Lock()
		defer h.mu.Unlock()
		return len(h.acked)
	}}
	session, err := durable.Open(context.Background(), h.below, durable.Options{Clock: hasty{}, CommitBudget: -1})
	if err != nil {
		h.rt.Fatal(err)
	}
	h.Session = session
	h.below.instants = append(h.below.instants, instant{h.below.Clone(), len(h.acked)})
}

// emitSome emits events from two goroutines.
func (h *eventful) emitSome() {
	var wait sync.WaitGroup
	for range 2 {
		commits := rapid.SliceOfN(rapid.SliceOfN(rapid.Custom(func(t *rapid.T) durable.EventDraft {
			return durable.EventDraft{
				Type:         rapid.SampledFrom([]string{"a", "b", "c"}).Draw(t, "type"),
				Conversation: rapid.SampledFrom(h.about).Draw(t, "about"),
			}
		}), 1, 3), 0, 4).Draw(h.rt, "events")
		wait.Go(func() {
			for _, drafts := range commits {
				var events []record.Event
				h.commit(func(tx *durable.Tx) error {
					for _, draft := range drafts {
						event, err := tx.Emit(draft)
						if err != nil {
							return err
						}
						events = append(events, event)
					}
					return nil
				})
				h.mu.Lock()
				h.acked = append(h.acked, events...)
				h.mu.Unlock()
			}
		})
	}
	wait.Wait()
}

// begin has a consumer react, again if it does.
func (h *eventful) begin(at int) {
	e := h.effects[at]
	known := slices.ContainsFunc(h.consumers(h.Session), func(c record.Consumer) bool { return c.Name == e.consumer.Name })
	if !known {
		e.after = 0
		for _, event := range h.acked {
			e.after = max(e.after, event.ID)
		}
		if log := h.emitted(durable.EventQuery{}); e.consumer.From != durable.FromNow && len(log) > 0 {
			e.after = log[0].ID - 1 // what was trimmed is gone
		}
	}
	h.react(e.consumer, func(_ context.Context, event record.Event, tx *durable.Tx) error {
		fault := 0
		if call := h.calls.Add(1); int(call) <= len(h.faults) {
			fault = h.faults[call-1]
		}
		if fault == 1 {
			return errors.New("before the effect")
		}
		_, err := tx.AppendEntry(e.into, durable.EntryDraft{Kind: "effect", Data: fmt.Append(nil, event.ID)})
		switch fault {
		case 2:
			return errors.New("after the effect")
		case 3:
			panic("after the effect")
		}
		return err
	})
}

func (h *eventful) consumers(s *durable.Session) []record.Consumer {
	found, err := s.Consumers(context.Background())
	if err != nil {
		h.rt.Fatal(err)
	}
	return found
}

// crash goes on from an instant, 0 for the first and 1 for the last, after all of
// them have been checked.
func (h *eventful) crash(at float64) {
	h.stop()
	for i, one := range h.below.instants {
		h.check(one, i)
	}
	from := h.below.instants[int(at*float64(len(h.below.instants)-1))]
	h.acked = h.acked[:from.acked]
	h.open(from.state)
	for _, event := range collect(h.rt, h.Events(context.Background(), durable.EventQuery{})) {
		if !slices.ContainsFunc(h.acked, func(e record.Event) bool { return e.ID == event.ID }) {
			h.acked = append(h.acked, event) // it is stored, although nobody was told
		}
	}
	known := h.consumers(h.Session)
	for i, e := range h.effects {
		if slices.ContainsFunc(known, func(c record.Consumer) bool { return c.Name == e.consumer.Name }) {
			after := e.after
			h.begin(i)
			e.after = after
		}
	}
}

// check holds the effects of an instant against the events up to the cursors.
func (h *eventful) check(at instant, number int) {
	s, err := durable.Open(context.Background(), at.state.Clone(), durable.Options{})
	if err != nil {
		h.rt.Fatal(err)
	}
	defer s.Close(context.Background())
	events := slices.Clone(h.acked[:at.acked])
	events = append(events, collect(h.rt, s.Events(context.Background(), durable.EventQuery{}))...)
	for _, consumer := range h.consumers(s) {
		i := slices.IndexFunc(h.effects, func(e *effect) bool { return e.consumer.Name == consumer.Name })
		h.compare(fmt.Sprintf("instant %d", number), s, h.effects[i], events, consumer.After)
	}
}

// compare holds the effects of a consumer against the events that it is shown, up to
// one of them.
func (h *eventful) compare(when string, s *durable.Session, e *effect, events []record.Event, last record.EventID) {
	var want []record.EventID
	for _, event := range events {
		if e.shows(event) && event.ID <= last {
			want = append(want, event.ID)
		}
	}
	slices.Sort(want)
	want = slices.Compact(want)
	var got []record.EventID
	for _, entry := range collect(h.rt, s.Entries(context.Background(), durable.EntryQuery{Conversation: e.into, Order: durable.Ascending})) {
		var id record.EventID
		if err := json.Unmarshal(entry.Data, &id); err != nil {
			h.rt.Fatal(err)
		}
		got = append(got, id)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		h.rt.Fatalf("%s, consumer %s up to event %d:\n%s", when, e.consumer.Name, last, diff)
	}
}

// finish lets every consumer come to the end, and checks what has become of it.
func (h *eventful) finish() {
	for i := range h.effects {
		h.begin(i)
	}
	h.emitSome()
	ends := make(map[string]record.EventID)
	for _, e := range h.effects {
		for _, event := range h.acked {
			if e.shows(event) {
				ends[e.consumer.Name] = max(ends[e.consumer.Name], event.ID)
			}
		}
	}
	h.until(func() bool {
		there := true
		for _, c := range h.consumers(h.Session) {
			there = there && c.After >= ends[c.Name]
			if c.Paused != "" {
				if err := h.ResumeConsumer(context.Background(), "", c.Name); err != nil {
					h.rt.Fatal(err)
				}
			}
		}
		return there
	})
	h.sound()
	for _, e := range h.effects {
		h.compare("at the end", h.Session, e, h.acked, record.MaxID)
	}
	h.crash(1)
}
