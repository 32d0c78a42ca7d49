package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// reports are what a session has reported.
type reports struct {
	mu   sync.Mutex
	said []error
}

func (r *reports) add(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.said = append(r.said, err)
}

func (r *reports) all() []error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]error{}, r.said...)
}

// inspected returns a live task with what it does.
func (s *opened) inspected(id record.TaskID) (found durable.TaskInspection) {
	s.t.Helper()
	now, err := s.Inspect(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	for _, one := range now.Tasks {
		if one.Task.ID == id {
			return one
		}
	}
	s.t.Fatalf("task %d is not live", id)
	return found
}

// blocked waits until a task is blocked and returns why.
func (s *opened) blocked(id record.TaskID) *durable.BlockedError {
	s.t.Helper()
	var found durable.TaskInspection
	eventually(s.t, func() bool {
		found = s.inspected(id)
		return found.State == durable.TaskBlocked
	})
	return found.Blocked
}

// version returns a kind with another version.
func version(of kind, version int, migrate func(ctx context.Context, input, checkpoint json.RawMessage, from int) (json.RawMessage, json.RawMessage, error)) kind {
	other := *of.Definition
	other.Version, other.Migrate = version, migrate
	return kind{Definition: &other}
}

func TestOpenRefusesDefinitionsThatLackARequiredTask(t *testing.T) {
	s := openWith(t)
	one := task("pi.one", phases{"begin": completes()})
	_, err := durable.Open(within(t), s.memory.Clone(), durable.Options{
		Definitions: defined(one), Required: []string{"pi.one", "pi.two", "pi.three"},
	})
	if err == nil || !strings.Contains(err.Error(), `lacks built-in tasks "pi.two", "pi.three"`) {
		t.Errorf("got %v", err)
	}
}

func TestNothingRunsBeforeTheSessionSchedules(t *testing.T) {
	ran := make(chan record.TaskID, 10)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		ran <- run.TaskID()
		return hangs(ctx, run)
	}})
	s := openWith(t, one)
	in := s.conversation()
	first := s.create(one, 0, own(in))
	s.resume()
	<-ran
	if got := s.stored(first).State.Status; got != record.Running {
		t.Errorf("what runs is %s", got)
	}
	s.crash()
	second := s.create(one, 0, own(in))
	for id, status := range map[record.TaskID]record.Status{first: record.Running, second: record.Pending} {
		if got := s.inspected(id); got.Task.State.Status != status || got.State != durable.TaskReady {
			t.Errorf("task %d is %s, %s", id, got.Task.State.Status, got.State)
		}
	}
	now, err := s.Inspect(within(t))
	if err != nil || now.Scheduling != durable.Paused || len(ran) > 0 {
		t.Errorf("scheduling is %s, %v; %d ran", now.Scheduling, err, len(ran))
	}
	s.resume()
	s.resume()
	<-ran
	<-ran
	if now, _ = s.Inspect(within(t)); now.Scheduling != durable.Scheduled {
		t.Errorf("scheduling is %s", now.Scheduling)
	}
	if got := s.inspected(second); got.State != durable.TaskRunning {
		t.Errorf("what runs is inspected as %s", got.State)
	}
}

