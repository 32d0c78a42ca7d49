package jsapi

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/dop251/goja"
)

// Callee is what a call reaches: a [Function], or a [Method].
type Callee interface {
	// callee finds the function on the loop.
	callee(iso *Isolate) (this goja.Value, call goja.Callable, err error)
	home() (*Isolate, *Owner)
}

// Call calls a function of this isolate with data and returns its result, after
// its promise settled. args are data (see value.go), or [OwnContext] and
// [OwnSignal].
//
// Errors: what the code threw, as an [*Error]; a [*TimeoutError]; a [*BusyError]
// when the loop did not take the job in time; a [*ReplacedError] when the isolate
// was lost meanwhile; a [*ClosedError] when it or the owner has ended; a
// [*DataCloneError] for an argument or a result that cannot be carried; an
// [*OverflowError], a [*PanicError] or an [*InterruptError] when the job cost the
// isolate its life; the cause of ctx when that ended.
func (iso *Isolate) Call(ctx context.Context, job Job, callee Callee, args ...any) (any, error) {
	home, owner := callee.home()
	if home != iso {
		return nil, &DataCloneError{Path: "callee", Reason: "it is a function of another isolate"}
	}
	if job.Owner == nil {
		job.Owner = owner
	}
	return iso.submit(ctx, job, func(c *pendingCall) (goja.Value, error) {
		this, call, err := callee.callee(iso)
		if err != nil {
			return nil, err
		}
		values, err := iso.importArgs(c, args)
		if err != nil {
			return nil, err
		}
		return call(this, values...)
	})
}

// submit queues a job whose code is start, and waits for it.
func (iso *Isolate) submit(ctx context.Context, job Job, start func(*pendingCall) (goja.Value, error)) (any, error) {
	if job.Owner == nil {
		job.Owner = iso.root
	}
	if job.Owner.isolate != iso {
		return nil, &DataCloneError{Path: "owner", Reason: "it belongs to another isolate"}
	}
	if iso.Cause() != nil {
		return nil, iso.failure()
	}
	if job.Owner.Closed() {
		return nil, job.Owner.failure()
	}
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	call := &pendingCall{isolate: iso, job: job, start: start, queued: time.Now(), done: make(chan struct{})}
	call.activity = activity{owner: job.Owner, values: contextValues{ctx}, work: job.Work, running: job.Running, call: call}
	if !iso.pending.add(call) {
		return nil, iso.failure()
	}
	if !iso.loop.post(call.run) {
		iso.pending.remove(call)
		<-iso.lost
		return nil, iso.failure()
	}
	return call.wait(ctx)
}

// pendingCall is one call on its way: queued, running or awaiting its promise.
type pendingCall struct {
	isolate  *Isolate
	job      Job
	start    func(*pendingCall) (goja.Value, error)
	activity activity

	queued  time.Time
	started atomic.Int64 // nanoseconds from queued to its turn, at least 1; 0 while it waits
	settled atomic.Bool
	done    chan struct{}
	result  any
	err     error

	signal     *Signal
	signalOnce sync.Once
	index      int
}

// ownSignal returns the call's signal, made when first asked for.
func (c *pendingCall) ownSignal() *Signal {
	c.signalOnce.Do(func() { c.signal = NewSignal() })
	return c.signal
}

// alarms are the timers of waiting calls, used again.
type alarms struct{ pool sync.Pool }

func (a *alarms) take(after time.Duration) *time.Timer {
	alarm, ok := a.pool.Get().(*time.Timer)
	if !ok {
		return time.NewTimer(after)
	}
	alarm.Reset(after)
	return alarm
}

func (a *alarms) put(alarm *time.Timer) {
	alarm.Stop()
	a.pool.Put(alarm)
}

// settle gives the caller its answer; only the first one counts.
func (c *pendingCall) settle(result any, err error) {
	if !c.settled.CompareAndSwap(false, true) {
		return
	}
	c.result, c.err = result, err
	c.isolate.pending.remove(c)
	close(c.done)
}

// giveUp settles the call with err and aborts its signal.
func (c *pendingCall) giveUp(err error) {
	c.settle(nil, err)
	c.ownSignal().Abort(err)
}

