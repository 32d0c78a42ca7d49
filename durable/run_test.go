package durable_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// echo answers runs by tasks that say what they were told.
type echo struct {
	task  durable.Task[int, stage, int]
	modes durable.QueueModes
	// gate, when it is not nil, lets one answer pass for each value, and fault has the
	// task go wrong.
	gate  chan bool
	fault error
}

func newEcho() *echo {
	e := new(echo)
	e.task = durable.DefineTask(durable.TaskSpec[int, stage, int]{
		Name: "test.echo", Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases:  phases{"begin": e.answer},
		Abort: once(func(run *work, tx *durable.Tx) (next, error) {
			_, err := tx.EndRun(run.Conversation(), durable.RunEnd{Reason: durable.ReasonAborted})
			return run.Abort(""), err
		}),
	})
	return e
}

func (e *echo) answer(ctx context.Context, run *work) error {
	if e.gate != nil {
		select {
		case <-e.gate:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	if e.fault != nil {
		return e.fault
	}
	return once(func(run *work, tx *durable.Tx) (next, error) {
		answer, err := tx.AppendEntry(run.Conversation(), durable.EntryDraft{Kind: durable.AssistantEntry})
		if err == nil {
			_, err = tx.EndRun(run.Conversation(), durable.RunEnd{Answer: answer.ID})
		}
		return run.Complete(0), err
	})(ctx, run)
}

func (e *echo) Start(_ context.Context, tx *durable.Tx, conversation record.ConversationID) (record.TaskID, error) {
	return e.task.Create(tx, 0, own(conversation))
}

func (e *echo) Modes() durable.QueueModes { return e.modes }

// converse opens a session whose conversations are answered by an echo.
func converse(t testing.TB, e *echo, more ...*durable.TaskDefinition) *talk {
	t.Helper()
	definitions := durable.FixedDefinitions(append(more, e.task.Definition)...)
	s := &talk{opened: open(t, durable.Options{Runs: e, Definitions: definitions})}
	s.root()
	return s
}

// wait returns how a submission ended.
func (s *talk) wait(of *durable.Submission) record.Submission {
	s.t.Helper()
	settled, err := of.Wait(within(s.t))
	if err != nil {
		s.t.Fatal(err)
	}
	return settled
}

func TestARunAnswersItsInputs(t *testing.T) {
	s := converse(t, newEcho())
	first, second := s.submit(says("first")), s.submit(says("second"))
	for _, one := range []*durable.Submission{first, second} {
		settled := s.wait(one)
		answer, _, err := s.Entry(within(t), settled.Answer)
		if err != nil || settled.Status != record.Done || answer.Kind != durable.AssistantEntry || answer.Task == 0 {
			t.Errorf("the settlement is %+v, the answer %+v, %v", settled, answer, err)
		}
	}
	if err := s.WaitForIdle(within(t)); err != nil {
		t.Fatal(err)
	}
	if s.live().Run != nil {
		t.Errorf("the run is %+v", s.live().Run)
	}
}

func TestEntriesOfABoundaryAreTheTasks(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool, 2)
	s := converse(t, e)
	first := s.submit(says("first"))
	note, second := s.submit(writes("note")), s.submit(says("second"))
	run := s.live().Run.Task
	e.gate <- true
	e.gate <- true
	s.wait(second)
	for _, one := range []struct {
		of   *durable.Submission
		want record.TaskID
	}{{first, 0}, {note, run}, {second, run}} {
		if entry, _, err := s.Entry(within(t), s.status(one.of).Entry); err != nil || entry.Task != one.want {
			t.Errorf("entry %d is of task %d, want %d; %v", entry.ID, entry.Task, one.want, err)
		}
	}
}

func TestARunGoesOnAfterAReopen(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool, 1)
	s := converse(t, e)
	first := s.submit(says("first"))
	s.reopen()
	s.root()
	again, err := s.Session.Submission(within(t), first.ID())
	if err != nil {
		t.Fatal(err)
	}
	if now := s.status(again); now.Status != record.Placed {
		t.Errorf("after the reopen the input is %+v", now)
	}
	e.gate <- true
	if settled := s.wait(again); settled.Status != record.Done {
		t.Errorf("the settlement is %+v", settled)
	}
}

