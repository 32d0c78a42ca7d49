package agent

import (
	"context"
	"encoding/json"
	"strconv"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/registry"
)

// callRuntime implements [registry.CallRuntime] for a call that runs. What waits in it
// ends with the call.
type callRuntime struct {
	call      *toolCall
	published *publishing
	replay    replay
	over      context.Context // ends when the call settles
	end       context.CancelCauseFunc

	mu     sync.Mutex
	nested int  // keys that were given out
	nests  bool // it was asked for a nested call
}

func newCallRuntime(c *toolCall, published *publishing, replay replay) *callRuntime {
	r := &callRuntime{call: c, published: published, replay: replay}
	r.over, r.end = context.WithCancelCause(context.Background())
	return r
}

// settle makes the runtime useless.
func (r *callRuntime) settle() {
	r.end(&registry.SettledError{CallID: r.call.call.ID, Tool: r.call.call.Tool})
}

// within returns a context that ends with ctx and when the call settles, whose cause is
// then what the caller is told.
func (r *callRuntime) within(ctx context.Context) (context.Context, func(), error) {
	if cause := context.Cause(r.over); cause != nil {
		return nil, nil, cause
	}
	both, cancel := context.WithCancelCause(ctx)
	stop := context.AfterFunc(r.over, func() { cancel(context.Cause(r.over)) })
	return both, func() {
		stop()
		cancel(context.Canceled)
	}, nil
}

// during runs something of the runtime that returns a value, while the call has not
// settled.
func during[T any](ctx context.Context, r *callRuntime, do func(ctx context.Context) (T, error)) (result T, err error) {
	both, done, err := r.within(ctx)
	if err != nil {
		return result, err
	}
	defer done()
	result, err = do(both)
	if cause := context.Cause(r.over); err != nil && cause != nil {
		err = cause
	}
	return result, err
}

// found is a value that may not be there.
type found[T any] struct {
	value T
	there bool
}

// TaskID implements [registry.CallRuntime].
func (r *callRuntime) TaskID() record.TaskID { return r.call.run.TaskID() }

// ConversationID implements [registry.CallRuntime].
func (r *callRuntime) ConversationID() record.ConversationID { return r.call.run.Conversation() }

// Agent implements [registry.CallRuntime].
func (r *callRuntime) Agent() *registry.Agent { return r.call.agent }

// Models implements [registry.CallRuntime].
func (r *callRuntime) Models() *model.Models { return r.call.harness.models }

// Definitions implements [registry.CallRuntime].
func (r *callRuntime) Definitions() durable.DefinitionSnapshot { return r.call.run.Definitions() }

// Commit implements [registry.CallRuntime].
func (r *callRuntime) Commit(ctx context.Context, change func(ctx context.Context, tx *durable.Tx) error) error {
	return r.commit(ctx, r.call.run.Commit, change)
}

// commitOwn is Commit of changes that run no code of the tool's.
func (r *callRuntime) commitOwn(ctx context.Context, change func(ctx context.Context, tx *durable.Tx) error) error {
	return r.commit(ctx, r.call.run.CommitUnlimited, change)
}

func (r *callRuntime) commit(ctx context.Context, by func(context.Context, func(context.Context, *durable.Tx) (toolNext, error)) error, change func(context.Context, *durable.Tx) error) error {
	return r.do(ctx, func(ctx context.Context) error {
		return by(ctx, func(ctx context.Context, tx *durable.Tx) (toolNext, error) {
			// What has its turn later than the end of the call is too late.
			if cause := context.Cause(r.over); cause != nil {
				return toolNext{}, cause
			}
			return r.call.run.Unchanged(), change(ctx, tx)
		})
	})
}

// Memo implements [registry.CallRuntime].
func (r *callRuntime) Memo(ctx context.Context, name string) (json.RawMessage, bool, error) {
	memo, err := during(ctx, r, func(ctx context.Context) (f found[json.RawMessage], err error) {
		f.value, f.there, err = r.call.run.Memo(ctx, name)
		return f, err
	})
	return memo.value, memo.there, err
}

