package durable

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// TaskDefinition says what a kind of task does (section 5.1 of the pi-durable
// specification). Tasks are stored with the name of their definition, not with the
// definition itself: whoever opens the session brings it ([Options.Definitions]). A
// definition must not be changed, and each of its pointers is another definition:
// when the one of a name is replaced, a running task goes on under the new one from
// its next phase. Go programs have it made by [DefineTask].
type TaskDefinition struct {
	// Name is the stable name, and Version, 1 or more, that of the shapes of input
	// and checkpoint.
	Name    string
	Version int
	// Initial returns the checkpoint that a new task begins with. A checkpoint is a
	// JSON object whose member "phase" names the phase that runs next.
	Initial func(input json.RawMessage) (checkpoint json.RawMessage, err error)
	// Phases are what the task does, by name. A phase ends by committing another
	// checkpoint, a wait or an outcome ([Runtime.Commit]); one that returns without
	// it, or with an error other than [ErrRunAgain], has the task end as faulted. What runs a phase again
	// after a restart is its checkpoint: whatever it does outside of commits may be
	// done twice.
	Phases map[string]func(ctx context.Context, run *Runtime) error
	// Abort decides the outcome of a task that is aborted, and must commit one. It
	// runs after everything that the task owns has ended, and may neither wait for
	// other tasks nor own new ones.
	Abort func(ctx context.Context, run *Runtime) error
	// Migrate makes input and checkpoint of an older version those of this one; nil
	// cannot take on older tasks. It is called outside of commits, for several tasks at
	// once, and has [Options.CommitBudget]. Its context ends when that is over, which
	// blocks the task like an error does, and when the session is closed, which waits
	// for it.
	Migrate func(ctx context.Context, input, checkpoint json.RawMessage, version int) (newInput, newCheckpoint json.RawMessage, err error)
	// Hooks describes the hooks that the task asks, for those who register some. A
	// session does not look at it.
	Hooks any
}

// Check returns an [*InvalidError] for a definition that lacks something.
func (d *TaskDefinition) Check() error {
	if d == nil {
		return invalid("a task", "it has no definition")
	}
	what := fmt.Sprintf("the definition of the task %q", d.Name)
	switch {
	case d.Name == "":
		return invalid(what, "it has no name")
	case d.Version < 1:
		return invalid(what, "its version is %d, and must be a positive integer", d.Version)
	case d.Initial == nil:
		return invalid(what, "it has no initial checkpoint")
	case len(d.Phases) == 0:
		return invalid(what, "it has no phases")
	case d.Abort == nil:
		return invalid(what, "it does not say what an abort does")
	}
	for _, name := range slices.Sorted(maps.Keys(d.Phases)) {
		if d.Phases[name] == nil {
			return invalid(what, "its phase %q does nothing", name)
		}
	}
	return checkName(what, d.Name)
}

// checkpoint returns a checkpoint in its stored form, or an [*InvalidError] for what
// is none of this definition.
func (d *TaskDefinition) checkpoint(from json.RawMessage) (json.RawMessage, error) {
	what := fmt.Sprintf("a checkpoint of the task %q", d.Name)
	if err := checkUTF8(what, from); err != nil {
		return nil, err
	}
	parsed, err := value.Parse(from)
	if err != nil {
		return nil, invalid(what, "%s", err)
	}
	phase, err := phaseOf(parsed)
	if err != nil {
		return nil, invalid(what, "%s", err)
	}
	if d.Phases[phase] == nil {
		return nil, invalid(what, "there is no phase %q, but %q", phase, slices.Sorted(maps.Keys(d.Phases)))
	}
	return value.Append(nil, parsed), nil
}

// phaseOf returns the name of the phase that a checkpoint names.
func phaseOf(checkpoint value.Value) (string, error) {
	object, is := checkpoint.(*value.Object)
	if !is {
		return "", fmt.Errorf("it is %s, and must be an object", value.Kind(checkpoint))
	}
	phase, _ := object.Get("phase")
	name, is := phase.(value.String)
	if !is {
		return "", errors.New(`it has no member "phase" that is a text`)
	}
	return string(name), nil
}

// storedPhase returns the name of the phase that a stored checkpoint names.
func storedPhase(task record.Task) (string, error) {
	parsed, err := value.Parse(task.State.Checkpoint)
	if err != nil {
		return "", err
	}
	return phaseOf(parsed)
}

// sameJSON says whether two texts say the same value, whatever the order of members.
func sameJSON(a, b json.RawMessage) bool {
	if string(a) == string(b) {
		return true
	}
	left, err := value.Parse(a)
	if err != nil {
		return false
	}
	right, err := value.Parse(b)
	return err == nil && value.Equivalent(left, right)
}

// normalized returns JSON as it is stored; nothing is null.
func normalized(what string, from json.RawMessage) (json.RawMessage, error) {
	if from == nil {
		return json.RawMessage("null"), nil
	}
	if err := checkUTF8(what, from); err != nil {
		return nil, err
	}
	parsed, err := value.Parse(from)
	if err != nil {
		return nil, invalid(what, "%s", err)
	}
	return value.Append(nil, parsed), nil
}
