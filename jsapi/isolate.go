package jsapi

import (
	"context"
	"crypto/rand"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

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
	// of timers and listeners, a lost isolate. It must not block. Nil drops them.
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
	working sync.Mutex     // held while work grows or the isolate ends
	work    sync.WaitGroup // goroutines of Async results and of Go

	ctx    context.Context
	cancel context.CancelCauseFunc
	root   *Owner
	newest atomic.Pointer[Owner]

	// What follows belongs to the loop.
	current     *activity
	intrinsics  intrinsics
	synthetic   map[string]*moduleRecord
	makeContext goja.Callable
	stubs       stubs
	rejected    []rejection
	fault       error // of the engine, in a callback of the globals
	made        time.Time

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
	iso.stubs.loop = iso.loop
	iso.ctx, iso.cancel = context.WithCancelCause(context.Background())
	iso.root = iso.NewOwner("extension " + options.Extension)
	iso.watch.init(iso.runtime)
	iso.runtime.SetMaxCallStackSize(maxCallStack)
	iso.runtime.SetAsyncContextTracker(tracker{iso})
	iso.runtime.SetPromiseRejectionTracker(iso.trackRejection)
	if err := guard.Install(iso.runtime, guard.Options{}); err != nil {
		return nil, err
	}
	if err := globals.Install(iso.runtime, globalsHost{iso}); err != nil {
		return nil, err
	}
	iso.intrinsics.capture(iso.runtime)
	go iso.loop.run(iso.fireTimer)
	return iso, nil
}

// Extension returns the name given in the options.
func (iso *Isolate) Extension() string { return iso.options.Extension }

// Close ends the isolate: running JavaScript is interrupted, pending calls fail
// with a [ClosedError], and Close returns when the loop and all asynchronous
// work have ended. Closing twice is no error. It must not be called from the
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
		iso.watch.interruptNow(&stopReason{cause})
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

// Interrupt stops the job that is running, if any, as if its budget had run
// out; the isolate is lost then. reason completes the sentence "was interrupted".
// It reports whether a job was running.
func (iso *Isolate) Interrupt(reason string) bool {
	return iso.watch.interruptNow(&InterruptError{Extension: iso.options.Extension, Reason: reason})
}

// RunningJob returns what runs on the loop right now and since when.
func (iso *Isolate) RunningJob() (work string, since time.Time, running bool) {
	return iso.watch.running()
}

// Load describes an isolate for status pages.
type Load struct {
	Queue   int
	Pending int
}

// Load returns how much work waits.
func (iso *Isolate) Load() Load {
	return Load{Queue: iso.loop.depth(), Pending: iso.pending.len()}
}

// enter runs body on the loop for an activity, under a running budget (0: none),
// and returns body's error. When the engine was interrupted, overflowed or
// panicked, the isolate is lost; failed, which may be nil, hears first to what.
func (iso *Isolate) enter(act *activity, running time.Duration, body func() error, failed func(error)) (err error) {
	if cause := iso.Cause(); cause != nil {
		return iso.failure()
	}
	iso.current = act
	iso.watch.start(act.work, running)
	defer func() {
		if panicked := recover(); panicked != nil {
			err = &PanicError{Extension: iso.options.Extension, Work: act.work, Value: panicked, Stack: string(debug.Stack())}
			iso.watch.stop()
			iso.lose(err, failed)
		}
		iso.current = nil
	}()
	err = body()
	iso.watch.stop()
	if fatal := iso.fatal(act, err); fatal != nil {
		iso.lose(fatal, failed)
		return fatal
	}
	iso.reportRejections()
	return err
}

// lose ends the isolate for a fault and reports it.
func (iso *Isolate) lose(cause error, failed func(error)) {
	if failed != nil {
		failed(cause)
	}
	iso.end(cause)
	iso.report(cause)
}

func (iso *Isolate) report(err error) {
	if iso.options.Report != nil {
		iso.options.Report(err)
	}
}

// fatal returns the fault that err stands for when it cost the isolate its
// promise reactions, else nil.
func (iso *Isolate) fatal(act *activity, err error) error {
	var interrupted *goja.InterruptedError
	if errors.As(err, &interrupted) {
		place := topPosition(interrupted.Stack())
		switch reason := interrupted.Value().(type) {
		case *TimeoutError:
			reason.Extension, reason.Position = iso.options.Extension, place
			return reason
		case *InterruptError:
			reason.Work, reason.Position = act.work, place
			return reason
		case *stopReason:
			return reason.cause
		}
		return &InterruptError{Extension: iso.options.Extension, Work: act.work, Position: place, Reason: "for an unknown reason"}
	}
	var overflow *goja.StackOverflowError
	if errors.As(err, &overflow) {
		return &OverflowError{Extension: iso.options.Extension, Work: act.work, Position: topPosition(overflow.Stack())}
	}
	return nil
}

// isFault reports whether an error of the engine costs the isolate its promise
// reactions.
func isFault(err error) bool {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	return errors.As(err, &interrupted) || errors.As(err, &overflow)
}

// stopReason interrupts code of an isolate that is being closed.
type stopReason struct{ cause error }

func (s *stopReason) Error() string { return s.cause.Error() }

// rejection is a promise that was rejected while nobody listened.
type rejection struct {
	promise *goja.Promise
	work    *activity
}

func (iso *Isolate) trackRejection(promise *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		iso.rejected = append(iso.rejected, rejection{promise, iso.currentActivity()})
		return
	}
	iso.handled(promise)
}

// handled forgets a rejection that somebody took care of.
func (iso *Isolate) handled(promise *goja.Promise) {
	for i, rejected := range iso.rejected {
		if rejected.promise == promise {
			iso.rejected = append(iso.rejected[:i], iso.rejected[i+1:]...)
			return
		}
	}
}

// reportRejections reports what nobody handled by the end of a turn. Errors of
// owners that ended meanwhile are of no interest.
func (iso *Isolate) reportRejections() {
	if len(iso.rejected) == 0 {
		return
	}
	rejected := iso.rejected
	iso.rejected = nil
	for _, one := range rejected {
		if one.work.owner.Closed() {
			continue
		}
		iso.report(&UnhandledRejection{Work: one.work.work, Reason: iso.thrown(one.promise.Result())})
	}
}

// UnhandledRejection is a promise that was rejected and that nobody handled.
type UnhandledRejection struct {
	// Work is what the code ran for.
	Work   string
	Reason *Error
}

func (e *UnhandledRejection) Error() string {
	return "unhandled rejection in " + e.Work + ": " + e.Reason.Error()
}

// Unwrap returns the reason.
func (e *UnhandledRejection) Unwrap() error { return e.Reason }
