package model

import (
	"context"
	"errors"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/seed-d579e5eb/harness/model/message"
)

var errTwice = errors.New("the stream was ranged over before: ask for a new response")

// emptyMessage is the beginning of a response to a request.
func emptyMessage(request Request, at time.Time) message.Assistant {
	m := message.Assistant{StopReason: message.StopReasonPending, Timestamp: at.UnixMilli()}
	if request.Model != nil {
		m.API, m.Provider, m.Model = request.Model.API, request.Model.Provider, request.Model.ID
		if level := request.Reasoning; level != "" && level != ThinkingOff {
			m.ThinkingLevel = string(request.Model.ClampThinking(level))
		}
	}
	return m
}

// failure returns the final message of a response that could not be had.
func failure(ctx context.Context, m message.Assistant, err error) *message.Assistant {
	m.StopReason, m.ErrorMessage = message.StopReasonError, validText(err.Error())
	if ctx.Err() != nil {
		m.StopReason, m.ErrorMessage = message.StopReasonAborted, abortedText
	}
	return &m
}

// once lets a stream be ranged over one time.
func once(request Request, now func() time.Time, stream Stream) Stream {
	var used atomic.Bool
	return func(yield func(Event) bool) {
		if used.Swap(true) {
			yield(Event{Type: Failed, Message: failure(context.Background(), emptyMessage(request, now()), errTwice)})
			return
		}
		stream(yield)
	}
}

// guarded makes the stream that a provider returns from ask end with exactly one final
// event, whatever the provider does.
func guarded(ctx context.Context, request Request, now func() time.Time, ask func() Stream) Stream {
	return once(request, now, func(yield func(Event) bool) {
		g := guard{yield: yield, partial: emptyMessage(request, now())}
		err := g.run(ask)
		if g.ended {
			return
		}
		yield(Event{Type: Failed, Message: failure(ctx, g.partial, err)})
	})
}

type guard struct {
	yield    func(Event) bool
	yielding bool
	ended    bool
	last     Event
	partial  message.Assistant
}

// run hands on the events up to the final one, and returns what was wrong with them.
// A panic of the consumer goes on.
func (g *guard) run(ask func() Stream) (err error) {
	defer func() {
		if g.yielding {
			return
		}
		if reason := recover(); reason != nil {
			err = fmt.Errorf("provider %q panicked: %v", g.partial.Provider, reason)
		}
		if shown := g.last.Partial(); shown != nil {
			g.partial = *shown
		}
	}()
	stream := ask()
	if stream == nil {
		return fmt.Errorf("provider %q returned no stream", g.partial.Provider)
	}
	for event := range stream {
		g.last = event
		if event.Final() && event.Message == nil {
			return fmt.Errorf("provider %q ended the response without a message", g.partial.Provider)
		}
		g.yielding = true
		more := g.yield(event)
		g.yielding = false
		if g.ended = !more || event.Final(); g.ended {
			return nil
		}
	}
	return errNoEnd
}