func TestBlockedTasksWaitForADefinition(t *testing.T) {
	one := task("one", phases{"begin": completes()})
	failing := func(context.Context, json.RawMessage, json.RawMessage, int) (json.RawMessage, json.RawMessage, error) {
		return nil, nil, errors.New("cannot")
	}
	for name, c := range map[string]struct {
		there  *kind
		reason durable.BlockedReason
	}{
		"missing": {nil, durable.MissingTask},
		"older":   {new(version(one, 1, nil)), durable.TaskTooOld},
		"newer":   {new(version(one, 3, nil)), durable.MigrationFailed},
		"failing": {new(version(one, 3, failing)), durable.MigrationFailed},
		"panicking": {new(version(one, 3, func(context.Context, json.RawMessage, json.RawMessage, int) (json.RawMessage, json.RawMessage, error) {
			panic("gone")
		})), durable.MigrationFailed},
		"gone": {new(version(one, 3, func(context.Context, json.RawMessage, json.RawMessage, int) (json.RawMessage, json.RawMessage, error) {
			runtime.Goexit()
			return nil, nil, nil
		})), durable.MigrationFailed},
		"nonsense": {new(version(one, 3, func(context.Context, json.RawMessage, json.RawMessage, int) (json.RawMessage, json.RawMessage, error) {
			return json.RawMessage("1"), json.RawMessage(`{"phase":"unknown"}`), nil
		})), durable.MigrationFailed},
	} {
		t.Run(name, func(t *testing.T) {
			known, told := defined(), &reports{}
			if c.there != nil {
				known.install(*c.there)
			}
			s := open(t, durable.Options{Definitions: known, Report: told.add})
			in := s.conversation()
			waits, aborted := s.create(version(one, 2, nil), 5, own(in)), s.create(version(one, 2, nil), 6, own(in))
			s.resume()
			for range 2 {
				why := s.blocked(waits)
				if why.Reason != c.reason {
					t.Errorf("blocked because of %s", why.Reason)
				}
				if got := s.stored(waits); got.State.Status != record.Pending || got.StartedAt != 0 {
					t.Errorf("the record is %+v", got)
				}
				known.install() // nothing new, but a change
			}
			if result, err := s.AbortTask(within(t), aborted); result != durable.AbortMarked || err != nil {
				t.Errorf("the abort: %v, %v", result, err)
			}
			if got := s.outcome(aborted); got.Status != record.Orphaned || got.Reason != string(c.reason) {
				t.Errorf("aborted, it is %+v", got)
			}
			failures := func() (n int) {
				for _, err := range told.all() {
					var why *durable.BlockedError
					if errors.As(err, &why) && why.Reason == durable.MigrationFailed && why.Task == waits {
						n++
					}
				}
				return n
			}
			want := map[bool]int{true: 1}[c.reason == durable.MigrationFailed]
			eventually(t, func() bool { return failures() >= want })
			known.install(version(one, 2, nil))
			if got := s.outcome(waits); string(got.Result) != "5" {
				t.Errorf("installed, it is %+v", got)
			}
			if failures() != want {
				t.Errorf("failed migrations were reported: %v", told.all())
			}
		})
	}
}

func TestAMigrationRunsOnceForEachDefinition(t *testing.T) {
	one := task("one", phases{"begin": completes()})
	var mu sync.Mutex
	tries := map[record.TaskID]int{}
	first := version(one, 2, func(_ context.Context, _, _ json.RawMessage, _ int) (json.RawMessage, json.RawMessage, error) {
		mu.Lock()
		defer mu.Unlock()
		tries[0]++
		return nil, nil, errors.New("cannot")
	})
	known := defined(first)
	s := open(t, durable.Options{Definitions: known, Report: func(error) {}})
	id := s.create(one, 20, own(s.conversation()))
	s.resume()
	s.blocked(id)
	for range 5 {
		known.install()
	}
	eventually(t, func() bool {
		why := s.inspected(id).Blocked
		return why != nil && why.Err != nil
	})
	known.install(version(one, 3, func(_ context.Context, input, checkpoint json.RawMessage, from int) (json.RawMessage, json.RawMessage, error) {
		if string(input) != "20" || string(checkpoint) != `{"phase":"begin"}` || from != 1 {
			t.Errorf("migrates %s at %s from %d", input, checkpoint, from)
		}
		return json.RawMessage("21"), checkpoint, nil
	}))
	ended := s.end(id)
	if string(ended.State.Outcome.Result) != "21" || ended.Version != 3 || string(ended.Input) != "21" {
		t.Errorf("it ended as %+v, %+v", ended, ended.State.Outcome)
	}
	if tries[0] != 1 {
		t.Errorf("the migration was tried %d times", tries[0])
	}
}

func TestTheNextPhaseRunsTheNewCode(t *testing.T) {
	reached, goOn := make(chan bool), make(chan bool)
	tells := func(text string) func(context.Context, *work) error {
		return once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: text})
			return run.Complete(0), err
		})
	}
	begin := func(ctx context.Context, run *work) error {
		reached <- true
		<-goOn
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Continue(stage{Phase: "end"}), nil })(ctx, run)
	}
	old, renewed := task("one", phases{"begin": begin, "end": tells("old")}), task("one", phases{"begin": begin, "end": tells("new")})
	for name, c := range map[string]struct {
		change  func(*registry)
		want    string
		version int
		told    bool
	}{
		"nothing":    {func(*registry) {}, "old", 1, false},
		"other code": {func(r *registry) { r.install(renewed) }, "new", 1, false},
		"newer": {func(r *registry) {
			r.install(version(renewed, 2, func(_ context.Context, input, checkpoint json.RawMessage, _ int) (json.RawMessage, json.RawMessage, error) {
				return input, checkpoint, nil
			}))
		}, "new", 2, false},
		"newer without migration": {func(r *registry) { r.install(version(renewed, 2, nil)) }, "old", 1, true},
		"none":                    {func(r *registry) { r.remove("one") }, "old", 1, true},
	} {
		t.Run(name, func(t *testing.T) {
			known, told := defined(old), &reports{}
			s := open(t, durable.Options{Definitions: known, Report: told.add})
			in := s.conversation()
			id := s.create(old, 0, own(in))
			s.resume()
			<-reached
			c.change(known)
			goOn <- true
			ended := s.end(id)
			if diff := cmp.Diff([]string{c.want}, kinds(t, s, in)); diff != "" || ended.Version != c.version {
				t.Errorf("version %d: %s", ended.Version, diff)
			}
			if said := told.all(); (len(said) == 1) != c.told {
				t.Errorf("reported: %v", said)
			}
		})
	}
}

