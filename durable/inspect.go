package durable

import (
	"context"

	"github.com/seed-d579e5eb/harness/durable/internal/table"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
)

// Inspection is all that goes on in a session at one moment, in the order of ids.
type Inspection struct {
	Scheduling Scheduling
	// Tasks are the live ones.
	Tasks []TaskInspection
	// Submissions are those that are not settled.
	Submissions []record.Submission
}

// TaskInspection is a live task, and what it does under what is defined now.
type TaskInspection struct {
	// Task is as it is stored: before the session has resumed, one that was cut off is
	// running still.
	Task  record.Task
	State InspectedState
	// Migrates says that a ready task's definition is newer than it.
	Migrates bool
	// On are the live tasks that a waiting one waits for or, when it is to be aborted,
	// what it owns.
	On []record.TaskID
	// Blocked is why a blocked task does not run.
	Blocked *BlockedError
}

// InspectedState is what a live task does.
type InspectedState string

// The states of live tasks.
const (
	// TaskRunning has an invocation.
	TaskRunning InspectedState = "running"
	// TaskReady runs when the session schedules.
	TaskReady InspectedState = "ready"
	// TaskWaiting waits for other tasks.
	TaskWaiting InspectedState = "waiting"
	// TaskCompleting has an outcome that is held while what it owns is live.
	TaskCompleting InspectedState = "completing"
	// TaskBlocked cannot run.
	TaskBlocked InspectedState = "blocked"
)

// Inspect returns what goes on. It has nothing run, and nothing scheduled.
func (s *Session) Inspect(ctx context.Context) (Inspection, error) {
	if err := s.outsideCommit(ctx, "Inspect"); err != nil {
		return Inspection{}, err
	}
	definitions := s.leased()
	defer definitions.Release()
	var found Inspection
	var snapshot storage.Snapshot
	var live []liveTask
	err := s.look(ctx, func() (err error) {
		found.Scheduling = s.scheduler.now()
		live = s.liveTasks()
		snapshot, err = s.overlay.Over(s.snapshot)
		return err
	})
	if snapshot != nil {
		defer snapshot.Close()
	}
	if err != nil {
		return Inspection{}, err
	}
	r := table.Reader{Source: snapshot}
	for _, one := range live {
		task, _, err := r.Task(one.id)
		if err != nil {
			return Inspection{}, err
		}
		found.Tasks = append(found.Tasks, s.inspected(definitions, task, one))
	}
	for submission, err := range r.Submissions(0, true, table.IDs{}) {
		if err != nil {
			return Inspection{}, err
		}
		found.Submissions = append(found.Submissions, submission)
	}
	return found, nil
}

// liveTask is what the line knows of a live task.
type liveTask struct {
	id      record.TaskID
	running bool
	cut     bool
	on      []record.TaskID
}

// liveTasks returns the live tasks in the order of their ids. The caller holds the
// line.
func (s *Session) liveTasks() []liveTask {
	ids := s.graph.LiveTasks()
	live := make([]liveTask, len(ids))
	for at, id := range ids {
		_, cut := s.cut[id]
		live[at] = liveTask{id, s.scheduler.invocation(id) != nil, cut, s.graph.WaitsFor(id)}
	}
	return live
}

// now returns the state of scheduling.
func (c *scheduler) now() Scheduling {
	if c.session.usable() != nil {
		return Closing
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.state
}

// inspected returns what a task does.
func (s *Session) inspected(definitions DefinitionSnapshot, task record.Task, known liveTask) TaskInspection {
	found := TaskInspection{Task: task}
	switch {
	case known.running:
		found.State = TaskRunning
		return found
	case task.State.Status == record.Completing:
		found.State = TaskCompleting
		return found
	case len(known.on) > 0:
		found.State, found.On = TaskWaiting, known.on
		return found
	}
	if known.cut {
		task = cutOff(task)
	}
	definition, reason := fitting(definitions, task)
	why := BlockedError{Task: task.ID, Kind: task.Kind, Reason: reason}
	if reason == "" {
		found.Migrates = definition.Version > task.Version
		why = s.scheduler.why(definition, task)
	}
	if found.State = TaskReady; why.Reason != "" {
		found.State, found.Migrates, found.Blocked = TaskBlocked, false, &why
	}
	return found
}

// why returns why a task does not run that has a definition.
func (c *scheduler) why(definition *TaskDefinition, task record.Task) BlockedError {
	why := BlockedError{Task: task.ID, Kind: task.Kind}
	m := c.migration(task.ID)
	c.mu.Lock()
	broken := c.broken[task.ID]
	c.mu.Unlock()
	switch {
	case broken:
		why.Reason = EndFailed
	case c.session.parked(task):
		why.Reason = RestartLimit
	case m != nil && m.err != nil && m.fits(definition, task):
		why.Reason, why.Err = MigrationFailed, m.err
	}
	return why
}
