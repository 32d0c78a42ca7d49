package ownership_test

import (
	"errors"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable/internal/ownership"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestWaitsThatCannotEndAreRefused draws sessions full of waiting and held tasks, has
// one or two more wait, and compares the verdict with a search forward from each.
func TestWaitsThatCannotEndAreRefused(t *testing.T) {
	refused, accepted := 0, 0
	rapid.Check(t, func(t *rapid.T) {
		w := tangle(t)
		g, err := ownership.Load(w, w.live(), w.queued())
		if err != nil {
			t.Fatal(err)
		}
		for range 8 {
			commit := waits(t, w)
			after := w.with(commit)
			change := g.Begin()
			if err := commit.put(change); err != nil {
				t.Fatal(err)
			}
			verified := change.Verify()
			allowed := true
			for _, waiting := range commit.tasks {
				waiting = after.tasks[waiting.ID]
				allowed = allowed && (waitsAlike(w.tasks[waiting.ID], waiting) || after.mayWait(waiting))
			}
			var wait *ownership.WaitError
			if allowed != (verified == nil) || verified != nil && !errors.As(verified, &wait) {
				t.Fatalf("allowed %v, but Verify returned %v", allowed, verified)
			}
			if allowed {
				accepted++
			} else if wait.Problem == "it waits for the task in turn" {
				refused++
			}
		}
	})
	if refused == 0 || accepted == 0 {
		t.Errorf("%d circles refused and %d waits accepted prove little", refused, accepted)
	}
}

// waits draws a commit that has one or two live tasks wait.
func waits(t *rapid.T, w *world) *commit {
	var waits commit
	for range rapid.IntRange(1, 2).Draw(t, "waits") {
		waiting := rapid.SampledFrom(w.allTasks()).Draw(t, "task")
		if waiting.State.Status.Live() {
			on := rapid.SampledFrom(w.allTasks()).Draw(t, "on")
			waiting.State = record.TaskState{Status: record.Waiting, On: []record.TaskID{on.ID, on.ID}, Policy: record.AllSettled}
			waits.tasks = append(waits.tasks, waiting)
		}
	}
	return &waits
}

// tangle draws a session of tasks in any states.
func tangle(t *rapid.T) *world {
	w := newWorld()
	w.conversations[1] = record.Conversation{ID: 1}
	last := rapid.Int64Range(6, 24).Draw(t, "last")
	for id := int64(2); id <= last; id++ {
		tasks := w.allTasks()
		if len(tasks) > 0 && rapid.IntRange(0, 5).Draw(t, "conversation") == 0 {
			owner := rapid.SampledFrom(tasks).Draw(t, "owner")
			w.conversations[record.ConversationID(id)] = record.Conversation{
				ID: record.ConversationID(id), Owner: &record.Owner{Conversation: owner.Conversation, Task: owner.ID},
			}
			continue
		}
		task := record.Task{ID: record.TaskID(id), AbortRequested: rapid.IntRange(0, 14).Draw(t, "marked") == 0}
		if len(tasks) > 0 && rapid.Bool().Draw(t, "child") {
			owner := rapid.SampledFrom(tasks).Draw(t, "owner")
			task.Owner, task.Conversation = owner.ID, owner.Conversation
		} else {
			task.Conversation = rapid.SampledFrom(w.allConversations()).Draw(t, "in").ID
			task.Background = rapid.IntRange(0, 3).Draw(t, "background") == 0
		}
		w.tasks[task.ID] = task
	}
	for _, task := range w.allTasks() {
		outcome := record.Outcome{Status: rapid.SampledFrom([]record.OutcomeStatus{record.Completed, record.Completed, record.Failed}).Draw(t, "outcome")}
		switch rapid.IntRange(0, 9).Draw(t, "state") {
		case 0:
			task.State = record.TaskState{Status: record.Pending}
		case 1:
			task.State = record.TaskState{Status: record.Terminal, Outcome: &outcome}
		case 2, 3, 4:
			task.State = record.TaskState{Status: record.Completing, Outcome: &outcome}
		default:
			on := rapid.SliceOfN(rapid.SampledFrom(w.allTasks()), 1, 2).Draw(t, "on")
			task.State = record.TaskState{Status: record.Waiting, Policy: record.AllSettled}
			for _, other := range on {
				task.State.On = append(task.State.On, other.ID)
			}
		}
		w.tasks[task.ID] = task
	}
	w.sorted = nil
	return w
}
