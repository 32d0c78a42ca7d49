package jsapi

import "github.com/dop251/goja"

// rejections are the promises that were rejected while nobody listened, in order.
type rejections struct {
	order []rejection
	place map[*goja.Promise]int // in order
}

type rejection struct {
	promise *goja.Promise // nil when it was handled after all
	work    *activity
}

func (r *rejections) add(promise *goja.Promise, work *activity) {
	if r.place == nil {
		r.place = make(map[*goja.Promise]int)
	}
	r.place[promise] = len(r.order)
	r.order = append(r.order, rejection{promise, work})
}

// remove forgets a promise; one that is not known is no error.
func (r *rejections) remove(promise *goja.Promise) {
	at, known := r.place[promise]
	if !known {
		return
	}
	delete(r.place, promise)
	if len(r.place) == 0 {
		clear(r.order)
		r.order = r.order[:0]
		return
	}
	r.order[at] = rejection{}
}

func (iso *Isolate) trackRejection(promise *goja.Promise, operation goja.PromiseRejectionOperation) {
	if operation == goja.PromiseRejectionReject {
		iso.rejected.add(promise, iso.currentActivity())
		return
	}
	iso.rejected.remove(promise)
}

// reportRejections reports what nobody handled by the end of a turn. Errors of
// owners that ended meanwhile are of no interest. It may run code of the
// extension, since an error can have getters.
func (iso *Isolate) reportRejections() {
	if len(iso.rejected.order) == 0 {
		return
	}
	rejected := iso.rejected.order
	iso.rejected = rejections{}
	for _, one := range rejected {
		if one.promise == nil || one.work.owner.Closed() {
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
