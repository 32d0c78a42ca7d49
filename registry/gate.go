package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
)

// judged is what the chain of gates made of a call that none of them blocked.
type judged struct {
	asked   []AskReason
	changed bool // the arguments are others now
}

// beforeTool runs the gates in order and keeps the arguments they give in call.
// The error is the reason of the first block.
func (g *Generation) beforeTool(ctx context.Context, call *Call) (judged, error) {
	var all judged
	for _, h := range g.hooks[HookToolCall] {
		decision, err := g.gate(ctx, h, call)
		if err != nil {
			return all, err
		}
		if decision.Verdict == VerdictBlock {
			return all, errors.New(decision.Reason)
		}
		if decision.Verdict == VerdictAsk {
			all.asked = append(all.asked, AskReason{h.member.Name(), decision.Reason})
		}
		if decision.Arguments != nil {
			call.Arguments, all.changed = decision.Arguments, true
		}
	}
	return all, nil
}

// gate runs one gate. An error blocks.
func (g *Generation) gate(ctx context.Context, h boundHook, call *Call) (Decision, error) {
	decision, err := invoke(ctx, h.member, h.what, g.limits.Hook, func(ctx context.Context) (Decision, error) {
		return h.BeforeTool(ctx, call.hookContext(ctx, h), call.event())
	})
	switch {
	case err != nil && ctx.Err() == nil:
		g.report(attributed(h.member, h.what, err))
		return decision, err
	case err != nil:
		return decision, err
	case decision.Verdict < VerdictNone || decision.Verdict > VerdictBlock:
		err = fmt.Errorf("unknown verdict %d", decision.Verdict)
	case decision.Arguments != nil && !json.Valid(decision.Arguments):
		err = errors.New("the arguments it gave are not JSON")
	default:
		return decision, nil
	}
	failure := attributed(h.member, h.what, err)
	g.report(failure)
	return decision, failure
}

// approve asks the caller's approver when a gate asked. It gives the result of
// a call that is not approved.
func approve(ctx context.Context, call *Call, asked []AskReason) *Result {
	if len(asked) == 0 {
		return nil
	}
	if call.Approve == nil {
		return blocked("approval needed, and nobody can give it: " + asked[0].Reason)
	}
	approved, err := call.Approve(ctx, Approval{Call: call.event(), Reasons: asked})
	switch {
	case ctx.Err() != nil:
		return aborted(ctx)
	case err != nil:
		return blocked("approval needed: " + err.Error())
	case !approved:
		return blocked("approval refused: " + asked[0].Reason)
	}
	return nil
}

// afterTool runs the hooks on a result, each on what the one before gave.
func (g *Generation) afterTool(ctx context.Context, call *Call, result *Result) *Result {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	for _, h := range g.hooks[HookToolResult] {
		next, err := invoke(ctx, h.member, h.what, g.limits.Hook, func(ctx context.Context) (*Result, error) {
			return h.AfterTool(ctx, call.hookContext(ctx, h), call.event(), result)
		})
		if err != nil {
			g.report(attributed(h.member, h.what, err))
			continue
		}
		if next != nil {
			replaced := *next
			replaced.Code = ""
			if replaced.IsError {
				replaced.Code = result.Code
			}
			result = &replaced
		}
	}
	return result
}

func (c *Call) event() ToolCallEvent {
	return ToolCallEvent{ID: c.ID, Tool: c.Tool, Arguments: c.Arguments, Parent: c.Parent}
}

func (c *Call) hookContext(ctx context.Context, h boundHook) HookContext {
	at := HookContext{Extension: h.member.Name(), Agent: c.Agent, Conversation: c.Conversation, Depth: CallDepth(ctx)}
	if c.Settings != nil {
		at.Settings = c.Settings(at.Extension)
	}
	return at
}
