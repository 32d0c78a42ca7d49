package ownership_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// state changes a task of a test.
type state func(*record.Task)

func pending(*record.Task) {}

func running(t *record.Task) { t.State = record.TaskState{Status: record.Running} }

func background(t *record.Task) { t.Background = true }

func marked(t *record.Task) { t.AbortRequested = true }

func held(how record.OutcomeStatus) state {
	return func(t *record.Task) {
		t.State = record.TaskState{Status: record.Completing, Outcome: &record.Outcome{Status: how}}
	}
}

func ended(how record.OutcomeStatus) state {
	return func(t *record.Task) {
		t.State = record.TaskState{Status: record.Terminal, Outcome: &record.Outcome{Status: how}}
	}
}

func waiting(policy record.JoinPolicy, on ...record.TaskID) state {
	return func(t *record.Task) {
		t.State = record.TaskState{Status: record.Waiting, Policy: policy, On: on}
	}
}

// has puts records into a world.
func (w *world) has(records ...any) *world {
	for _, r := range records {
		switch r := r.(type) {
		case record.Conversation:
			w.conversations[r.ID] = r
		case record.Task:
			w.tasks[r.ID] = r
		case record.Submission:
			w.submissions[r.ID] = r
		}
	}
	return w
}

// of is a task of a conversation.
func of(conversation record.ConversationID, id record.TaskID, states ...state) record.Task {
	return child(0, conversation, id, states...)
}

// child is a task that another one owns.
func child(owner record.TaskID, conversation record.ConversationID, id record.TaskID, states ...state) record.Task {
	t := record.Task{ID: id, Conversation: conversation, Owner: owner, State: record.TaskState{Status: record.Pending}}
	for _, change := range states {
		change(&t)
	}
	return t
}

// conversation is owned by a task, or by nobody when that is 0.
func conversation(id record.ConversationID, in record.ConversationID, owner record.TaskID) record.Conversation {
	c := record.Conversation{ID: id}
	if owner != 0 {
		c.Owner = &record.Owner{Conversation: in, Task: owner}
	}
	return c
}

func input(id record.SubmissionID, in record.ConversationID) record.Submission {
	return record.Submission{ID: id, Conversation: in, Type: record.Input, Status: record.Queued}
}

type tasks = []record.TaskID

