package durable_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
)

// script is what one task of a random forest does: its steps, then its end; and what
// its abort handler does. Its index is the task's input.
type script struct {
	kind  string // of the two kinds of tasks, which do the same
	steps []act
	end   record.OutcomeStatus
	abort record.OutcomeStatus
}

// act is one phase: what it does, and for spawning, which script.
type act struct {
	does string
	of   int
}

// forestState is the checkpoint of a task of the forest.
type forestState struct {
	Phase    string          `json:"phase"`
	Step     int             `json:"step"`
	Children []record.TaskID `json:"children,omitempty"`
}

type (
	forestKind = durable.Task[int, forestState, int]
	forestRun  = durable.Run[int, forestState, int]
	forestNext = durable.Next[forestState, int]
)

// forest is a random session whose tasks follow scripts.
type forest struct {
	*rapid.T
	scripts []script
	known   *registry
	clock   *manual
	removed bool // a kind was not there for some time
	swept   bool // a conversation was aborted
	asked   map[record.TaskID]bool
	session *opened
	life    atomic.Pointer[life]
}

// life is what one session of the forest has stored.
type life struct {
	mu    sync.Mutex
	done  map[string]record.Seq // the steps that were committed
	ended map[record.TaskID]record.Seq
	// crash is called with the commit after so many, while it is not nil.
	left  int
	crash func()
}

// after returns a life that goes on from what a session has of another.
func (l *life) after(t *rapid.T, s *opened) *life {
	next := &life{done: make(map[string]record.Seq), ended: make(map[record.TaskID]record.Seq)}
	for conversation, err := range s.Conversations(context.Background(), durable.ConversationQuery{}) {
		if err != nil {
			t.Fatal(err)
		}
		for entry, err := range s.Entries(context.Background(), durable.EntryQuery{Conversation: conversation.ID}) {
			if err != nil {
				t.Fatal(err)
			}
			next.done[entry.Kind] = l.done[entry.Kind]
		}
	}
	for task, err := range s.Tasks(context.Background(), durable.TaskQuery{Status: record.Terminal}) {
		if err != nil {
			t.Fatal(err)
		}
		next.ended[task.ID] = l.ended[task.ID]
	}
	return next
}

// hear notes a commit.
func (l *life) hear(p *durable.Publication) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, entry := range p.Entries {
		l.done[entry.Kind] = p.Seq
	}
	for _, task := range p.Tasks {
		if task.State.Status == record.Terminal {
			l.ended[task.ID] = p.Seq
		}
	}
	if l.left--; l.left <= 0 && l.crash != nil {
		l.crash()
		l.crash = nil
	}
}

func (l *life) has(label string) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, done := l.done[label]
	return done
}

// TestRandomForestsEnd has random trees of tasks do random things, cut off at random
// commits, and checks that everything ends as it must.
func TestRandomForestsEnd(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		f := &forest{T: rt, clock: &manual{now: time.UnixMilli(0)}, asked: make(map[record.TaskID]bool)}
		f.plant(t)
		defer f.session.stop()
		for range rapid.IntRange(0, 8).Draw(rt, "disturbances") {
			f.disturb()
		}
		f.settle()
		f.judge()
	})
}

// plant opens the session and makes the first tasks.
func (f *forest) plant(t *testing.T) {
	count := rapid.IntRange(1, 8).Draw(f.T, "scripts")
	for i := range count {
		f.scripts = append(f.scripts, f.script(i, count))
	}
	f.known = defined()
	f.install()
	f.session = &opened{t: t, memory: new(memory.Storage), options: durable.Options{
		Clock: f.clock, Definitions: f.known, RestartLimit: -1,
		Report: func(error) {},
	}}
	f.open(&life{})
	for range rapid.IntRange(1, 2).Draw(f.T, "conversations") {
		in := f.session.conversation()
		for range rapid.IntRange(1, 3).Draw(f.T, "tasks") {
			options := own(in)
			options.Background = rapid.IntRange(0, 4).Draw(f.T, "background") == 0
			f.session.commit(func(tx *durable.Tx) error {
				_, err := f.create(tx, rapid.IntRange(0, count-1).Draw(f.T, "script"), options)
				return err
			})
		}
	}
}

