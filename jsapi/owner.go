package jsapi

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Owner is what work in an isolate belongs to: one generation of an extension,
// or one resource. Timers, callbacks and asynchronous work that start while code
// of an owner runs are the owner's, and end with it.
type Owner struct {
	isolate *Isolate
	name    string
	ctx     context.Context
	cancel  context.CancelCauseFunc
	close   sync.Once
}

// NewOwner returns an owner in the isolate. name says in errors whose it is,
// such as "extension todo at 1a2b3c4". The caller closes it; the isolate's end
// closes it too.
func (iso *Isolate) NewOwner(name string) *Owner {
	owner := iso.NewResourceOwner(name)
	iso.owners.add(owner)
	return owner
}

// NewResourceOwner returns an owner that never counts as the newest: promise jobs
// that carry no owner do not become its own.
func (iso *Isolate) NewResourceOwner(name string) *Owner {
	owner := &Owner{isolate: iso, name: name}
	owner.ctx, owner.cancel = context.WithCancelCause(iso.ctx)
	return owner
}

// Close ends everything that belongs to the owner: timers do not fire any more,
// contexts of its asynchronous work end, and its calls, pending and later ones,
// fail with a [ClosedError]. It does not wait for JavaScript that is running. Closing
// twice is no error. It may be called from any goroutine.
func (o *Owner) Close() {
	o.close.Do(func() {
		cause := &ClosedError{Owner: o.name}
		o.cancel(cause)
		o.isolate.owners.remove(o)
		o.isolate.loop.post(func() { o.isolate.loop.removeTimersOf(o) })
		for _, call := range o.isolate.pending.list() {
			if call.job.Owner == o {
				call.giveUp(cause)
			}
		}
	})
}

// Closed reports whether the owner was closed or its isolate ended.
func (o *Owner) Closed() bool { return o.ctx.Err() != nil }

// failure is the error of a job of an owner that is closed.
func (o *Owner) failure() error {
	if o.isolate.Cause() != nil {
		return o.isolate.failure()
	}
	return context.Cause(o.ctx)
}

// Context ends when the owner does; its cause is then a [ClosedError].
func (o *Owner) Context() context.Context { return o.ctx }

// Name returns the name given to [Isolate.NewOwner].
func (o *Owner) Name() string { return o.name }

// owners lists the live owners of an isolate but those of resources, the newest
// last.
type owners struct {
	mu   sync.Mutex
	live []*Owner
}

func (o *owners) add(owner *Owner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live = append(o.live, owner)
}

func (o *owners) remove(owner *Owner) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.live = slices.DeleteFunc(o.live, func(each *Owner) bool { return each == owner })
}

// newest is nil when none lives.
func (o *owners) newest() *Owner {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.live) == 0 {
		return nil
	}
	return o.live[len(o.live)-1]
}

// contextValues is the part of a Go context that travels with promises: its
// values, without its end.
type contextValues struct{ context.Context }

// ownedContext ends with the owner and has the values of the call that the code
// runs for.
type ownedContext struct {
	context.Context
	values context.Context
}

// Value asks the owner's context first: it has no values, but what package
// context looks for to learn when and why a context ended.
func (c ownedContext) Value(key any) any {
	if value := c.Context.Value(key); value != nil || c.values == nil {
		return value
	}
	return c.values.Value(key)
}

// activity is what code on the loop runs for. The engine hands it from promise to
// reaction.
type activity struct {
	owner   *Owner
	values  contextValues
	work    string
	running time.Duration // the budget of each of its turns; 0 is no bound
	call    *pendingCall  // the call that began it, if any
}

func (a *activity) context() context.Context {
	return ownedContext{Context: a.owner.ctx, values: a.values.Context}
}

// tracker carries the activity through promise reactions; see
// goja.AsyncContextTracker.
type tracker struct{ isolate *Isolate }

func (t tracker) Grab() any { return t.isolate.current }

func (t tracker) Resumed(tracked any) {
	t.isolate.current, _ = tracked.(*activity)
}

func (t tracker) Exited() { t.isolate.current = nil }

// currentActivity is what the running code belongs to. A job without one, such
// as the then method of a thenable that an extension made, belongs to the newest
// owner.
func (iso *Isolate) currentActivity() *activity {
	if iso.current != nil {
		return iso.current
	}
	owner := iso.owners.newest()
	if owner == nil {
		owner = iso.root
	}
	return &activity{owner: owner, work: "a promise job", running: iso.options.Callback.Running}
}
