package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// stage is the state of the tests' tasks.
type stage struct {
	Phase string `json:"phase"`
	N     int    `json:"n,omitempty"`
}

// kind is what the tests' tasks are of, work what they run, and next what becomes of
// them.
type (
	kind = durable.Task[int, stage, int]
	work = durable.Run[int, stage, int]
	next = durable.Next[stage, int]
)

// phases are what a task of the tests does; "abort" is its abort handler.
type phases map[string]func(context.Context, *work) error

// task defines a task that begins with the phase "begin".
func task(name string, does phases) kind {
	spec := durable.TaskSpec[int, stage, int]{
		Name: name, Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases:  make(map[string]func(context.Context, *work) error),
		Abort:   once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort("asked"), nil }),
	}
	for phase, do := range does {
		if phase == "abort" {
			spec.Abort = do
		} else {
			spec.Phases[phase] = do
		}
	}
	return durable.DefineTask(spec)
}

// once makes a phase of what it commits.
func once(change func(run *work, tx *durable.Tx) (next, error)) func(context.Context, *work) error {
	return func(ctx context.Context, run *work) error {
		return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) { return change(run, tx) })
	}
}

// completes is a phase that completes its task with its input.
func completes() func(context.Context, *work) error {
	return once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(run.Input), nil })
}

// hangs is a phase that runs until it is signalled.
func hangs(ctx context.Context, _ *work) error {
	<-ctx.Done()
	return context.Cause(ctx)
}

// registry are definitions that a test changes.
type registry struct {
	mu      sync.Mutex
	tasks   map[string]*durable.TaskDefinition
	changed map[int]func()
	last    int
	held    int
}

func defined(kinds ...kind) *registry {
	r := &registry{tasks: make(map[string]*durable.TaskDefinition), changed: make(map[int]func())}
	r.install(kinds...)
	return r
}

func (r *registry) change(do func()) {
	r.mu.Lock()
	do()
	var told []func()
	for _, changed := range r.changed {
		told = append(told, changed)
	}
	r.mu.Unlock()
	for _, changed := range told {
		changed()
	}
}

func (r *registry) install(kinds ...kind) {
	r.change(func() {
		for _, one := range kinds {
			r.tasks[one.Definition.Name] = one.Definition
		}
	})
}

func (r *registry) remove(name string) { r.change(func() { delete(r.tasks, name) }) }

func (r *registry) Subscribe(changed func()) func() {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.last++
	id := r.last
	r.changed[id] = changed
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		delete(r.changed, id)
	}
}

func (r *registry) Snapshot() durable.DefinitionSnapshot {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.held++
	s := &snapshot{of: r, tasks: make(map[string]*durable.TaskDefinition)}
	for name, definition := range r.tasks {
		s.tasks[name] = definition
	}
	return s
}

type snapshot struct {
	of       *registry
	tasks    map[string]*durable.TaskDefinition
	released bool
}

func (s *snapshot) Task(name string) (*durable.TaskDefinition, bool) {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.released {
		panic("the snapshot was released")
	}
	definition, found := s.tasks[name]
	return definition, found
}

func (s *snapshot) Release() {
	s.of.mu.Lock()
	defer s.of.mu.Unlock()
	if s.released {
		panic("the snapshot was released twice")
	}
	s.released = true
	s.of.held--
}

// openWith opens a session with some kinds of tasks.
func openWith(t testing.TB, kinds ...kind) *opened {
	t.Helper()
	return open(t, durable.Options{Definitions: defined(kinds...), Report: func(err error) { t.Log("reported:", err) }})
}

// create makes a task.
func (s *opened) create(of kind, in int, options durable.TaskOptions) (id record.TaskID) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) (err error) {
		id, err = of.Create(tx, in, options)
		return err
	})
	return id
}

// own are the options of a conversation's own task, and child those of a task's.
func own(conversation record.ConversationID) durable.TaskOptions {
	return durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation}
}

func child(owner record.TaskID) durable.TaskOptions {
	return durable.TaskOptions{Ownership: durable.OwnedBy(owner)}
}

func background(conversation record.ConversationID) durable.TaskOptions {
	options := own(conversation)
	options.Background = true
	return options
}

