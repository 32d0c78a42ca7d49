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
func (a *Agent) beforeTool(ctx context.Context, call *Call) (judged, error) {
	var all judged
	for _, h := range a.hooks[HookToolCall] {
		decision, err := a.generation.gate(ctx, h, call)
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
		return h.BeforeTool(ctx, call.Asking.context(ctx, h), call.event())
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

// AfterTool gives the result of a call that ran as the hooks leave it: each sees what
// the one before gave. A failure is reported, and keeps the result.
func (a *Agent) AfterTool(ctx context.Context, call Call, result *Result) *Result {
	return a.replaceResult(ctx, HookToolResult, &call, result)
}

// OnAbort is [Agent.AfterTool] for a call that was aborted: it asks the hooks on
// that.
func (a *Agent) OnAbort(ctx context.Context, call Call, result *Result) *Result {
	return a.replaceResult(ctx, HookOnAbort, &call, result)
}

func (a *Agent) replaceResult(ctx context.Context, kind HookKind, call *Call, result *Result) *Result {
	if ctx.Err() != nil {
		ctx = context.WithoutCancel(ctx)
	}
	for _, h := range a.hooks[kind] {
		hook := h.AfterTool
		if kind == HookOnAbort {
			hook = h.OnAbort
		}
		next, err := invoke(ctx, h.member, h.what, a.generation.limits.Hook, func(ctx context.Context) (*Result, error) {
			return hook(ctx, call.Asking.context(ctx, h), call.event(), result)
		})
		if err != nil {
			a.generation.report(attributed(h.member, h.what, err))
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

// context is what a hook is told of who asks it.
func (a Asking) context(ctx context.Context, h boundHook) HookContext {
	at := HookContext{
		Extension: h.member.Name(), Agent: a.Agent, Conversation: a.Conversation,
		Depth: CallDepth(ctx), Runtime: a.Runtime, Models: a.Models,
	}
	if a.Settings != nil {
		at.Settings = a.Settings(at.Extension)
	}
	return at
}
