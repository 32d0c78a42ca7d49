package bind

import (
	"context"
	"encoding/json"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// task makes the definition of a task.
func (r reach) task(path string, task describedTask) *durable.TaskDefinition {
	definition := &durable.TaskDefinition{
		Name: task.Name, Version: task.Version,
		Phases: make(map[string]func(context.Context, *durable.Runtime) error, len(task.Phases)),
		Abort:  r.phase(path+".definition.abort", "abort of task "+task.Name),
		Initial: func(input json.RawMessage) (json.RawMessage, error) {
			return r.taskCode(context.Background(), path+".definition.initial", "initial of task "+task.Name, input)
		},
	}
	for _, phase := range task.Phases {
		definition.Phases[phase] = r.phase(path+".definition.phases."+phase, "phase "+phase+" of task "+task.Name)
	}
	if task.Migrates {
		definition.Migrate = func(ctx context.Context, input, checkpoint json.RawMessage, version int) (json.RawMessage, json.RawMessage, error) {
			text, err := r.taskCode(ctx, path+".definition.migrate", "migrate of task "+task.Name, input, checkpoint, version)
			if err != nil {
				return nil, nil, err
			}
			var migrated struct{ Input, Checkpoint json.RawMessage }
			err = json.Unmarshal(text, &migrated)
			return migrated.Input, migrated.Checkpoint, err
		}
	}
	return definition
}

// taskCode calls pure code of a task that gives JSON.
func (r reach) taskCode(ctx context.Context, path, what string, args ...any) (json.RawMessage, error) {
	text, err := r.caller.Call(ctx, r.limits.Change.job(what, nil), path, args...)
	if err != nil {
		return nil, err
	}
	made, _ := text.(string)
	return json.RawMessage(made), nil
}

// phase runs a phase of a task, or its abort. One that is lost with its isolate, for
// no fault of its own, runs again from its checkpoint.
func (r reach) phase(path, what string) func(context.Context, *durable.Runtime) error {
	job := r.limits.Tool.job(what, nil)
	job.Result = jsapi.AsNothing
	return func(ctx context.Context, run *durable.Runtime) error {
		current := run.Record()
		current.State.Status = record.Running
		made := new(phaseEnvironments)
		defer made.end()
		_, err := r.caller.Call(ctx, job, path, current, r.phaseObject(run, made), jsapi.OwnContext{})
		return lost(err)
	}
}
