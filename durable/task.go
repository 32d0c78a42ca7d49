package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// Task is a kind of task whose inputs are In, whose checkpoints are State, which has
// the form of a JSON object with the member "phase", and whose results are Out.
type Task[In, State, Out any] struct{ Definition *TaskDefinition }

// TaskSpec describes a kind of task; see [TaskDefinition] for its fields.
type TaskSpec[In, State, Out any] struct {
	Name    string
	Version int
	Initial func(In) State
	Phases  map[string]func(ctx context.Context, run *Run[In, State, Out]) error
	// Abort ends the task as aborted when it is nil.
	Abort   func(ctx context.Context, run *Run[In, State, Out]) error
	Migrate func(ctx context.Context, input, checkpoint json.RawMessage, version int) (In, State, error)
	Hooks   any
}

// DefineTask makes a kind of task. Whether the description contradicts itself is told
// by what uses it.
func DefineTask[In, State, Out any](spec TaskSpec[In, State, Out]) Task[In, State, Out] {
	definition := &TaskDefinition{Name: spec.Name, Version: spec.Version, Hooks: spec.Hooks}
	if spec.Initial != nil {
		definition.Initial = func(input json.RawMessage) (json.RawMessage, error) {
			var in In
			if err := json.Unmarshal(input, &in); err != nil {
				return nil, fmt.Errorf("input: %w", err)
			}
			return json.Marshal(spec.Initial(in))
		}
	}
	if len(spec.Phases) > 0 {
		definition.Phases = make(map[string]func(context.Context, *Runtime) error, len(spec.Phases))
	}
	for name, phase := range spec.Phases {
		definition.Phases[name] = typed(phase)
	}
	if definition.Abort = typed(spec.Abort); definition.Abort == nil {
		definition.Abort = typed(giveUp[In, State, Out])
	}
	if spec.Migrate != nil {
		definition.Migrate = func(ctx context.Context, input, checkpoint json.RawMessage, version int) (json.RawMessage, json.RawMessage, error) {
			in, state, err := spec.Migrate(ctx, input, checkpoint, version)
			if err != nil {
				return nil, nil, err
			}
			newInput, err := json.Marshal(in)
			if err != nil {
				return nil, nil, err
			}
			newCheckpoint, err := json.Marshal(state)
			return newInput, newCheckpoint, err
		}
	}
	return Task[In, State, Out]{definition}
}

// giveUp is what an abort does that nobody has described.
func giveUp[In, State, Out any](ctx context.Context, run *Run[In, State, Out]) error {
	return run.CommitUnlimited(ctx, func(context.Context, *Tx) (Next[State, Out], error) {
		return run.Abort(run.Record().AbortReason), nil
	})
}

// typed shows a phase the input and state as Go values.
func typed[In, State, Out any](phase func(context.Context, *Run[In, State, Out]) error) func(context.Context, *Runtime) error {
	if phase == nil {
		return nil
	}
	return func(ctx context.Context, runtime *Runtime) error {
		run := &Run[In, State, Out]{Runtime: runtime}
		task := runtime.Record()
		if err := json.Unmarshal(task.Input, &run.Input); err != nil {
			return fmt.Errorf("input of task %d: %w", task.ID, err)
		}
		if err := json.Unmarshal(task.State.Checkpoint, &run.State); err != nil {
			return fmt.Errorf("checkpoint of task %d: %w", task.ID, err)
		}
		return phase(ctx, run)
	}
}

// Create makes a task; see [Tx.CreateTask].
func (t Task[In, State, Out]) Create(tx *Tx, in In, options TaskOptions) (record.TaskID, error) {
	input, err := json.Marshal(in)
	if err != nil {
		return 0, fmt.Errorf("input of a task %q: %w", t.Definition.Name, err)
	}
	created, err := tx.CreateTask(t.Definition, input, options)
	return created.ID, err
}

// Result returns the result of a task of this kind that has ended, and an
// [*OutcomeError] when it ended in another way than completed.
func (t Task[In, State, Out]) Result(task record.Task) (result Out, err error) {
	outcome := task.State.Outcome
	if outcome == nil {
		return result, invalid(fmt.Sprintf("the result of task %d", task.ID), "it has not ended")
	}
	if outcome.Status != record.Completed {
		return result, &OutcomeError{Task: task.ID, Outcome: *outcome}
	}
	if err := json.Unmarshal(outcome.Result, &result); err != nil {
		return result, fmt.Errorf("result of task %d: %w", task.ID, err)
	}
	return result, nil
}

