package host

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// stopping says how far the end of a host has come. The first context, following,
// ends before all else, and with it that commits are loaded. Once the session takes
// nothing more, so that no task ends for the reason that the host does, the next one
// ends, which aborts the signals of calls; the one after that when calls are
// interrupted; the last one when callbacks are given up, and what still runs is left
// behind.
type stopping struct {
	following, ctx, late, over            context.Context
	unfollow, cancel, interrupt, giveItUp context.CancelFunc
}

func newStopping() (s stopping) {
	s.following, s.unfollow = context.WithCancel(context.Background())
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.late, s.interrupt = context.WithCancel(context.Background())
	s.over, s.giveItUp = context.WithCancel(context.Background())
	return s
}

// beginStop begins the end, whose steps come by the clock; the first one comes early when
// ctx ends. ended stops that.
func (s *stopping) beginStop(ctx context.Context, clock jsapi.Clockwork) (ended func()) {
	s.cancel()
	stops := []func() bool{
		context.AfterFunc(ctx, s.interrupt),
		clock.AfterFunc(stopGrace, s.interrupt),
		clock.AfterFunc(2*stopGrace, s.giveItUp),
	}
	return func() {
		for _, stop := range stops {
			stop()
		}
		s.interrupt()
		s.giveItUp()
	}
}

// until returns a context that also ends, as a [*StoppingError], with one of the
// host's. The caller calls end.
func until(ctx, stop context.Context) (limited context.Context, end func()) {
	limited, cancel := context.WithCancelCause(ctx)
	forget := context.AfterFunc(stop, func() { cancel(&StoppingError{}) })
	return limited, func() {
		forget()
		cancel(nil)
	}
}

// untilOver makes a callback of a life cycle end in time when the host stops.
func (h *Host) untilOver(callback func(context.Context) error) func(context.Context) error {
	if callback == nil {
		return nil
	}
	return func(ctx context.Context) error {
		ctx, end := until(ctx, h.over)
		defer end()
		return callback(ctx)
	}
}

// stoppable makes what an instance of the embedder runs end in time when the host
// stops: its tools are told by their context, as those of the world are by their
// signal.
func (h *Host) stoppable(instance *registry.Instance) *registry.Instance {
	if instance == nil {
		return nil
	}
	stoppable := *instance
	stoppable.Tools = slices.Clone(instance.Tools)
	for i, tool := range instance.Tools {
		stoppable.Tools[i].Execute = func(ctx context.Context, call *registry.Call) (*registry.Result, error) {
			ctx, end := until(ctx, h.ctx)
			defer end()
			return tool.Execute(ctx, call)
		}
	}
	stoppable.OnOpen, stoppable.OnClose = h.untilOver(instance.OnOpen), h.untilOver(instance.OnClose)
	stoppable.Shutdown = h.untilOver(instance.Shutdown)
	return &stoppable
}

// retire ends the generation that serves, when the host closes.
func (h *Host) retire() {
	last := h.registry.Retire()
	shown := h.showing(nil)
	h.work.Go(func() { h.retireGeneration(last, shown) })
}

// drain waits until nothing holds a generation any more: while the host serves, as
// long as that takes; when it stops, calls are aborted, and interrupted once it is
// late. An error says that something still holds it when all is over.
func (h *Host) drain(generation *registry.Generation) error {
	for _, step := range []struct {
		until context.Context
		push  func(*extension)
	}{{h.ctx, (*extension).signal}, {h.late, (*extension).interrupt}, {h.over, nil}} {
		select {
		case <-generation.Drained():
			return nil
		case <-step.until.Done():
		}
		select {
		case <-generation.Drained(): // both have happened
			return nil
		default:
		}
		for _, extension := range worldExtensions(generation) {
			if step.push != nil {
				step.push(extension)
			}
		}
	}
	return &LeftBehindError{Commit: generation.Commit(), Units: generation.Units()}
}

// leftBehind notes what did not end.
func (h *Host) leftBehind(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.left = append(h.left, err)
}

// LeftBehindError says that work did not end when the host closed, which closed
// without it: calls of Go extensions that ignore their context. Their extensions
// were not closed.
type LeftBehindError struct {
	Commit string
	Units  []registry.Unit
}

func (e *LeftBehindError) Error() string {
	names := make([]string, len(e.Units))
	for i, unit := range e.Units {
		names[i] = unit.Name
	}
	return fmt.Sprintf("closed while this still ran, and did not end by its context: %s", strings.Join(names, ", "))
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
