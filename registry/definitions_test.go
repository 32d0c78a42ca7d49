package registry_test

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// sessionOf is a session whose definitions are a registry's.
type sessionOf struct {
	*durable.Session
	t testing.TB
}

func openSession(t testing.TB, r *registry.Registry, options durable.Options, builtin ...*durable.TaskDefinition) sessionOf {
	t.Helper()
	options.Definitions = r.Definitions(builtin...)
	session, err := durable.Open(t.Context(), &memory.Storage{}, options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close(context.Background()) })
	return sessionOf{session, t}
}

// create makes a task in a conversation of its own.
func (s sessionOf) create(definition *durable.TaskDefinition) (in record.ConversationID, task record.TaskID) {
	s.t.Helper()
	err := s.Commit(s.t.Context(), func(_ context.Context, tx *durable.Tx) error {
		conversation, err := tx.CreateConversation(durable.Ownerless())
		if err != nil {
			return err
		}
		created, err := tx.CreateTask(definition, nil, durable.TaskOptions{Ownership: durable.OfConversation(), Conversation: conversation.ID})
		in, task = conversation.ID, created.ID
		return err
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return in, task
}

func (s sessionOf) result(id record.TaskID) string {
	s.t.Helper()
	task, err := s.WaitForTask(s.t.Context(), id)
	if err != nil {
		s.t.Fatal(err)
	}
	if task.State.Outcome.Status != record.Completed {
		s.t.Fatalf("task %d: %+v %+v", id, task.State.Outcome, task.State.Outcome.Error)
	}
	return string(task.State.Outcome.Result)
}

type steps map[string]func(ctx context.Context, run *durable.Runtime) (*record.TaskState, error)

// working is a task whose phases commit what they return.
func working(name string, phases steps) *durable.TaskDefinition {
	definition := task(name, 1)
	definition.Phases = map[string]func(context.Context, *durable.Runtime) error{}
	for phase, work := range phases {
		definition.Phases[phase] = func(ctx context.Context, run *durable.Runtime) error {
			next, err := work(ctx, run)
			if err != nil {
				return err
			}
			return run.Commit(ctx, func(context.Context, *durable.Tx, record.Task) (*record.TaskState, error) { return next, nil })
		}
	}
	return definition
}

func completed(result string) *record.TaskState {
	text, _ := json.Marshal(result)
	return &record.TaskState{Status: record.Terminal, Outcome: &record.Outcome{Status: record.Completed, Result: text}}
}

func goOn(phase string) *record.TaskState {
	return &record.TaskState{Status: record.Running, Checkpoint: json.RawMessage(`{"phase":"` + phase + `"}`)}
}

func withTask(definition *durable.TaskDefinition) registry.Instance {
	return registry.Instance{Tasks: []registry.TaskDeclaration{{Definition: definition}}}
}

// TestTheNextPhaseRunsTheCodeOfTheNextGeneration also shows that a phase holds the
// generation it began with, which can be found from it.
func TestTheNextPhaseRunsTheCodeOfTheNextGeneration(t *testing.T) {
	r := registry.New(registry.Options{})
	began, goes := make(chan string), make(chan struct{})
	of := func(commit string) *durable.TaskDefinition {
		return working("work", steps{
			"run": func(ctx context.Context, run *durable.Runtime) (*record.TaskState, error) {
				began <- registry.GenerationOf(run.Definitions()).Commit()
				<-goes
				return goOn("end"), nil
			},
			"end": func(context.Context, *durable.Runtime) (*record.TaskState, error) { return completed(commit), nil },
		})
	}
	first := of("c1")
	old := promote(t, r, "c1", world("a", withTask(first)))
	s := openSession(t, r, durable.Options{})
	_, id := s.create(first)
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	if commit := <-began; commit != "c1" {
		t.Errorf("the phase began with %q", commit)
	}
	next, problems := stage(t, r, "c2", world("a", withTask(of("c2")))).Validate()
	if next == nil {
		t.Fatal(problems)
	}
	if _, err := r.Promote(next); err != nil {
		t.Fatal(err)
	}
	select {
	case <-old.Drained():
		t.Error("the phase does not hold its generation")
	default:
	}
	close(goes)
	if got := s.result(id); got != `"c2"` {
		t.Errorf("the next phase was that of %s", got)
	}
	<-old.Drained()
}

func TestATaskOfAnExtensionThatWentIsBlockedUntilItIsBack(t *testing.T) {
	r := registry.New(registry.Options{})
	definition := working("work", steps{"run": func(context.Context, *durable.Runtime) (*record.TaskState, error) {
		return completed("done"), nil
	}})
	promote(t, r, "c1", world("a", withTask(definition)))
	s := openSession(t, r, durable.Options{})
	_, id := s.create(definition)
	promote(t, r, "c2")
	if err := s.Resume(); err != nil {
		t.Fatal(err)
	}
	found, err := s.Inspect(t.Context())
	if err != nil || len(found.Tasks) != 1 || found.Tasks[0].Blocked == nil || found.Tasks[0].Blocked.Reason != durable.MissingTask {
		t.Fatalf("got %+v, %v", found.Tasks, err)
	}
	promote(t, r, "c3", world("a", withTask(definition)))
	if got := s.result(id); got != `"done"` {
		t.Errorf("got %s", got)
	}
}

func TestBuiltInTasksAreInEveryGeneration(t *testing.T) {
	r := registry.New(registry.Options{})
	builtin := task("pi.generation", 1)
	snapshot := r.Definitions(builtin).Snapshot()
	defer snapshot.Release()
	promoteOver := func(e *extension) []registry.Problem {
		g, problems := stage(t, r, "c", e).Validate()
		if g != nil {
			t.Error("the commit is good")
		}
		return problems
	}
	for _, name := range []string{"pi.generation", "pi.other"} {
		problems := promoteOver(world("a", withTask(task(name, 1))))
		if len(problems) != 1 || problems[0].Rule != registry.RuleDuplicateTask || !strings.Contains(problems[0].Message, "reserved") {
			t.Errorf("%s: %v", name, problems)
		}
	}
	if got, found := snapshot.Task("pi.generation"); !found || got != builtin {
		t.Errorf("got %v, %v", got, found)
	}
	if _, found := snapshot.Task("pi.other"); found {
		t.Error("it finds what is not there")
	}
	if other := registry.GenerationOf(durable.FixedDefinitions().Snapshot()); other != nil {
		t.Errorf("another snapshot has the generation %v", other)
	}
}

// TestATaskAsksTheHooksOfTheSelectedExtensions also shows that hooks are found by the
// name of the task, and that one of them fails alone.
func TestATaskAsksTheHooksOfTheSelectedExtensions(t *testing.T) {
	r := registry.New(registry.Options{})
	ask := func(ctx context.Context, run *durable.Runtime) (*record.TaskState, error) {
		var said []string
		err := run.EachHook(ctx, "onStep", func(_ context.Context, handler any) error {
			text, err := handler.(func() (string, error))()
			if err == nil {
				said = append(said, text)
			}
			return err
		})
		return completed(strings.Join(said, " ")), err
	}
	definition := working("work", steps{"run": ask})
	says := func(texts ...string) registry.Instance {
		var in registry.Instance
		for _, text := range texts {
			in.Hooks = append(in.Hooks, registry.Hook{Kind: registry.TaskHook("work", "onStep"), Handler: func() (string, error) {
				if text == "" {
					return "", fmt.Errorf("nothing to say")
				}
				return text, nil
			}}, registry.Hook{Kind: registry.TaskHook("work", "onOther"), Handler: "other"}, registry.Hook{Kind: registry.TaskHook("play", "onStep"), Handler: "play"})
		}
		return in
	}
	promote(t, r, "c1", world("a", says("a1", "", "a2")), world("b", says("b")), world("c", says("c")), world("d", withTask(definition)))
	var reported []string
	s := openSession(t, r, durable.Options{
		Report: func(err error) { reported = append(reported, err.Error()) },
		Hooks: registry.HookSource(func(ctx context.Context, in record.ConversationID) (registry.AgentChoice, error) {
			if in == 0 {
				return registry.AgentChoice{}, fmt.Errorf("no conversation")
			}
			return registry.AgentChoice{State: durable.AgentState{Extensions: exactly("c", "a")}}, nil
		}),
	})
	_, id := s.create(definition)
	if got := s.result(id); got != `"c a1 a2"` || len(reported) != 1 || !strings.Contains(reported[0], "nothing to say") {
		t.Errorf("got %s, reported %q", got, reported)
	}
}

func TestSubscribersOfDefinitionsHearOfEachChange(t *testing.T) {
	r := registry.New(registry.Options{})
	d := r.Definitions()
	var versions []int
	stop := d.Subscribe(func() {
		snapshot := d.Snapshot()
		defer snapshot.Release()
		definition, _ := snapshot.Task("work")
		versions = append(versions, definition.Version)
	})
	for version := 1; version <= 3; version++ {
		promote(t, r, "c", world("a", withTask(task("work", version))))
	}
	stop()
	promote(t, r, "c", world("a", withTask(task("work", 4))))
	if diff := cmp.Diff([]int{1, 2, 3}, versions); diff != "" {
		t.Errorf("versions (-want +got):\n%s", diff)
	}
}

// TestAHookKeepsItsDecisionInAMemo asks it in two phases, as after a crash, and shows
// what it reads.
func TestAHookKeepsItsDecisionInAMemo(t *testing.T) {
	candidates := 0
	hook := registry.Hook{Kind: registry.HookOnYield, OnYield: func(ctx context.Context, at registry.HookContext, _ *message.Assistant) (*message.Content, error) {
		candidates++
		kept, err := durable.MemoOnce(ctx, at.Runtime, "x.turn", fmt.Sprintf("candidate %d", candidates))
		if err != nil {
			return nil, err
		}
		state, _, err := durable.AgentDocument.Read(ctx, at.Runtime, durable.InConversation(at.Conversation))
		return &message.Content{Text: kept + " in " + state.Cwd}, err
	}}
	ask := func(ctx context.Context, run *durable.Runtime) (string, error) {
		g := registry.GenerationOf(run.Definitions())
		turn, err := g.Agent(ctx, registry.AgentChoice{}).OnYield(ctx, registry.Asking{Runtime: run, Conversation: run.Conversation()}, &message.Assistant{})
		if err != nil || turn == nil {
			return "", err
		}
		return turn.Text, nil
	}
	var first string
	definition := working("work", steps{
		"run": func(ctx context.Context, run *durable.Runtime) (next *record.TaskState, err error) {
			first, err = ask(ctx, run)
			return goOn("again"), err
		},
		"again": func(ctx context.Context, run *durable.Runtime) (*record.TaskState, error) {
			second, err := ask(ctx, run)
			return completed(first + ", then " + second), err
		},
	})
	r := registry.New(registry.Options{})
	promote(t, r, "c1", world("a", registry.Instance{Tasks: []registry.TaskDeclaration{{Definition: definition}}, Hooks: []registry.Hook{hook}}))
	s := openSession(t, r, durable.Options{})
	in, id := s.create(definition)
	err := s.Commit(t.Context(), func(_ context.Context, tx *durable.Tx) error {
		return durable.Configure(tx, in, durable.AgentChange{Cwd: durable.Set("/src")})
	})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := s.result(id), `"candidate 1 in /src, then candidate 1 in /src"`; got != want || candidates != 2 {
		t.Errorf("got %s after %d", got, candidates)
	}
}
