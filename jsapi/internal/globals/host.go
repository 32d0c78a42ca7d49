package globals

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/dop251/goja"
)

// Host is what the globals need from the isolate they are installed in. Every
// method is called on the isolate's loop; none may call back before it returns.
type Host interface {
	// Now is the time that Date and performance.timeOrigin show.
	Now() time.Time

	// Elapsed is the monotonic time since the isolate began, for performance.now.
	Elapsed() time.Duration

	// Random fills p from a source fit for cryptography.
	Random(p []byte) error

	// SetTimer arranges that fire runs on the loop after delay, again and again
	// when repeat is set, and returns the timer's id, which is not zero. Timers
	// that are due at the same time fire in the order they were set. The timer
	// belongs to the owner of the running job and ends with it.
	SetTimer(delay time.Duration, repeat bool, fire func()) int64

	// ClearTimer forgets a timer; an unknown or finished id is ignored.
	ClearTimer(id int64)

	// Console takes one finished text of console, without a final newline.
	Console(level slog.Level, text string)

	// Async runs work on another goroutine and returns a promise that is
	// settled on the loop: rejected with work's error, or resolved with what
	// settle, called on the loop, makes of work's result. ctx ends when the
	// owner of the running job does; it stays alive when work has returned.
	Async(work func(ctx context.Context) (any, error), settle func(any) goja.Value) goja.Value

	// Report takes an error that no JavaScript code can catch any more: what a
	// timer, an event listener or a microtask threw. It is a *goja.Exception,
	// or an error of the engine (*goja.InterruptedError,
	// *goja.StackOverflowError) after which the runtime must be discarded.
	Report(err error)

	// HTTPClient is what fetch sends requests with. Its redirect policy, time
	// limit and cookies apply; fetch works on a shallow copy.
	HTTPClient() *http.Client
}
