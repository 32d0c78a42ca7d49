package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

func TestATaskDecidesItsOutcome(t *testing.T) {
	failure := fmt.Errorf("late: %w", &durable.TaskFailure{Message: "no money", Detail: json.RawMessage(`{"left":3}`)})
	for name, c := range map[string]struct {
		decide func(*work) next
		want   record.Outcome
	}{
		"completed": {func(run *work) next { return run.Complete(7) }, record.Outcome{Status: record.Completed, Result: json.RawMessage("7")}},
		"failed": {func(run *work) next { return run.Fail(failure) }, record.Outcome{
			Status: record.Failed, Error: &record.TaskError{Message: "late: no money", Detail: json.RawMessage(`{"left":3}`)}}},
		"failed with a result": {func(run *work) next { return run.Fail(errors.New("half"), 5) }, record.Outcome{
			Status: record.Failed, Error: &record.TaskError{Message: "half"}, Result: json.RawMessage("5")}},
		"aborted":               {func(run *work) next { return run.Abort("enough") }, record.Outcome{Status: record.Aborted, Reason: "enough"}},
		"aborted with a result": {func(run *work) next { return run.Abort("", 1) }, record.Outcome{Status: record.Aborted, Result: json.RawMessage("1")}},
	} {
		t.Run(name, func(t *testing.T) {
			one := task("one", phases{"begin": once(func(run *work, _ *durable.Tx) (next, error) { return c.decide(run), nil })})
			s := openWith(t, one)
			ended := s.end(s.create(one, 0, own(s.conversation())))
			if diff := cmp.Diff(c.want, *ended.State.Outcome); diff != "" {
				t.Error(diff)
			}
			_, err := one.Result(ended)
			var other *durable.OutcomeError
			if (c.want.Status == record.Completed) != (err == nil) || err != nil && !errors.As(err, &other) {
				t.Errorf("the result is %v", err)
			}
		})
	}
}

func TestAPhaseThatGoesWrongFaultsItsTask(t *testing.T) {
	for name, c := range map[string]struct {
		begin func(context.Context, *work) error
		says  string
	}{
		"an error": {func(context.Context, *work) error { return errors.New("broken") }, "broken"},
		"a panic":  {func(context.Context, *work) error { panic("gone") }, "gone"},
		"nothing":  {func(context.Context, *work) error { return nil }, "without durable progress"},
		"the same checkpoint": {once(func(run *work, _ *durable.Tx) (next, error) {
			return run.Continue(stage{Phase: "begin"}), nil
		}), "without durable progress"},
		"no change": {once(func(run *work, _ *durable.Tx) (next, error) { return run.Unchanged(), nil }), "without durable progress"},
		"an error after progress": {func(ctx context.Context, run *work) error {
			return errors.Join(run.Commit(ctx, func(context.Context, *durable.Tx) (next, error) {
				return run.Continue(stage{"begin", 1}), nil
			}), errors.New("afterwards"))
		}, "afterwards"},
	} {
		t.Run(name, func(t *testing.T) {
			one := task("one", phases{"begin": c.begin})
			s := openWith(t, one)
			outcome := s.outcome(s.create(one, 0, own(s.conversation())))
			if outcome.Status != record.Faulted || outcome.Error == nil || !strings.Contains(outcome.Error.Message, c.says) {
				t.Errorf("got %+v, %+v", outcome, outcome.Error)
			}
		})
	}
}

func TestAPhaseThatIsToRunAgainGoesBackToItsCheckpoint(t *testing.T) {
	runs := 0
	one := task("one", phases{
		"begin": once(func(run *work, _ *durable.Tx) (next, error) { return run.Continue(stage{"again", 0}), nil }),
		"again": func(ctx context.Context, run *work) error {
			if runs++; runs < 3 {
				return fmt.Errorf("lost: %w", durable.ErrRunAgain)
			}
			return completes()(ctx, run)
		},
	})
	s := openWith(t, one)
	if outcome := s.outcome(s.create(one, 0, own(s.conversation()))); outcome.Status != record.Completed || runs != 3 {
		t.Errorf("got %+v after %d runs", outcome, runs)
	}
}

func TestAnErrorAfterTheOutcomeChangesNothing(t *testing.T) {
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		if err := completes()(ctx, run); err != nil {
			return err
		}
		return errors.New("too late")
	}})
	s := openWith(t, one)
	if got := s.outcome(s.create(one, 0, own(s.conversation()))); got.Status != record.Completed {
		t.Errorf("got %+v", got)
	}
}

