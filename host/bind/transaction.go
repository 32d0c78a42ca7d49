package bind

import (
	"context"
	"encoding/json"
	"slices"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// transaction is a durable.Tx as JavaScript works with it; see
// script/transaction.ts.
type transaction struct {
	tx        *durable.Tx
	limits    Limits
	extension string // who emits events

	mu sync.Mutex
	// drafts are what was acquired, in that order: JavaScript knows them by index.
	drafts []*durable.Draft
	// at finds them by their address.
	at map[record.Address]int
}

// changing runs an author's change as the callback of a commit: function takes the
// transaction, the call's context, and args.
func (l Limits) changing(ctx context.Context, tx *durable.Tx, extension, work string, function *jsapi.Function, args ...any) error {
	job := l.Change.job(work, function.Owner())
	job.Result, job.Whole = jsapi.AsNothing, 0 // the commit has the budget
	_, err := function.Isolate().Call(ctx, job, function, append([]any{l.transaction(tx, extension), jsapi.OwnContext{}}, args...)...)
	return err
}

// transaction makes the native of a transaction.
func (l Limits) transaction(tx *durable.Tx, extension string) jsapi.Native {
	t := &transaction{tx: tx, limits: l, extension: extension, at: make(map[record.Address]int)}
	return remote(t.operations())
}

// operations are all that JavaScript may ask of a transaction.
func (t *transaction) operations() func(string) answer {
	return find(t.documents(), t.reads(), t.writes(), t.submissions())
}

// documents are the operations on documents.
func (t *transaction) documents() map[string]answer {
	return map[string]answer{
		"doc": func(ctx context.Context, in *request) (any, error) {
			asked, definition, err := t.limits.document(ctx, in)
			if err != nil {
				return nil, err
			}
			draft, err := t.tx.Draft(definition, asked.in(), asked.Key, asked.Seed)
			if err != nil {
				return nil, err
			}
			return t.acquired(asked.address(), draft)
		},
		"set": taking(func(_ context.Context, args struct {
			Draft int        `json:"draft"`
			Value value.JSON `json:"value"`
		}) (any, error) {
			draft := t.draft(args.Draft)
			changed, is := args.Value.Value.(*value.Object)
			if draft == nil || !is {
				return nil, &TypeError{Function: "set", Argument: "the value of a draft", Want: "an object"}
			}
			return jsapi.Undefined{}, draft.Set(changed)
		}),
		"retireDoc": func(ctx context.Context, in *request) (any, error) {
			asked, definition, err := t.limits.document(ctx, in)
			if err != nil {
				return nil, err
			}
			if err := t.tx.Retire(definition, asked.in(), asked.Key); err != nil {
				return nil, err
			}
			return t.retired(asked.address()), nil
		},
		"emit": func(_ context.Context, in *request) (any, error) {
			draft, err := readAs[durable.EventDraft](in)
			if err != nil {
				return nil, err
			}
			draft.Extension = t.extension
			event, err := t.tx.Emit(draft)
			return event.ID, err
		},
	}
}

// acquired notes a draft and returns its index and value. One that was acquired
// before keeps its index.
func (t *transaction) acquired(at record.Address, draft *durable.Draft) (any, error) {
	now, err := draft.Value()
	if err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	index := slices.Index(t.drafts, draft)
	if index < 0 {
		index = len(t.drafts)
		t.drafts = append(t.drafts, draft)
	}
	t.at[at] = index
	return jsapi.NewObject("draft", index, "value", json.RawMessage(value.Marshal(now))), nil
}

// retired returns the index of the draft that was acquired at an address, -1 for
// none, and forgets it.
func (t *transaction) retired(at record.Address) int {
	t.mu.Lock()
	defer t.mu.Unlock()
	index, known := t.at[at]
	if !known {
		return -1
	}
	delete(t.at, at)
	return index
}

func (t *transaction) draft(index int) *durable.Draft {
	t.mu.Lock()
	defer t.mu.Unlock()
	if index < 0 || index >= len(t.drafts) {
		return nil
	}
	return t.drafts[index]
}

// byID asks for one record.
type byID struct {
	ID int64 `json:"id"`
	// Kind, for an entry, is the one it must be of; "" for any.
	Kind string `json:"kind"`
}

// reads are the operations that read tables.
func (t *transaction) reads() map[string]answer {
	return map[string]answer{
		"conversation": taking(func(_ context.Context, args byID) (any, error) {
			return maybe3(t.tx.Conversation(record.ConversationID(args.ID)))
		}),
		"entry": taking(func(_ context.Context, args byID) (any, error) {
			entry, found, err := t.tx.Entry(record.EntryID(args.ID))
			return maybe(entry, found && (args.Kind == "" || args.Kind == entry.Kind), err)
		}),
		"task": taking(func(_ context.Context, args byID) (any, error) {
			return maybe3(t.tx.Task(record.TaskID(args.ID)))
		}),
		"submission": taking(func(_ context.Context, args byID) (any, error) {
			return maybe3(t.tx.Submission(record.SubmissionID(args.ID)))
		}),
		"submissionByRequest": taking(func(_ context.Context, args record.Submission) (any, error) {
			return maybe3(t.tx.SubmissionByRequest(args.Conversation, args.Request))
		}),
		"latestHeadMarker": taking(func(_ context.Context, args byID) (any, error) {
			return maybe3(t.tx.LatestHead(record.ConversationID(args.ID)))
		}),
		"scanConversations": scan(conversationQuery.query, t.tx.ConversationPage),
		"scanEntries":       scan(entryQuery.query, t.tx.EntryPage),
		"scanTasks":         scan(taskQuery.query, t.tx.TaskPage),
	}
}

func maybe3[T any](value T, found bool, err error) (any, error) { return maybe(value, found, err) }

// writes are the operations that write conversations, entries and tasks.
func (t *transaction) writes() map[string]answer {
	return map[string]answer{
		"createConversation": taking(func(_ context.Context, args creation) (any, error) {
			created, err := t.tx.CreateConversation(args.Ownership.ownership())
			return created, err
		}),
		"forkConversation": taking(func(_ context.Context, args creation) (any, error) {
			created, err := t.tx.ForkConversation(args.Parent, args.At, args.Ownership.ownership())
			return created, err
		}),
		"appendEntry": taking(func(_ context.Context, args struct {
			ID    record.ConversationID `json:"id"`
			Entry durable.EntryDraft    `json:"entry"`
		}) (any, error) {
			entry, err := t.tx.AppendEntry(args.ID, args.Entry)
			return entry, err
		}),
		"createTask": taking(func(_ context.Context, args taskCreation) (any, error) {
			created, err := t.tx.CreateTask(args.definition(), args.Input, args.options())
			return created.ID, err
		}),
	}
}

// ownership is the JSON form of an [durable.Ownership].
type ownership struct {
	Kind string        `json:"kind"`
	Task record.TaskID `json:"taskId"`
}

// ownership returns what is meant; what says nothing is refused by the engine.
func (o ownership) ownership() durable.Ownership {
	switch o.Kind {
	case "ownerless":
		return durable.Ownerless()
	case "conversation":
		return durable.OfConversation()
	case "task":
		return durable.OwnedBy(o.Task)
	}
	return durable.Ownership{}
}

// creation asks for a conversation.
type creation struct {
	Ownership ownership             `json:"ownership"`
	Parent    record.ConversationID `json:"parent"`
	At        record.EntryID        `json:"at"`
}

// taskCreation asks for a task by its token; the checkpoint has been made by the
// token's own code.
type taskCreation struct {
	Name       string          `json:"name"`
	Version    int             `json:"version"`
	Phases     []string        `json:"phases"`
	Checkpoint json.RawMessage `json:"checkpoint"`
	Input      json.RawMessage `json:"input"`
	Options    struct {
		Ownership        ownership             `json:"ownership"`
		Conversation     record.ConversationID `json:"conversationId"`
		Background       bool                  `json:"background"`
		AbandonOnRestart bool                  `json:"abandonOnRestart"`
	} `json:"options"`
}

// definition is enough of one to make a task of it: what it does is found by its
// name when it runs.
func (c *taskCreation) definition() *durable.TaskDefinition {
	nothing := func(context.Context, *durable.Runtime) error { return nil }
	definition := &durable.TaskDefinition{
		Name: c.Name, Version: c.Version, Abort: nothing,
		Phases:  make(map[string]func(context.Context, *durable.Runtime) error, len(c.Phases)),
		Initial: func(json.RawMessage) (json.RawMessage, error) { return c.Checkpoint, nil },
	}
	for _, phase := range c.Phases {
		definition.Phases[phase] = nothing
	}
	return definition
}

func (c *taskCreation) options() durable.TaskOptions {
	return durable.TaskOptions{
		Ownership: c.Options.Ownership.ownership(), Conversation: c.Options.Conversation,
		Background: c.Options.Background, AbandonOnRestart: c.Options.AbandonOnRestart,
	}
}

// submissions are the operations on submissions.
func (t *transaction) submissions() map[string]answer {
	return map[string]answer{
		"submit": taking(func(_ context.Context, args submissionRequest) (any, error) {
			draft, err := args.draft()
			if err != nil {
				return nil, err
			}
			admitted, err := t.tx.Submit(args.ID, draft)
			return admitted, err
		}),
		"createSubmission": taking(func(_ context.Context, args record.Submission) (any, error) {
			created, err := t.tx.CreateSubmission(args)
			return created, err
		}),
		"settleSubmission": taking(func(_ context.Context, args struct {
			ID     record.SubmissionID `json:"id"`
			Answer record.EntryID      `json:"answer"`
			Reason string              `json:"reason"`
			Detail json.RawMessage     `json:"detail"`
		}) (any, error) {
			return jsapi.Undefined{}, t.tx.SettleSubmission(args.ID, durable.Settlement{Answer: args.Answer, Reason: args.Reason, Detail: args.Detail})
		}),
		"placeSubmission": taking(func(_ context.Context, args struct {
			ID    record.SubmissionID `json:"id"`
			Entry record.EntryID      `json:"entry"`
		}) (any, error) {
			return jsapi.Undefined{}, t.tx.PlaceSubmission(args.ID, args.Entry)
		}),
	}
}
