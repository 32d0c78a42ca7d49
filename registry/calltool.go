package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// Call is one call of a tool. The caller fills in the fields; Execute gets a
// copy with the final arguments and calls the methods.
type Call struct {
	ID             string
	Tool           string
	Arguments      json.RawMessage // a JSON object; empty means {}
	ArgumentsError string          // why the model's arguments are not JSON; the call is then invalid
	Asking         Asking          // on whose behalf hooks are asked
	Parent         *ParentCall     // the call from which this one was made
	Env            Env
	// Runtime is nil for a call from outside of conversations. Who makes a call with
	// one keeps what the call publishes, as Progress tells it: its result is what the
	// tool gave, and nothing is added to that.
	Runtime CallRuntime

	// Progress is told what the tool publishes while it runs, in order, from
	// the goroutine that publishes. It returns at once: others that publish wait
	// for it, so it calls no method of the call and nothing that does, such as code
	// of a script. It may be nil.
	Progress func(Progress)
	// Approve answers the gates that ask. Nil refuses.
	Approve Approver

	published *published
}

// CallTool runs a call of the agent of all extensions, from outside of
// conversations. The caller holds the generation.
//
// It is [Agent.Admit], [Agent.Execute] and [Agent.AfterTool], one after another. A
// call that is not admitted is not seen by afterTool hooks. They see every other
// result, also that of a call whose context has ended, because one of them may be
// there to take secrets out.
func (g *Generation) CallTool(ctx context.Context, call Call) *Result {
	a := g.Agent(ctx, AgentChoice{})
	if refused := a.Admit(ctx, &call); refused != nil {
		return refused
	}
	return a.AfterTool(ctx, call, a.Execute(ctx, call))
}

// CallTool runs a call against the generation that is current now, and holds it
// until the call has ended.
func (r *Registry) CallTool(ctx context.Context, call Call) *Result {
	g, release := r.Acquire("tool " + call.Tool)
	defer release()
	return g.CallTool(ctx, call)
}

// called finds the tool of a call; nil when its caller may not call it.
func (a *Agent) called(call *Call) *BoundTool {
	who := CallerModel
	if call.Parent != nil {
		who = CallerTool
	}
	if tool := a.toolBy[call.Tool]; tool != nil && tool.MayCall(who) {
		return tool
	}
	return nil
}

func unavailable(call *Call) *Result {
	return ErrorResult(CodeToolUnavailable, fmt.Sprintf("Tool %q is not available.", call.Tool))
}

// Admit settles the arguments of a call, in the call, and decides whether it runs.
// In this order: find the tool, PrepareArguments, validate and coerce, the gates
// (beforeTool), validate again, approval. Nil admits the call; otherwise it gives the
// call's error result, with a [ResultCode].
func (a *Agent) Admit(ctx context.Context, call *Call) (refused *Result) {
	tool := a.called(call)
	if tool == nil {
		return unavailable(call)
	}
	if call.ArgumentsError != "" {
		return ErrorResult(CodeInvalidArguments, fmt.Sprintf("Invalid arguments for tool %q: %s", tool.Name, call.ArgumentsError))
	}
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage("{}")
	}
	if refused := a.generation.prepare(ctx, tool, call); refused != nil {
		return refused
	}
	if refused := settle(tool, call); refused != nil {
		return refused
	}
	outcome, err := a.beforeTool(ctx, call)
	if ctx.Err() != nil {
		return aborted(ctx)
	}
	if err != nil {
		return blocked(err.Error())
	}
	if outcome.changed {
		if refused := settle(tool, call); refused != nil {
			return refused
		}
	}
	return approve(ctx, call, outcome.asked)
}

func (g *Generation) prepare(ctx context.Context, tool *BoundTool, call *Call) *Result {
	if tool.PrepareArguments == nil {
		return nil
	}
	prepared, err := invoke(ctx, tool.member, tool.what, g.limits.Hook, func(ctx context.Context) (json.RawMessage, error) {
		return tool.PrepareArguments(ctx, call.Arguments)
	})
	switch {
	case ctx.Err() != nil:
		return aborted(ctx)
	case err != nil:
		return ErrorResult(CodeInvalidArguments, fmt.Sprintf("Invalid arguments for tool %q: %v", tool.Name, err))
	}
	call.Arguments = prepared
	return nil
}

// settle validates the call's arguments and keeps them coerced.
func settle(tool *BoundTool, call *Call) *Result {
	arguments, err := tool.Validate(call.Arguments)
	if err != nil {
		return ErrorResult(CodeInvalidArguments, err.Error())
	}
	call.Arguments = arguments
	return nil
}

// Execute runs a call that was admitted, and always gives a result. A tool's panic
// or time-out is reported too. Without a [CallRuntime] the result is completed with
// what the call published.
func (a *Agent) Execute(ctx context.Context, call Call) *Result {
	tool := a.called(&call)
	if tool == nil {
		return unavailable(&call)
	}
	call.published = &published{forwards: call.Runtime != nil}
	result, err := invoke(ctx, tool.member, tool.what, tool.Timeout, func(ctx context.Context) (*Result, error) {
		return tool.Execute(ctx, &call)
	})
	if failure, ok := err.(*Failure); ok {
		a.generation.report(failure)
	}
	switch {
	case err != nil:
		result = failed(ctx, err)
	case result == nil:
		result = &Result{}
	default:
		returned := *result
		returned.Code = ""
		result = &returned
	}
	return call.published.settle(result)
}

// failed gives the result of a tool that returned an error.
func failed(ctx context.Context, err error) *Result {
	var interrupted *InterruptedError
	switch {
	case errors.As(err, &interrupted):
		return ErrorResult(CodeInterrupted, err.Error())
	case ctx.Err() != nil:
		return ErrorResult(CodeAborted, err.Error())
	}
	return ErrorResult(CodeToolError, err.Error())
}

func aborted(ctx context.Context) *Result {
	return ErrorResult(CodeAborted, "Tool call aborted: "+context.Cause(ctx).Error())
}

func blocked(reason string) *Result {
	return ErrorResult(CodeBlocked, "Tool call blocked: "+reason)
}