// wait blocks until the call is settled, its context ends or its time is up.
func (c *pendingCall) wait(ctx context.Context) (any, error) {
	queue := c.job.Queue
	if queue <= 0 {
		queue = DefaultQueue
	}
	first := queue
	if c.job.Whole > 0 {
		first = min(first, c.job.Whole)
	}
	alarm := c.isolate.alarms.take(first)
	defer c.isolate.alarms.put(alarm)
	for {
		select {
		case <-c.done:
			result := c.result
			c.result = nil
			return result, c.err
		case <-ctx.Done():
			c.giveUp(context.Cause(ctx))
		case <-alarm.C:
			left, err := c.timeLeft(queue)
			switch {
			case err != nil:
				c.giveUp(err)
			case left > 0:
				alarm.Reset(left)
			}
		}
	}
}

// timeLeft returns how long to wait on (0: for ever), or the error of the clock
// that ran out.
func (c *pendingCall) timeLeft(queue time.Duration) (time.Duration, error) {
	started := c.started.Load()
	if started == 0 {
		left := queue - time.Since(c.queued)
		if left > 0 && c.job.Whole > 0 {
			// The clock of the whole job starts with the job, of which nothing tells here.
			left = min(left, max(c.job.Whole, time.Millisecond))
		}
		if left > 0 {
			return left, nil
		}
		return 0, &BusyError{Extension: c.isolate.options.Extension, Work: c.job.Work, Waited: queue}
	}
	if c.job.Whole <= 0 {
		return 0, nil
	}
	if left := c.job.Whole - time.Since(c.queued.Add(time.Duration(started))); left > 0 {
		return left, nil
	}
	return 0, &TimeoutError{Extension: c.isolate.options.Extension, Work: c.job.Work, Clock: Whole, Limit: c.job.Whole}
}

// run is the call's turn on the loop.
func (c *pendingCall) run() {
	if c.settled.Load() {
		return
	}
	if c.job.Owner.Closed() {
		c.settle(nil, c.job.Owner.failure())
		return
	}
	c.started.Store(max(int64(time.Since(c.queued)), 1))
	if err := c.isolate.enter(&c.activity, c.job.Running, c.turn); err != nil {
		c.settle(nil, err)
	}
}

// turn runs the call's code. The error is one of the engine.
func (c *pendingCall) turn() error {
	value, err := c.start(c)
	// Promise reactions remember the activity for long, and need no arguments.
	c.start = nil
	c.isolate.current = &c.activity // promise reactions that ran meanwhile cleared it
	if err == nil {
		err = c.follow(value)
	}
	if err != nil && !isFault(err) {
		c.fail(err)
		return nil
	}
	return err
}

// follow takes the value that the code returned: a promise is awaited.
func (c *pendingCall) follow(value goja.Value) error {
	iso := c.isolate
	object, isObject := value.(*goja.Object)
	if !isObject {
		return c.succeed(value)
	}
	promise := asPromise(object)
	if promise == nil {
		if !iso.isThenable(object) {
			return c.succeed(value)
		}
		resolved, err := iso.intrinsics.resolve(value)
		if err != nil {
			return err
		}
		object, promise = resolved, asPromise(resolved)
	}
	switch promise.State() {
	case goja.PromiseStateFulfilled:
		return c.succeed(promise.Result())
	case goja.PromiseStateRejected:
		iso.rejected.remove(promise)
		c.fail(iso.thrown(promise.Result()))
		return nil
	}
	return iso.intrinsics.then(object, func(value goja.Value) {
		if err := c.succeed(value); err != nil {
			if isFault(err) {
				panic(err)
			}
			c.fail(err)
		}
	}, func(reason goja.Value) { c.fail(iso.thrown(reason)) })
}

// succeed carries the result out. It runs on the loop.
func (c *pendingCall) succeed(value goja.Value) error {
	result, err := c.isolate.exportAs(c.job.Result, value)
	if err != nil && c.job.Result == AsJSON && !isFault(err) {
		err = fmt.Errorf("what %s returned is not JSON: %w", c.job.Work, c.isolate.caught(err))
	}
	if err != nil {
		return err
	}
	c.settle(result, nil)
	return nil
}

func (c *pendingCall) fail(err error) { c.settle(nil, c.isolate.caught(err)) }
