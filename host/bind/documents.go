package bind

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/seed-d579e5eb/harness/agent"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// documentRequest names a document by its token; see Address in script/documents.ts.
type documentRequest struct {
	Kind    string            `json:"kind"`
	Version int               `json:"version"`
	Scope   record.ScopeKind  `json:"scope"`
	History record.History    `json:"history"`
	Fork    record.ForkPolicy `json:"fork"`
	Family  bool              `json:"family"`
	// ID is that of the conversation or task.
	ID   int64           `json:"id"`
	Key  string          `json:"key"`
	Seed json.RawMessage `json:"seed"`
	At   record.EntryID  `json:"at"`
}

// in is the scope of the document.
func (r *documentRequest) in() record.Scope {
	switch r.Scope {
	case record.ConversationScope:
		return durable.InConversation(record.ConversationID(r.ID))
	case record.TaskScope:
		return durable.InTask(record.TaskID(r.ID))
	}
	return durable.InSession()
}

// address is where the document is found.
func (r *documentRequest) address() record.Address {
	return record.Address{Kind: r.Kind, Scope: r.in(), Key: r.Key, Family: r.Family}
}

// builtinDocuments are the kinds that the engine defines; a token only names them.
func builtinDocuments(kind string) *durable.DocumentDefinition {
	switch kind {
	case durable.AgentDocument.Definition.Kind:
		return durable.AgentDocument.Definition
	case durable.LiveDocument.Definition.Kind:
		return durable.LiveDocument.Definition
	case durable.InboxDocument.Definition.Kind:
		return durable.InboxDocument.Definition
	case durable.ProviderDocument.Definition.Kind:
		return durable.ProviderDocument.Definition
	case durable.UsageDocument.Definition.Kind:
		return durable.UsageDocument.Definition
	case agent.NestedDocument.Definition.Kind:
		return agent.NestedDocument.Definition
	}
	return nil
}

// The functions of a document's token, as script/documents.ts hands them over.
const (
	initialFunction = iota
	migrateFunction
	checkpointFunction
)

// document reads a request for a document. Its definition calls the token's functions
// with ctx, as callbacks of their own isolate.
func (l Limits) document(ctx context.Context, in *request) (*documentRequest, *durable.DocumentDefinition, error) {
	asked, err := readAs[documentRequest](in)
	if err != nil {
		return nil, nil, err
	}
	if builtin := builtinDocuments(asked.Kind); builtin != nil {
		return &asked, builtin, nil
	}
	// A checkpoint is asked for when the operation has long ended.
	code := documentCode{ctx: context.WithoutCancel(ctx), limits: l, kind: asked.Kind}
	definition := &durable.DocumentDefinition{
		Kind: asked.Kind, Version: asked.Version, Scope: asked.Scope, History: asked.History, Fork: asked.Fork, Family: asked.Family,
		Initial: code.initial(in.function(initialFunction)),
	}
	if migrate := in.function(migrateFunction); migrate != nil {
		definition.Migrate = code.migrate(migrate)
	}
	if checkpoint := in.function(checkpointFunction); checkpoint != nil {
		definition.Checkpoint = code.checkpoint(checkpoint)
	}
	return &asked, definition, nil
}

// documentCode calls the functions of a token.
type documentCode struct {
	ctx    context.Context
	limits Limits
	kind   string
}

// call runs a function, which gives the JSON of a value.
func (c documentCode) call(what string, function *jsapi.Function, args ...any) (any, error) {
	job := c.limits.Change.job(fmt.Sprintf("%s of the document %s", what, c.kind), function.Owner())
	return function.Isolate().Call(c.ctx, job, function, args...)
}

// object runs a function that gives the JSON of an object.
func (c documentCode) object(what string, function *jsapi.Function, args ...any) (*value.Object, error) {
	made, err := c.call(what, function, args...)
	if err != nil {
		return nil, err
	}
	text, _ := made.(string)
	parsed, err := value.Parse([]byte(text))
	if err != nil {
		return nil, fmt.Errorf("%s of the document %s: %w", what, c.kind, err)
	}
	object, is := parsed.(*value.Object)
	if !is {
		return nil, fmt.Errorf("%s of the document %s must return an object, not %s", what, c.kind, value.Kind(parsed))
	}
	return object, nil
}

func (c documentCode) initial(function *jsapi.Function) func(json.RawMessage) (*value.Object, error) {
	if function == nil {
		return nil
	}
	return func(seed json.RawMessage) (*value.Object, error) {
		if seed == nil {
			return c.object("initial", function)
		}
		return c.object("initial", function, seed)
	}
}

func (c documentCode) migrate(function *jsapi.Function) func(*value.Object, int) (*value.Object, error) {
	return func(old *value.Object, version int) (*value.Object, error) {
		return c.object("migrate", function, json.RawMessage(value.Marshal(old)), version)
	}
}

