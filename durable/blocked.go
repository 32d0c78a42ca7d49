package durable

import (
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// BlockedReason is why a task that could run does not (section 5.4 of the pi-durable
// specification). It is never stored: it follows from what is defined.
type BlockedReason string

// The reasons for which a task is blocked.
const (
	// MissingTask is a task without a definition of its name.
	MissingTask BlockedReason = "missing_task"
	// TaskTooOld is a task of a newer version than its definition.
	TaskTooOld BlockedReason = "task_too_old"
	// MigrationFailed is a task of an older version that its definition cannot take on.
	MigrationFailed BlockedReason = "migration_failed"
	// RestartLimit is a task that was cut off too often in a row without having got
	// on; see [Options.RestartLimit] and [Session.RetryTask].
	RestartLimit BlockedReason = "restart_limit"
	// EndFailed is a task whose end could not be stored: the commit was refused, or
	// [Options.Settled] failed. It was reported, and is left alone until it is aborted
	// or the session is opened again.
	EndFailed BlockedReason = "end_failed"
)

// BlockedError tells that a task does not run.
type BlockedError struct {
	Task   record.TaskID
	Kind   string
	Reason BlockedReason
	// Err is why a migration failed.
	Err error
}

func (e *BlockedError) Error() string {
	said := fmt.Sprintf("task %d of kind %q is blocked: %s", e.Task, e.Kind, e.Reason)
	switch {
	case e.Err != nil:
		return said + ": " + e.Err.Error()
	case e.Reason == RestartLimit:
		return said + ": it was cut off again and again without getting on: RetryTask runs it, AbortTask ends it"
	}
	return said
}

// Unwrap returns why a migration failed.
func (e *BlockedError) Unwrap() error { return e.Err }

// fitting returns the definition of a task, and why it cannot take the task.
func fitting(from DefinitionSnapshot, task record.Task) (*TaskDefinition, BlockedReason) {
	definition, found := from.Task(task.Kind)
	switch {
	case !found || definition == nil:
		return nil, MissingTask
	case definition.Version < task.Version:
		return definition, TaskTooOld
	case definition.Version > task.Version && definition.Migrate == nil:
		return definition, MigrationFailed
	}
	return definition, ""
}

// parked says whether a task was cut off too often.
func (s *Session) parked(task record.Task) bool {
	limit := s.options.RestartLimit
	return limit > 0 && task.Restarts >= limit
}
