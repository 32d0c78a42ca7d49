package jsapi

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"sync"
	"time"
	"weak"

	"github.com/dop251/goja"

	"github.com/seed-d579e5eb/harness/jsapi/internal/globals"
	"github.com/seed-d579e5eb/harness/jsapi/internal/guard"
)

// engineValue is a value of the engine. It does not leave this package.
type engineValue = goja.Value

// maxCallStack bounds the call stack, in frames. The engine's cost of an
// overflow grows with the square of it.
const maxCallStack = 1000

// Options configure an isolate. The zero value works.
type Options struct {
	// Extension is the name that errors carry.
	Extension string
	// Clock is the machine's when nil. Budgets of jobs are measured by the
	// machine's clock always.
	Clock Clockwork
	// Random is the source of random bytes; crypto/rand when nil.
	Random io.Reader
	// HTTPClient serves fetch; http.DefaultClient when nil.
	HTTPClient *http.Client
	// Console receives what extensions print. It runs on the loop. Nil drops it.
	Console func(level slog.Level, text string)
	// Report receives errors that nobody else can: unhandled rejections, throws
	// of timers and listeners, panics of asynchronous work, a lost isolate. It may
	// run on any goroutine and must not block. Nil drops them.
	Report func(err error)
	// Context is the compiled chord context module, from which calls get their
	// context object. Without it a call gets an object with abortSignal alone.
	Context *Graph
	// Supplied has the exports of modules that Go implements, by specifier. Each
	// isolate gets values of its own.
	Supplied map[string]*Object
	// Nest returns the context for a call into another isolate that is made from
	// ctx, or the error of a nesting that is too deep. Nil bounds nothing.
	Nest func(ctx context.Context) (context.Context, error)
	// Callback has the budgets of timers, watches and other callbacks;
	// [DefaultCallback] when zero.
	Callback Job
}

// DefaultCallback has the budgets of timers, watches and other callbacks.
var DefaultCallback = Job{Work: "a callback", Running: 5 * time.Second, Whole: time.Minute}

// Isolate is one JavaScript runtime and its loop. Its methods may be called
// from any goroutine but the loop, unless they say otherwise.
type Isolate struct {
	options Options
	runtime *goja.Runtime
	loop    *loop
	watch   watch
	pending pendingCalls
	alarms  alarms
	working sync.Mutex     // held while work grows or the isolate ends
	work    sync.WaitGroup // goroutines of Async results and of Go

	ctx    context.Context
	cancel context.CancelCauseFunc
	root   *Owner
	owners owners

	// What follows belongs to the loop.
	current          *activity
	intrinsics       intrinsics
	synthetic        map[string]*moduleRecord
	contextPrototype *goja.Object
	functions        links[Function] // stubs of functions of other isolates
	signals          links[Signal]   // and of signals
	ownFunctions     exports[Function]
	ownSignals       exports[Signal]
	references       map[weak.Pointer[Reference]]struct{}
	rejected         rejections
	fault            error // of the engine, in a callback of the globals
	made             time.Time

	lost     chan struct{}
	loseOnce sync.Once
	cause    error
}

// New starts an isolate: a fresh runtime with the globals of host-api section 4
// and its loop. The caller closes it.
func New(options Options) (*Isolate, error) {
	if options.Clock == nil {
		options.Clock = SystemClock{}
	}
	if options.Random == nil {
		options.Random = rand.Reader
	}
	if options.HTTPClient == nil {
		options.HTTPClient = http.DefaultClient
	}
	if options.Callback == (Job{}) {
		options.Callback = DefaultCallback
	}
	iso := &Isolate{
		options:   options,
		runtime:   goja.New(),
		loop:      newLoop(options.Clock),
		synthetic: make(map[string]*moduleRecord),
		made:      options.Clock.Now(),
		lost:      make(chan struct{}),
	}
	iso.ctx, iso.cancel = context.WithCancelCause(context.Background())
	iso.root = iso.NewOwner("extension " + options.Extension)
	iso.watch.init(iso.runtime)
	iso.runtime.SetMaxCallStackSize(maxCallStack)
	iso.runtime.SetAsyncContextTracker(tracker{iso})
	iso.runtime.SetPromiseRejectionTracker(iso.trackRejection)
	if err := guard.Install(iso.runtime, guard.Options{}); err != nil {
		return nil, err
	}
	iso.intrinsics.captureClasses(iso.runtime)
	if err := globals.Install(iso.runtime, globalsHost{iso}); err != nil {
		return nil, err
	}
	iso.intrinsics.capture(iso.runtime)
	go iso.loop.run(iso.fireTimer, iso.release)
	return iso, nil
}

