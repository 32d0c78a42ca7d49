package bind

import (
	"context"
	"encoding/json"
	"errors"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// worker is what code that runs for a task has of it: the phase of a task, a call of a
// tool, or a hook.
type worker interface {
	durable.Documents
	TaskID() record.TaskID
	Memo(ctx context.Context, name string) (json.RawMessage, bool, error)
	MemoOnce(ctx context.Context, name string, candidate json.RawMessage) (json.RawMessage, error)
	Task(ctx context.Context, id record.TaskID) (record.Task, bool, error)
	WaitForTask(ctx context.Context, id record.TaskID) (record.Task, error)
	AbortOwned(ctx context.Context, id record.TaskID) error
	// find finds a conversation to work with.
	find(ctx context.Context, id record.ConversationID) (registry.CallConversation, bool, error)
}

// memos are the operations on the memos of a task.
func memos(w worker) map[string]answer {
	return map[string]answer{
		"memo": taking(func(ctx context.Context, args struct {
			Name string `json:"name"`
		}) (any, error) {
			return maybe3(w.Memo(ctx, args.Name))
		}),
		"memoOnce": taking(func(ctx context.Context, args struct {
			Name      string          `json:"name"`
			Candidate json.RawMessage `json:"candidate"`
		}) (any, error) {
			kept, err := w.MemoOnce(ctx, args.Name, args.Candidate)
			return kept, err
		}),
	}
}

// dealings are the operations on other tasks and on conversations.
func dealings(w worker) map[string]answer {
	on := func(reply func(context.Context, registry.CallConversation, conversationRequest) (any, error)) answer {
		return taking(func(ctx context.Context, args conversationRequest) (any, error) {
			conversation, err := known(ctx, w, args.ID)
			if err != nil {
				return nil, err
			}
			return reply(ctx, conversation, args)
		})
	}
	return map[string]answer{
		"getTask": taking(func(ctx context.Context, args byID) (any, error) {
			return maybe3(w.Task(ctx, record.TaskID(args.ID)))
		}),
		"waitForTask": taking(func(ctx context.Context, args byID) (any, error) {
			ended, err := w.WaitForTask(ctx, record.TaskID(args.ID))
			return ended, err
		}),
		"abortOwned": taking(func(ctx context.Context, args byID) (any, error) {
			return jsapi.Undefined{}, w.AbortOwned(ctx, record.TaskID(args.ID))
		}),
		"conversation": taking(func(ctx context.Context, args conversationRequest) (any, error) {
			_, found, err := w.find(ctx, args.ID)
			return found, err
		}),
		"submit": taking(func(ctx context.Context, args submissionRequest) (any, error) {
			conversation, err := known(ctx, w, args.ID)
			if err != nil {
				return nil, err
			}
			draft, err := args.draft()
			if err != nil {
				return nil, err
			}
			input, is := draft.(durable.Input)
			if !is {
				return nil, &TypeError{Function: "submit", Argument: "the submission", Want: "an input; an entry is appended in a commit"}
			}
			submitted, err := conversation.Submit(ctx, input)
			if err != nil {
				return nil, err
			}
			return jsapi.NewObject("id", float64(submitted.ID()), "remote", remote(find(submission(submitted)))), nil
		}),
		"abort": on(func(ctx context.Context, c registry.CallConversation, args conversationRequest) (any, error) {
			return jsapi.Undefined{}, c.Abort(ctx, args.Background)
		}),
		"waitForIdle": on(func(ctx context.Context, c registry.CallConversation, _ conversationRequest) (any, error) {
			return jsapi.Undefined{}, c.WaitForIdle(ctx)
		}),
	}
}

// known is a conversation that must be there.
func known(ctx context.Context, w worker, id record.ConversationID) (registry.CallConversation, error) {
	conversation, found, err := w.find(ctx, id)
	if err == nil && !found {
		err = &durable.NotFoundError{What: "conversation", ID: int64(id)}
	}
	return conversation, err
}

// submission are the operations on what was handed in, under the names that the
// engine has for them.
func submission(s registry.CallSubmission) map[string]answer {
	return map[string]answer{
		"submissionStatus": func(ctx context.Context, _ *request) (any, error) {
			now, err := s.Status(ctx)
			return now, err
		},
		"waitForSubmission": func(ctx context.Context, _ *request) (any, error) {
			settled, err := s.Wait(ctx)
			return settled, err
		},
		"abortSubmission": func(ctx context.Context, _ *request) (any, error) {
			found, err := s.Abort(ctx)
			return string(found), err
		},
	}
}

// phaseWorker is the phase of a task.
type phaseWorker struct{ *durable.Runtime }

var _ worker = phaseWorker{}

func (w phaseWorker) find(ctx context.Context, id record.ConversationID) (registry.CallConversation, bool, error) {
	_, found, err := w.ConversationRecord(ctx, id)
	return phaseConversation{w.Runtime, id}, found, err
}

// phaseConversation is a conversation that the phase of a task works with.
type phaseConversation struct {
	run *durable.Runtime
	id  record.ConversationID
}

func (c phaseConversation) ID() record.ConversationID { return c.id }

func (c phaseConversation) Submit(ctx context.Context, input durable.Input) (registry.CallSubmission, error) {
	submitted, err := c.run.Submit(ctx, c.id, input)
	if err != nil {
		return nil, err
	}
	return submitted, nil
}

func (c phaseConversation) Abort(ctx context.Context, background bool) error {
	return c.run.AbortConversation(ctx, c.id, background)
}

func (c phaseConversation) WaitForIdle(ctx context.Context) error {
	return c.run.WaitForIdle(ctx, c.id)
}

// callWorker is a call of a tool.
type callWorker struct{ registry.CallRuntime }

var _ worker = callWorker{}

func (w callWorker) find(ctx context.Context, id record.ConversationID) (registry.CallConversation, bool, error) {
	return w.Conversation(ctx, id)
}

// phaseObject is what a phase of a task gets; see script/tasks.ts.
func (r reach) phaseObject(run *durable.Runtime, made *phaseEnvironments) *jsapi.Object {
	return jsapi.NewObject(
		"taskId", float64(run.TaskID()), "conversationId", float64(run.Conversation()),
		"remote", remote(r.phaseOperations(run, made)),
		"installed", generationOf(registry.GenerationOf(run.Definitions())),
		"now", jsapi.Native(func(*jsapi.NativeCall) (any, error) { return float64(run.Now().UnixMilli()), nil }),
		"report", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			run.Report(reported(r.extension, call.Arg(0)))
			return jsapi.Undefined{}, nil
		}),
	)
}

