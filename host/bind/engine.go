package bind

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// engine is the open session as the code of one extension works with it; see
// script/harness.ts.
type engine struct {
	session   *agent.Harness
	limits    Limits
	extension string
}

// NotLoadedError is the engine asked for by the first generation before it is live.
type NotLoadedError struct{}

func (e *NotLoadedError) Error() string {
	return "the harness is not available while the first generation is loading; ask for it from onOpen, or later"
}

// ErrorName implements [jsapi.Named].
func (e *NotLoadedError) ErrorName() string { return "NotAvailable" }

var _ jsapi.Named = (*NotLoadedError)(nil)

// engineRemote is the object that stands for the open session.
func (h *Host) engineRemote(*jsapi.NativeCall) (any, error) {
	session, err := h.backend.Engine()
	if err != nil {
		return nil, err
	}
	if h.engine != nil {
		return h.engine, nil
	}
	e := engine{session: session, limits: h.limits, extension: h.name}
	h.engine = h.live(remote(e.operations()))
	return h.engine, nil
}

// operations are all that JavaScript may ask of the session.
func (e engine) operations() func(string) answer {
	return find(e.changes(), e.conversations(), e.submissions(), e.tasks(), e.events(), e.limits.readDocuments(e.session))
}

// changes are the operations that commit.
func (e engine) changes() map[string]answer {
	return map[string]answer{
		"commit": func(ctx context.Context, in *request) (any, error) {
			args, err := readAs[byID](in)
			if err != nil {
				return nil, err
			}
			commit, err := e.committer(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			return jsapi.Undefined{}, commit(ctx, func(ctx context.Context, tx *durable.Tx) error {
				return e.limits.changing(ctx, tx, e.extension, "commit", in.function(0))
			})
		},
		"root": func(ctx context.Context, in *request) (any, error) {
			return e.make(ctx, in, func(_ conversationRequest, options durable.ConversationOptions) (*durable.Conversation, error) {
				return e.session.Root(ctx, options)
			})
		},
		"createConversation": func(ctx context.Context, in *request) (any, error) {
			return e.make(ctx, in, func(args conversationRequest, options durable.ConversationOptions) (*durable.Conversation, error) {
				return e.session.CreateConversation(ctx, args.Ownership.ownership(), options)
			})
		},
		"fork": func(ctx context.Context, in *request) (any, error) {
			return e.make(ctx, in, func(args conversationRequest, options durable.ConversationOptions) (*durable.Conversation, error) {
				parent, err := e.session.Conversation(ctx, args.ID)
				if err != nil {
					return nil, err
				}
				return parent.Fork(ctx, args.At, args.Ownership.ownership(), options)
			})
		},
	}
}

// committer commits for a conversation, or for none when its id is 0.
func (e engine) committer(ctx context.Context, id int64) (func(context.Context, func(context.Context, *durable.Tx) error) error, error) {
	if id == 0 {
		return e.session.Commit, nil
	}
	conversation, err := e.session.Conversation(ctx, record.ConversationID(id))
	if err != nil {
		return nil, err
	}
	return conversation.Commit, nil
}

// conversationRequest is about one conversation.
type conversationRequest struct {
	ID        record.ConversationID `json:"id"`
	At        record.EntryID        `json:"at"`
	Ownership ownership             `json:"ownership"`
	Agent     durable.AgentChange   `json:"agent"`
	Handoff   string                `json:"handoff"`
	// Background has an abort reach background work too.
	Background bool `json:"background"`
}

// make makes a conversation and returns its id. The function of the request, if any,
// is run in the commit that makes it.
func (e engine) make(
	ctx context.Context, in *request, create func(conversationRequest, durable.ConversationOptions) (*durable.Conversation, error),
) (any, error) {
	args, err := readAs[conversationRequest](in)
	if err != nil {
		return nil, err
	}
	options := durable.ConversationOptions{Agent: args.Agent}
	if begin := in.function(0); begin != nil {
		options.Init = func(ctx context.Context, tx *durable.Tx, id record.ConversationID) error {
			return e.limits.changing(ctx, tx, e.extension, "init of a conversation", begin, float64(id))
		}
	}
	made, err := create(args, options)
	if err != nil {
		return nil, err
	}
	return float64(made.ID()), nil
}

// conversations are the operations on one conversation.
func (e engine) conversations() map[string]answer {
	on := func(reply func(context.Context, *durable.Conversation, conversationRequest) (any, error)) answer {
		return taking(func(ctx context.Context, args conversationRequest) (any, error) {
			conversation, err := e.session.Conversation(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			return reply(ctx, conversation, args)
		})
	}
	return map[string]answer{
		"conversation": taking(func(ctx context.Context, args byID) (any, error) {
			return maybe3(e.session.ConversationRecord(ctx, record.ConversationID(args.ID)))
		}),
		"configure": on(func(ctx context.Context, c *durable.Conversation, args conversationRequest) (any, error) {
			return jsapi.Undefined{}, c.Configure(ctx, args.Agent)
		}),
		"agent": taking(func(ctx context.Context, args conversationRequest) (any, error) {
			agent, release, err := e.session.Agent(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			defer release()
			return agentObject(agent), nil
		}),
		"context": on(func(ctx context.Context, c *durable.Conversation, args conversationRequest) (any, error) {
			view, err := c.Context(ctx, args.At)
			return contextView(view), err
		}),
		"reset": on(func(ctx context.Context, c *durable.Conversation, args conversationRequest) (any, error) {
			return jsapi.Undefined{}, c.Reset(ctx, args.Handoff)
		}),
		"compact": taking(func(ctx context.Context, args struct {
			ID           record.ConversationID `json:"id"`
			Instructions string                `json:"instructions"`
		}) (any, error) {
			task, err := e.session.Compact(ctx, args.ID, args.Instructions)
			return float64(task), err
		}),
		"abort": on(func(ctx context.Context, c *durable.Conversation, args conversationRequest) (any, error) {
			return jsapi.Undefined{}, c.Abort(ctx, args.Background)
		}),
		"waitForIdle": taking(func(ctx context.Context, args conversationRequest) (any, error) {
			if args.ID == 0 {
				return jsapi.Undefined{}, e.session.WaitForIdle(ctx)
			}
			conversation, err := e.session.Conversation(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			return jsapi.Undefined{}, conversation.WaitForIdle(ctx)
		}),
		"entry": taking(func(ctx context.Context, args byID) (any, error) {
			entry, found, err := e.session.Entry(ctx, record.EntryID(args.ID))
			return maybe(entry, found && (args.Kind == "" || args.Kind == entry.Kind), err)
		}),
		"scanConversations": scanStored(conversationQuery.query, e.session.ConversationPage),
		"scanEntries":       scanStored(entryQuery.query, e.session.EntryPage),
		"watchEvents": func(_ context.Context, in *request) (any, error) {
			args, err := readAs[conversationRequest](in)
			if err != nil {
				return nil, err
			}
			ctx, stop := in.lasting()
			events, err := e.session.WatchEvents(ctx, args.ID)
			if err != nil {
				stop()
				return nil, err
			}
			return eventsObject(events, stop), nil
		},
		"watch": func(_ context.Context, in *request) (any, error) {
			args, err := readAs[conversationRequest](in)
			if err != nil {
				return nil, err
			}
			return watched(in, func(ctx context.Context) (*durable.Watch, error) { return e.session.WatchConversation(ctx, args.ID) })
		},
	}
}

// eventsObject is a stream of batches of events; see script/watches.ts.
func eventsObject(events *agent.Events, stop func()) *jsapi.Object {
	next := func(ctx context.Context) (any, error) {
		batch, err := events.Next(ctx)
		if err != nil {
			return ended(err, stop)
		}
		return jsapi.NewObject("value", batch), nil
	}
	return jsapi.NewObject(
		"snapshot", events.Snapshot(),
		"start", jsapi.Native(startable),
		"next", jsapi.Native(func(*jsapi.NativeCall) (any, error) { return jsapi.Async{Work: next}, nil }),
		"stop", jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			events.Close() // before its context ends, which would be another reason
			stop()
			return jsapi.Undefined{}, nil
		}),
	)
}

// contextView is a view in the form of section 2.1 of the pi-durable specification.
func contextView(view durable.ContextView) any {
	shown := jsapi.NewObject("head", jsapi.Undefined{}, "entries", list(view.Entries),
		"contributions", list(view.Contributions), "messages", list(view.Messages))
	if view.Head != nil {
		shown.Set("head", view.Head)
	}
	return shown
}

// list is a slice that JavaScript sees as an array, also when it is nil.
func list[T any](items []T) []T {
	if items == nil {
		return []T{}
	}
	return items
}

// submissions are the operations on submissions.
func (e engine) submissions() map[string]answer {
	on := func(reply func(context.Context, *durable.Submission) (any, error)) answer {
		return taking(func(ctx context.Context, args byID) (any, error) {
			submission, err := e.session.Submission(ctx, record.SubmissionID(args.ID))
			if err != nil {
				return nil, err
			}
			return reply(ctx, submission)
		})
	}
	return map[string]answer{
		"submit": taking(func(ctx context.Context, args submissionRequest) (any, error) {
			conversation, err := e.session.Conversation(ctx, args.ID)
			if err != nil {
				return nil, err
			}
			draft, err := args.draft()
			if err != nil {
				return nil, err
			}
			submitted, err := conversation.Submit(ctx, draft)
			if err != nil {
				return nil, err
			}
			return float64(submitted.ID()), nil
		}),
		"submissionStatus": on(func(ctx context.Context, s *durable.Submission) (any, error) {
			now, err := s.Status(ctx)
			return now, err
		}),
		"waitForSubmission": on(func(ctx context.Context, s *durable.Submission) (any, error) {
			settled, err := s.Wait(ctx)
			return settled, err
		}),
		"abortSubmission": taking(func(ctx context.Context, args byID) (any, error) {
			found, err := e.session.AbortSubmission(ctx, record.SubmissionID(args.ID))
			return string(found), err
		}),
		"scanSubmissions": scanStored(submissionQuery.query, e.session.SubmissionPage),
	}
}

// tasks are the operations on tasks and on all that goes on.
func (e engine) tasks() map[string]answer {
	return map[string]answer{
		"getTask": taking(func(ctx context.Context, args byID) (any, error) {
			return maybe3(e.session.Task(ctx, record.TaskID(args.ID)))
		}),
		"waitForTask": taking(func(ctx context.Context, args byID) (any, error) {
			ended, err := e.session.WaitForTask(ctx, record.TaskID(args.ID))
			return ended, err
		}),
		"abortTask": taking(func(ctx context.Context, args byID) (any, error) {
			found, err := e.session.AbortTask(ctx, record.TaskID(args.ID))
			return string(found), err
		}),
		"retryTask": taking(func(ctx context.Context, args byID) (any, error) {
			return jsapi.Undefined{}, e.session.RetryTask(ctx, record.TaskID(args.ID))
		}),
		"scanTasks": scanStored(taskQuery.query, e.session.TaskPage),
		"resume": func(context.Context, *request) (any, error) {
			return jsapi.Undefined{}, e.session.Resume()
		},
		"inspect": func(ctx context.Context, _ *request) (any, error) {
			found, err := e.session.Inspect(ctx)
			return inspection(found), err
		},
		"usage": func(ctx context.Context, _ *request) (any, error) {
			used, err := e.session.Usage(ctx)
			return used, err
		},
		"watchTaskGraph": func(_ context.Context, in *request) (any, error) {
			return watched(in, e.session.WatchTasks)
		},
	}
}

// inspection is what goes on, in the form of section 2.2 of the pi-durable
// specification.
func inspection(found durable.Inspection) any {
	tasks := &jsapi.Array{}
	for _, task := range found.Tasks {
		state := jsapi.NewObject("kind", string(task.State))
		switch task.State {
		case durable.TaskReady:
			state.Set("migrates", task.Migrates)
		case durable.TaskWaiting:
			state.Set("on", list(slices.Clone(task.On)))
		case durable.TaskBlocked:
			state.Set("reason", string(task.Blocked.Reason))
			if task.Blocked.Err != nil {
				state.Set("error", task.Blocked.Err)
			}
		}
		tasks.Items = append(tasks.Items, jsapi.NewObject("record", task.Task, "state", state))
	}
	return jsapi.NewObject("scheduling", string(found.Scheduling), "tasks", tasks, "submissions", list(found.Submissions))
}
