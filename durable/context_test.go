package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/faulty"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/message"
)

// shown returns the texts of what a model is shown.
func shown(view durable.ContextView) (texts []string) {
	for _, m := range view.Messages {
		texts = append(texts, string(m.Role())+" "+m.Text())
	}
	return texts
}

// says appends a user's turn.
func (s *opened) says(in record.ConversationID, draft durable.EntryDraft, text string) (entry record.Entry) {
	s.t.Helper()
	draft.Kind = durable.UserEntry
	if text != "" {
		draft.Model = message.Messages{message.UserText(text, 1)}
	}
	s.commit(func(tx *durable.Tx) (err error) {
		entry, err = tx.AppendEntry(in, draft)
		return err
	})
	return entry
}

func (s *opened) contextOf(of record.ConversationID, at record.EntryID) durable.ContextView {
	s.t.Helper()
	view, err := s.Context(within(s.t), of, at)
	if err != nil {
		s.t.Fatal(err)
	}
	return view
}

func TestAContextIsThatOfItsEntry(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	if view := s.contextOf(id, 0); view.Tail != 0 || view.Messages != nil {
		t.Errorf("the context of nothing is %+v", view)
	}
	a, b := s.says(id, durable.EntryDraft{}, "a"), s.says(id, durable.EntryDraft{}, "b")
	edit := s.says(id, durable.EntryDraft{Edits: []record.Edit{{Target: a.ID, Action: record.Omit}}}, "")
	reset := s.says(id, durable.EntryDraft{Self: true}, "reset")
	c := s.says(id, durable.EntryDraft{}, "c")
	for _, step := range []struct {
		at   record.EntryID
		want []string
		head record.EntryID
	}{
		{a.ID, []string{"user a"}, 0},
		{b.ID, []string{"user a", "user b"}, 0},
		{edit.ID, []string{"user b"}, 0},
		{reset.ID, []string{"user reset"}, reset.ID},
		{c.ID, []string{"user reset", "user c"}, reset.ID},
		{0, []string{"user reset", "user c"}, reset.ID},
		{b.ID, []string{"user a", "user b"}, 0},
	} {
		view := s.contextOf(id, step.at)
		if diff := cmp.Diff(step.want, shown(view)); diff != "" {
			t.Errorf("as of %d: %s", step.at, diff)
		}
		if (view.Head == nil) != (step.head == 0) || view.Head != nil && view.Head.ID != step.head {
			t.Errorf("as of %d the head is %+v", step.at, view.Head)
		}
		if len(view.Contributions) != len(view.Entries) || step.at != 0 && view.Tail != step.at {
			t.Errorf("as of %d there are %d contributions of %d entries up to %d", step.at, len(view.Contributions), len(view.Entries), view.Tail)
		}
	}
	raw := 0
	for range s.Entries(within(t), durable.EntryQuery{Conversation: id}) {
		raw++
	}
	if raw != 5 {
		t.Errorf("%d entries are stored", raw)
	}
}

func TestAContextOfWhatIsNotVisibleIsRefused(t *testing.T) {
	s := open(t, durable.Options{})
	id, other := s.conversation(), s.conversation()
	elsewhere := s.says(other, durable.EntryDraft{}, "a")
	var unknown *durable.NotFoundError
	for _, at := range []record.EntryID{elsewhere.ID, 999} {
		if _, err := s.Context(within(t), id, at); !errors.As(err, &unknown) || unknown.What != "entry" || unknown.In != id {
			t.Errorf("as of %d: %v", at, err)
		}
	}
	if _, err := s.Context(within(t), 999, 0); !errors.As(err, &unknown) || unknown.What != "conversation" {
		t.Errorf("of no conversation: %v", err)
	}
}

