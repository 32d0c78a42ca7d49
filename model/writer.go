package model

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/model/message"
)

// MaxResponse is how many bytes the content of a response may have, with 1024 added for
// each block. A longer one fails with a [*TooLongError].
const MaxResponse = 16 << 20

// blockOverhead is what a block counts for beside its text. It bounds their number.
const blockOverhead = 1 << 10

// TooLongError says that a response has more than [MaxResponse] bytes.
type TooLongError struct{ Model Ref }

func (e *TooLongError) Error() string {
	return fmt.Sprintf("the response of %s is longer than %d bytes: ask for less", e.Model, MaxResponse)
}

var (
	errLeft  = errors.New("whoever asked for the response has left")
	errEnded = errors.New("the response has ended")
	errNoEnd = errors.New("the response ended without a stop reason")
)

// abortedText is the error message of responses that were aborted. It is that of
// pi-ai, which programs look for.
const abortedText = "Request was aborted"

// Writer writes a response to its stream. Its methods are for the goroutine that the
// function given to [Produce] was called on, except for Message. Each returns an error
// when there is nothing more to do: the consumer has left, the context has ended, the
// response is too long or has ended. The function returns that error.
type Writer struct {
	ctx     context.Context
	now     func() time.Time
	began   time.Time
	yield   func(Event) bool
	started bool
	left    bool
	open    []*Part

	mu      sync.Mutex
	message message.Assistant // without its content
	parts   []*Part
	size    int
	ids     map[string]bool // of calls that have ended
	final   *message.Assistant
}

// Produce returns a stream whose response is written by write, which is called when
// the stream is ranged over, on that goroutine. What write returns or panics with
// before it has ended the response becomes the Failed event; so does an end without a
// stop reason. The clock, nil for the computer's, gives the message's timestamp and
// duration.
func Produce(ctx context.Context, request Request, now func() time.Time, write func(w *Writer) error) Stream {
	if now == nil {
		now = time.Now
	}
	return once(request, now, func(yield func(Event) bool) {
		began := now()
		w := &Writer{ctx: ctx, now: now, began: began, yield: yield, message: emptyMessage(request, began)}
		err := w.run(write)
		switch {
		case w.left || w.final != nil:
		case err == nil:
			w.fail(errNoEnd)
		default:
			w.fail(err)
		}
	})
}

// run calls write, and makes its panic an error. A panic of the consumer goes on.
func (w *Writer) run(write func(*Writer) error) (err error) {
	defer func() {
		if w.yielding() {
			return
		}
		if reason := recover(); reason != nil {
			err = fmt.Errorf("provider %q panicked: %v", w.message.Provider, reason)
		}
	}()
	if w.ctx.Err() != nil {
		return w.ctx.Err()
	}
	return write(w)
}

// Start tells that the response begins. The first part does the same.
func (w *Writer) Start() error {
	if w.started {
		return w.check()
	}
	w.started = true
	return w.send(Event{Type: Start})
}

// Update changes members of the message: what is known of its usage, ids and the
// like. Content, stop reason and duration are not changed by it.
func (w *Writer) Update(change func(m *message.Assistant)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	change(&w.message)
}

// Message returns the message as far as it is written. It may be called by any
// goroutine; what it returns may be kept, and is not changed by the caller.
func (w *Writer) Message() *message.Assistant {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.final != nil {
		return w.final
	}
	return w.snapshot(false)
}

// snapshot returns the message as far as it is written.
func (w *Writer) snapshot(exact bool) *message.Assistant {
	shown := w.message
	shown.Content = make(message.Blocks, len(w.parts))
	for i, part := range w.parts {
		shown.Content[i] = part.block(exact)
	}
	return &shown
}

// Done ends what is open and then the response, with the stop reason stop, length,
// toolUse or deferred; another one is an error.
func (w *Writer) Done(reason message.StopReason) error {
	switch reason {
	case message.StopReasonStop, message.StopReasonLength, message.StopReasonToolUse, message.StopReasonDeferred:
	default:
		return fmt.Errorf("the response ended with the stop reason %q", reason)
	}
	if err := w.closeParts(); err != nil {
		return err
	}
	w.end(func(m *message.Assistant) { m.StopReason = reason })
	return w.sendFinal()
}

// End ends what is open and then the response, with a message that was made
// elsewhere. What it lacks of API, provider, model, timestamp and duration is filled
// in a copy. A stop reason that ends nothing is an error.
func (w *Writer) End(m *message.Assistant) error {
	if m.StopReason == message.StopReasonPending || m.StopReason == "" {
		return errNoEnd
	}
	if err := w.closeParts(); err != nil {
		return err
	}
	w.mu.Lock()
	final := *m
	if final.API == "" && final.Provider == "" && final.Model == "" {
		final.API, final.Provider, final.Model = w.message.API, w.message.Provider, w.message.Model
	}
	if final.Timestamp == 0 {
		final.Timestamp = w.message.Timestamp
	}
	if final.DurationMs == nil {
		final.DurationMs = w.elapsed()
	}
	w.final = &final
	w.mu.Unlock()
	return w.sendFinal()
}

// closeParts ends what is open, in the order of the content.
func (w *Writer) closeParts() error {
	if err := w.Start(); err != nil {
		return err
	}
	for len(w.open) > 0 {
		if err := w.open[0].Close(); err != nil {
			return err
		}
	}
	return nil
}

// fail ends the response by an error.
func (w *Writer) fail(err error) {
	w.end(func(m *message.Assistant) {
		m.StopReason, m.ErrorMessage = message.StopReasonError, validText(err.Error())
		if w.ctx.Err() != nil {
			m.StopReason, m.ErrorMessage = message.StopReasonAborted, abortedText
		}
	})
	w.deliver(Event{Type: Failed, Message: w.final})
}

func (w *Writer) end(change func(m *message.Assistant)) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.final = w.snapshot(true)
	w.final.DurationMs = w.elapsed()
	change(w.final)
}

func (w *Writer) sendFinal() error {
	kind := Done
	if reason := w.final.StopReason; reason == message.StopReasonError || reason == message.StopReasonAborted {
		kind = Failed
	}
	w.deliver(Event{Type: kind, Message: w.final})
	return nil
}

// elapsed returns how many whole milliseconds the response has taken.
func (w *Writer) elapsed() *float64 {
	return new(float64(w.now().Sub(w.began).Round(time.Millisecond).Milliseconds()))
}

// check returns why nothing more can be written, or nil.
func (w *Writer) check() error {
	switch {
	case w.left:
		return errLeft
	case w.final != nil:
		return errEnded
	}
	return w.ctx.Err()
}

// send hands an event to the consumer.
func (w *Writer) send(event Event) error {
	if err := w.check(); err != nil {
		return err
	}
	w.deliver(event)
	return w.check()
}

func (w *Writer) deliver(event Event) {
	event.of = w
	yield := w.yield
	w.yield = nil
	more := yield(event)
	w.yield = yield
	w.left = !more
}

// yielding says whether the consumer is at work, which it still is when it panicked.
func (w *Writer) yielding() bool { return w.yield == nil }

// grow counts what was written.
func (w *Writer) grow(by int) error {
	if w.size += by; w.size > MaxResponse {
		return &TooLongError{Model: Ref{Provider: w.message.Provider, ModelID: w.message.Model}}
	}
	return nil
}
