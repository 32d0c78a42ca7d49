package durable_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// gates are phases that the test lets go, by the input of their task.
type gates struct {
	reached chan int
	open    map[int]chan bool
}

func gated(inputs ...int) *gates {
	g := &gates{reached: make(chan int, 100), open: make(map[int]chan bool)}
	for _, input := range inputs {
		g.open[input] = make(chan bool)
	}
	return g
}

// phase waits until the test lets the task go, and completes it; or fails it.
func (g *gates) phase(ctx context.Context, run *work) error {
	g.reached <- run.Input
	select {
	case well := <-g.open[run.Input]:
		if well {
			return completes()(ctx, run)
		}
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Fail(errors.New("told to")), nil })(ctx, run)
	case <-ctx.Done():
		return nil
	}
}

// await waits until so many tasks have reached their phase.
func (g *gates) await(count int) {
	for range count {
		<-g.reached
	}
}

// spawn is a phase that creates children with inputs and goes on to "end".
func spawn(of kind, made map[int]record.TaskID, inputs ...int) func(context.Context, *work) error {
	return once(func(run *work, tx *durable.Tx) (_ next, err error) {
		for _, input := range inputs {
			if made[input], err = of.Create(tx, input, child(run.TaskID())); err != nil {
				return next{}, err
			}
		}
		return run.Continue(stage{Phase: "end"}), nil
	})
}

func TestOwnedWorkNeedsALiveOwner(t *testing.T) {
	g := gated(1, 2)
	leaf := task("leaf", phases{"begin": g.phase})
	made := map[int]record.TaskID{}
	root := task("root", phases{"begin": spawn(leaf, made, 1), "end": completes()})
	release := make(chan bool)
	stubborn := task("stubborn", phases{"begin": hangs, "abort": func(ctx context.Context, run *work) error {
		<-release
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort(""), nil })(ctx, run)
	}})
	s := openWith(t, leaf, root, stubborn)
	in := s.conversation()
	held, gone := s.create(root, 0, own(in)), s.create(task("leaf", phases{"begin": completes()}), 2, own(in))
	s.resume()
	g.await(2)
	g.open[2] <- true
	s.end(gone)
	eventually(t, func() bool { return s.stored(held).State.Status == record.Completing })
	marked := s.create(task("absent", phases{"begin": hangs}), 0, own(in))
	s.commit(func(tx *durable.Tx) error { _, err := stubborn.Create(tx, 1, child(marked)); return err })
	if _, err := s.AbortTask(within(t), marked); err != nil {
		t.Fatal(err)
	}
	for says, owner := range map[string]record.TaskID{"is completing": held, "is terminal": gone, "is abort-marked": marked} {
		for name, make := range map[string]func(tx *durable.Tx) error{
			"a task":         func(tx *durable.Tx) error { _, err := leaf.Create(tx, 1, child(owner)); return err },
			"a conversation": func(tx *durable.Tx) error { _, err := tx.CreateConversation(durable.OwnedBy(owner)); return err },
		} {
			err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error { return make(tx) })
			var refused *durable.OwnerError
			if !errors.As(err, &refused) || !strings.Contains(err.Error(), says) {
				t.Errorf("%s of an owner that %s: %v", name, says, err)
			}
		}
	}
	close(release)
}

func TestAnOwnerThatEndsWithTheCommitOwnsNothingNew(t *testing.T) {
	leaf := task("leaf", phases{"begin": completes()})
	root := task("root", phases{"begin": func(ctx context.Context, run *work) error {
		err := run.Commit(ctx, func(_ context.Context, tx *durable.Tx) (next, error) {
			_, err := leaf.Create(tx, 1, child(run.TaskID()))
			return run.Complete(0), err
		})
		var refused *durable.OwnerError
		if !errors.As(err, &refused) {
			return err
		}
		return once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(1), nil })(ctx, run)
	}})
	s := openWith(t, leaf, root)
	if got := s.outcome(s.create(root, 0, own(s.conversation()))); string(got.Result) != "1" {
		t.Errorf("got %+v %+v", got, got.Error)
	}
}

