package bind

import (
	"context"
	"slices"

	"github.com/seed-d579e5eb/harness/jsapi"
)

// NotLiveError is a service that a factory calls: nothing is live yet.
type NotLiveError struct{ Service string }

func (e *NotLiveError) Error() string {
	return "service " + e.Service + " cannot be called while the factory runs; call it from onOpen, or later"
}

// ErrorName implements [jsapi.Named].
func (e *NotLiveError) ErrorName() string { return "NotAvailable" }

var _ jsapi.Named = (*NotLiveError)(nil)

func (h *Host) implement(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "implement", call: call}
	id, invoke := args.text("api"), args.function1("value")
	if args.err != nil {
		return nil, args.err
	}
	return h.staging.add("implement", func() {
		h.staging.services = append(h.staging.services, Implementation{ID: id, Invoke: invoke})
	})
}

// need notes what the commit depends on. Later it only names the service.
func (h *Host) need(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "need", call: call}
	id := args.text("api")
	if args.err != nil || !h.staging.open() {
		return jsapi.Undefined{}, args.err
	}
	return h.staging.add("need", func() {
		if !slices.Contains(h.staging.needs, id) {
			h.staging.needs = append(h.staging.needs, id)
		}
	})
}

// provided answers want: in a factory for this candidate so far, later for the
// generation that is current.
func (h *Host) provided(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "want", call: call}
	id := args.text("api")
	if args.err != nil {
		return nil, args.err
	}
	if provided, open := h.staging.provides(id); open {
		return provided, nil
	}
	return h.backend.Provided(id), nil
}

func (h *Host) callService(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "need", call: call}
	id, method, values := args.text("api"), args.text("method"), args.list("args")
	if args.err != nil {
		return nil, args.err
	}
	if h.staging.open() {
		return nil, &NotLiveError{Service: id}
	}
	return jsapi.Async{Work: func(ctx context.Context) (any, error) {
		result, err := h.backend.CallService(ctx, id, method, values)
		return result, shown(err)
	}}, nil
}
