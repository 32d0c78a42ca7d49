package agent_test

import (
	"context"
	"errors"
	"sync/atomic"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// stalled is a clock on which, from a moment on, every commit that has a budget finds
// it used up.
type stalled struct {
	durable.SystemClock
	budget time.Duration
	now    atomic.Bool
}

// AfterFunc implements [durable.Clock].
func (c *stalled) AfterFunc(duration time.Duration, call func()) func() bool {
	if c.now.Load() && duration == c.budget {
		call()
		return func() bool { return false }
	}
	return c.SystemClock.AfterFunc(duration, call)
}

// stalls is a step with which the stall begins.
func (c *stalled) stalls(step faux.Step) faux.Step {
	return func(ctx context.Context, request model.Request, state faux.State) (*message.Assistant, error) {
		c.now.Store(true)
		return step(ctx, request, state)
	}
}

func TestOnlyChangesOfExtensionsHaveALimitOfTime(t *testing.T) {
	clock := &stalled{budget: 7*time.Hour + time.Nanosecond}
	var authors []error
	changes := calling("change", func(ctx context.Context, r registry.CallRuntime) (string, error) {
		authors = append(authors, r.Commit(ctx, func(context.Context, *durable.Tx) error { return nil }))
		if _, err := r.MemoOnce(ctx, "kept", []byte("1")); err != nil {
			return "", err
		}
		nested, err := r.Execute(ctx, registry.NestedCall{Tool: "inner"})
		if err != nil {
			return "", err
		}
		return nested.Text, nil
	})
	before := registry.Hook{Kind: registry.HookToolCall, BeforeTool: func(ctx context.Context, at registry.HookContext, _ registry.ToolCallEvent) (registry.Decision, error) {
		authors = append(authors, at.Runtime.Commit(ctx, func(context.Context, *durable.Tx, record.Task) (*record.TaskState, error) { return nil, nil }))
		return registry.Decision{}, nil
	}}
	h := open(t, agent.Options{
		Session:  durable.Options{Clock: clock, CommitBudget: clock.budget},
		Settings: func() agent.Settings { return agent.Settings{Compaction: agent.CompactionPolicy{KeepRecentTokens: 1}} },
	}, with(changes, says("inner", "changed")), hooks(before))
	h.model.Set(clock.stalls(calls("change", `{}`)), text("Done."))
	if got := h.answer(h.say("Go.")); got != "Done." {
		t.Errorf("the answer is %q:\n%s", got, h.transcript())
	}
	if result, _ := h.resultOf(0); result.IsError || result.Text() != "changed" {
		t.Errorf("the result is %s", written(result))
	}
	var late *durable.CommitTimeoutError
	for _, err := range authors {
		if !errors.As(err, &late) {
			t.Errorf("a change of an extension's ended with %v", err)
		}
	}
	if len(authors) != 3 {
		t.Errorf("extensions made %d changes", len(authors))
	}
	clock.now.Store(false)
	h.model.Set(text("And?"))
	h.say("Well.")
	h.model.Set(clock.stalls(text("They talked.")))
	if task := h.compact(""); task.State.Outcome.Status != record.Completed || len(h.summaries()) != 1 {
		t.Errorf("the compaction is %+v", task.State.Outcome)
	}
}
