package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
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
	Settings       json.RawMessage
	Env            Env

	// Progress is told what the tool publishes while it runs, in order, from
	// the goroutine that publishes. It may be nil.
	Progress func(Progress)
	// Approve answers the gates that ask. Nil refuses.
	Approve Approver

	published *published
}

// Progress is one thing that a running tool published. One field is set.
type Progress struct {
	Output     string
	Details    json.RawMessage
	Diagnostic *Diagnostic
}

// SettledError says that a call was used after it had ended.
type SettledError struct{ CallID, Tool string }

func (e *SettledError) Error() string {
	return fmt.Sprintf("call %q of tool %q has settled", e.CallID, e.Tool)
}

// published gathers what a running call publishes.
type published struct {
	mu          sync.Mutex
	settled     bool
	output      []byte
	details     json.RawMessage
	diagnostics []Diagnostic
}

// Output publishes text while the tool runs. A result without content has the
// published text. The error is a [*SettledError]. Safe for concurrent use, like
// the other methods.
func (c *Call) Output(text string) error {
	return c.publish(Progress{Output: text}, func(p *published) { p.output = append(p.output, text...) })
}

// Details publishes details. A result without details has the last ones. The
// error is a [*SettledError].
func (c *Call) Details(details json.RawMessage) error {
	return c.publish(Progress{Details: details}, func(p *published) { p.details = details })
}

// Diagnose adds a diagnostic, which stands before those of the result. The
// error is a [*SettledError].
func (c *Call) Diagnose(d Diagnostic) error {
	return c.publish(Progress{Diagnostic: &d}, func(p *published) { p.diagnostics = append(p.diagnostics, d) })
}

func (c *Call) publish(progress Progress, keep func(*published)) error {
	if c.published == nil {
		return &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	c.published.mu.Lock()
	defer c.published.mu.Unlock()
	if c.published.settled {
		return &SettledError{CallID: c.ID, Tool: c.Tool}
	}
	keep(c.published)
	if c.Progress != nil {
		c.Progress(progress)
	}
	return nil
}

// CallTool runs a call against the generation, which the caller holds, and
// always gives a result. In this order: find the tool, PrepareArguments,
// validate and coerce, the gates (beforeTool), validate again, approval,
// Execute, the afterTool hooks. A call that does not get to Execute has an error
// result with a [ResultCode] and is not seen by afterTool hooks.
func (g *Generation) CallTool(ctx context.Context, call Call) *Result {
	tool := g.toolBy[call.Tool]
	if tool == nil {
		return errorResult(CodeToolUnavailable, fmt.Sprintf("Tool %q is not available.", call.Tool))
	}
	if refused := g.admit(ctx, tool, &call); refused != nil {
		return refused
	}
	result := g.execute(ctx, tool, call)
	return g.afterTool(ctx, &call, result)
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
	if err != nil {
		result = failed(ctx, err)
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

// settle ends publishing and completes the result with what was published.
func (p *published) settle(result *Result) *Result {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.settled = true
	var r Result
	if result != nil {
		r = *result
	}
	if len(p.output) > 0 && (len(r.Content) == 0 || r.Code != "") {
		r.Content = append([]Content{{Type: ContentText, Text: string(p.output)}}, r.Content...)
	}
	if r.Details == nil {
		r.Details = p.details
	}
	if len(p.diagnostics) > 0 {
		r.Diagnostics = append(p.diagnostics[:len(p.diagnostics):len(p.diagnostics)], r.Diagnostics...)
	}
	return &r
}

func aborted(ctx context.Context) *Result {
	return errorResult(CodeAborted, "Tool call aborted: "+context.Cause(ctx).Error())
}

func blocked(reason string) *Result {
	return errorResult(CodeBlocked, "Tool call blocked: "+reason)
}
