package jsapi

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/jsapi/internal/globals"
)

// globalsHost is the isolate as its globals see it. Its methods run on the loop.
type globalsHost struct{ isolate *Isolate }

var _ globals.Host = globalsHost{}

func (h globalsHost) Now() time.Time { return h.isolate.options.Clock.Now() }

func (h globalsHost) Elapsed() time.Duration {
	return h.isolate.options.Clock.Now().Sub(h.isolate.made)
}

func (h globalsHost) Random(p []byte) error {
	_, err := io.ReadFull(h.isolate.options.Random, p)
	return err
}

func (h globalsHost) SetTimer(delay time.Duration, repeat bool, fire func()) int64 {
	act := h.isolate.currentActivity()
	return h.isolate.loop.addTimer(&timer{owner: act.owner, values: act.values, fire: fire}, delay, repeat)
}

func (h globalsHost) ClearTimer(id int64) { h.isolate.loop.removeTimer(id) }

func (h globalsHost) Console(level slog.Level, text string) {
	if h.isolate.options.Console != nil {
		h.isolate.options.Console(level, text)
	}
}

func (h globalsHost) Async(work func(ctx context.Context) (any, error), settle func(any) goja.Value) goja.Value {
	return h.isolate.start(work, func(result any) (value goja.Value, err error) {
		if thrown := h.isolate.try(func() { value = settle(result) }); thrown != nil {
			return nil, thrown
		}
		return value, nil
	})
}

// Report takes what no JavaScript code can catch. A fault of the engine ends the
// isolate when the running turn ends.
func (h globalsHost) Report(err error) {
	iso := h.isolate
	act := iso.currentActivity()
	if isFault(err) {
		iso.fault = err
		return
	}
	iso.report(&UncaughtError{Work: act.work, Reason: iso.caught(err)})
}

func (h globalsHost) HTTPClient() *http.Client { return h.isolate.options.HTTPClient }

// UncaughtError is what a timer or a listener threw.
type UncaughtError struct {
	// Work is what the code ran for.
	Work   string
	Reason error
}

func (e *UncaughtError) Error() string { return "uncaught in " + e.Work + ": " + e.Reason.Error() }

// Unwrap returns what was thrown.
func (e *UncaughtError) Unwrap() error { return e.Reason }