func TestAnOutcomeIsHeldWhileOwnedWorkIsLive(t *testing.T) {
	g := gated(1, 2)
	leaf := task("leaf", phases{"begin": g.phase})
	made := map[int]record.TaskID{}
	root := task("root", phases{"begin": spawn(leaf, made, 1), "end": once(func(run *work, tx *durable.Tx) (next, error) {
		_, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: "result"})
		return run.Complete(7), err
	})})
	s := openWith(t, leaf, root)
	in := s.conversation()
	id := s.create(root, 0, own(in))
	s.resume()
	g.await(1)
	eventually(t, func() bool { return s.stored(id).State.Status == record.Completing })
	if got := kinds(t, s, in); len(got) != 1 {
		t.Errorf("with the hold, entries %v are stored", got)
	}
	if held := s.stored(id); held.EndedAt != 0 || held.State.Checkpoint != nil || string(held.State.Outcome.Result) != "7" {
		t.Errorf("held is %+v", held)
	}
	// Work that begins below during the hold counts too.
	s.commit(func(tx *durable.Tx) error { _, err := leaf.Create(tx, 2, child(made[1])); return err })
	g.await(1)
	s.crash() // and a restart in between changes nothing
	s.resume()
	g.await(2)
	g.open[1] <- true
	eventually(t, func() bool { return s.stored(made[1]).State.Status == record.Completing })
	if got := s.stored(id).State.Status; got != record.Completing {
		t.Errorf("with work left below the task is %s", got)
	}
	g.open[2] <- true
	if ended := s.end(id); ended.EndedAt == 0 || string(ended.State.Outcome.Result) != "7" {
		t.Errorf("it ended as %+v", ended)
	}
}

func TestAHeldOutcomeThatIsNotCompletedAbortsTheWorkBelow(t *testing.T) {
	for name, end := range map[string]func(context.Context, *work) error{
		"failed":  once(func(run *work, _ *durable.Tx) (next, error) { return run.Fail(errors.New("no")), nil }),
		"aborted": once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort("no"), nil }),
		"faulted": func(context.Context, *work) error { return errors.New("no") },
	} {
		t.Run(name, func(t *testing.T) {
			leaf := task("leaf", phases{"begin": hangs})
			made := map[int]record.TaskID{}
			root := task("root", phases{"begin": spawn(leaf, made, 1, 2), "end": end})
			s := openWith(t, leaf, root)
			id := s.create(root, 0, own(s.conversation()))
			ended := s.end(id)
			if string(ended.State.Outcome.Status) != name {
				t.Errorf("it is %+v", ended.State.Outcome)
			}
			for _, id := range made {
				below := s.stored(id)
				if below.State.Outcome == nil || below.State.Outcome.Status != record.Aborted || below.EndedAt > ended.EndedAt {
					t.Errorf("below, task %d is %+v", id, below)
				}
			}
		})
	}
}

func TestAJoinGoesOnWhenAllHaveEnded(t *testing.T) {
	g := gated(1, 2)
	leaf := task("leaf", phases{"begin": g.phase})
	made := map[int]record.TaskID{}
	root := task("root", phases{
		"begin": spawn(leaf, made, 1, 2),
		"end": once(func(run *work, _ *durable.Tx) (next, error) {
			return run.Wait(stage{Phase: "joined"}, record.AllSettled, made[2], made[1]), nil
		}),
		"joined": func(ctx context.Context, run *work) error {
			outcomes, err := run.Outcomes(ctx, made[2], made[1])
			if err != nil {
				return err
			}
			if outcomes[0].Status != record.Failed || outcomes[1].Status != record.Completed {
				return errors.New("the outcomes are not in their order")
			}
			return completes()(ctx, run)
		},
	})
	s := openWith(t, leaf, root)
	id := s.create(root, 0, own(s.conversation()))
	s.resume()
	g.await(2)
	eventually(t, func() bool { return s.stored(id).State.Status == record.Waiting })
	g.open[2] <- false
	s.end(made[2])
	if got := s.stored(id).State; got.Status != record.Waiting || len(got.On) != 2 {
		t.Errorf("with one of two ended the task is %+v", got)
	}
	if _, err := s.AbortTask(within(t), made[2]); err != nil {
		t.Error(err)
	}
	g.open[1] <- true
	if got := s.outcome(id); got.Status != record.Completed {
		t.Errorf("got %+v %+v", got, got.Error)
	}
}

func TestAFailureAbortsTheOthersOfAJoinThatFailsFast(t *testing.T) {
	for _, restart := range []bool{false, true} {
		g := gated(1, 2, 3)
		leaf := task("leaf", phases{"begin": g.phase})
		made := map[int]record.TaskID{}
		root := task("root", phases{
			"begin": spawn(leaf, made, 1, 2, 3),
			"end": once(func(run *work, _ *durable.Tx) (next, error) {
				return run.Wait(stage{Phase: "joined"}, record.FailFast, made[1], made[2]), nil
			}),
			"joined": completes(),
		})
		s := openWith(t, leaf, root)
		id := s.create(root, 0, own(s.conversation()))
		s.resume()
		g.await(3)
		eventually(t, func() bool { return s.stored(id).State.Status == record.Waiting })
		g.open[2] <- false
		if restart {
			s.end(made[2])
			s.crash()
			s.resume()
		}
		if got := s.outcome(made[1]); got.Status != record.Aborted {
			t.Errorf("the other one is %+v", got)
		}
		eventually(t, func() bool { return s.stored(id).State.Status == record.Completing })
		if s.stored(id).AbortRequested || s.stored(made[3]).AbortRequested {
			t.Error("the waiting task, or one that it does not wait for, is marked")
		}
		if restart {
			g.await(1)
		}
		g.open[3] <- true
		s.end(id)
	}
}

