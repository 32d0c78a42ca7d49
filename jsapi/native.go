package jsapi

import (
	"context"
	"errors"
	"runtime/debug"

	"github.com/dop251/goja"
)

// nativeFunction makes a function that calls Go. An error of the native is
// thrown; one that cost the isolate its life goes on unseen by JavaScript.
func (iso *Isolate) nativeFunction(native Native) goja.Value {
	return iso.runtime.ToValue(func(call goja.FunctionCall) goja.Value {
		act := iso.currentActivity()
		args, err := iso.exportArgs(call.Arguments)
		if err != nil {
			iso.throw(err)
		}
		result, err := native(&NativeCall{Args: args, Isolate: iso, Owner: act.owner, Context: act.context()})
		if err != nil {
			iso.throw(err)
		}
		value, err := iso.importData(result)
		if err != nil {
			iso.throw(err)
		}
		return value
	})
}

// Within calls a function of the calling isolate at once, as code of owner, and
// returns what it threw. The result is dropped. It must be called on the loop,
// by the native that got the call.
func (c *NativeCall) Within(owner *Owner, function *Function, args ...any) error {
	iso := c.Isolate
	if function.isolate != iso {
		return &DataCloneError{Path: "callee", Reason: "it is a function of another isolate"}
	}
	outer := iso.current
	defer func() { iso.current = outer }()
	values := contextValues{c.Context}
	iso.current = &activity{owner: owner, values: values, work: owner.name, running: iso.options.Callback.Running}
	imported, err := iso.importArgs(nil, args)
	if err != nil {
		return err
	}
	_, err = iso.invoke(function.value, function.call, function.this, imported...)
	return err
}

// invoke calls a function inside a turn, as a [rawFunction] when it can be. What
// costs the isolate its life goes on as a panic, unseen by those who would go on
// after an error.
func (iso *Isolate) invoke(function goja.Value, call goja.Callable, this goja.Value, args ...goja.Value) (goja.Value, error) {
	if function := raw(function); function != nil {
		return iso.intrinsics.call(function, this, args...)
	}
	result, err := call(this, args...)
	if err != nil && isFault(err) {
		panic(err)
	}
	return result, err
}

// throw throws a Go error in the running code. It does not return.
func (iso *Isolate) throw(err error) {
	if isFault(err) {
		panic(err)
	}
	panic(iso.reasonOf(err))
}

// async starts work on a goroutine of its own and returns its promise. It runs
// on the loop.
func (iso *Isolate) async(async Async) goja.Value {
	return iso.start(async.Work, func(result any) (goja.Value, error) { return iso.importData(result) })
}

// start runs work for the current activity; convert makes a value of its result,
// on the loop.
func (iso *Isolate) start(work func(context.Context) (any, error), convert func(any) (goja.Value, error)) goja.Value {
	promise, resolve, reject := iso.newPromise()
	act := iso.currentActivity()
	iso.Go(func() {
		var result any
		err := iso.guarded(act.work, func() (err error) {
			result, err = work(act.context())
			return err
		})
		iso.loop.post(func() { iso.finish(act, result, err, convert, resolve, reject) })
	})
	return promise
}

// finish settles the promise of asynchronous work in a turn of its own. Work of
// an owner that ended is dropped.
func (iso *Isolate) finish(act *activity, result any, err error, convert func(any) (goja.Value, error), resolve, reject func(any) error) {
	if act.owner.Closed() {
		return
	}
	_ = iso.enter(act, act.running, func() error {
		var value goja.Value
		if err == nil {
			value, err = convert(result)
		}
		if err == nil {
			return resolve(value)
		}
		return reject(iso.reasonOf(err))
	})
}

// reasonOf makes the value that a promise is rejected with.
func (iso *Isolate) reasonOf(err error) goja.Value {
	var exception *goja.Exception
	if errors.As(err, &exception) {
		return exception.Value()
	}
	reason, importErr := iso.importData(err)
	if importErr != nil {
		return iso.runtime.NewGoError(err)
	}
	return reason
}

// fireTimer runs a due timer in a turn of its own.
func (iso *Isolate) fireTimer(due *timer) {
	if due.owner.Closed() {
		return
	}
	act := &activity{owner: due.owner, values: due.values, work: "a timer", running: iso.options.Callback.Running}
	_ = iso.enter(act, act.running, func() error {
		due.fire()
		return iso.takeFault()
	})
}

// takeFault returns the fault of the engine that a callback reported, if any.
func (iso *Isolate) takeFault() error {
	fault := iso.fault
	iso.fault = nil
	return fault
}

// attachGoError lets an error object remember the Go error it was made from.
func (iso *Isolate) attachGoError(object *goja.Object, err error) {
	_ = object.DefineDataPropertySymbol(iso.intrinsics.goError, iso.runtime.ToValue(&goErrorBox{err}),
		goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
}

// goErrorOf returns the Go error that an error object was made from, or nil.
func (iso *Isolate) goErrorOf(object *goja.Object) error {
	value := object.GetSymbol(iso.intrinsics.goError)
	if value == nil {
		return nil
	}
	box, _ := value.Export().(*goErrorBox)
	if box == nil {
		return nil
	}
	return box.err
}

type goErrorBox struct{ err error }

// Go runs work on a goroutine that Close waits for, and reports false when the
// isolate has ended already. Work must end soon after the isolate does: what can
// wait, waits on a context that ends with it too. A panic in it
// is reported as a [*PanicError].
func (iso *Isolate) Go(work func()) bool {
	iso.working.Lock()
	defer iso.working.Unlock()
	if iso.Cause() != nil {
		return false
	}
	iso.work.Add(1)
	go func() {
		defer iso.work.Done()
		err := iso.guarded("asynchronous work", func() error {
			work()
			return nil
		})
		if err != nil {
			iso.report(err)
		}
	}()
	return true
}

// guarded runs Go code outside the loop. A panic costs the isolate nothing there,
// and becomes an error.
func (iso *Isolate) guarded(work string, run func() error) (err error) {
	defer func() {
		if panicked := recover(); panicked != nil {
			err = &PanicError{Extension: iso.options.Extension, Work: work, Value: panicked, Stack: string(debug.Stack())}
		}
	}()
	return run()
}
