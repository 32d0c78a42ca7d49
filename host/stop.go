package host

import (
	"context"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// retire ends the generation that serves, when the host closes.
func (h *Host) retire(context.Context) error {
	last := h.registry.Retire()
	shown := h.showing(nil)
	h.work.Go(func() { h.retireGeneration(last, shown) })
	return nil
}

// hurry aborts the calls that hold a generation, and interrupts what still runs
// after a while.
func (h *Host) hurry(generation *registry.Generation) {
	for _, push := range []func(*extension){(*extension).signal, (*extension).interrupt} {
		for _, extension := range worldExtensions(generation) {
			push(extension)
		}
		if waitClosed(h.options.Clock, generation.Drained(), stopGrace) {
			return
		}
	}
}

// signal aborts the calls of an extension.
func (e *extension) signal() {
	if live := e.live.Load(); live != nil {
		live.home.isolate.AbortCalls(&StoppingError{})
	}
}

// interrupt ends the isolate of an extension.
func (e *extension) interrupt() {
	if live := e.live.Load(); live != nil {
		live.home.isolate.Close()
	}
}

// StoppingError is a call that was still running when the harness stopped.
type StoppingError struct{}

func (e *StoppingError) Error() string { return "the harness is stopping" }

// waitClosed waits for a channel by the clock and reports whether it was closed in
// time.
func waitClosed(clock jsapi.Clockwork, closed <-chan struct{}, limit time.Duration) bool {
	passed := make(chan struct{})
	stop := clock.AfterFunc(limit, func() { close(passed) })
	defer stop()
	select {
	case <-closed:
		return true
	case <-passed:
		return false
	}
}
