package jsapi

import "github.com/dop251/goja"

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
// owners that ended meanwhile are of no interest. It may run code of the
// extension, since an error can have getters.
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