// end waits for a task and returns its receipt.
func (s *opened) end(id record.TaskID) record.Task {
	s.t.Helper()
	ended, err := s.WaitForTask(within(s.t), id)
	if err != nil {
		s.t.Fatal(err)
	}
	return ended
}

// outcome waits for a task and returns how it ended.
func (s *opened) outcome(id record.TaskID) record.Outcome {
	s.t.Helper()
	return *s.end(id).State.Outcome
}

// stored returns a task as it is stored.
func (s *opened) stored(id record.TaskID) record.Task {
	s.t.Helper()
	found, there, err := s.Task(within(s.t), id)
	if err != nil || !there {
		s.t.Fatal("task", id, there, err)
	}
	return found
}

// resume has the session run tasks.
func (s *opened) resume() {
	s.t.Helper()
	if err := s.Resume(); err != nil {
		s.t.Fatal(err)
	}
}

// crash goes on with what is stored now, as if the process had ended here.
func (s *opened) crash() {
	s.t.Helper()
	now := s.memory.Clone()
	s.stop()
	s.memory = now
	s.start()
}

// eventually waits until something is so, that is told by nobody.
func eventually(t testing.TB, so func() bool) {
	t.Helper()
	for end := time.Now().Add(time.Minute); !so(); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it does not happen")
		}
	}
}

func TestATaskRunsItsPhasesToItsOutcome(t *testing.T) {
	double := task("double", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "begun"})
			return run.Continue(stage{"end", 2 * run.Input}), err
		}),
		"end": once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "ended"})
			return run.Complete(run.State.N), err
		}),
	})
	s := openWith(t, double)
	in := s.conversation()
	id := s.create(double, 21, own(in))
	if got := s.stored(id).State.Status; got != record.Pending {
		t.Errorf("before the session schedules the task is %s", got)
	}
	ended := s.end(id)
	result, err := double.Result(ended)
	if err != nil || result != 42 {
		t.Errorf("got %d, %v", result, err)
	}
	if ended.State.Checkpoint != nil {
		t.Errorf("the receipt is %+v", ended)
	}
	if diff := cmp.Diff([]string{"begun", "ended"}, kinds(t, s, in)); diff != "" {
		t.Error(diff)
	}
	for entry, err := range s.Entries(within(t), durable.EntryQuery{Conversation: in}) {
		if err != nil || entry.Task != id {
			t.Errorf("entry %d is of task %d, %v", entry.ID, entry.Task, err)
		}
	}
	var missing *durable.NotFoundError
	if _, err := s.WaitForTask(within(t), 4711); !errors.As(err, &missing) {
		t.Errorf("waiting for no task: %v", err)
	}
}