func (f *forest) script(i, count int) script {
	s := script{
		kind:  rapid.SampledFrom([]string{"a", "b"}).Draw(f.T, "kind"),
		end:   rapid.SampledFrom([]record.OutcomeStatus{record.Completed, record.Completed, record.Completed, record.Failed, record.Aborted, record.Faulted}).Draw(f.T, "end"),
		abort: rapid.SampledFrom([]record.OutcomeStatus{record.Aborted, record.Aborted, record.Completed, record.Faulted}).Draw(f.T, "abort"),
	}
	does := []string{"note", "sleep"}
	if i < count-1 { // what is spawned comes later, so that it ends
		does = append(does, "spawn", "spawn", "abandoned", "background", "conversation", "wait", "failFast")
	}
	for range rapid.IntRange(0, 5).Draw(f.T, "steps") {
		one := act{does: rapid.SampledFrom(does).Draw(f.T, "step")}
		if i < count-1 {
			one.of = rapid.IntRange(i+1, count-1).Draw(f.T, "of")
		}
		s.steps = append(s.steps, one)
	}
	return s
}

func (f *forest) create(tx *durable.Tx, of int, options durable.TaskOptions) (record.TaskID, error) {
	return f.kind(f.scripts[of].kind).Create(tx, of, options)
}

// install defines both kinds anew, which has running tasks handed over.
func (f *forest) install() {
	for _, name := range []string{"a", "b"} {
		f.known.install(kind{Definition: f.kind(name).Definition})
	}
}

// open begins another life.
func (f *forest) open(last *life) {
	f.session.start()
	next := last.after(f.T, f.session)
	f.life.Store(next)
	f.session.SubscribeCommits(next.hear)
}

// kind makes one of the two kinds.
func (f *forest) kind(name string) forestKind {
	return durable.DefineTask(durable.TaskSpec[int, forestState, int]{
		Name: name, Version: 1,
		Initial: func(int) forestState { return forestState{Phase: "step"} },
		Phases:  map[string]func(context.Context, *forestRun) error{"step": f.step},
		Abort: func(ctx context.Context, run *forestRun) error {
			owned, err := run.OwnedTasks(ctx)
			if err == nil && len(owned) > 0 {
				f.Errorf("task %d is aborted before task %d, which it owns, has ended", run.TaskID(), owned[0].ID)
			}
			return f.finish(ctx, run, "abort", f.scripts[run.Input].abort)
		},
	})
}

// step is a phase: it does what the script says next.
func (f *forest) step(ctx context.Context, run *forestRun) error {
	at, now := run.State.Step, f.life.Load()
	label := fmt.Sprintf("%d step %d", run.TaskID(), at)
	if now.has(label) {
		f.Errorf("step %d of task %d was committed, and runs again", at, run.TaskID())
	}
	s := f.scripts[run.Input]
	if at == len(s.steps) {
		return f.finish(ctx, run, label, s.end)
	}
	if s.steps[at].does == "sleep" {
		if err := run.Sleep(ctx, time.UnixMilli(int64(100*at))); err != nil {
			return err
		}
	}
	return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (forestNext, error) {
		next := forestState{"step", at + 1, run.State.Children}
		err := f.do(tx, run, s.steps[at], &next)
		if err == nil {
			_, err = tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: label})
		}
		switch s.steps[at].does {
		case "wait":
			return run.Wait(next, record.AllSettled, next.Children...), err
		case "failFast":
			return run.Wait(next, record.FailFast, next.Children...), err
		}
		return run.Continue(next), err
	})
}

