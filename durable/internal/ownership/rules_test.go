package ownership_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestChangesThatBreakARuleAreRefused has the rules for new work and new waits, and
// what is said when one is broken.
func TestChangesThatBreakARuleAreRefused(t *testing.T) {
	root := conversation(1, 0, 0)
	const circle = "it waits for the task in turn"
	for _, c := range []struct {
		rule string
		has  []any
		put  []any
		says string // "" when it is fine
	}{
		{"work of a live task", []any{root, of(1, 2, running)}, []any{conversation(3, 1, 2), child(2, 1, 4)}, ""},
		{"work of a completing task", []any{root, of(1, 2, held(record.Completed)), child(2, 1, 3)}, []any{child(2, 1, 4)}, "create task 4: task 2 is completing"},
		{"work of an ended task", []any{root, of(1, 2, ended(record.Completed))}, []any{conversation(3, 1, 2)}, "create conversation 3: task 2 is terminal"},
		{"work of a marked task", []any{root, of(1, 2, running, marked)}, []any{child(2, 1, 4)}, "task 2 is abort-marked"},
		{"work of a task that the commit ends", []any{root, of(1, 2, running)}, []any{child(2, 1, 4), of(1, 2, held(record.Completed))}, "task 2 is completing"},
		{"work in a conversation of an ended task", []any{root, of(1, 2, ended(record.Completed)), conversation(3, 1, 2)}, []any{of(3, 4)}, ""},
		{"work of no task", []any{root}, []any{child(2, 1, 4)}, "task 2 does not exist"},
		{"a conversation of no task", []any{root}, []any{conversation(3, 1, 2)}, "task 2 does not exist"},
		{"a child elsewhere", []any{root, conversation(2, 0, 0), of(1, 3)}, []any{child(3, 2, 4)}, "its owner's conversation, not in 2"},
		{"a background child", []any{root, of(1, 2)}, []any{child(2, 1, 3, background)}, "cannot be background"},

		{"a wait for a child", []any{root, of(1, 2, running)}, []any{of(1, 2, waiting(record.FailFast, 3, 3)), child(2, 1, 3)}, ""},
		{"a wait for an ended task", []any{root, of(1, 2, running), of(1, 3, ended(record.Failed))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, ""},
		{"a wait for no task", []any{root, of(1, 2, running)}, []any{of(1, 2, waiting(record.AllSettled, 9))}, "cannot wait for task 9: there is no such task"},
		{"a wait for a conversation", []any{root, of(1, 2, running)}, []any{of(1, 2, waiting(record.AllSettled, 1))}, "it is not a task"},
		{"a wait for itself", []any{root, of(1, 2, running)}, []any{of(1, 2, waiting(record.AllSettled, 2))}, "it is the task itself"},
		{"a wait for an owner", []any{root, of(1, 2, running), child(2, 1, 3)}, []any{child(2, 1, 3, waiting(record.AllSettled, 2))}, "among the task's owners"},
		{"a wait for an owner above a conversation", []any{root, of(1, 2, running), conversation(3, 1, 2), of(3, 4)}, []any{of(3, 4, waiting(record.AllSettled, 2))}, "among the task's owners"},
		{"a wait for an ended owner", []any{root, of(1, 2, ended(record.Completed)), conversation(3, 1, 2), of(3, 4)}, []any{of(3, 4, waiting(record.AllSettled, 2))}, "among the task's owners"},
		{"failing fast for others", []any{root, of(1, 2, running), of(1, 3)}, []any{of(1, 2, waiting(record.FailFast, 3))}, "needs the policy allSettled"},
		{"failing fast for others that ended", []any{root, of(1, 2, running), of(1, 3, ended(record.Completed))}, []any{of(1, 2, waiting(record.FailFast, 3))}, "needs the policy allSettled"},
		{"a circle of two", []any{root, of(1, 2, running), of(1, 3, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, circle},
		{"a circle of three", []any{root, of(1, 2, running), of(1, 3, waiting(record.AllSettled, 2)), of(1, 4, waiting(record.AllSettled, 3))}, []any{of(1, 2, waiting(record.AllSettled, 4))}, "cannot wait for task 4: " + circle},
		{"a circle in one commit", []any{root, of(1, 2, running), of(1, 3, running)}, []any{of(1, 2, waiting(record.AllSettled, 3)), of(1, 3, waiting(record.AllSettled, 2))}, circle},
		{"a circle that the commit opens", []any{root, of(1, 2, waiting(record.AllSettled, 3)), of(1, 3, running), of(1, 4)}, []any{of(1, 2, waiting(record.AllSettled, 4)), of(1, 3, waiting(record.AllSettled, 2))}, ""},
		{"a circle through a held owner", []any{root, of(1, 2, running), of(1, 3, held(record.Completed)), child(3, 1, 4, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, "cannot wait for task 3: " + circle},
		{"a circle through a held owner's conversation", []any{root, of(1, 2, running), of(1, 3, held(record.Completed)), conversation(4, 1, 3), of(4, 5), child(5, 4, 6, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, circle},
		{"background work does not hold its owner", []any{root, of(1, 2, running), of(1, 3, held(record.Completed)), conversation(4, 1, 3), of(4, 5, background, waiting(record.AllSettled, 2)), child(3, 1, 6)}, []any{of(1, 2, waiting(record.AllSettled, 3))}, ""},
		{"an owner that runs may abort what waits", []any{root, of(1, 2, running), of(1, 3, running), child(3, 1, 4, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, ""},
		{"a held failure aborts what waits", []any{root, of(1, 2, running), of(1, 3, held(record.Failed)), child(3, 1, 4, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3))}, ""},
		{"a marked task leaves its wait", []any{root, of(1, 2, running), of(1, 3, waiting(record.AllSettled, 2), marked)}, []any{of(1, 2, waiting(record.AllSettled, 3))}, ""},
		{"a background task below a mark stays in its wait", []any{root, of(1, 2, running), of(1, 3, running, marked), conversation(4, 1, 3), of(4, 5, background, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 5))}, circle},
		{"a wait that stands is not judged again", []any{root, of(1, 2, waiting(record.AllSettled, 3)), of(1, 3, waiting(record.AllSettled, 2))}, []any{of(1, 2, waiting(record.AllSettled, 3), marked)}, ""},

		{"a conversation twice", []any{root, of(1, 2)}, []any{root}, "created once"},
		{"another owner", []any{root, of(1, 2), of(1, 3)}, []any{child(2, 1, 3)}, "never change"},
		{"an ended task lives", []any{root, of(1, 2, ended(record.Completed)), conversation(3, 1, 2), of(3, 4)}, []any{of(1, 2)}, "does not live again"},
		{"a task with the id of a conversation", []any{root, of(1, 2)}, []any{of(1, 1)}, "it is a conversation, not a task"},
		{"a task in a task", []any{root, of(1, 2)}, []any{of(2, 3)}, "it is a task, not a conversation"},
		{"a child of a conversation", []any{root, of(1, 2)}, []any{child(1, 1, 3)}, "it is a conversation, not a task"},
		{"a task nowhere", []any{root}, []any{of(5, 6)}, "no such conversation"},
		{"an input nowhere", []any{root}, []any{input(6, 5)}, "no such conversation"},
		{"an owner that is younger", []any{root, of(1, 9)}, []any{child(9, 1, 3)}, "older than what it owns"},
		{"a conversation whose owner is younger", []any{root, of(1, 9)}, []any{conversation(3, 1, 9)}, "older than what it owns"},
		{"a conversation whose owner is elsewhere", []any{root, of(1, 2)}, []any{conversation(3, 7, 2)}, "its owner, task 2, is in conversation 1, not in 7"},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w := newWorld().has(c.has...)
			g, err := ownership.Load(w, w.live(), w.queued())
			if err != nil {
				t.Fatal(err)
			}
			err = verify(g.Begin(), c.put)
			if c.says == "" && err != nil || c.says != "" && (err == nil || !strings.Contains(err.Error(), c.says)) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
}

// TestAJoinMayBePutBeforeItsMembers has the records show a commit's new child to the
// change that is being made of it.
func TestAJoinMayBePutBeforeItsMembers(t *testing.T) {
	w := newWorld().has(conversation(1, 0, 0), of(1, 2, running))
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	w.has(child(2, 1, 3))
	change := g.Begin()
	if err := verify(change, []any{of(1, 2, waiting(record.FailFast, 3)), child(2, 1, 3)}); err != nil {
		t.Fatal(err)
	}
	change.Adopt()
	if g.LiveBelow(2) != 1 || g.DueRun(2) {
		t.Errorf("%d live below, and the join may go on: %v", g.LiveBelow(2), g.DueRun(2))
	}
}

// verify puts records into a change, in their order, and verifies it.
func verify(change *ownership.Change, records []any) error {
	for _, r := range records {
		var err error
		switch r := r.(type) {
		case record.Conversation:
			err = change.PutConversation(r)
		case record.Task:
			err = change.PutTask(r)
		case record.Submission:
			err = change.PutSubmission(r)
		}
		if err != nil {
			return err
		}
	}
	return change.Verify()
}

// broken are records that cannot be read.
type broken struct {
	*world
	err error
}

func (b *broken) Conversation(id record.ConversationID) (record.Conversation, bool, error) {
	if b.err != nil {
		return record.Conversation{}, false, b.err
	}
	return b.world.Conversation(id)
}

func (b *broken) Task(id record.TaskID) (record.Task, bool, error) {
	if b.err != nil {
		return record.Task{}, false, b.err
	}
	return b.world.Task(id)
}

// TestAnUnreadableRecordIsAnErrorWithoutEffect has every question that reads fail
// with what the read failed with, and succeed when it is asked again.
func TestAnUnreadableRecordIsAnErrorWithoutEffect(t *testing.T) {
	w := newWorld().has(
		conversation(1, 0, 0), of(1, 2, ended(record.Completed)), child(2, 1, 3, ended(record.Completed)), conversation(4, 1, 3),
		of(1, 5, running), child(5, 1, 6, ended(record.Failed)), child(5, 1, 7, running),
	)
	unreadable := errors.New("unreadable")
	records := &broken{world: w}
	g, err := ownership.Load(records, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		question string
		ask      func(*ownership.Change) error
	}{
		{"a task in an idle conversation", func(c *ownership.Change) error { return c.PutTask(of(4, 8)) }},
		{"an input for an idle conversation", func(c *ownership.Change) error { return c.PutSubmission(input(8, 4)) }},
		{"a conversation of an ended task", func(c *ownership.Change) error { return c.PutConversation(conversation(8, 1, 3)) }},
		{"a join that failed", func(c *ownership.Change) error { return c.PutTask(of(1, 5, waiting(record.FailFast, 6, 7))) }},
		{"a wait for an ended task", func(c *ownership.Change) error {
			if err := c.PutTask(of(1, 5, waiting(record.AllSettled, 2))); err != nil {
				t.Fatal(err)
			}
			return c.Verify()
		}},
		{"the owner of new work", func(c *ownership.Change) error {
			err := c.MayOwn(2)
			if owner := (*ownership.OwnerError)(nil); errors.As(err, &owner) {
				return nil
			}
			return err
		}},
	} {
		t.Run(c.question, func(t *testing.T) {
			change := g.Begin()
			records.err = unreadable
			if err := c.ask(change); !errors.Is(err, unreadable) {
				t.Errorf("error %v, want %v", err, unreadable)
			}
			if live := change.LiveIn(1); live != 2 {
				t.Errorf("%d live after an error, want 2", live)
			}
			records.err = nil
			if err := c.ask(change); err != nil {
				t.Errorf("asked again: %v", err)
			}
		})
	}
}

// TestLoadRefusesRecordsThatContradictEachOther opens what no session writes.
func TestLoadRefusesRecordsThatContradictEachOther(t *testing.T) {
	for _, c := range []struct {
		what string
		has  []any
		says string
	}{
		{"a task nowhere", []any{of(1, 2)}, "no such conversation"},
		{"a child of nobody", []any{conversation(1, 0, 0), child(2, 1, 3)}, "task 2 does not exist"},
		{"an input nowhere", []any{input(2, 1)}, "no such conversation"},
		{"a task with the id of a conversation", []any{conversation(1, 0, 0), of(1, 2), conversation(3, 1, 2), of(3, 3), of(3, 4)}, "something else"},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld().has(c.has...)
			if _, err := ownership.Load(w, w.live(), w.queued()); err == nil || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v, want %q", err, c.says)
			}
		})
	}
	t.Run("scans that fail", func(t *testing.T) {
		unreadable := errors.New("unreadable")
		w := newWorld()
		failing := func(yield func(record.Task, error) bool) { yield(record.Task{}, unreadable) }
		if _, err := ownership.Load(w, failing, w.queued()); !errors.Is(err, unreadable) {
			t.Errorf("tasks: error %v", err)
		}
		inputs := func(yield func(record.Submission, error) bool) { yield(record.Submission{}, unreadable) }
		if _, err := ownership.Load(w, w.live(), inputs); !errors.Is(err, unreadable) {
			t.Errorf("inputs: error %v", err)
		}
	})
	t.Run("a live task that the scan left out", func(t *testing.T) {
		w := newWorld().has(conversation(1, 0, 0), of(1, 2, running))
		g, err := ownership.Load(w, newWorld().live(), w.queued())
		if err != nil {
			t.Fatal(err)
		}
		var contradiction *ownership.RecordError
		if err := g.Begin().PutTask(child(2, 1, 3)); !errors.As(err, &contradiction) || contradiction.ID != 2 {
			t.Errorf("error %v", err)
		}
	})
}

// TestAnOlderChangeIsNotAdopted has two changes begin before one of them is adopted.
func TestAnOlderChangeIsNotAdopted(t *testing.T) {
	w := newWorld().has(conversation(1, 0, 0))
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	older, newer := g.Begin(), g.Begin()
	newer.Adopt()
	defer func() {
		if recover() == nil {
			t.Error("the older change was adopted")
		}
	}()
	older.Adopt()
}