// Extension returns the name given in the options.
func (iso *Isolate) Extension() string { return iso.options.Extension }

// Rename gives the isolate the name that errors carry. It must be called before
// any job of the extension; an isolate can be made before it is known for whom.
func (iso *Isolate) Rename(extension string) {
	iso.options.Extension = extension
	iso.root.name = "extension " + extension
}

// Close ends the isolate: running JavaScript is interrupted, pending calls fail
// with a [ClosedError], and Close returns when the loop and all asynchronous
// work have ended. It has no limit of its own: work that takes a context sees it
// end, and any other holds Close for as long as its system calls take, such as
// those on a file of a disk that does not answer. Closing twice is no error. It must not be called from the
// loop.
func (iso *Isolate) Close() {
	iso.end(&ClosedError{Owner: "extension " + iso.options.Extension})
	<-iso.loop.done
	iso.work.Wait()
}

// end stops the loop and fails what is pending. It does not wait.
func (iso *Isolate) end(cause error) {
	iso.loseOnce.Do(func() {
		iso.working.Lock()
		iso.cause = cause
		close(iso.lost)
		iso.working.Unlock()
		iso.cancel(cause)
		iso.loop.stop()
		iso.watch.end(&stopReason{cause})
		iso.pending.failAll(iso.failure())
	})
}

// Lost is closed when the isolate ended, for whatever reason: it was closed, or
// an interrupt, a stack overflow or a fault of the engine cost it its queued
// promise reactions. Every later call fails.
func (iso *Isolate) Lost() <-chan struct{} { return iso.lost }

// Cause returns why the isolate ended, or nil while it lives.
func (iso *Isolate) Cause() error {
	select {
	case <-iso.lost:
		return iso.cause
	default:
		return nil
	}
}

// failure is the error of calls that were pending when the isolate ended.
func (iso *Isolate) failure() error {
	var closed *ClosedError
	if errors.As(iso.cause, &closed) {
		return iso.cause
	}
	return &ReplacedError{Extension: iso.options.Extension, Cause: iso.cause}
}

// AbortCalls aborts the signal of every pending call, in no order. The calls end
// as their code ends them, and the isolate goes on.
func (iso *Isolate) AbortCalls(cause error) {
	for _, call := range iso.pending.list() {
		call.ownSignal().Abort(cause)
	}
}

// Interrupt stops the job that is running, if any, as if its budget had run
// out: it fails with an [*InterruptError], and the isolate is lost. reason says
// why, as in "was interrupted: the extension is being replaced". It reports whether
// a job was running; one that is just about to return may still do so, but the
// next job is never the one that is stopped.
func (iso *Isolate) Interrupt(reason string) bool {
	return iso.watch.interruptNow(&InterruptError{Extension: iso.options.Extension, Reason: reason})
}

// RunningJob returns what runs on the loop right now and since when.
func (iso *Isolate) RunningJob() (work string, since time.Time, running bool) {
	return iso.watch.running()
}

// Load describes an isolate for status pages.
type Load struct {
	// Queue is the number of jobs that wait for the loop.
	Queue int
	// Pending is the number of calls that have not returned, those in the queue
	// and the running one included.
	Pending int
}

// Load returns how much work waits.
func (iso *Isolate) Load() Load {
	return Load{Queue: iso.loop.depth(), Pending: iso.pending.len()}
}
