package agent

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/registry"
)

// recorded is what a call had published when it ended. Its diagnostics are beside the
// result, so that no hook that replaces the result loses them.
type recorded struct {
	output        string
	gone          output.Dropped // what of the output is not kept
	details       json.RawMessage
	before, after []registry.Diagnostic // those of the call, and the harness's
}

// shown is a result as hooks see it: with the output and the details in place of what
// it leaves out.
func (r *recorded) shown(result *registry.Result) *registry.Result {
	completed := *result
	if completed.Details == nil {
		completed.Details = r.details
	}
	if completed.Content == nil {
		completed.Content = r.content()
	}
	return &completed
}

func (r *recorded) content() []registry.Content {
	if r.output == "" {
		return []registry.Content{}
	}
	return []registry.Content{{Type: registry.ContentText, Text: r.output}}
}

// joined is the result that is stored: what the tool gave, as it was given, and as hooks
// have left it, with all diagnostics in order. Those of the call are first, then the
// result's own, then the harness's.
func (r *recorded) joined(given, left *registry.Result, limits registry.OutputLimits) *registry.Result {
	joined := *left
	joined.Diagnostics = slices.Concat(r.before, left.Diagnostics)
	if joined.Content == nil {
		joined.Content = r.content()
	}
	if r.gone.Bytes > 0 && (given.Content == nil || left.Content == nil) {
		joined.Diagnostics = append(joined.Diagnostics, truncated(limits, r.gone))
	}
	joined.Diagnostics = append(joined.Diagnostics, r.after...)
	return &joined
}

// recorded is what is stored of what a call had published.
func (s slot) recorded(ctx context.Context, run *toolRun) (r recorded, err error) {
	shown, err := s.read(ctx, run)
	if err != nil {
		return r, err
	}
	r = recorded{output: shown.Output, gone: droppedOf(shown), details: shown.Details}
	for _, text := range shown.Diagnostics {
		var d registry.Diagnostic
		if err := json.Unmarshal(text, &d); err != nil {
			return r, fmt.Errorf("a diagnostic of task %d: %w", run.TaskID(), err)
		}
		r.before = append(r.before, d)
	}
	return r, nil
}