func TestAbortingAConversationWithdrawsItsInputs(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool)
	s := converse(t, e)
	placed, queued, steer, write := s.submit(says("a")), s.submit(says("b")), s.submit(steers("c")), s.submit(writes("note"))
	if err := s.Abort(within(t), false); err != nil {
		t.Fatal(err)
	}
	for _, one := range []*durable.Submission{placed, queued, steer} {
		s.settled(one, record.Unanswered, durable.ReasonAborted)
	}
	s.settled(write, record.Queued, "")
	if diff := cmp.Diff([]record.SubmissionID{write.ID()}, s.inbox()); diff != "" || s.live().Run != nil {
		t.Errorf("run %v, inbox %s", s.live().Run, diff)
	}
	close(e.gate)
	s.wait(s.submit(says("d")))
	s.expect("a", "note", "d", answered)
	if view, err := s.Conversation.Context(within(t), 0); err != nil || len(view.Messages) != 2 {
		t.Errorf("the context is %+v, %v", view, err)
	}
}

func TestAbortingAnIdleConversationWithdrawsWhatWaits(t *testing.T) {
	s := begin(t)
	s.submit(says("a"))
	queued := s.submit(says("b"))
	s.fail("model_error")
	if err := s.Abort(within(t), false); err != nil {
		t.Fatal(err)
	}
	s.settled(queued, record.Unanswered, durable.ReasonAborted)
	if len(s.inbox()) > 0 {
		t.Errorf("the inbox has %v", s.inbox())
	}
}

func TestAFaultedRunLeavesItsInputsUnanswered(t *testing.T) {
	e := newEcho()
	e.gate, e.fault = make(chan bool), errors.New("broken")
	s := converse(t, e)
	first, queued := s.submit(says("first")), s.submit(says("second"))
	close(e.gate)
	settled := s.wait(first)
	if settled.Status != record.Unanswered || settled.Reason != durable.ReasonFaulted || string(settled.Detail) != `"broken"` {
		t.Errorf("the settlement is %+v", settled)
	}
	s.settled(queued, record.Queued, "")
	if s.live().Run != nil {
		t.Errorf("the run is %+v", s.live().Run)
	}
}

// TestAFaultedRunEndsAfterWhatItOwns has a run go wrong while a task of its own is
// live: its inputs stay open until that one has ended.
func TestAFaultedRunEndsAfterWhatItOwns(t *testing.T) {
	ending, end := make(chan bool), make(chan bool)
	tool := durable.DefineTask(durable.TaskSpec[int, stage, int]{
		Name: "tool", Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases:  phases{"begin": func(ctx context.Context, _ *work) error { <-ctx.Done(); return context.Cause(ctx) }},
		Abort: func(ctx context.Context, run *work) error {
			ending <- true
			<-end
			return once(func(run *work, _ *durable.Tx) (next, error) { return run.Abort(""), nil })(ctx, run)
		},
	})
	e := newEcho()
	e.task.Definition.Phases["begin"] = func(ctx context.Context, run *durable.Runtime) error {
		err := run.Commit(ctx, func(_ context.Context, tx *durable.Tx, _ record.Task) (*record.TaskState, error) {
			_, err := tool.Create(tx, 0, durable.TaskOptions{Ownership: durable.OwnedBy(run.TaskID())})
			return nil, err
		})
		return errors.Join(err, errors.New("broken"))
	}
	s := converse(t, e, tool.Definition)
	first := s.submit(says("first"))
	<-ending
	s.settled(first, record.Placed, "")
	run := s.live().Run
	if run == nil || s.stored(run.Task).State.Status != record.Completing {
		t.Errorf("while the tool ends the run is %+v", run)
	}
	end <- true
	if settled := s.wait(first); settled.Reason != durable.ReasonFaulted || s.live().Run != nil {
		t.Errorf("the settlement is %+v, the run %v", settled, s.live().Run)
	}
}

func TestAnOrphanedRunLeavesItsInputsUnanswered(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool)
	s := converse(t, e)
	first := s.submit(says("first"))
	var seen []string
	s.options.Definitions = nil
	s.options.Settled = func(_ context.Context, tx *durable.Tx, task record.Task) error {
		live, err := durable.LiveDocument.Edit(tx, durable.InConversation(task.Conversation))
		seen = append(seen, fmt.Sprint(task.State.Outcome.Status, " ", live.Run != nil))
		return err
	}
	s.reopen()
	s.root()
	if result, err := s.AbortTask(within(t), s.live().Run.Task); result != durable.AbortMarked || err != nil {
		t.Fatal(result, err)
	}
	again, err := s.Session.Submission(within(t), first.ID())
	if err != nil {
		t.Fatal(err)
	}
	if settled := s.wait(again); settled.Reason != string(durable.MissingTask) || s.live().Run != nil {
		t.Errorf("the settlement is %+v, the run %v", settled, s.live().Run)
	}
	if diff := cmp.Diff([]string{"orphaned true"}, seen); diff != "" {
		t.Error("the embedder cleans up first:", diff)
	}
}