// MemoOnce implements [registry.CallRuntime].
func (r *callRuntime) MemoOnce(ctx context.Context, name string, candidate json.RawMessage) (json.RawMessage, error) {
	return during(ctx, r, func(ctx context.Context) (json.RawMessage, error) {
		return r.call.run.MemoOnce(ctx, name, candidate)
	})
}

// CreateTask implements [registry.CallRuntime].
func (r *callRuntime) CreateTask(ctx context.Context, definition *durable.TaskDefinition, input json.RawMessage, options durable.TaskOptions) (id record.TaskID, err error) {
	if options.Ownership == durable.OwnedBy(r.TaskID()) && r.replay != replaySafe {
		options.AbandonOnRestart = true
	}
	return id, r.Commit(ctx, func(_ context.Context, tx *durable.Tx) error {
		created, err := tx.CreateTask(definition, input, options)
		id = created.ID
		return err
	})
}

// Task implements [registry.CallRuntime].
func (r *callRuntime) Task(ctx context.Context, id record.TaskID) (record.Task, bool, error) {
	task, err := during(ctx, r, func(ctx context.Context) (f found[record.Task], err error) {
		f.value, f.there, err = r.call.run.Task(ctx, id)
		return f, err
	})
	return task.value, task.there, err
}

// WaitForTask implements [registry.CallRuntime].
func (r *callRuntime) WaitForTask(ctx context.Context, id record.TaskID) (record.Task, error) {
	return during(ctx, r, func(ctx context.Context) (record.Task, error) { return r.call.run.WaitForTask(ctx, id) })
}

// AbortOwned implements [registry.CallRuntime].
func (r *callRuntime) AbortOwned(ctx context.Context, id record.TaskID) error {
	return r.do(ctx, func(ctx context.Context) error { return r.call.run.AbortOwned(ctx, id) })
}

// do is during for what returns nothing.
func (r *callRuntime) do(ctx context.Context, do func(ctx context.Context) error) error {
	_, err := during(ctx, r, func(ctx context.Context) (struct{}, error) { return struct{}{}, do(ctx) })
	return err
}

// Conversation implements [registry.CallRuntime].
func (r *callRuntime) Conversation(ctx context.Context, id record.ConversationID) (registry.CallConversation, bool, error) {
	there, err := during(ctx, r, func(ctx context.Context) (bool, error) {
		_, there, err := r.call.harness.ConversationRecord(ctx, id)
		return there, err
	})
	if err != nil || !there {
		return nil, false, err
	}
	return callConversation{r, id}, true, nil
}

// ReadDocument implements [durable.Documents].
func (r *callRuntime) ReadDocument(ctx context.Context, definition *durable.DocumentDefinition, in record.Scope, key string) (*value.Object, error) {
	return during(ctx, r, func(ctx context.Context) (*value.Object, error) {
		return r.call.run.ReadDocument(ctx, definition, in, key)
	})
}

// ReadDocumentAt implements [durable.Documents].
func (r *callRuntime) ReadDocumentAt(ctx context.Context, definition *durable.DocumentDefinition, conversation record.ConversationID, key string, at record.EntryID) (*value.Object, error) {
	return during(ctx, r, func(ctx context.Context) (*value.Object, error) {
		return r.call.run.ReadDocumentAt(ctx, definition, conversation, key, at)
	})
}

// WatchDocument implements [durable.Documents].
func (r *callRuntime) WatchDocument(ctx context.Context, definition *durable.DocumentDefinition, in record.Scope, key string) (*durable.Watch, error) {
	if cause := context.Cause(r.over); cause != nil {
		return nil, cause
	}
	watch, err := r.call.run.WatchDocument(ctx, definition, in, key)
	if watch != nil {
		context.AfterFunc(r.over, watch.Stop)
	}
	return watch, err
}

// OutputWindow implements [registry.CallRuntime].
func (r *callRuntime) OutputWindow() (registry.OutputWindow, bool) {
	limits := r.call.limits.WithDefaults()
	if limits.Retain != registry.RetainTail {
		return registry.OutputWindow{}, false
	}
	return registry.OutputWindow{
		MaxBytes: limits.MaxBytes, MaxLines: limits.MaxLines,
		Interval: r.published.pacer.Interval, BytesPerSecond: outputRate,
	}, true
}