func TestATaskCannotGiveItselfJustAnyState(t *testing.T) {
	checkpoint := json.RawMessage(`{"phase":"begin","n":1}`)
	for name, state := range map[string]record.TaskState{
		"pending":              {Status: record.Pending, Checkpoint: checkpoint},
		"completing":           {Status: record.Completing, Outcome: &record.Outcome{Status: record.Completed}},
		"no status":            {Checkpoint: checkpoint},
		"no checkpoint":        {Status: record.Running},
		"another phase":        {Status: record.Running, Checkpoint: json.RawMessage(`{"phase":"other"}`)},
		"no JSON":              {Status: record.Running, Checkpoint: json.RawMessage(`{`)},
		"no policy":            {Status: record.Waiting, Checkpoint: checkpoint},
		"no outcome":           {Status: record.Terminal},
		"faulted":              {Status: record.Terminal, Outcome: &record.Outcome{Status: record.Faulted, Error: &record.TaskError{}}},
		"orphaned":             {Status: record.Terminal, Outcome: &record.Outcome{Status: record.Orphaned}},
		"failed without error": {Status: record.Terminal, Outcome: &record.Outcome{Status: record.Failed}},
		"result is no JSON":    {Status: record.Terminal, Outcome: &record.Outcome{Status: record.Completed, Result: json.RawMessage("x")}},
	} {
		t.Run(name, func(t *testing.T) {
			one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
				err := run.Runtime.Commit(ctx, func(_ context.Context, tx *durable.Tx, _ record.Task) (*record.TaskState, error) {
					_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "with it"})
					return &state, err
				})
				var refused *durable.InvalidError
				if !errors.As(err, &refused) {
					return fmt.Errorf("not refused: %w", err)
				}
				return completes()(ctx, run)
			}})
			s := openWith(t, one)
			in := s.conversation()
			if got := s.outcome(s.create(one, 0, own(in))); got.Status != record.Completed {
				t.Errorf("got %+v, %+v", got, got.Error)
			}
			if got := kinds(t, s, in); len(got) > 0 {
				t.Errorf("entries %v were stored with a state that was refused", got)
			}
		})
	}
}

func TestStateIsAtomicWithTheCommit(t *testing.T) {
	tries := 0
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		wrong := errors.New("wrong")
		err := run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
			tries++
			_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "lost"})
			return run.Complete(0), errors.Join(wrong, err)
		})
		if !errors.Is(err, wrong) {
			return fmt.Errorf("got %w", err)
		}
		return completes()(ctx, run)
	}})
	s := openWith(t, one)
	in := s.conversation()
	if got := s.outcome(s.create(one, 3, own(in))); string(got.Result) != "3" {
		t.Errorf("got %+v %+v", got, got.Error)
	}
	if got := kinds(t, s, in); len(got) > 0 || tries != 1 {
		t.Errorf("entries %v, %d tries", got, tries)
	}
}