func TestARunIsEndedByItsOwnTask(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool)
	stranger := task("stranger", phases{"begin": once(func(run *work, tx *durable.Tx) (next, error) {
		_, err := tx.EndRun(run.Conversation(), durable.RunEnd{Reason: "mine"})
		return run.Complete(0), err
	})})
	s := converse(t, e, stranger.Definition)
	first := s.submit(says("first"))
	ended := s.end(s.create(stranger, 0, own(s.ID())))
	if ended.State.Outcome.Status != record.Faulted {
		t.Errorf("the stranger is %+v", ended.State)
	}
	s.settled(first, record.Placed, "")
	close(e.gate)
	s.wait(first)
}

func TestATasksConversationHasACopyOfItsOwnersAgent(t *testing.T) {
	var child record.ConversationID
	parent := task("parent", phases{"begin": once(func(run *work, tx *durable.Tx) (next, error) {
		if err := durable.Configure(tx, run.Conversation(), durable.AgentChange{Instructions: durable.Set("late")}); err != nil {
			return next{}, err
		}
		created, err := tx.CreateConversation(durable.OwnedBy(run.TaskID()))
		if err != nil {
			return next{}, err
		}
		child = created.ID
		err = durable.Configure(tx, child, durable.AgentChange{Cwd: durable.Set("/child")})
		return run.Continue(stage{Phase: "end"}), err
	}), "end": once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(0), nil })})
	s := converse(t, newEcho(), parent.Definition)
	model := durable.ModelRef{Provider: "p", Model: "m"}
	if err := s.Configure(within(t), durable.AgentChange{Model: durable.Set(model), Cwd: durable.Set("/parent")}); err != nil {
		t.Fatal(err)
	}
	s.end(s.create(parent, 0, own(s.ID())))
	if err := s.Configure(within(t), durable.AgentChange{Model: durable.Clear[durable.ModelRef]()}); err != nil {
		t.Fatal(err)
	}
	of, err := s.Session.Conversation(within(t), child)
	if err != nil {
		t.Fatal(err)
	}
	agent, err := of.Agent(within(t))
	want := durable.AgentState{Model: &model, Cwd: "/child", Instructions: "late"}
	if diff := cmp.Diff(want, agent); diff != "" || err != nil {
		t.Error(diff, err)
	}
	if identity(t, s.opened, child) == identity(t, s.opened, s.ID()) {
		t.Error("it has its owner's identity")
	}
}

func TestACascadeWithdrawsTheInputsOfWhatItReaches(t *testing.T) {
	e := newEcho()
	e.gate = make(chan bool)
	var child record.ConversationID
	made := make(chan bool)
	parent := task("parent", phases{"begin": once(func(run *work, tx *durable.Tx) (next, error) {
		created, err := tx.CreateConversation(durable.OwnedBy(run.TaskID()))
		child = created.ID
		return run.Continue(stage{Phase: "hold"}), err
	}), "hold": func(ctx context.Context, _ *work) error {
		close(made)
		<-ctx.Done()
		return context.Cause(ctx)
	}})
	s := converse(t, e, parent.Definition)
	above := s.submit(says("above"))
	waiting := s.submit(says("waits above"))
	id := s.create(parent, 0, own(s.ID()))
	<-made
	below, err := s.Session.Conversation(within(t), child)
	if err != nil {
		t.Fatal(err)
	}
	var inputs []*durable.Submission
	for _, draft := range []durable.SubmissionDraft{says("a"), says("b"), writes("note")} {
		one, err := below.Submit(within(t), draft)
		if err != nil {
			t.Fatal(err)
		}
		inputs = append(inputs, one)
	}
	if _, err := s.AbortTask(within(t), id); err != nil {
		t.Fatal(err)
	}
	s.end(id)
	s.settled(inputs[0], record.Unanswered, durable.ReasonAborted)
	s.settled(inputs[1], record.Unanswered, durable.ReasonAborted)
	s.settled(inputs[2], record.Queued, "")
	s.settled(above, record.Placed, "")
	s.settled(waiting, record.Queued, "")
	close(e.gate)
	s.wait(waiting)
}

