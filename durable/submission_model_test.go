package durable_test

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"testing"

	gocmp "github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// waiting is an item of the model's inbox.
type waiting struct {
	id   record.SubmissionID
	mode durable.InboxMode
	self bool
	head int // the place of the entry that it names, when begins
	cuts bool
}

// tables is section 6 of the pi-durable specification, told in the plainest way.
type tables struct {
	modes    durable.QueueModes
	script   []record.SubmissionID // whose each entry is; 0 for entries of runs
	begins   int                   // the place of the entry that the context begins with
	busy     bool
	inputs   []record.SubmissionID
	inbox    []waiting
	statuses map[record.SubmissionID]string
}

func (m *tables) submit(item waiting) {
	m.statuses[item.id] = "queued"
	m.inbox = append(m.inbox, item)
	if !m.busy {
		placed, _ := m.boundary(true)
		m.start(placed)
	}
}

func (m *tables) start(placed []record.SubmissionID) { m.busy, m.inputs = len(placed) > 0, placed }

func (m *tables) boundary(final bool) (placed []record.SubmissionID, reset bool) {
	var left, chosen []waiting
	for _, item := range m.inbox {
		if item.mode != durable.ModeWrite {
			left = append(left, item)
			continue
		}
		if item.cuts && !item.self && item.head < m.begins {
			m.statuses[item.id] = "unanswered stale"
			continue
		}
		m.statuses[item.id] = "done"
		m.script = append(m.script, item.id)
		if item.self {
			m.begins, reset = len(m.script)-1, true
		} else if item.cuts {
			m.begins = item.head
		}
	}
	m.inbox = left
	take := func(mode durable.InboxMode, many durable.QueueMode) {
		taken := false
		m.inbox = slices.DeleteFunc(m.inbox, func(item waiting) bool {
			if item.mode != mode || taken && many != durable.AllAtOnce {
				return false
			}
			taken = true
			chosen = append(chosen, item)
			return true
		})
	}
	take(durable.ModeSteer, m.modes.Steering)
	if final || reset {
		take(durable.ModeFollowUp, m.modes.FollowUp)
	}
	slices.SortFunc(chosen, func(a, b waiting) int { return cmp.Compare(a.id, b.id) })
	for _, item := range chosen {
		m.statuses[item.id] = "placed"
		m.script = append(m.script, item.id)
		placed = append(placed, item.id)
	}
	return placed, reset
}

func (m *tables) settle(as string) {
	for _, id := range m.inputs {
		m.statuses[id] = as
	}
	m.busy, m.inputs = false, nil
}

func (m *tables) answer(continues bool) {
	m.script = append(m.script, 0)
	placed, reset := m.boundary(true)
	if continues && len(placed) == 0 && !reset {
		m.script = append(m.script, 0)
		return
	}
	m.settle("done")
	m.start(placed)
}

func (m *tables) round() {
	m.script = append(m.script, 0)
	placed, reset := m.boundary(false)
	if !reset {
		m.inputs = append(m.inputs, placed...)
		return
	}
	m.settle("unanswered reset")
	m.start(placed)
}

func (m *tables) withdraw(wanted func(waiting) bool) {
	m.inbox = slices.DeleteFunc(m.inbox, func(item waiting) bool {
		if wanted(item) {
			m.statuses[item.id] = "unanswered aborted"
			return true
		}
		return false
	})
}

// compared is a conversation and what the tables say of it.
type compared struct {
	*talk
	tables
	t        *rapid.T
	requests map[string]record.SubmissionID
	kinds    map[string]bool // whether the request was an input
	entries  []record.EntryID
}

func (c *compared) read() {
	c.entries = nil
	for entry, err := range c.Conversation.Entries(within(c.opened.t), durable.EntryQuery{Order: durable.Ascending}) {
		if err != nil {
			c.t.Fatal(err)
		}
		c.entries = append(c.entries, entry.ID)
	}
}

// check compares everything.
func (c *compared) check() {
	c.read()
	type state struct {
		Script, Inbox, Inputs []record.SubmissionID
		Busy                  bool
		Statuses              map[record.SubmissionID]string
	}
	want := state{Script: c.tables.script, Inputs: c.inputs, Busy: c.busy, Statuses: c.statuses}
	for _, item := range c.tables.inbox {
		want.Inbox = append(want.Inbox, item.id)
	}
	have := state{Inbox: c.talk.inbox(), Statuses: make(map[record.SubmissionID]string)}
	if run := c.live().Run; run != nil {
		have.Busy, have.Inputs = true, run.Inputs
	}
	placed := make(map[record.EntryID]record.SubmissionID)
	for s, err := range c.Submissions(within(c.opened.t), durable.SubmissionQuery{Conversation: c.ID()}) {
		if err != nil {
			c.t.Fatal(err)
		}
		placed[s.Entry] = s.ID
		have.Statuses[s.ID] = string(s.Status)
		if s.Reason != "" {
			have.Statuses[s.ID] += " " + s.Reason
		}
	}
	for _, entry := range c.entries {
		have.Script = append(have.Script, placed[entry])
	}
	if diff := gocmp.Diff(want, have); diff != "" {
		c.t.Fatal(diff)
	}
}