// OutcomeError is a task that has ended, but not as completed.
type OutcomeError struct {
	Task    record.TaskID
	Outcome record.Outcome
}

func (e *OutcomeError) Error() string {
	said := e.Outcome.Reason
	if e.Outcome.Error != nil {
		said = e.Outcome.Error.Message
	}
	if said == "" {
		return fmt.Sprintf("task %d is %s", e.Task, e.Outcome.Status)
	}
	return fmt.Sprintf("task %d is %s: %s", e.Task, e.Outcome.Status, said)
}

// Run is what one phase of a task, or its abort, works with.
type Run[In, State, Out any] struct {
	*Runtime
	// Input is the task's, and State its checkpoint when the phase began.
	Input In
	State State
}

// Commit changes the session like [Session.Commit], and with it, in the same commit,
// the task's own state. See [Runtime.Commit].
func (r *Run[In, State, Out]) Commit(ctx context.Context, change func(ctx context.Context, tx *Tx) (Next[State, Out], error)) error {
	return r.Runtime.Commit(ctx, stateOf(change))
}

// CommitUnlimited is Commit without a limit of time; see [Runtime.CommitUnlimited].
func (r *Run[In, State, Out]) CommitUnlimited(ctx context.Context, change func(ctx context.Context, tx *Tx) (Next[State, Out], error)) error {
	return r.Runtime.CommitUnlimited(ctx, stateOf(change))
}

// stateOf shows a change that gives a Next as one that gives a state.
func stateOf[State, Out any](change func(context.Context, *Tx) (Next[State, Out], error)) func(context.Context, *Tx, record.Task) (*record.TaskState, error) {
	return func(ctx context.Context, tx *Tx, _ record.Task) (*record.TaskState, error) {
		next, err := change(ctx, tx)
		if err == nil {
			err = next.err
		}
		return next.state, err
	}
}

// Next is what becomes of a task with a commit. The zero value leaves it as it is;
// the methods of [Run] make the others.
type Next[State, Out any] struct {
	state *record.TaskState
	err   error
}

// Unchanged leaves the task as it is.
func (r *Run[In, State, Out]) Unchanged() Next[State, Out] { return Next[State, Out]{} }

// Continue has the task go on from another checkpoint.
func (r *Run[In, State, Out]) Continue(state State) Next[State, Out] {
	checkpoint, err := json.Marshal(state)
	return Next[State, Out]{&record.TaskState{Status: record.Running, Checkpoint: checkpoint}, err}
}

// Wait has the task go on from a checkpoint once other tasks have ended. Nothing
// runs for it until then: the phase is to return.
func (r *Run[In, State, Out]) Wait(state State, policy record.JoinPolicy, on ...record.TaskID) Next[State, Out] {
	checkpoint, err := json.Marshal(state)
	return Next[State, Out]{&record.TaskState{Status: record.Waiting, Checkpoint: checkpoint, On: on, Policy: policy}, err}
}

// Complete ends the task with a result.
func (r *Run[In, State, Out]) Complete(result Out) Next[State, Out] {
	text, err := json.Marshal(result)
	return Next[State, Out]{ended(record.Outcome{Status: record.Completed, Result: text}), err}
}

// Fail ends the task with an error, and perhaps with what result there is. What it
// owns is aborted. The detail of a [*TaskFailure] in reason is kept.
func (r *Run[In, State, Out]) Fail(reason error, result ...Out) Next[State, Out] {
	outcome := record.Outcome{Status: record.Failed, Error: &record.TaskError{Message: reason.Error()}}
	var failure *TaskFailure
	if errors.As(reason, &failure) {
		outcome.Error.Detail = failure.Detail
	}
	return endedWith[State](outcome, result)
}

// Abort ends the task as aborted, for a reason that may be "", and perhaps with what
// result there is. What it owns is aborted.
func (r *Run[In, State, Out]) Abort(reason string, result ...Out) Next[State, Out] {
	return endedWith[State](record.Outcome{Status: record.Aborted, Reason: reason}, result)
}

func endedWith[State, Out any](outcome record.Outcome, result []Out) Next[State, Out] {
	var err error
	if len(result) > 0 {
		outcome.Result, err = json.Marshal(result[0])
	}
	return Next[State, Out]{ended(outcome), err}
}

func ended(outcome record.Outcome) *record.TaskState {
	return &record.TaskState{Status: record.Terminal, Outcome: &outcome}
}

// TaskFailure is an error with a detail, as JSON, that a failed outcome keeps.
type TaskFailure struct {
	Message string
	Detail  json.RawMessage
}

func (e *TaskFailure) Error() string { return e.Message }
