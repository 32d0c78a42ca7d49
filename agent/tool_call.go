package agent

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/registry"
)

// maxLost is how often a call that is safe to replay runs again because its code was
// taken away while it ran.
const maxLost = 3

// toolCall is a call that a phase works on.
type toolCall struct {
	harness *Harness
	run     *toolRun
	slot    slot
	agent   *registry.Agent
	tool    *registry.BoundTool // nil when there is none of that name
	call    registry.Call
	limits  registry.OutputLimits
}

// called returns the call of a phase, with the tool that it names now.
func (h *Harness) called(ctx context.Context, run *toolRun) (*toolCall, error) {
	agent, err := h.resolved(ctx, run.Runtime)
	if err != nil {
		return nil, err
	}
	c := &toolCall{harness: h, run: run, slot: slotOf(run.Record(), run.Input.Kind), agent: agent}
	c.call = registry.Call{ID: run.Input.Call, Asking: h.asking(run.Runtime), Approve: h.options.Approve}
	if run.Input.Kind == calledByTool {
		c.call.Tool, c.call.Arguments = run.Input.Tool, run.Input.Arguments
		c.call.Parent = &registry.ParentCall{TaskID: run.Record().Owner, CallID: run.Input.Parent}
	} else {
		said, err := calledIn(ctx, run.Runtime, run.Input.Assistant, run.Input.Call)
		if err != nil {
			return nil, err
		}
		c.call.Tool, c.call.Arguments, c.call.ArgumentsError = said.Name, said.Arguments, said.ArgumentsError
	}
	if c.tool = agent.Tool(c.call.Tool); c.tool != nil {
		c.limits = c.tool.OutputLimits
	}
	return c, nil
}

// beginToolCall settles what is to be run, stores that, runs it and stores the result.
func (h *Harness) beginToolCall(ctx context.Context, run *toolRun) error {
	c, err := h.called(ctx, run)
	if err != nil {
		return err
	}
	unfit := c.agent.Admit(ctx, &c.call)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if unfit != nil {
		return c.settle(ctx, unfit, ending{})
	}
	intent := toolState{Phase: phaseExecute, Arguments: c.call.Arguments, Replay: replayOf(c.tool)}
	err = run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next toolNext, err error) {
		err = c.slot.edit(tx, func(s *NestedSlot) { s.Status = durable.SlotRunning })
		return run.Continue(intent), err
	})
	switch {
	case refused(err):
		why := fmt.Sprintf("Invalid arguments for tool %q: they cannot be stored: %v", c.call.Tool, err)
		return c.settle(ctx, registry.ErrorResult(registry.CodeInvalidArguments, why), ending{})
	case err != nil:
		return err
	}
	return c.execute(ctx, intent)
}

// resumeToolCall goes on with a call that was cut off: it runs again, with the arguments
// that were stored, only when its tool said that this is safe and still says so.
func (h *Harness) resumeToolCall(ctx context.Context, run *toolRun) error {
	c, err := h.called(ctx, run)
	if err != nil {
		return err
	}
	if run.State.Replay != replaySafe || replayOf(c.tool) != replaySafe {
		return c.interrupted(ctx, "The call was interrupted, and was not run again since that may not be safe.")
	}
	err = run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (toolNext, error) {
		return run.Unchanged(), c.slot.edit(tx, clearPublished)
	})
	if err != nil {
		return err
	}
	c.call.Arguments = run.State.Arguments
	return c.execute(ctx, run.State)
}

// execute runs the tool and stores what it gives.
func (c *toolCall) execute(ctx context.Context, intent toolState) error {
	published := c.publishing()
	defer published.settle(&registry.SettledError{CallID: c.call.ID, Tool: c.call.Tool})
	defer published.end()
	runtime := newCallRuntime(c, published, intent.Replay)
	defer runtime.settle()
	c.call.Runtime, c.call.Progress = runtime, published.progress

	result, end := c.runTool(ctx)
	runtime.settle()
	published.end()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	interrupted := result.Code == registry.CodeInterrupted
	if interrupted && intent.Replay == replaySafe && intent.Lost < maxLost {
		return c.again(ctx, intent)
	}
	if runtime.mayHaveNested() {
		if err := c.abortNested(ctx); err != nil {
			return err
		}
	}
	recorded := published.recorded()
	left := recorded.shown(result)
	if !interrupted {
		left = c.agent.AfterTool(ctx, c.call, left)
	}
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	err := c.settle(ctx, recorded.joined(result, left, c.limits), end)
	published.settle(err)
	return err
}

// runTool runs the tool in the conversation's environment.
func (c *toolCall) runTool(ctx context.Context) (result *registry.Result, end ending) {
	h := c.harness
	env, err := h.env(ctx, c.run.Runtime, c.agent)
	if err != nil {
		result = registry.ErrorResult(registry.CodeToolError, "the environment of the call: "+err.Error())
	} else {
		c.call.Env = env
		began := h.clock.Now()
		result = c.agent.Execute(ctx, c.call)
		took := float64(h.clock.Now().Sub(began)) / float64(time.Millisecond)
		end.duration = &took
	}
	if failure, failed := result.Failure(); failed {
		end.failed = errors.New(failure.Message)
	}
	if result.Code == registry.CodeInterrupted {
		end.duration = nil
	}
	return result, end
}

// again has a call run once more whose code was taken away while it ran.
func (c *toolCall) again(ctx context.Context, intent toolState) error {
	intent.Lost++
	return c.run.CommitUnlimited(ctx, func(context.Context, *durable.Tx) (toolNext, error) {
		return c.run.Continue(intent), nil
	})
}

// interrupted ends a call that was cut off and does not run again, with what is stored
// of what it had published.
func (c *toolCall) interrupted(ctx context.Context, why string) error {
	recorded, err := c.slot.recorded(ctx, c.run)
	if err != nil {
		return err
	}
	result := registry.ErrorResult(registry.CodeInterrupted, why)
	return c.settle(ctx, recorded.joined(result, recorded.shown(result), c.limits), ending{failed: errors.New(why)})
}

// abortToolCall ends a call that is aborted. What it owned has ended by then.
func (h *Harness) abortToolCall(ctx context.Context, run *toolRun) error {
	c, err := h.called(ctx, run)
	if err != nil {
		return err
	}
	code, why := registry.CodeAborted, "The call was aborted."
	if run.Record().AbortReason == durable.AbortedByRestart {
		code, why = registry.CodeAbandoned, "The call was abandoned: nobody waited for it any more after a restart."
	}
	recorded, err := c.slot.recorded(ctx, run)
	if err != nil {
		return err
	}
	result := registry.ErrorResult(code, why)
	left := c.agent.OnAbort(ctx, c.call, recorded.shown(result))
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return c.settle(ctx, recorded.joined(result, left, c.limits), ending{aborted: true})
}