func TestADefinitionIsChecked(t *testing.T) {
	whole := func() *durable.TaskDefinition { return task("whole", phases{"begin": completes()}).Definition }
	s := openWith(t)
	in := s.conversation()
	for name, spoil := range map[string]func(*durable.TaskDefinition){
		"name":    func(d *durable.TaskDefinition) { d.Name = "" },
		"long":    func(d *durable.TaskDefinition) { d.Name = strings.Repeat("x", 2000) },
		"version": func(d *durable.TaskDefinition) { d.Version = 0 },
		"initial": func(d *durable.TaskDefinition) { d.Initial = nil },
		"phases":  func(d *durable.TaskDefinition) { d.Phases = nil },
		"phase":   func(d *durable.TaskDefinition) { d.Phases["begin"] = nil },
		"abort":   func(d *durable.TaskDefinition) { d.Abort = nil },
		"no phase in the checkpoint": func(d *durable.TaskDefinition) {
			d.Initial = func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"Phase":"begin"}`), nil }
		},
		"unknown phase": func(d *durable.TaskDefinition) {
			d.Initial = func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`{"phase":"other"}`), nil }
		},
		"no object": func(d *durable.TaskDefinition) {
			d.Initial = func(json.RawMessage) (json.RawMessage, error) { return json.RawMessage(`["phase"]`), nil }
		},
	} {
		t.Run(name, func(t *testing.T) {
			definition := whole()
			spoil(definition)
			err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
				_, err := tx.CreateTask(definition, nil, own(in))
				return err
			})
			var refused *durable.InvalidError
			if !errors.As(err, &refused) {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestATaskNamesItsOwner(t *testing.T) {
	one := task("one", phases{"begin": hangs})
	s := openWith(t, one)
	in, other := s.conversation(), s.conversation()
	owner := s.create(one, 0, own(in))
	var invalid *durable.InvalidError
	var elsewhere *durable.OwnerError
	var missing *durable.NotFoundError
	for name, c := range map[string]struct {
		options durable.TaskOptions
		as      any
		says    string
	}{
		"unsaid":                   {durable.TaskOptions{Conversation: in}, &invalid, "ownership"},
		"ownerless":                {durable.TaskOptions{Ownership: durable.Ownerless(), Conversation: in}, &invalid, "ownership"},
		"no conversation":          {durable.TaskOptions{Ownership: durable.OfConversation()}, &invalid, "conversation is not said"},
		"unknown conversation":     {own(4711), &missing, "no conversation 4711"},
		"unknown owner":            {child(4711), &missing, "no task 4711"},
		"another conversation":     {durable.TaskOptions{Ownership: durable.OwnedBy(owner), Conversation: other}, &elsewhere, "owner's conversation"},
		"a background child":       {durable.TaskOptions{Ownership: durable.OwnedBy(owner), Background: true}, &elsewhere, "cannot be background"},
		"abandoned without owner":  {durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: in, AbandonOnRestart: true}, &invalid, "another one owns"},
		"its owner's conversation": {options: child(owner)},
		"said again":               {options: durable.TaskOptions{Ownership: durable.OwnedBy(owner), Conversation: in, AbandonOnRestart: true}},
	} {
		t.Run(name, func(t *testing.T) {
			var id record.TaskID
			err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) (err error) {
				id, err = one.Create(tx, 0, c.options)
				return err
			})
			if c.as != nil {
				if !errors.As(err, c.as) || !strings.Contains(err.Error(), c.says) {
					t.Errorf("got %v", err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if made := s.stored(id); made.Conversation != in || made.Owner != owner {
				t.Errorf("made %+v", made)
			}
		})
	}
}

func TestNewTasksOfAPhaseAreInItsConversation(t *testing.T) {
	leaf := task("leaf", phases{"begin": completes()})
	var made record.TaskID
	root := task("root", phases{"begin": once(func(run *work, tx *durable.Tx) (_ next, err error) {
		made, err = leaf.Create(tx, 1, durable.TaskOptions{Ownership: durable.OfConversation()})
		return run.Complete(0), err
	})})
	s := openWith(t, leaf, root)
	s.conversation()
	in := s.conversation()
	s.end(s.create(root, 0, own(in)))
	if got := s.stored(made); got.Conversation != in || got.Owner != 0 {
		t.Errorf("the task is %+v", got)
	}
}

// TestATaskThatWasCreatedIsTheCallers changes what CreateTask and MemoOnce return: what is
// stored stays.
func TestATaskThatWasCreatedIsTheCallers(t *testing.T) {
	memo := make(chan string, 1)
	kind := task("kept", phases{"begin": func(ctx context.Context, run *work) error {
		for range 2 {
			kept, err := run.MemoOnce(ctx, "m", json.RawMessage(`"first"`))
			if err != nil {
				return err
			}
			copy(kept, `"other"`)
		}
		kept, _, err := run.Memo(ctx, "m")
		memo <- string(kept)
		if err != nil {
			return err
		}
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(run.Input), nil })(ctx, run)
	}})
	s := open(t, durable.Options{Definitions: defined(kind)})
	in := s.conversation()
	var created record.Task
	s.commit(func(tx *durable.Tx) (err error) {
		created, err = tx.CreateTask(kind.Definition, json.RawMessage("17"), own(in))
		if err == nil {
			created.Input[0], created.State.Checkpoint[0] = '9', '9'
		}
		return err
	})
	if got := s.outcome(created.ID); string(got.Result) != "17" {
		t.Errorf("the result is %s", got.Result)
	}
	if got := <-memo; got != `"first"` {
		t.Errorf("the memo is %s", got)
	}
}
