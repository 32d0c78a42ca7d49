package bind

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// eventQuery asks for events of the log.
type eventQuery struct {
	Types        []string              `json:"types"`
	Conversation record.ConversationID `json:"conversationId"`
	After        record.EventID        `json:"after"`
	Limit        float64               `json:"limit"`
}

func (q eventQuery) query() durable.EventQuery {
	return durable.EventQuery{Types: q.Types, Conversation: q.Conversation, After: q.After}
}

// events are the operations on the world's log of events.
func (e engine) events() map[string]answer {
	return map[string]answer{
		"emit": taking(func(ctx context.Context, draft durable.EventDraft) (any, error) {
			draft.Extension = e.extension
			event, err := e.session.Emit(ctx, draft)
			return float64(event.ID), err
		}),
		"readEvents": taking(func(ctx context.Context, args eventQuery) (any, error) {
			page, err := e.session.EventPage(ctx, args.query(), int(min(max(args.Limit, 1), maxPage)), nil)
			return list(page.Items), err
		}),
		"followEvents": func(_ context.Context, in *request) (any, error) {
			args, err := readAs[eventQuery](in)
			if err != nil {
				return nil, err
			}
			return e.follow(in, args.query()), nil
		},
		"resumeConsumer": taking(func(ctx context.Context, args struct {
			Name string `json:"name"`
		}) (any, error) {
			return jsapi.Undefined{}, e.session.ResumeConsumer(ctx, e.extension, args.Name)
		}),
		"consumers": func(ctx context.Context, _ *request) (any, error) {
			found, err := e.session.Consumers(ctx)
			return list(found), err
		},
	}
}

// followed is one event, or why there are no more.
type followed struct {
	event record.Event
	err   error
}

// follow is the stream of the events that are stored. It ends with its caller's
// context or owner, and when the reader leaves it.
func (e engine) follow(in *request, query durable.EventQuery) *jsapi.Stream {
	ctx, stop := in.lasting()
	events := make(chan followed)
	started := in.isolate.Go(func() {
		defer stop()
		defer close(events)
		for event, err := range e.session.FollowEvents(ctx, query) {
			select {
			case events <- followed{event, err}:
			case <-ctx.Done():
				return
			}
		}
	})
	if !started {
		close(events)
	}
	return &jsapi.Stream{
		Next: func(wait context.Context) (any, bool, error) {
			select {
			case next, more := <-events:
				if !more {
					return nil, true, nil
				}
				return next.event, false, shown(next.err)
			case <-wait.Done():
				return nil, false, context.Cause(wait)
			}
		},
		Return: func(context.Context) error {
			stop()
			return nil
		},
	}
}

// reactor is a durable consumer that a factory asked for.
type reactor struct {
	consumer durable.Consumer
	handler  *jsapi.Function
}

func (h *Host) react(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "react", call: call}
	asked := &request{operation: "react", args: []byte(args.text("filter"))}
	handler := args.function1("handler")
	if args.err != nil {
		return nil, args.err
	}
	filter, err := readAs[struct {
		Name         string                `json:"name"`
		Types        []string              `json:"types"`
		Conversation record.ConversationID `json:"conversationId"`
		From         durable.From          `json:"from"`
		MaxFailures  int                   `json:"maxFailures"`
	}](asked)
	if err != nil {
		return nil, err
	}
	consumer := durable.Consumer{
		Owner: h.name, Name: filter.Name, Types: filter.Types, Conversation: filter.Conversation,
		From: filter.From, MaxFailures: filter.MaxFailures,
	}
	return h.staging.add("react", func() { h.staging.reactors = append(h.staging.reactors, reactor{consumer, handler}) })
}

// reactions are the reactors of one generation of an extension at work.
type reactions struct {
	reach    reach
	host     *Host
	reactors []reactor

	mu      sync.Mutex
	running []*durable.Reaction
}

// begin has every reactor of a generation that has gone live react. It takes over
// from that of the same name in the generation before. All are begun, whatever fails.
func (r *reactions) begin(ctx context.Context) error {
	if len(r.reactors) == 0 {
		return nil
	}
	session, err := r.host.backend.Engine()
	if err != nil {
		return err
	}
	var failed []error
	for i, reactor := range r.reactors {
		reaction, err := session.React(ctx, reactor.consumer, r.handler(i, reactor.consumer.Name))
		if err != nil {
			failed = append(failed, fmt.Errorf("react %s: %w", reactor.consumer.Name, err))
			continue
		}
		r.mu.Lock()
		r.running = append(r.running, reaction)
		r.mu.Unlock()
	}
	return errors.Join(failed...)
}

// handler reaches the author's in whatever isolate stands behind the extension.
func (r *reactions) handler(i int, name string) func(context.Context, record.Event, *durable.Tx) error {
	job := r.reach.limits.Change.job("reactor "+name, nil)
	job.Result, job.Whole = jsapi.AsNothing, 0 // the commit has the budget
	return func(ctx context.Context, event record.Event, tx *durable.Tx) error {
		_, err := r.reach.caller.Call(ctx, job, functionPath("reactors", i),
			r.reach.limits.transaction(tx, r.host.name), jsapi.OwnContext{}, event)
		return err
	}
}

// end stops them and waits until what they deal with has been dealt with.
func (r *reactions) end(ctx context.Context) error {
	r.mu.Lock()
	running := r.running
	r.running = nil
	r.mu.Unlock()
	var failed []error
	for _, reaction := range running {
		failed = append(failed, reaction.Stop(ctx))
	}
	return errors.Join(failed...)
}
