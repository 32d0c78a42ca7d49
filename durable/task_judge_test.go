package durable_test

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// judge checks how the tasks of a forest have ended.
func (f *forest) judge() {
	ctx := context.Background()
	tasks, owners := make(map[record.TaskID]record.Task), make(map[record.ConversationID]record.TaskID)
	for task, err := range f.session.Tasks(ctx, durable.TaskQuery{}) {
		if err != nil {
			f.Fatal(err)
		}
		tasks[task.ID] = task
	}
	for conversation, err := range f.session.Conversations(ctx, durable.ConversationQuery{}) {
		if err != nil {
			f.Fatal(err)
		}
		if conversation.Owner != nil {
			owners[conversation.ID] = conversation.Owner.Task
		}
	}
	// above returns the owner of a task that is reached from it; 0 when there is none.
	above := func(task record.Task) record.TaskID {
		switch {
		case task.Background:
			return 0
		case task.Owner != 0:
			return task.Owner
		}
		return owners[task.Conversation]
	}
	life := f.life.Load()
	life.mu.Lock()
	defer life.mu.Unlock()
	for id, task := range tasks {
		f.judgeOutcome(task)
		justified := f.asked[id] || f.swept || task.AbandonOnRestart || f.joined(tasks, task)
		for up := above(task); up != 0; up = above(tasks[up]) {
			if life.ended[id] >= life.ended[up] {
				f.Errorf("task %d ended with commit %d, and task %d, which it works for, with %d", id, life.ended[id], up, life.ended[up])
			}
			owner := tasks[up]
			justified = justified || owner.AbandonOnRestart || owner.AbortRequested || owner.State.Outcome.Status != record.Completed
		}
		if task.AbortRequested && !justified {
			f.Errorf("task %d was aborted, and nobody asked for it: %+v", id, task)
		}
	}
	for violation, err := range f.session.Check(ctx) {
		f.Errorf("the database: %v, %v", violation, err)
	}
}

// judgeOutcome checks that a task ended as its script says, or as an abort may.
func (f *forest) judgeOutcome(task record.Task) {
	outcome := task.State.Outcome
	if task.State.Status != record.Terminal || outcome == nil {
		f.Errorf("task %d is %s", task.ID, task.State.Status)
		return
	}
	script := f.scripts[input(task)]
	if outcome.Status == script.end || task.AbortRequested && outcome.Status == script.abort {
		return
	}
	if task.AbortRequested && f.removed && outcome.Status == record.Orphaned {
		return
	}
	f.Errorf("task %d of script %+v ended as %+v, %+v; an abort was requested: %v", task.ID, script, outcome, outcome.Error, task.AbortRequested)
}

func input(task record.Task) (n int) {
	for _, digit := range task.Input {
		n = 10*n + int(digit-'0')
	}
	return n
}

// joined says whether a task may have been aborted because another one, which its
// owner waited for too, failing fast, did not complete.
func (f *forest) joined(tasks map[record.TaskID]record.Task, task record.Task) bool {
	if task.Owner == 0 {
		return false
	}
	fast := false
	for _, step := range f.scripts[input(tasks[task.Owner])].steps {
		fast = fast || step.does == "failFast"
	}
	for _, other := range tasks {
		if fast && other.Owner == task.Owner && other.ID != task.ID && other.State.Outcome.Status != record.Completed {
			return true
		}
	}
	return false
}
