package registry

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// ask asks the hooks of a kind, in order, until one says that it decided. A failure
// is reported and the next one is asked. The error is the cause of ctx, when that
// ended.
func (a *Agent) ask(ctx context.Context, kind HookKind, asking Asking, one func(ctx context.Context, h boundHook, at HookContext) (decided bool, err error)) error {
	for _, h := range a.hooks[kind] {
		decided, err := invoke(ctx, h.member, h.what, a.generation.limits.Hook, func(ctx context.Context) (bool, error) {
			return one(ctx, h, asking.context(ctx, h))
		})
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			a.generation.report(attributed(h.member, h.what, err))
		case decided:
			return nil
		}
	}
	return nil
}

// BeforeRequest gives the messages of a request as the hooks leave them: each sees
// what the one before gave. The error is the cause of ctx, when that ended.
func (a *Agent) BeforeRequest(ctx context.Context, asking Asking, messages message.Messages) (message.Messages, error) {
	err := a.ask(ctx, HookBeforeRequest, asking, func(ctx context.Context, h boundHook, at HookContext) (bool, error) {
		replaced, err := h.BeforeRequest(ctx, at, messages)
		if err == nil && replaced != nil {
			messages = replaced
		}
		return false, err
	})
	return messages, err
}

// AfterResponse shows a response to the hooks. The error is the cause of ctx, when
// that ended.
func (a *Agent) AfterResponse(ctx context.Context, asking Asking, response *message.Assistant) error {
	return a.ask(ctx, HookAfterResponse, asking, func(ctx context.Context, h boundHook, at HookContext) (bool, error) {
		return false, h.AfterResponse(ctx, at, response)
	})
}

// OnYield gives the user's turn with which a run goes on after an answer; nil when no
// hook gives one. The error is the cause of ctx, when that ended.
func (a *Agent) OnYield(ctx context.Context, asking Asking, answer *message.Assistant) (*message.Content, error) {
	var turn *message.Content
	err := a.ask(ctx, HookOnYield, asking, func(ctx context.Context, h boundHook, at HookContext) (decided bool, err error) {
		given, err := h.OnYield(ctx, at, answer)
		if err != nil || given == nil {
			return false, err
		}
		text, err := json.Marshal(given)
		if err == nil {
			err = checkSize("the turn it goes on with", len(text), maxTurn)
		}
		if err != nil {
			return false, err
		}
		turn = given
		return true, nil
	})
	return turn, err
}

// AfterTools tells the hooks of a round of tools that has ended. The error is the
// cause of ctx, when that ended.
func (a *Agent) AfterTools(ctx context.Context, asking Asking, response record.EntryID, results []record.EntryID) error {
	return a.ask(ctx, HookAfterTools, asking, func(ctx context.Context, h boundHook, at HookContext) (bool, error) {
		return false, h.AfterTools(ctx, at, response, results)
	})
}

// BeforeCompact gives what the hooks decide about a compaction; nil when none does.
// A decision that neither declines nor has a summary that says anything is reported,
// and the next hook is asked. The error is the cause of ctx, when that ended.
func (a *Agent) BeforeCompact(ctx context.Context, asking Asking, compaction Compaction) (*CompactionDecision, error) {
	var decision *CompactionDecision
	err := a.ask(ctx, HookBeforeCompact, asking, func(ctx context.Context, h boundHook, at HookContext) (decided bool, err error) {
		given, err := h.BeforeCompact(ctx, at, compaction)
		switch {
		case err != nil || given == nil:
			return false, err
		case !given.Decline && strings.TrimSpace(given.Summary) == "":
			return false, errors.New("it neither declined nor gave a summary: its summary is missing or blank")
		}
		if err := checkSize("its summary", len(given.Summary), maxText); err != nil {
			return false, err
		}
		decision = given
		return true, nil
	})
	return decision, err
}

// Structured gives what a calling tool gets of a result that is no error: the value
// of its schema, or without one the text, as JSON. The error says that the value is
// missing or does not fit.
func (t *BoundTool) Structured(result *Result) (json.RawMessage, error) {
	if t.structured == nil {
		return encode(result.Text())
	}
	if result.StructuredOutput == nil {
		return nil, fmt.Errorf("tool %q gave no structured output; it declares a schema of one", t.Name)
	}
	value, err := decode(result.StructuredOutput)
	if err == nil {
		err = withPatterns(func() error {
			if err := checkWork(t.structured, value); err != nil {
				return err
			}
			return t.structured.Validate(value)
		})
	}
	if err != nil {
		list := flaws(err, value, result.StructuredOutput)
		return nil, fmt.Errorf("the structured output of tool %q does not fit its schema: %w", t.Name, errors.New(list[0]))
	}
	return result.StructuredOutput, nil
}