func TestSnapshotsAreGivenBack(t *testing.T) {
	known := defined(task("one", phases{"begin": completes()}))
	s := open(t, durable.Options{Definitions: known})
	in := s.conversation()
	for range 20 {
		s.create(task("one", phases{"begin": completes()}), 0, own(in))
	}
	if err := s.WaitForIdle(within(t)); err != nil {
		t.Fatal(err)
	}
	s.reopen()
	known.mu.Lock()
	defer known.mu.Unlock()
	if known.held != 0 {
		t.Errorf("%d snapshots are still held", known.held)
	}
}

func TestInspectTellsWhatLiveTasksDo(t *testing.T) {
	started := make(chan bool, 1)
	runs := task("runs", phases{"begin": func(ctx context.Context, run *work) error {
		started <- true
		return hangs(ctx, run)
	}})
	waits := task("waits", phases{"begin": once(func(run *work, _ *durable.Tx) (next, error) {
		return run.Wait(stage{Phase: "begin", N: 1}, record.AllSettled, record.TaskID(run.Input)), nil
	})})
	holds := task("holds", phases{"begin": once(func(run *work, tx *durable.Tx) (next, error) {
		_, err := task("absent", phases{"begin": hangs}).Create(tx, 0, child(run.TaskID()))
		return run.Continue(stage{Phase: "end"}), err
	}), "end": completes()})
	s := openWith(t, runs, waits, holds, version(task("later", phases{"begin": hangs}), 2, func(_ context.Context, in, at json.RawMessage, _ int) (json.RawMessage, json.RawMessage, error) {
		return in, at, nil
	}))
	in := s.conversation()
	ready := s.create(task("later", phases{"begin": hangs}), 0, own(in))
	if got := s.inspected(ready); got.State != durable.TaskReady || !got.Migrates {
		t.Errorf("a task that migrates is %+v", got)
	}
	running := s.create(runs, 0, own(in))
	waiting, holding := s.create(waits, int(running), own(in)), s.create(holds, 0, own(in))
	s.resume()
	<-started
	want := map[record.TaskID]durable.InspectedState{
		running: durable.TaskRunning, waiting: durable.TaskWaiting, holding: durable.TaskCompleting,
	}
	for id, state := range want {
		eventually(t, func() bool { return s.inspected(id).State == state })
	}
	if diff := cmp.Diff([]record.TaskID{running}, s.inspected(waiting).On); diff != "" {
		t.Error(diff)
	}
}

// late are definitions that get one while it is looked for.
type late struct {
	*registry
	comes kind
	asked sync.Once
}

func (l *late) Snapshot() durable.DefinitionSnapshot { return &lateSnapshot{l.registry.Snapshot(), l} }

type lateSnapshot struct {
	durable.DefinitionSnapshot
	of *late
}

func (s *lateSnapshot) Task(name string) (*durable.TaskDefinition, bool) {
	definition, found := s.DefinitionSnapshot.Task(name)
	s.of.asked.Do(func() { s.of.install(s.of.comes) })
	return definition, found
}

func TestADefinitionThatComesWhileItIsLookedForIsSeen(t *testing.T) {
	one := task("one", phases{"begin": completes()})
	s := open(t, durable.Options{Definitions: &late{registry: defined(), comes: one}})
	if got := s.outcome(s.create(one, 3, own(s.conversation()))); string(got.Result) != "3" {
		t.Errorf("got %+v", got)
	}
}

func TestAbortingABlockedTaskEndsItAtOnce(t *testing.T) {
	s := openWith(t)
	in := s.conversation()
	absent := task("absent", phases{"begin": completes()})
	alone, owner := s.create(absent, 0, own(in)), s.create(absent, 0, own(in))
	below := s.create(absent, 0, child(owner))
	s.abort(alone)
	if got := s.stored(alone); got.State.Status != record.Terminal || got.StartedAt != 0 || got.EndedAt == 0 {
		t.Errorf("in a session that does not schedule it is %+v", got)
	}
	s.abort(owner) // what it owns comes first
	if got := s.stored(owner).State.Status; got != record.Pending {
		t.Errorf("with work below it is %s", got)
	}
	for _, id := range []record.TaskID{below, owner} {
		if got := s.outcome(id); got.Status != record.Orphaned {
			t.Errorf("task %d is %+v", id, got)
		}
	}
}