func TestNothingWorksOnceTheInvocationHasEnded(t *testing.T) {
	var escaped *work
	var inside context.Context
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		escaped, inside = run, ctx
		return completes()(ctx, run)
	}})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	s.end(id)
	<-inside.Done()
	ctx := within(t)
	for name, use := range map[string]func() error{
		"Commit":   func() error { return completes()(ctx, escaped) },
		"Memo":     func() error { _, _, err := escaped.Memo(ctx, "a"); return err },
		"MemoOnce": func() error { _, err := escaped.MemoOnce(ctx, "a", nil); return err },
		"Sleep":    func() error { return escaped.Sleep(ctx, time.Time{}) },
		"Task":     func() error { _, _, err := escaped.Task(ctx, id); return err },
		"Wait":     func() error { _, err := escaped.WaitForTask(ctx, id); return err },
		"Outcomes": func() error { _, err := escaped.Outcomes(ctx, id); return err },
		"Entry":    func() error { _, _, err := escaped.Entry(ctx, 1); return err },
		"Owned":    func() error { _, err := escaped.OwnedTasks(ctx); return err },
		"Abort":    func() error { return escaped.AbortOwned(ctx, id) },
		"EachHook": func() error { return escaped.EachHook(ctx, "a", nil) },
		"Read": func() error {
			_, err := escaped.ReadDocument(ctx, counter().Definition, durable.InConversation(1), "")
			return err
		},
		"ReadAt": func() error {
			_, err := escaped.ReadDocumentAt(ctx, counter().Definition, 1, "", 1)
			return err
		},
	} {
		var ended *durable.InvocationEndedError
		if err := use(); !errors.As(err, &ended) || ended.Task != id {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

func TestNothingIsCommittedAfterAWait(t *testing.T) {
	second := make(chan error, 1)
	one := task("one", phases{
		"begin": func(ctx context.Context, run *work) error {
			wait := once(func(run *work, _ *durable.Tx) (next, error) {
				return run.Wait(stage{Phase: "end"}, record.AllSettled), nil
			})
			if err := wait(ctx, run); err != nil {
				return err
			}
			second <- completes()(ctx, run)
			return nil
		},
		"end": completes(),
	})
	s := openWith(t, one)
	if got := s.outcome(s.create(one, 9, own(s.conversation()))); string(got.Result) != "9" {
		t.Errorf("got %+v %+v", got, got.Error)
	}
	var ended *durable.InvocationEndedError
	if err := <-second; !errors.As(err, &ended) {
		t.Errorf("the second commit: %v", err)
	}
}

func TestMemosAreTheFirstCandidate(t *testing.T) {
	reached, goOn := make(chan string, 10), make(chan bool)
	one := task("one", phases{"begin": func(ctx context.Context, run *work) error {
		_, found, err := durable.Memo[string](ctx, run.Runtime, "key")
		if err != nil {
			return err
		}
		kept, err := durable.MemoOnce(ctx, run.Runtime, "key", fmt.Sprintf("first %v", !found))
		if err != nil {
			return err
		}
		again, err := durable.MemoOnce(ctx, run.Runtime, "key", "other")
		if err != nil {
			return err
		}
		reached <- kept + ", " + again
		select {
		case <-goOn:
			return completes()(ctx, run)
		case <-ctx.Done():
			return nil
		}
	}})
	s := openWith(t, one)
	id := s.create(one, 0, own(s.conversation()))
	s.resume()
	for range 2 {
		if got := <-reached; got != "first true, first true" {
			t.Errorf("got %q", got)
		}
		if memo := string(s.stored(id).Memos["key"]); memo != `"first true"` {
			t.Errorf("stored is %s", memo)
		}
		s.crash()
		s.resume()
	}
	<-reached
	close(goOn)
	if got := s.end(id); got.Memos != nil {
		t.Errorf("memos outlive their task: %v", got.Memos)
	}
}

func TestTimesAreStamped(t *testing.T) {
	clock := &manual{now: time.UnixMilli(1000)}
	one := task("one", phases{
		"begin": func(ctx context.Context, run *work) error {
			defer clock.pass(time.Second)
			return run.Commit(ctx, func(context.Context, *durable.Tx) (next, error) {
				return run.Wait(stage{Phase: "end"}, record.AllSettled), nil
			})
		},
		"end": func(ctx context.Context, run *work) error {
			if begun := run.Record(); begun.StartedAt != 2000 {
				t.Errorf("its second phase says that it began at %d", begun.StartedAt)
			}
			clock.pass(5 * time.Second)
			return completes()(ctx, run)
		},
	})
	s := open(t, durable.Options{Clock: clock, Definitions: defined(one)})
	id := s.create(one, 0, own(s.conversation()))
	if made := s.stored(id); made.StartedAt != 0 || made.EndedAt != 0 {
		t.Errorf("a new task has times %d and %d", made.StartedAt, made.EndedAt)
	}
	clock.pass(time.Second)
	if ended := s.end(id); ended.StartedAt != 2000 || ended.EndedAt != 8000 {
		t.Errorf("it began at %d and ended at %d", ended.StartedAt, ended.EndedAt)
	}
}

func TestTaskDocumentsRetireWithTheirTask(t *testing.T) {
	notes := durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "test.notes", Version: 1, Scope: record.TaskScope, Initial: func() count { return count{} },
	})
	seen := make(chan int, 1)
	one := task("one", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			edit, err := notes.Edit(tx, durable.InTask(run.TaskID()))
			if err == nil {
				edit.N = 4
			}
			return run.Continue(stage{Phase: "end"}), err
		}),
		"end": func(ctx context.Context, run *work) error {
			read, _, err := notes.Read(ctx, run, durable.InTask(run.TaskID()))
			if err != nil {
				return err
			}
			seen <- read.N
			return once(func(run *work, tx *durable.Tx) (next, error) {
				edit, err := notes.Edit(tx, durable.InTask(run.TaskID()))
				if err == nil {
					edit.N++
				}
				return run.Complete(0), err
			})(ctx, run)
		},
	})
	s := openWith(t, one)
	var retired []durable.DocumentChange
	defer s.SubscribeCommits(func(p *durable.Publication) {
		for _, change := range p.Documents {
			if change.Retired {
				retired = append(retired, change)
			}
		}
	})()
	id := s.create(one, 0, own(s.conversation()))
	s.end(id)
	if got := <-seen; got != 4 {
		t.Errorf("the phase read %d", got)
	}
	if _, found, err := notes.Read(within(t), s, durable.InTask(id)); found || err != nil {
		t.Errorf("afterwards there is a document: %v, %v", found, err)
	}
	if len(retired) != 1 || retired[0].Record.Kind != "test.notes" {
		t.Errorf("retired are %+v", retired)
	}
}
