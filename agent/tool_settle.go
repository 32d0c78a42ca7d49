package agent

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/agent/internal/output"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/model/message"
	"github.com/seed-d579e5eb/harness/registry"
)

// ending is how the task of a call ends. The zero value is a call that was not run.
type ending struct {
	// duration is how many milliseconds the tool ran; nil when it did not run to its end.
	duration *float64
	// failed is why the tool failed, whatever hooks made of its result: a tool that
	// returned has done its work, with whatever it returned.
	failed  error
	aborted bool
}

// settle stores the result of a call, and ends it. In place of one that cannot be
// stored there is one that says so.
func (c *toolCall) settle(ctx context.Context, result *registry.Result, end ending) error {
	err := fits(result)
	if err == nil {
		err = c.store(ctx, result, end)
		if !refused(err) {
			return err
		}
	}
	unfit := fmt.Errorf("the result of the call cannot be stored: %w", err)
	if end.failed == nil && !end.aborted {
		end.failed = unfit
	}
	return c.store(ctx, registry.ErrorResult(registry.CodeToolError, unfit.Error()), end)
}

// maxResult is how many bytes of pictures, details and structured output a result has:
// what is stored before others have waited for long.
const maxResult = 16 << 20

// fits refuses a result that is too large. Its text is bounded by other limits.
func fits(result *registry.Result) error {
	size := len(result.Details) + len(result.StructuredOutput)
	for _, c := range result.Content {
		size += base64.StdEncoding.EncodedLen(len(c.Data))
	}
	if size > maxResult {
		return fmt.Errorf("it has %s bytes beside its text, and may have %s", output.Grouped(size), output.Grouped(maxResult))
	}
	return nil
}

// refused says whether a commit was refused for what was to be stored.
func refused(err error) bool {
	var large *storage.TooLargeError
	var invalid *durable.InvalidError
	var noJSON *durable.NotJSONError
	var unwritable *message.Error
	return errors.As(err, &large) || errors.As(err, &invalid) || errors.As(err, &noJSON) || errors.As(err, &unwritable)
}

func (c *toolCall) store(ctx context.Context, result *registry.Result, end ending) error {
	shaped := c.harness.shaped(c.call.ID, c.call.Tool, result, c.limits)
	shaped.message.DurationMs = end.duration
	if err := c.shapeNested(ctx, shaped); err != nil {
		return err
	}
	ended := toolResult{Control: shaped.control}
	isError, failure := shaped.message.IsError, shaped.failure()
	if c.run.Input.Kind == calledByTool {
		ended.Nested = c.nestedResult(result, shaped)
		isError, failure = ended.Nested.IsError, ended.Nested.failure()
	}
	return c.run.CommitUnlimited(ctx, func(_ context.Context, tx *durable.Tx) (next toolNext, err error) {
		if ended.Nested != nil {
			err = durable.AddUsage(tx, c.run.Conversation(), shaped.message)
		} else {
			ended.Entry, err = appendResult(tx, c.run.Conversation(), shaped)
		}
		if err != nil {
			return next, err
		}
		err = c.slot.edit(tx, func(s *NestedSlot) {
			clearPublished(s)
			s.Status, s.Entry = durable.SlotDone, ended.Entry
			s.IsError, s.DurationMs, s.Error = isError, end.duration, failure
		})
		switch {
		case end.aborted:
			return c.run.Abort(c.run.Record().AbortReason, ended), err
		case end.failed != nil:
			return c.run.Fail(end.failed, ended), err
		}
		return c.run.Complete(ended), err
	})
}