func TestAWarmContextReadsOnlyWhatIsNewer(t *testing.T) {
	reads := 0
	below := faulty.Around(new(memory.Storage), faulty.Faults{Read: func() error { reads++; return nil }})
	s, err := durable.Open(within(t), below, durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	o := &opened{Session: s, t: t}
	t.Cleanup(o.stop)
	read := func(of record.ConversationID, at record.EntryID) int {
		before := reads
		o.contextOf(of, at)
		return reads - before
	}
	id := o.conversation()
	var tail record.EntryID
	for range 200 {
		tail = o.says(id, durable.EntryDraft{}, "a").ID
	}
	if cold := read(id, 0); cold < 200 {
		t.Errorf("a cold context took %d reads", cold)
	}
	for range 3 {
		tail = o.says(id, durable.EntryDraft{}, "b").ID
		if warm := read(id, 0); warm > 20 {
			t.Errorf("a warm context took %d reads", warm)
		}
	}
	if warm := read(id, tail); warm > 20 {
		t.Errorf("a context as of the newest entry took %d reads", warm)
	}
	o.says(id, durable.EntryDraft{Self: true}, "c")
	other := o.conversation()
	o.commit(func(tx *durable.Tx) error {
		fork, err := tx.ForkConversation(id, tail+1, durable.Ownerless())
		other = fork.ID
		return err
	})
	if headed := read(other, 0); headed > 30 {
		t.Errorf("a context that begins with a head took %d reads", headed)
	}
}

// transcripts makes conversations with random entries.
type transcripts struct {
	*opened
	conversations []record.ConversationID
	entries       map[record.ConversationID][]record.EntryID // visible ones
	calls         int
}

func (h *transcripts) append(t *rapid.T, in record.ConversationID) {
	draft := durable.EntryDraft{Kind: "test"}
	seen := h.entries[in]
	some := func(label string) record.EntryID { return rapid.SampledFrom(seen).Draw(t, label) }
	switch rapid.IntRange(0, 7).Draw(t, "kind") {
	case 0, 1:
		draft.Model = message.Messages{message.UserText("u", 1)}
	case 2:
		draft.Model = message.Messages{&message.System{Timestamp: 1}}
	case 3:
		h.calls++
		draft.Model = message.Messages{&message.Assistant{
			Content:    message.Blocks{&message.ToolCall{ID: fmt.Sprint(h.calls), Name: "tool"}},
			StopReason: rapid.SampledFrom([]message.StopReason{message.StopReasonToolUse, message.StopReasonError}).Draw(t, "stop"),
		}}
	case 4:
		call := fmt.Sprint(rapid.IntRange(max(1, h.calls-2), h.calls+1).Draw(t, "call"))
		draft.Model = message.Messages{&message.ToolResult{ToolCallID: call, ToolName: "tool"}}
	case 5:
		if draft.Self = len(seen) == 0 || rapid.Bool().Draw(t, "self"); !draft.Self {
			draft.Head = some("head")
		}
		draft.Model = message.Messages{message.UserText("summary", 1)}
	case 6:
		if len(seen) > 0 {
			draft.Edits = []record.Edit{{Target: some("omitted"), Action: record.Omit},
				{Target: some("replaced"), Action: record.Replace, Messages: message.Messages{message.UserText("other", 1)}}}
		}
	}
	h.commit(func(tx *durable.Tx) error {
		entry, err := tx.AppendEntry(in, draft)
		h.entries[in] = append(seen[:len(seen):len(seen)], entry.ID)
		return err
	})
}

func (h *transcripts) fork(of record.ConversationID, at int) (made record.ConversationID) {
	h.commit(func(tx *durable.Tx) error {
		created, err := tx.ForkConversation(of, h.entries[of][at], durable.Ownerless())
		made = created.ID
		return err
	})
	h.entries[made] = h.entries[of][:at+1]
	return made
}

func viewText(t *rapid.T, view durable.ContextView, err error) string {
	said, wrong := json.Marshal(view)
	if err != nil || wrong != nil {
		t.Fatal(err, wrong)
	}
	return string(said)
}

// TestAContextAsOfAnEntryIsThatOfAForkThere compares, at random entries of random
// histories, what the session that wrote them derives step by step, what a fork at
// the entry begins with, and what a session derives that was opened anew.
func TestAContextAsOfAnEntryIsThatOfAForkThere(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		h := &transcripts{opened: open(t, durable.Options{}), entries: make(map[record.ConversationID][]record.EntryID)}
		h.conversations = append(h.conversations, h.conversation())
		ctx := context.Background()
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			in := rapid.SampledFrom(h.conversations).Draw(r, "conversation")
			seen := len(h.entries[in])
			switch what := rapid.IntRange(0, 9).Draw(r, "what"); {
			case what == 0 && seen > 0:
				h.conversations = append(h.conversations, h.fork(in, rapid.IntRange(0, seen-1).Draw(r, "at")))
			case what < 4:
				view, err := h.Context(ctx, in, 0)
				viewText(r, view, err)
			default:
				h.append(r, in)
			}
		}
		type place struct {
			in record.ConversationID
			at record.EntryID
		}
		then := make(map[place]string)
		for _, in := range h.conversations {
			view, err := h.Context(ctx, in, 0)
			then[place{in, 0}] = viewText(r, view, err)
			for at, id := range h.entries[in] {
				view, err := h.Context(ctx, in, id)
				then[place{in, id}] = viewText(r, view, err)
				if rapid.IntRange(0, 3).Draw(r, "fork") > 0 {
					continue
				}
				fork, err := h.Context(ctx, h.fork(in, at), 0)
				if diff := cmp.Diff(then[place{in, id}], viewText(r, fork, err)); diff != "" {
					r.Fatalf("a fork of %d at %d: %s", in, id, diff)
				}
			}
		}
		h.reopen()
		for at, want := range then {
			view, err := h.Context(ctx, at.in, at.at)
			if diff := cmp.Diff(want, viewText(r, view, err)); diff != "" {
				r.Fatalf("%+v after a reopen: %s", at, diff)
			}
		}
	})
}
