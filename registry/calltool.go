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
	Agent          string
	Conversation   string
	Parent         *ParentCall // the call from which this one was made
	Env            Env
	// Settings gives an extension's settings in this conversation; nil stands
	// for no settings.
	Settings func(extension string) json.RawMessage

	// Progress is told what the tool publishes while it runs, in order, from
	// the goroutine that publishes. It returns soon, does not publish itself,
	// and may be nil.
	Progress func(Progress)
	// Approve answers the gates that ask. Nil refuses.
	Approve Approver

	published *published
}

// CallTool runs a call against the generation, which the caller holds, and
// always gives a result; a tool's panic or time-out is reported too. In this
// order: find the tool, PrepareArguments,
// validate and coerce, the gates (beforeTool), validate again, approval,
// Execute, the afterTool hooks. A call that does not get to Execute has an error
// result with a [ResultCode] and is not seen by afterTool hooks. They see every
// other result, also that of a call whose context has ended, because one of them
// may be there to take secrets out.
func (g *Generation) CallTool(ctx context.Context, call Call) *Result {
	tool := g.toolBy[call.Tool]
	if tool == nil {
		return errorResult(CodeToolUnavailable, fmt.Sprintf("Tool %q is not available.", call.Tool))
	}
	if refused := g.admit(ctx, tool, &call); refused != nil {
		return refused
	}
	return g.afterTool(ctx, &call, g.execute(ctx, tool, call))
}

// CallTool runs a call against the generation that is current now, and holds it
// until the call has ended.
func (r *Registry) CallTool(ctx context.Context, call Call) *Result {
	g, release := r.Acquire("tool " + call.Tool)
	defer release()
	return g.CallTool(ctx, call)
}

// admit settles the call's arguments and decides whether it runs. It gives the
// result of a call that does not.
func (g *Generation) admit(ctx context.Context, tool *BoundTool, call *Call) *Result {
	if call.ArgumentsError != "" {
		return errorResult(CodeInvalidArguments, fmt.Sprintf("Invalid arguments for tool %q: %s", tool.Name, call.ArgumentsError))
	}
	if len(call.Arguments) == 0 {
		call.Arguments = json.RawMessage("{}")
	}
	if refused := g.prepare(ctx, tool, call); refused != nil {
		return refused
	}
	if refused := settle(tool, call); refused != nil {
		return refused
	}
	outcome, err := g.beforeTool(ctx, call)
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
		return errorResult(CodeInvalidArguments, fmt.Sprintf("Invalid arguments for tool %q: %v", tool.Name, err))
	}
	call.Arguments = prepared
	return nil
}

// settle validates the call's arguments and keeps them coerced.
func settle(tool *BoundTool, call *Call) *Result {
	arguments, err := tool.Validate(call.Arguments)
	if err != nil {
		return errorResult(CodeInvalidArguments, err.Error())
	}
	call.Arguments = arguments
	return nil
}

func (g *Generation) execute(ctx context.Context, tool *BoundTool, call Call) *Result {
	call.published = &published{}
	result, err := invoke(ctx, tool.member, tool.what, tool.Timeout, func(ctx context.Context) (*Result, error) {
		return tool.Execute(ctx, &call)
	})
	if failure, ok := err.(*Failure); ok {
		g.report(failure)
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
		return errorResult(CodeInterrupted, err.Error())
	case ctx.Err() != nil:
		return errorResult(CodeAborted, err.Error())
	}
	return errorResult(CodeToolError, err.Error())
}

func aborted(ctx context.Context) *Result {
	return errorResult(CodeAborted, "Tool call aborted: "+context.Cause(ctx).Error())
}

func blocked(reason string) *Result {
	return errorResult(CodeBlocked, "Tool call blocked: "+reason)
}