// do makes what a step creates.
func (f *forest) do(tx *durable.Tx, run *forestRun, s act, next *forestState) error {
	switch s.does {
	case "spawn", "abandoned":
		options := child(run.TaskID())
		options.AbandonOnRestart = s.does == "abandoned"
		id, err := f.create(tx, s.of, options)
		next.Children = append(slices.Clone(next.Children), id)
		return err
	case "background":
		_, err := f.create(tx, s.of, background(run.Conversation()))
		return err
	case "conversation":
		made, err := tx.CreateConversation(durable.OwnedBy(run.TaskID()))
		if err != nil {
			return err
		}
		_, err = f.create(tx, s.of, own(made.ID))
		return err
	}
	return nil
}

// finish ends a task.
func (f *forest) finish(ctx context.Context, run *forestRun, label string, how record.OutcomeStatus) error {
	if how == record.Faulted {
		return errors.New("as the script says")
	}
	return run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (forestNext, error) {
		_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: label})
		switch how {
		case record.Completed:
			return run.Complete(run.Input), err
		case record.Failed:
			return run.Fail(errors.New("as the script says")), err
		}
		return run.Abort("as the script says"), err
	})
}

// disturb does something from outside.
func (f *forest) disturb() {
	if err := f.session.Resume(); err != nil {
		f.Fatal(err)
	}
	switch rapid.IntRange(0, 8).Draw(f.T, "disturbance") {
	case 0, 1, 2:
		f.crash(rapid.IntRange(0, 12).Draw(f.T, "commits"))
	case 3:
		f.session.stop()
		f.session.memory = f.session.memory.Clone()
		f.open(f.life.Load())
	case 4:
		f.abort()
	case 5:
		f.clock.pass(100 * time.Millisecond)
	case 6:
		f.removed = true
		f.known.remove(rapid.SampledFrom([]string{"a", "b"}).Draw(f.T, "removed"))
	case 7:
		f.install()
	case 8:
		f.abortConversation()
	}
}

// crash goes on with what was stored after so many more commits, if they come.
func (f *forest) crash(commits int) {
	now, old := f.life.Load(), f.session.memory
	cut := make(chan *memory.Storage, 1)
	now.mu.Lock()
	now.left, now.crash = commits, func() { cut <- old.Clone() }
	now.mu.Unlock()
	idle := time.NewTimer(5 * time.Millisecond)
	defer idle.Stop()
	var left *memory.Storage
	select {
	case left = <-cut:
	case <-idle.C:
		left = old.Clone()
	}
	f.session.stop()
	f.session.memory = left
	f.open(now)
}

// abort aborts a task.
func (f *forest) abort() {
	tasks := f.live()
	if len(tasks) == 0 {
		return
	}
	id := rapid.SampledFrom(tasks).Draw(f.T, "aborted").ID
	f.asked[id] = true
	if _, err := f.session.AbortTask(context.Background(), id); err != nil {
		f.Fatal(err)
	}
}

// abortConversation aborts a conversation, and perhaps its background work.
func (f *forest) abortConversation() {
	tasks := f.live()
	if len(tasks) == 0 {
		return
	}
	in := rapid.SampledFrom(tasks).Draw(f.T, "in").Conversation
	conversation, err := f.session.Conversation(context.Background(), in)
	if err != nil {
		f.Fatal(err)
	}
	f.swept = true
	if err := conversation.Abort(context.Background(), rapid.Bool().Draw(f.T, "background too")); err != nil {
		f.Fatal(err)
	}
}

// live returns the live tasks.
func (f *forest) live() (tasks []record.Task) {
	now, err := f.session.Inspect(context.Background())
	if err != nil {
		f.Fatal(err)
	}
	for _, one := range now.Tasks {
		tasks = append(tasks, one.Task)
	}
	return tasks
}

// settle has everything end.
func (f *forest) settle() {
	f.install()
	if err := f.session.Resume(); err != nil {
		f.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); len(f.live()) > 0; time.Sleep(time.Millisecond) {
		f.clock.pass(100 * time.Millisecond)
		if time.Now().After(end) {
			now, err := f.session.Inspect(context.Background())
			f.Fatalf("not everything ends: %+v, %v", now.Tasks, err)
		}
	}
}