// RetainedOutput implements [registry.CallRuntime].
func (r *callRuntime) RetainedOutput() (string, error) {
	if cause := context.Cause(r.over); cause != nil {
		return "", cause
	}
	text, _ := r.published.retained()
	return text, nil
}

// Stored implements [registry.CallRuntime].
func (r *callRuntime) Stored(ctx context.Context) error {
	if cause := context.Cause(r.over); cause != nil {
		return cause
	}
	return r.published.pacer.Stored(ctx)
}

// Execute implements [registry.CallRuntime].
func (r *callRuntime) Execute(ctx context.Context, call registry.NestedCall) (*registry.NestedResult, error) {
	key, err := r.key(call.Key)
	if err != nil {
		return nil, err
	}
	call.Key = key
	depth := max(registry.CallDepth(ctx), r.call.run.Input.Depth)
	if depth >= registry.MaxCallDepth {
		return nil, &registry.CallDepthError{}
	}
	return during(ctx, r, func(ctx context.Context) (*registry.NestedResult, error) {
		if call.Progress != nil {
			defer r.call.harness.listen(nestedName{r.TaskID(), call.Key}, call.Progress)()
		}
		task, err := r.nest(ctx, call, depth+1)
		if err != nil {
			return nil, err
		}
		outcome, err := r.call.nestedOutcome(ctx, task)
		if cause := context.Cause(ctx); cause != nil {
			return nil, cause // what ended the call may have been the end of the wait
		}
		return outcome, err
	})
}

// key returns the key of a nested call: the given one, or the next number.
func (r *callRuntime) key(given string) (string, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.nests = true
	if given != "" {
		return given, checkKey(given)
	}
	r.nested++
	return strconv.Itoa(r.nested), nil
}

// mayHaveNested says whether there may be nested calls: of this attempt or, when it is
// not the first one, of those before. It is asked once the call has settled.
func (r *callRuntime) mayHaveNested() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.nests || r.call.run.State.Phase == phaseExecute
}

// callConversation implements [registry.CallConversation].
type callConversation struct {
	runtime *callRuntime
	id      record.ConversationID
}

// ID implements [registry.CallConversation].
func (c callConversation) ID() record.ConversationID { return c.id }

// Submit implements [registry.CallConversation].
func (c callConversation) Submit(ctx context.Context, input durable.Input) (registry.CallSubmission, error) {
	submission, err := during(ctx, c.runtime, func(ctx context.Context) (*durable.Submission, error) {
		return c.runtime.call.run.Submit(ctx, c.id, input)
	})
	if err != nil {
		return nil, err
	}
	return callSubmission{c.runtime, submission}, nil
}

// Abort implements [registry.CallConversation].
func (c callConversation) Abort(ctx context.Context, background bool) error {
	return c.runtime.do(ctx, func(ctx context.Context) error {
		return c.runtime.call.run.AbortConversation(ctx, c.id, background)
	})
}

// WaitForIdle implements [registry.CallConversation].
func (c callConversation) WaitForIdle(ctx context.Context) error {
	return c.runtime.do(ctx, func(ctx context.Context) error { return c.runtime.call.run.WaitForIdle(ctx, c.id) })
}

// callSubmission implements [registry.CallSubmission].
type callSubmission struct {
	runtime    *callRuntime
	submission *durable.Submission
}

// ID implements [registry.CallSubmission].
func (s callSubmission) ID() record.SubmissionID { return s.submission.ID() }

// Status implements [registry.CallSubmission].
func (s callSubmission) Status(ctx context.Context) (record.Submission, error) {
	return during(ctx, s.runtime, s.submission.Status)
}

// Wait implements [registry.CallSubmission].
func (s callSubmission) Wait(ctx context.Context) (record.Submission, error) {
	return during(ctx, s.runtime, func(ctx context.Context) (record.Submission, error) {
		return s.runtime.call.run.WaitForSubmission(ctx, s.submission.ID())
	})
}

// Abort implements [registry.CallSubmission].
func (s callSubmission) Abort(ctx context.Context) (durable.SubmissionAbort, error) {
	return during(ctx, s.runtime, s.submission.Abort)
}