// reported is what an author reports as an error.
func reported(extension string, what any) error {
	failure := &registry.Failure{Extension: extension, What: "task"}
	switch what := what.(type) {
	case *jsapi.Error:
		failure.Err = what
	case string:
		failure.Err = errors.New(what)
	default:
		failure.Err = errors.New("something that is no error")
	}
	return failure
}

// phaseOperations are all that JavaScript may ask of a phase.
func (r reach) phaseOperations(run *durable.Runtime, made *phaseEnvironments) func(string) answer {
	w := phaseWorker{run}
	return find(r.onlyOfPhases(run), r.makesEnvironments(run, made), memos(w), dealings(w), r.limits.readDocuments(run))
}

// onlyOfPhases are the operations that only a phase has.
func (r reach) onlyOfPhases(run *durable.Runtime) map[string]answer {
	return map[string]answer{
		"commit": func(ctx context.Context, in *request) (any, error) {
			return jsapi.Undefined{}, run.Commit(ctx, func(ctx context.Context, tx *durable.Tx, current record.Task) (*record.TaskState, error) {
				return r.becoming(ctx, tx, current, in.function(0))
			})
		},
		"outcomes": taking(func(ctx context.Context, args struct {
			IDs []record.TaskID `json:"ids"`
		}) (any, error) {
			outcomes, err := run.Outcomes(ctx, args.IDs...)
			return list(outcomes), err
		}),
		"ownedTasks": func(ctx context.Context, _ *request) (any, error) {
			owned, err := run.OwnedTasks(ctx)
			return list(owned), err
		},
		"entry": taking(func(ctx context.Context, args byID) (any, error) {
			entry, found, err := run.Entry(ctx, record.EntryID(args.ID))
			return maybe(entry, found && (args.Kind == "" || args.Kind == entry.Kind), err)
		}),
		"context": taking(func(ctx context.Context, args conversationRequest) (any, error) {
			view, err := run.Context(ctx, args.ID, args.At)
			return contextView(view), err
		}),
		"sleep": taking(func(ctx context.Context, args struct {
			Until float64 `json:"until"`
		}) (any, error) {
			return jsapi.Undefined{}, run.Sleep(ctx, time.UnixMilli(int64(args.Until)))
		}),
		"agent": func(ctx context.Context, _ *request) (any, error) {
			engine, err := r.engine()
			if err != nil {
				return nil, err
			}
			agent, err := engine.PhaseAgent(ctx, run)
			if err != nil {
				return nil, err
			}
			return agentObject(agent), nil
		},
		"eachHook": func(ctx context.Context, in *request) (any, error) {
			args, err := readAs[struct {
				Name string `json:"name"`
			}](in)
			if err != nil {
				return nil, err
			}
			return jsapi.Undefined{}, run.EachHook(ctx, args.Name, func(ctx context.Context, handler any) error {
				return r.invokeHook(ctx, run, in.function(0), handler)
			})
		},
	}
}

// becoming runs the change of a commit of a task, and reads what becomes of it.
func (r reach) becoming(ctx context.Context, tx *durable.Tx, current record.Task, change *jsapi.Function) (*record.TaskState, error) {
	job := r.limits.Change.job("commit of a task", change.Owner())
	job.Whole = 0 // the commit has the budget
	answer, err := change.Isolate().Call(ctx, job, change, r.limits.transaction(tx, r.extension), jsapi.OwnContext{}, current)
	if err != nil {
		return nil, err
	}
	text, is := answer.(string)
	if !is {
		return nil, nil
	}
	next := new(record.TaskState)
	if err := json.Unmarshal([]byte(text), next); err != nil {
		return nil, &TypeError{Function: "commit", Argument: "what the change returns", Want: "a state of the task: " + err.Error()}
	}
	return next, nil
}