func TestWaitsThatCannotEndAreRefused(t *testing.T) {
	leaf := task("leaf", phases{"begin": hangs})
	for name, c := range map[string]struct {
		policy record.JoinPolicy
		on     func(self, owner, other, waiting record.TaskID) []record.TaskID
		says   string
	}{
		"no task":    {record.AllSettled, func(self, owner, other, waiting record.TaskID) []record.TaskID { return []record.TaskID{4711} }, "no such task"},
		"itself":     {record.AllSettled, func(self, owner, other, waiting record.TaskID) []record.TaskID { return []record.TaskID{self} }, "itself"},
		"its owner":  {record.AllSettled, func(self, owner, other, waiting record.TaskID) []record.TaskID { return []record.TaskID{owner} }, "owners"},
		"not owned":  {record.FailFast, func(self, owner, other, waiting record.TaskID) []record.TaskID { return []record.TaskID{other} }, "allSettled"},
		"in circles": {record.AllSettled, func(self, owner, other, waiting record.TaskID) []record.TaskID { return []record.TaskID{waiting} }, "waits for the task in turn"},
	} {
		t.Run(name, func(t *testing.T) {
			var other, owner, waiting record.TaskID
			waits := task("waits", phases{"begin": once(func(run *work, _ *durable.Tx) (next, error) {
				return run.Wait(stage{"begin", 1}, record.AllSettled, record.TaskID(run.Input)), nil
			})})
			tries := task("tries", phases{"begin": func(ctx context.Context, run *work) error {
				eventually(t, func() bool {
					now, _, err := run.Task(ctx, waiting)
					return err != nil || now.State.Status == record.Waiting
				})
				err := run.Commit(ctx, func(context.Context, *durable.Tx) (next, error) {
					return run.Wait(stage{"begin", 1}, c.policy, c.on(run.TaskID(), owner, other, waiting)...), nil
				})
				var refused *durable.WaitError
				if !errors.As(err, &refused) || !strings.Contains(err.Error(), c.says) {
					return errors.Join(errors.New("not refused"), err)
				}
				return completes()(ctx, run)
			}})
			s := openWith(t, leaf, waits, tries)
			in := s.conversation()
			var id record.TaskID
			s.commit(func(tx *durable.Tx) (err error) {
				if other, err = leaf.Create(tx, 0, own(in)); err != nil {
					return err
				}
				if owner, err = leaf.Create(tx, 0, own(in)); err != nil {
					return err
				}
				if id, err = tries.Create(tx, 0, child(owner)); err != nil {
					return err
				}
				waiting, err = waits.Create(tx, int(id), own(in))
				return err
			})
			if got := s.outcome(id); got.Status != record.Completed {
				t.Errorf("got %+v %+v", got, got.Error)
			}
		})
	}
}

func TestOwnedTasksAndTheirAborts(t *testing.T) {
	leaf := task("leaf", phases{"begin": hangs})
	made := map[int]record.TaskID{}
	var strange record.TaskID
	root := task("root", phases{"begin": spawn(leaf, made, 1, 2), "end": func(ctx context.Context, run *work) error {
		var ids []record.TaskID
		owned, err := run.OwnedTasks(ctx)
		if err != nil {
			return err
		}
		for _, one := range owned {
			ids = append(ids, one.ID)
		}
		if diff := cmp.Diff([]record.TaskID{made[1], made[2]}, ids); diff != "" {
			return errors.New(diff)
		}
		var refused *durable.InvalidError
		if err := run.AbortOwned(ctx, strange); !errors.As(err, &refused) {
			return errors.Join(errors.New("aborted another one's task"), err)
		}
		if err := run.AbortOwned(ctx, made[1]); err != nil {
			return err
		}
		ended, found, err := run.Task(ctx, made[1])
		if err != nil || !found || ended.State.Status != record.Terminal {
			return errors.Join(errors.New("it has not ended"), err)
		}
		if owned, err = run.OwnedTasks(ctx); err != nil || len(owned) != 1 {
			return errors.Join(errors.New("not one task is left"), err)
		}
		return errors.Join(run.AbortOwned(ctx, made[1]), run.AbortOwned(ctx, made[2]), completes()(ctx, run))
	}})
	s := openWith(t, leaf, root)
	in := s.conversation()
	strange = s.create(leaf, 0, own(in))
	if got := s.outcome(s.create(root, 0, own(in))); got.Status != record.Completed {
		t.Errorf("got %+v %+v", got, got.Error)
	}
}