func TestACommitOfAConversationIsBoundToIt(t *testing.T) {
	e := newEcho()
	s := converse(t, e)
	var id record.TaskID
	err := s.Conversation.Commit(within(t), func(_ context.Context, tx *durable.Tx) (err error) {
		id, err = e.task.Create(tx, 0, durable.TaskOptions{Ownership: durable.OfConversation()})
		return err
	})
	if err != nil || s.stored(id).Conversation != s.ID() {
		t.Errorf("the task is in conversation %d, %v", s.stored(id).Conversation, err)
	}
}

// TestATaskConversesWithWhatItOwns has a task make a conversation, ask there, and be
// answered; its phase runs twice, and asks once.
func TestATaskConversesWithWhatItOwns(t *testing.T) {
	e := newEcho()
	var answers []record.EntryID
	var runtime *durable.Runtime
	asks := task("asks", phases{
		"begin": once(func(run *work, tx *durable.Tx) (next, error) {
			created, err := tx.CreateConversation(durable.OwnedBy(run.TaskID()))
			return run.Continue(stage{"ask", int(created.ID)}), err
		}),
		"ask": func(ctx context.Context, run *work) error {
			runtime = run.Runtime
			child := record.ConversationID(run.State.N)
			for range 2 {
				asked, err := run.Submit(ctx, child, durable.Input{Request: "question", Content: message.Content{Text: "?"}})
				if err != nil {
					return err
				}
				settled, err := run.WaitForSubmission(ctx, asked.ID())
				if err != nil {
					return err
				}
				answers = append(answers, settled.Answer)
			}
			if err := run.WaitForIdle(ctx, child); err != nil {
				return err
			}
			if err := run.AbortConversation(ctx, child, true); err != nil {
				return err
			}
			view, err := run.Context(ctx, child, 0)
			if err != nil {
				return err
			}
			return once(func(run *work, _ *durable.Tx) (next, error) { return run.Complete(len(view.Entries)), nil })(ctx, run)
		},
	})
	s := converse(t, e, asks.Definition)
	ended := s.end(s.create(asks, 0, own(s.ID())))
	if entries, err := asks.Result(ended); err != nil || entries != 2 {
		t.Errorf("%d entries, %v", entries, err)
	}
	if len(answers) != 2 || answers[0] != answers[1] || answers[0] == 0 {
		t.Errorf("the answers are %v", answers)
	}
	<-runtime.Done()
	var over *durable.InvocationEndedError
	_, errContext := runtime.Context(within(t), s.ID(), 0)
	_, errSubmit := runtime.Submit(within(t), s.ID(), says("late"))
	_, errWait := runtime.WaitForSubmission(within(t), 1)
	for _, err := range []error{errContext, errSubmit, errWait, runtime.WaitForIdle(within(t), s.ID()), runtime.AbortConversation(within(t), s.ID(), false)} {
		if !errors.As(err, &over) {
			t.Errorf("after the invocation: %v", err)
		}
	}
}

func TestASubmissionCanComeWithATasksOutcome(t *testing.T) {
	summary := task("summary", phases{"begin": once(func(run *work, tx *durable.Tx) (next, error) {
		_, err := tx.Submit(run.Conversation(), durable.Write{
			Request: fmt.Sprint("compaction:", run.TaskID()),
			Entry:   durable.EntryDraft{Kind: "summary", Self: true, Model: message.Messages{message.UserText("sum", 1)}},
		})
		return run.Complete(0), err
	})})
	s := converse(t, newEcho(), summary.Definition)
	s.end(s.create(summary, 0, own(s.ID())))
	s.expect("summary")
}

// nested hands something in from where runs are started.
type nested struct{ *hand }

func (n nested) Start(ctx context.Context, tx *durable.Tx, conversation record.ConversationID) (record.TaskID, error) {
	if _, err := tx.Submit(conversation, writes("note")); err != nil {
		return 0, err
	}
	return n.hand.Start(ctx, tx, conversation)
}

func TestTheStartOfARunMayHandSomethingIn(t *testing.T) {
	s := open(t, durable.Options{Runs: nested{&hand{}}})
	root, err := s.Root(within(t), durable.ConversationOptions{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := root.Submit(within(t), says("hello")); err != nil {
		t.Fatal(err)
	}
	inbox, _, err := durable.InboxDocument.Read(within(t), s.Session, durable.InConversation(root.ID()))
	if err != nil || len(inbox.Items) != 1 || inbox.Items[0].Mode != durable.ModeWrite {
		t.Errorf("the inbox is %+v, %v", inbox, err)
	}
}