// draw returns a random submission and the item that stands for it.
func (c *compared) draw() (draft durable.SubmissionDraft, request string, item waiting) {
	request = rapid.SampledFrom([]string{"", "", "a", "b", "c"}).Draw(c.t, "request")
	switch what := rapid.IntRange(0, 6).Draw(c.t, "what"); {
	case what < 4:
		when := rapid.SampledFrom([]durable.WhenBusy{"", durable.FollowUp, durable.Steer, durable.Reject}).Draw(c.t, "when busy")
		item.mode = durable.ModeFollowUp
		if when == durable.Steer {
			item.mode = durable.ModeSteer
		}
		return durable.Input{Request: request, Content: message.Content{Text: "x"}, WhenBusy: when}, request, item
	default:
		entry := durable.EntryDraft{Kind: "w"}
		item = waiting{mode: durable.ModeWrite, self: what == 4, cuts: what == 4}
		entry.Self = item.self
		if what == 5 && len(c.entries) > 0 {
			item.head, item.cuts = rapid.IntRange(0, len(c.entries)-1).Draw(c.t, "head"), true
			entry.Head = c.entries[item.head]
		}
		return durable.Write{Request: request, Entry: entry}, request, item
	}
}

func (c *compared) submit() {
	draft, request, item := c.draw()
	ctx := context.Background()
	input, isInput := draft.(durable.Input)
	first, known := c.requests[request]
	failing := rapid.IntRange(0, 9).Draw(c.t, "failing") == 0
	if failing {
		c.runs.fails = errors.New("no task")
	}
	submitted, err := c.Submit(ctx, draft)
	c.runs.fails = nil
	_, refused := errors.AsType[*durable.ConversationBusyError](err)
	_, contradicts := errors.AsType[*durable.InvalidError](err)
	switch {
	case known && request != "" && c.kinds[request] != isInput:
		if !contradicts {
			c.t.Fatalf("the request %q of the other type: %v", request, err)
		}
	case known && request != "":
		if err != nil || submitted.ID() != first {
			c.t.Fatalf("the request %q again: %v %v", request, submitted, err)
		}
	case c.busy && input.WhenBusy == durable.Reject:
		if !refused {
			c.t.Fatalf("an input that is to be refused: %v", err)
		}
	case err != nil:
		if !failing {
			c.t.Fatal(err)
		}
	default:
		item.id = submitted.ID()
		if request != "" {
			c.requests[request], c.kinds[request] = item.id, isInput
		}
		c.tables.submit(item)
	}
}

// end ends the run, or a round of its tools.
func (c *compared) end() {
	if !c.busy {
		return
	}
	switch rapid.IntRange(0, 3).Draw(c.t, "end") {
	case 0:
		c.talk.fail("wrong")
		c.settle("unanswered wrong")
	case 1:
		c.talk.round()
		c.tables.round()
	default:
		end := durable.RunEnd{}
		if rapid.IntRange(0, 3).Draw(c.t, "continue") == 0 {
			end.Continue = &message.Content{Text: "go on"}
		}
		c.talk.commit(func(tx *durable.Tx) error {
			answer, err := tx.AppendEntry(c.ID(), durable.EntryDraft{Kind: durable.AssistantEntry})
			if err != nil {
				return err
			}
			end.Answer = answer.ID
			_, err = tx.EndRun(c.ID(), end)
			return err
		})
		c.tables.answer(end.Continue != nil)
	}
}

func (c *compared) abort() {
	if rapid.Bool().Draw(c.t, "all") {
		if err := c.Abort(context.Background(), false); err != nil {
			c.t.Fatal(err)
		}
		c.withdraw(func(item waiting) bool { return item.mode != durable.ModeWrite })
		return
	}
	ids := []record.SubmissionID{1 << 40}
	for id := range c.statuses {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	id := rapid.SampledFrom(ids).Draw(c.t, "submission")
	found, err := c.AbortSubmission(context.Background(), id)
	want := durable.SubmissionNotFound
	switch status := c.statuses[id]; {
	case status == "queued":
		want = durable.SubmissionAborted
	case status == "placed":
		want = durable.SubmissionPlaced
	case status != "":
		want = durable.SubmissionSettled
	}
	if found != want || err != nil {
		c.t.Fatalf("aborting submission %d, which is %q: %s, %v", id, c.statuses[id], found, err)
	}
	c.withdraw(func(item waiting) bool { return item.id == id })
}

// TestSubmissionsGoTheWayOfTheTables hands in, aborts, ends runs and opens the session
// again at random.
func TestSubmissionsGoTheWayOfTheTables(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		c := &compared{t: r, talk: begin(t), requests: make(map[string]record.SubmissionID), kinds: make(map[string]bool)}
		c.statuses = make(map[record.SubmissionID]string)
		for range rapid.IntRange(1, 40).Draw(r, "steps") {
			switch rapid.IntRange(0, 9).Draw(r, "step") {
			case 0:
				c.abort()
			case 1:
				c.reopen()
				c.root()
			case 2:
				mode := rapid.SampledFrom([]durable.QueueMode{"", durable.OneAtATime, durable.AllAtOnce})
				c.modes = durable.QueueModes{Steering: mode.Draw(r, "steering"), FollowUp: mode.Draw(r, "follow up")}
				c.runs.modes = c.modes
			case 3, 4, 5:
				c.end()
			default:
				c.submit()
			}
			c.check()
		}
	})
}
