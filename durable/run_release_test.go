package durable_test

import (
	"context"
	"errors"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// TestARunEndsWithItsTask has tasks end that do not end their run: whatever way they
// end, their inputs are settled and the conversation takes the next one.
func TestARunEndsWithItsTask(t *testing.T) {
	for _, c := range []struct {
		name   string
		end    func(*work) next
		reason string
	}{
		{"completed", func(run *work) next { return run.Complete(1) }, durable.ReasonFaulted},
		{"failed", func(run *work) next { return run.Fail(errors.New("no model")) }, durable.ReasonFaulted},
		{"aborted", func(run *work) next { return run.Abort("enough") }, durable.ReasonAborted},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := newEcho()
			answer := e.task.Definition.Phases["begin"]
			forgets := true
			forget := durable.DefineTask(durable.TaskSpec[int, stage, int]{
				Name: "test.forgets", Version: 1,
				Initial: func(int) stage { return stage{Phase: "begin"} },
				Phases:  phases{"begin": once(func(run *work, _ *durable.Tx) (next, error) { return c.end(run), nil })},
			})
			e.task.Definition.Phases["begin"] = func(ctx context.Context, run *durable.Runtime) error {
				if forgets {
					forgets = false
					return forget.Definition.Phases["begin"](ctx, run)
				}
				return answer(ctx, run)
			}
			s := converse(t, e)
			settled := s.wait(s.submit(says("first")))
			if settled.Status != record.Unanswered || settled.Reason != c.reason {
				t.Errorf("the settlement is %+v", settled)
			}
			if next := s.wait(s.submit(durable.Input{Content: says("second").Content, WhenBusy: durable.Reject})); next.Status != record.Done {
				t.Errorf("the next input: %+v", next)
			}
		})
	}
}

// TestATaskWithoutAnAbortEndsAsAborted aborts a task whose description leaves the
// abort out.
func TestATaskWithoutAnAbortEndsAsAborted(t *testing.T) {
	begun := make(chan bool)
	e := newEcho()
	e.task = durable.DefineTask(durable.TaskSpec[int, stage, int]{
		Name: "test.echo", Version: 1,
		Initial: func(int) stage { return stage{Phase: "begin"} },
		Phases: phases{"begin": func(ctx context.Context, _ *work) error {
			begun <- true
			<-ctx.Done()
			return context.Cause(ctx)
		}},
	})
	s := converse(t, e)
	input := s.submit(says("first"))
	<-begun
	if err := s.Abort(within(t), false); err != nil {
		t.Fatal(err)
	}
	if settled := s.wait(input); settled.Reason != durable.ReasonAborted {
		t.Errorf("the settlement is %+v", settled)
	}
}
