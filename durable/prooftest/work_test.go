package prooftest

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// tallyState counts what the commits of a conversation did. Each of them changes it
// with what it counts.
type tallyState struct {
	Steps   int            `json:"steps,omitempty"`
	Last    record.EntryID `json:"last,omitempty"` // the entry of the last step
	Tasks   int            `json:"tasks,omitempty"`
	Forks   int            `json:"forks,omitempty"`
	Phases  int            `json:"phases,omitempty"`
	Answers int            `json:"answers,omitempty"`
}

func tally() durable.Document[tallyState] {
	return durable.DefineDocument(durable.DocumentSpec[tallyState]{
		Kind: "tally", Version: 1, Scope: record.ConversationScope, History: record.Rewindable, Fork: record.ForkAsOf,
		Initial:    func() tallyState { return tallyState{} },
		Checkpoint: func(_ *value.Object, _ delta.Ops, deltas int) bool { return deltas >= 10 },
	})
}

// The entries of the load. Those of steps have their number as data, those of phases
// their number in their task, and those of the journal the event that was heard.
const (
	stepEntry  = "step"
	phaseEntry = "phase"
	heardEntry = "heard"
)

type (
	stage = struct {
		Phase string `json:"phase"`
	}
	kind = durable.Task[int, stage, int]
	work = durable.Run[int, stage, int]
	next = durable.Next[stage, int]
)

// The phases of each kind of task, in the order in which a task goes through them.
func phases() map[string][]string {
	return map[string][]string{
		"tree": {"plant", "grow", "harvest"}, "leaf": {"unfold"}, "echo": {"listen", "answer"}, "stuck": {"begin", "hang"},
		"chain": {"first", "second", "last"}, "hang": {"hang"},
	}
}

// ended is the number of the phase of a task that has ended.
const ended = math.MaxInt32

// phaseNumber returns how far a task has got.
func phaseNumber(task record.Task) (int, error) {
	if task.State.Status == record.Terminal || task.State.Status == record.Completing {
		return ended, nil
	}
	var at stage
	if err := json.Unmarshal(task.State.Checkpoint, &at); err != nil {
		return 0, err
	}
	for i, name := range phases()[task.Kind] {
		if name == at.Phase {
			return i, nil
		}
	}
	return 0, fmt.Errorf("task %d of kind %s is in a phase %q", task.ID, task.Kind, at.Phase)
}

// tasks are the kinds of the load. Their phases have an effect outside of the
// session, a line in a journal, before they commit.
type tasks struct {
	effects io.Writer
	tree    kind
	leaf    kind
	echo    kind
	stuck   kind
}

func newTasks(effects io.Writer) *tasks {
	t := &tasks{effects: effects}
	t.leaf = t.kind("leaf", func(run *work, _ *durable.Tx) (next, error) { return run.Complete(run.Input), nil })
	t.tree = t.kind("tree", goOn("grow"), t.grow, func(run *work, _ *durable.Tx) (next, error) { return run.Complete(run.Input), nil })
	t.echo = t.kind("echo", goOn("answer"), answer)
	t.stuck = t.kind("stuck", t.begin, nil)
	return t
}

// aborted ends the run of the conversation too, when it is the task's.
func aborted(run *work, tx *durable.Tx) (next, error) {
	if run.Record().Kind == "echo" {
		if _, err := tx.EndRun(run.Conversation(), durable.RunEnd{Reason: durable.ReasonAborted}); err != nil {
			return next{}, err
		}
	}
	return run.Abort("asked"), nil
}

func goOn(phase string) func(*work, *durable.Tx) (next, error) {
	return func(run *work, _ *durable.Tx) (next, error) { return run.Continue(stage{phase}), nil }
}

// kind defines a task by what its phases commit; one without runs until it is
// signalled.
func (t *tasks) kind(name string, commits ...func(*work, *durable.Tx) (next, error)) kind {
	spec := durable.TaskSpec[int, stage, int]{
		Name: name, Version: 1,
		Initial: func(int) stage { return stage{phases()[name][0]} },
		Phases:  make(map[string]func(context.Context, *work) error),
		Abort: func(ctx context.Context, run *work) error {
			return run.Commit(ctx, counted(-1, aborted, run))
		},
	}
	for i, commit := range commits {
		spec.Phases[phases()[name][i]] = func(ctx context.Context, run *work) error {
			if commit == nil {
				<-ctx.Done()
				return context.Cause(ctx)
			}
			if _, err := fmt.Fprintf(t.effects, "do %d %d\n", run.TaskID(), i); err != nil {
				return err
			}
			err := run.Commit(ctx, counted(i, commit, run))
			if err == nil {
				_, err = fmt.Fprintf(t.effects, "did %d %d\n", run.TaskID(), i)
			}
			return err
		}
	}
	return durable.DefineTask(spec)
}

// counted adds the entry of a phase and its count to what the phase commits.
func counted(phase int, commit func(*work, *durable.Tx) (next, error), run *work) func(context.Context, *durable.Tx) (next, error) {
	return func(_ context.Context, tx *durable.Tx) (next, error) {
		count, err := tally().Edit(tx, durable.InConversation(run.Conversation()))
		if err != nil {
			return next{}, err
		}
		count.Phases++
		if _, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: phaseEntry, Data: number(phase)}); err != nil {
			return next{}, err
		}
		return commit(run, tx)
	}
}

func number(n int) json.RawMessage { return fmt.Append(nil, n) }

func (t *tasks) grow(run *work, tx *durable.Tx) (next, error) {
	var leaves []record.TaskID
	for i := range 2 {
		leaf, err := t.leaf.Create(tx, i, durable.TaskOptions{Ownership: durable.OwnedBy(run.TaskID())})
		if err != nil {
			return next{}, err
		}
		leaves = append(leaves, leaf)
	}
	return run.Wait(stage{"harvest"}, record.AllSettled, leaves...), nil
}

// begin makes a task below one that is stuck, which is stuck too.
func (t *tasks) begin(run *work, tx *durable.Tx) (next, error) {
	if run.Input > 0 {
		if _, err := t.stuck.Create(tx, run.Input-1, durable.TaskOptions{Ownership: durable.OwnedBy(run.TaskID())}); err != nil {
			return next{}, err
		}
	}
	return run.Continue(stage{"hang"}), nil
}

func answer(run *work, tx *durable.Tx) (next, error) {
	count, err := tally().Edit(tx, durable.InConversation(run.Conversation()))
	if err != nil {
		return next{}, err
	}
	count.Answers++
	said, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: durable.AssistantEntry})
	if err != nil {
		return next{}, err
	}
	if _, err := tx.EndRun(run.Conversation(), durable.RunEnd{Answer: said.ID}); err != nil {
		return next{}, err
	}
	return run.Complete(0), nil
}

// Start implements [durable.Runs].
func (t *tasks) Start(_ context.Context, tx *durable.Tx, in record.ConversationID) (record.TaskID, error) {
	return t.echo.Create(tx, 0, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in})
}

// Modes implements [durable.Runs].
func (t *tasks) Modes() durable.QueueModes { return durable.QueueModes{} }

// options are those of a session that works.
func (t *tasks) options() durable.Options {
	return durable.Options{
		Runs: t, Definitions: durable.FixedDefinitions(t.tree.Definition, t.leaf.Definition, t.echo.Definition, t.stuck.Definition),
		CommitBudget: -1, RestartLimit: -1,
	}
}