// checkpoint asks whether a value is stored as a whole. What the author's code throws
// refuses the commit: the engine takes a panic as that.
func (c documentCode) checkpoint(function *jsapi.Function) func(*value.Object, delta.Ops, int) bool {
	return func(changed *value.Object, ops delta.Ops, deltas int) bool {
		whole, err := c.call("checkpointWhen", function,
			json.RawMessage(value.Marshal(changed)), json.RawMessage(ops.AppendJSON(nil)), jsapi.NewObject("deltasSinceBase", deltas))
		if err != nil {
			panic(err)
		}
		return whole == true
	}
}

// readDocuments are the operations that look at stored documents.
func (l Limits) readDocuments(from durable.Documents) map[string]answer {
	return map[string]answer{
		"snapshot": func(ctx context.Context, in *request) (any, error) {
			asked, definition, err := l.document(ctx, in)
			if err != nil {
				return nil, err
			}
			found, err := from.ReadDocument(ctx, definition, asked.in(), asked.Key)
			return objectOrNothing(found, err)
		},
		"snapshotAsOf": func(ctx context.Context, in *request) (any, error) {
			asked, definition, err := l.document(ctx, in)
			if err != nil {
				return nil, err
			}
			found, err := from.ReadDocumentAt(ctx, definition, record.ConversationID(asked.ID), asked.Key, asked.At)
			return objectOrNothing(found, err)
		},
		"watchDoc": func(_ context.Context, in *request) (any, error) {
			return watched(in, func(ctx context.Context) (*durable.Watch, error) {
				asked, definition, err := l.document(ctx, in)
				if err != nil {
					return nil, err
				}
				return from.WatchDocument(ctx, definition, asked.in(), asked.Key)
			})
		},
	}
}

func objectOrNothing(found *value.Object, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	if found == nil {
		return jsapi.Undefined{}, nil
	}
	return json.RawMessage(value.Marshal(found)), nil
}

// watched begins a watch that ends with its caller's context or owner, and gives the
// object that script/watches.ts works with.
func watched(in *request, begin func(context.Context) (*durable.Watch, error)) (any, error) {
	ctx, stop := in.lasting()
	watch, err := begin(ctx)
	if err != nil || watch == nil {
		stop()
		return jsapi.Undefined{}, err
	}
	next := func(ctx context.Context) (any, error) { return nextFrame(ctx, watch, stop) }
	end := func(ctx context.Context) (any, error) {
		defer stop()
		select {
		case <-watch.Done():
			return watchEnd(watch.Err()), nil
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		}
	}
	return jsapi.NewObject(
		"value", json.RawMessage(value.Marshal(watch.Value())),
		"start", jsapi.Native(startable),
		"next", jsapi.Native(func(*jsapi.NativeCall) (any, error) { return jsapi.Async{Work: next}, nil }),
		"ended", jsapi.Native(func(*jsapi.NativeCall) (any, error) { return jsapi.Async{Work: end}, nil }),
		"stop", jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			watch.Stop()
			stop()
			return jsapi.Undefined{}, nil
		}),
		"fail", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			cause, _ := call.Arg(0).(*jsapi.Error)
			if cause == nil {
				cause = &jsapi.Error{Message: "the listener failed"}
			}
			watch.Fail(cause)
			return jsapi.Undefined{}, nil
		}),
	), nil
}

// startable refuses to begin to wait for frames where none could come.
func startable(call *jsapi.NativeCall) (any, error) {
	return jsapi.Undefined{}, shown(durable.OutsideCommit(call.Context, "the start of a watch"))
}

// watchEnd says why a watch has ended.
func watchEnd(err error) any {
	var ended *durable.WatchEndError
	if !errors.As(err, &ended) {
		return jsapi.NewObject("reason", string(durable.WatchCancelled))
	}
	end := jsapi.NewObject("reason", string(ended.Reason))
	if ended.Reason == durable.WatchListenerError || ended.Reason == durable.WatchSessionFailed {
		end.Set("error", shown(ended.Cause))
	}
	return end
}

// ended is what JavaScript sees of an error with which following ended or failed; stop
// lets go of what was followed, once it has ended.
func ended(err error, stop func()) (any, error) {
	var end *durable.WatchEndError
	if !errors.As(err, &end) {
		return nil, shown(err)
	}
	stop()
	return jsapi.NewObject("end", watchEnd(err)), nil
}

// nextFrame takes a frame of a watch, or says why it has ended.
func nextFrame(ctx context.Context, watch *durable.Watch, stop func()) (any, error) {
	frame, err := watch.Next(ctx)
	if err != nil {
		return ended(err, stop)
	}
	return jsapi.NewObject(
		"value", json.RawMessage(value.Marshal(frame.Value)), "ops", json.RawMessage(frame.Ops.AppendJSON(nil))), nil
}