// TestDue has the rules of sections 5.4 and 5.5 of the specification, one by one.
func TestDue(t *testing.T) {
	root := conversation(1, 0, 0)
	for _, c := range []struct {
		rule string
		has  []any
		due  ownership.Due
	}{
		{
			"pending tasks run, and running ones are left alone",
			[]any{root, of(1, 2, pending), of(1, 3, running), of(1, 4, background)},
			ownership.Due{Run: tasks{2, 4}},
		},
		{
			"an abort mark cascades to children and to what is in owned conversations",
			[]any{root, of(1, 2, running, marked), child(2, 1, 3), conversation(4, 1, 2), of(4, 5, running), child(5, 4, 6)},
			ownership.Due{Mark: tasks{3, 5, 6}},
		},
		{
			"a held outcome that is not completed cascades",
			[]any{root, of(1, 2, held(record.Faulted)), child(2, 1, 3, waiting(record.AllSettled))},
			ownership.Due{Mark: tasks{3}},
		},
		{
			"a held completed outcome waits for the work below",
			[]any{root, of(1, 2, held(record.Completed)), child(2, 1, 3)},
			ownership.Due{Run: tasks{3}},
		},
		{
			"a held task with a mark aborts what is below",
			[]any{root, of(1, 2, held(record.Completed), marked), child(2, 1, 3)},
			ownership.Due{Mark: tasks{3}},
		},
		{
			"an ended owner cascades no more",
			[]any{root, of(1, 2, ended(record.Aborted), marked), conversation(3, 1, 2), of(3, 4), input(5, 3)},
			ownership.Due{Run: tasks{4}},
		},
		{
			"a cascade goes on below an ended owner",
			[]any{root, of(1, 2, running, marked), child(2, 1, 3, ended(record.Completed)), conversation(4, 1, 3), of(4, 5), input(6, 4)},
			ownership.Due{Mark: tasks{5}, Withdraw: []record.ConversationID{4}},
		},
		{
			"a background task is a boundary",
			[]any{root, of(1, 2, running, marked), conversation(3, 1, 2), of(3, 4, background), child(4, 3, 5), conversation(6, 3, 4), input(7, 6)},
			ownership.Due{Run: tasks{4, 5}},
		},
		{
			"a background task with an intent of its own aborts what is below",
			[]any{root, of(1, 2, background, running, marked), child(2, 1, 3), conversation(4, 1, 2), of(4, 5, background)},
			ownership.Due{Mark: tasks{3}, Run: tasks{5}},
		},
		{
			"queued inputs below an intent are withdrawn, not those beside it",
			[]any{root, of(1, 2, running, marked), conversation(3, 1, 2), input(4, 1), input(5, 3)},
			ownership.Due{Withdraw: []record.ConversationID{3}},
		},
		{
			"aborts run bottom-up",
			[]any{root, of(1, 2, marked), child(2, 1, 3, waiting(record.AllSettled, 2), marked), child(3, 1, 4, marked)},
			ownership.Due{Abort: tasks{4}},
		},
		{
			"a marked task leaves its wait for what it does not own",
			[]any{root, of(1, 2, running), of(1, 3, waiting(record.AllSettled, 2), marked)},
			ownership.Due{Abort: tasks{3}},
		},
		{
			"background work below does not hold an abort up",
			[]any{root, of(1, 2, marked), conversation(3, 1, 2), of(3, 4, background, running)},
			ownership.Due{Abort: tasks{2}},
		},
		{
			"a wait ends when all have ended, however they did",
			[]any{root, of(1, 2, ended(record.Completed)), of(1, 3, ended(record.Failed)), of(1, 4, waiting(record.AllSettled, 2, 3)), of(1, 5, waiting(record.AllSettled, 2, 6)), of(1, 6, held(record.Failed), marked), child(6, 1, 7, running, marked)},
			ownership.Due{Run: tasks{4}},
		},
		{
			"an empty wait ends at once",
			[]any{root, of(1, 2, waiting(record.FailFast))},
			ownership.Due{Run: tasks{2}},
		},
		{
			"a held task finishes when the work below has drained",
			[]any{root, of(1, 2, held(record.Failed)), child(2, 1, 3, ended(record.Aborted))},
			ownership.Due{Finish: tasks{2}},
		},
		{
			"a held task is marked before it finishes",
			[]any{root, of(1, 2, running, marked), child(2, 1, 3, held(record.Completed))},
			ownership.Due{Mark: tasks{3}},
		},
		{
			"failing fast marks the other members, not the waiting task",
			[]any{root, of(1, 2, waiting(record.FailFast, 3, 4, 5)), child(2, 1, 3, ended(record.Failed)), child(2, 1, 4, running), child(2, 1, 5), child(2, 1, 6)},
			ownership.Due{Mark: tasks{4, 5}, Run: tasks{6}},
		},
		{
			"failing fast counts a held failure, which needs no mark itself",
			[]any{root, of(1, 2, waiting(record.FailFast, 3, 4)), child(2, 1, 3, held(record.Aborted)), child(3, 1, 5, running, marked), child(2, 1, 4)},
			ownership.Due{Mark: tasks{4}},
		},
		{
			"settling all marks nobody",
			[]any{root, of(1, 2, waiting(record.AllSettled, 3, 4)), child(2, 1, 3, ended(record.Failed)), child(2, 1, 4)},
			ownership.Due{Run: tasks{4}},
		},
	} {
		t.Run(c.rule, func(t *testing.T) {
			w := newWorld().has(c.has...)
			g, err := ownership.Load(w, w.live(), w.queued())
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.due, g.Due(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
			if diff := cmp.Diff(c.due, w.due(), cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("the reference of these tests is wrong: -want +got:\n%s", diff)
			}
		})
	}
}

// TestFailFastFollowsFailures goes through what happens to a join as its members end.
func TestFailFastFollowsFailures(t *testing.T) {
	w := newWorld().has(conversation(1, 0, 0), of(1, 2, running), child(2, 1, 3, running), child(2, 1, 4, running), child(2, 1, 5, ended(record.Failed)))
	g, err := ownership.Load(w, w.live(), w.queued())
	if err != nil {
		t.Fatal(err)
	}
	follow(t, g, []step{
		{"a wait", of(1, 2, waiting(record.FailFast, 3, 4)), ownership.Due{}},
		{"somebody else waits for a member", of(1, 7, waiting(record.AllSettled, 3, 4)), ownership.Due{}},
		{"a member fails", child(2, 1, 3, ended(record.Failed)), ownership.Due{Mark: tasks{4}}},
		{"the other is marked", child(2, 1, 4, running, marked), ownership.Due{}},
		{"the other ends", child(2, 1, 4, ended(record.Aborted), marked), ownership.Due{Run: tasks{2, 7}}},
		{"the other waiting task ends", of(1, 7, ended(record.Completed)), ownership.Due{Run: tasks{2}}},
		{"another child", child(2, 1, 6, running), ownership.Due{Run: tasks{2}}},
		{"a wait for one that failed long ago", of(1, 2, waiting(record.FailFast, 6, 5)), ownership.Due{Mark: tasks{6}}},
		{"another policy", of(1, 2, waiting(record.AllSettled, 6, 5)), ownership.Due{}},
	})
}

// TestHeldAndMarkedTasksAreDueOnceTheirWorkDrained ends the work below a held and a
// marked task, which is in a conversation and has work of its own.
func TestHeldAndMarkedTasksAreDueOnceTheirWorkDrained(t *testing.T) {
	for _, c := range []struct {
		what  string
		owner state
		due   ownership.Due
	}{
		{"held", held(record.Completed), ownership.Due{Finish: tasks{2}}},
		{"marked", marked, ownership.Due{Abort: tasks{2}}},
	} {
		t.Run(c.what, func(t *testing.T) {
			w := newWorld().has(conversation(1, 0, 0), of(1, 2, c.owner), conversation(3, 1, 2), of(3, 4, running, marked), child(4, 3, 5, running, marked))
			g, err := ownership.Load(w, w.live(), w.queued())
			if err != nil {
				t.Fatal(err)
			}
			follow(t, g, []step{
				{"the task between ends first", of(3, 4, ended(record.Aborted), marked), ownership.Due{}},
				{"all has ended", child(4, 3, 5, ended(record.Aborted), marked), c.due},
				{"new work is there", of(3, 6, running, marked), ownership.Due{}},
				{"and has ended", of(3, 6, ended(record.Aborted), marked), c.due},
			})
		})
	}
}

// TestWaitingTasksLeaveInAnyOrder has tasks that wait for the same task be aborted one
// by one, and the others be due once that one has ended.
func TestWaitingTasksLeaveInAnyOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := newWorld().has(conversation(1, 0, 0), of(1, 2, running))
		left := tasks{3, 4, 5, 6, 7, 8}
		for _, id := range left {
			w.has(of(1, id, waiting(record.AllSettled, 2)))
		}
		g, err := ownership.Load(w, w.live(), w.queued())
		if err != nil {
			t.Fatal(err)
		}
		var steps []step
		for range rapid.IntRange(0, len(left)).Draw(t, "leave") {
			i := rapid.IntRange(0, len(left)-1).Draw(t, "which")
			steps = append(steps, step{"one leaves", of(1, left[i], ended(record.Aborted)), ownership.Due{}})
			left = slices.Delete(left, i, i+1)
		}
		follow(t, g, append(steps, step{"the awaited one ends", of(1, 2, ended(record.Completed)), ownership.Due{Run: left}}))
	})
}

// step is a task that a commit puts, and all that is due then.
type step struct {
	what string
	put  record.Task
	due  ownership.Due
}

// follow makes commits of one task each.
func follow(t rapid.TB, g *ownership.Graph, steps []step) {
	t.Helper()
	for _, step := range steps {
		change := g.Begin()
		if err := change.PutTask(step.put); err != nil {
			t.Fatal(err)
		}
		change.Adopt()
		if diff := cmp.Diff(step.due, g.Due(), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: -want +got:\n%s", step.what, diff)
		}
	}
}
