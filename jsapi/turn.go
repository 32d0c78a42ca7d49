package jsapi

import (
	"errors"
	"runtime/debug"
	"time"

	"github.com/dop251/goja"
)

// enter runs body on the loop for an activity, under a running budget (0: none),
// and returns body's error. When the engine was interrupted, overflowed or
// panicked, the isolate is lost; the call that the engine was busy with hears to
// what.
func (iso *Isolate) enter(act *activity, running time.Duration, body func() error) error {
	if !iso.watch.start(act.work, running) {
		return iso.failure()
	}
	iso.current = act
	err, fault := iso.protect(body)
	if fault == nil {
		_, fault = iso.protect(iso.endTurn)
	}
	iso.watch.stop()
	guilty := iso.current
	if guilty == nil {
		guilty = act
	}
	iso.current = nil
	if fault == nil {
		return err
	}
	fault = iso.describeFault(guilty, fault)
	iso.lose(guilty, fault)
	return fault
}

// protect runs body. Whatever costs the isolate its promise reactions is a fault;
// a JavaScript exception that escaped is an ordinary error.
func (iso *Isolate) protect(body func() error) (err, fault error) {
	defer func() {
		panicked := recover()
		if panicked == nil {
			return
		}
		if uncatchable, ok := panicked.(error); ok && isFault(uncatchable) {
			fault = uncatchable
			return
		}
		fault = &PanicError{Value: panicked, Stack: string(debug.Stack())}
	}()
	if exception := iso.runtime.Try(func() { err = body() }); exception != nil {
		return exception, nil
	}
	if err != nil && isFault(err) {
		return nil, err
	}
	return err, nil
}

// endTurn runs the promise reactions that the turn has left and reports what
// nobody handled.
func (iso *Isolate) endTurn() error {
	if err := iso.intrinsics.drain(); err != nil {
		return err
	}
	iso.reportRejections()
	return nil
}

// lose ends the isolate for a fault and reports it. The end of an isolate that is
// being closed is nothing to report.
func (iso *Isolate) lose(guilty *activity, fault error) {
	if guilty.call != nil {
		iso.pending.remove(guilty.call) // it hears of the fault, not of the replacement
		// Once it has heard, the isolate counts as lost, so that the caller's next call
		// is not made here.
		defer guilty.call.settle(nil, fault)
	}
	iso.end(fault)
	var closed *ClosedError
	if !errors.As(fault, &closed) {
		iso.report(fault)
	}
}

func (iso *Isolate) report(err error) {
	if iso.options.Report != nil {
		iso.options.Report(err)
	}
}

// describeFault makes an error for people of what cost the isolate its promise
// reactions while act ran.
func (iso *Isolate) describeFault(act *activity, fault error) error {
	var (
		interrupted *goja.InterruptedError
		overflow    *goja.StackOverflowError
		panicked    *PanicError
	)
	switch {
	case errors.As(fault, &interrupted):
		return iso.describeInterrupt(act, interrupted)
	case errors.As(fault, &overflow):
		return &OverflowError{Extension: iso.options.Extension, Work: act.work, Position: topPosition(overflow.Stack())}
	case errors.As(fault, &panicked):
		panicked.Extension, panicked.Work = iso.options.Extension, act.work
	}
	return fault
}

func (iso *Isolate) describeInterrupt(act *activity, interrupted *goja.InterruptedError) error {
	place := topPosition(interrupted.Stack())
	switch reason := interrupted.Value().(type) {
	case *TimeoutError:
		reason.Extension, reason.Work, reason.Position = iso.options.Extension, act.work, place
		return reason
	case *InterruptError:
		reason.Work, reason.Position = act.work, place
		return reason
	case *stopReason:
		return reason.cause
	}
	return &InterruptError{Extension: iso.options.Extension, Work: act.work, Position: place, Reason: "for an unknown reason"}
}

// isFault reports whether an error of the engine costs the isolate its promise
// reactions.
func isFault(err error) bool {
	var interrupted *goja.InterruptedError
	var overflow *goja.StackOverflowError
	return errors.As(err, &interrupted) || errors.As(err, &overflow)
}

// stopReason interrupts code of an isolate that has ended.
type stopReason struct{ cause error }

func (s *stopReason) Error() string { return s.cause.Error() }
