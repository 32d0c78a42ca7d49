package jsapi

import (
	"context"
	"errors"

	"github.com/dop251/goja"
)

// exportSignal returns what stands for an AbortSignal of this isolate outside: one
// [Signal] for an object, or the original of a stub.
func (iso *Isolate) exportSignal(object *goja.Object) (*Signal, bool) {
	if original, ok := iso.signals.lookUp(object); ok {
		return original, true
	}
	class, ok := iso.runtime.Get("AbortSignal").(*goja.Object)
	if !ok || !iso.runtime.InstanceOf(object, class) {
		return nil, false
	}
	state := object.Get("aborted")
	if state == nil {
		return nil, false
	}
	return export(iso, ownSignalsOf, object, nil, func() *Signal {
		signal := NewSignal()
		signal.home, signal.object = iso, object
		iso.followSignal(object, state.ToBoolean(), signal)
		return signal
	}), true
}

// followSignal aborts signal when the AbortSignal is, which it may be already.
func (iso *Isolate) followSignal(object *goja.Object, aborted bool, signal *Signal) {
	abort := func() {
		reason, err := iso.exportData(object.Get("reason"))
		if err != nil {
			reason = &AbortError{}
		}
		signal.Abort(reason)
	}
	if aborted {
		abort()
		return
	}
	listen := raw(object.Get("addEventListener"))
	if listen == nil {
		return
	}
	listener := iso.runtime.ToValue(func(goja.FunctionCall) goja.Value {
		abort()
		return goja.Undefined()
	})
	listen(goja.FunctionCall{This: object, Arguments: []goja.Value{iso.runtime.ToValue("abort"), listener}})
}

// importSignal makes an AbortSignal that aborts when signal does, or finds the
// one that was made before.
func (iso *Isolate) importSignal(signal *Signal) (goja.Value, error) {
	if signal == nil {
		return goja.Undefined(), nil
	}
	if signal.home == iso {
		return signal.object, nil
	}
	object, err := link(iso, signalsOf, signal, func() (*goja.Object, error) { return iso.newSignal(signal) })
	if err != nil {
		return nil, err
	}
	return object, nil
}

// newSignal makes an AbortSignal that follows signal.
func (iso *Isolate) newSignal(signal *Signal) (*goja.Object, error) {
	controller, err := iso.runtime.New(iso.runtime.Get("AbortController"))
	if err != nil {
		return nil, err
	}
	act := iso.currentActivity()
	abort := func(reason any) error {
		value, err := iso.importData(abortReason(reason))
		if err != nil {
			value = goja.Undefined()
		}
		_, err = iso.intrinsics.call(raw(controller.Get("abort")), controller, value)
		return err
	}
	if reason, aborted := signal.Aborted(); aborted {
		if err := abort(reason); err != nil {
			return nil, err
		}
	} else {
		signal.listen(iso, func(reason any) {
			iso.loop.post(func() {
				_ = iso.enter(act, iso.options.Callback.Running, func() error { return abort(reason) })
			})
		})
	}
	made, ok := controller.Get("signal").(*goja.Object)
	if !ok {
		return nil, errors.New("AbortController.prototype.signal was replaced")
	}
	err = made.DefineDataPropertySymbol(iso.intrinsics.original, iso.runtime.ToValue(&signalBox{signal}),
		goja.FLAG_FALSE, goja.FLAG_FALSE, goja.FLAG_FALSE)
	if err != nil {
		return nil, err
	}
	return made, nil
}

// signalBox is how an AbortSignal keeps what it stands for alive.
type signalBox struct{ signal *Signal }

// abortReason shows the end of a Go context as what the platform shows.
func abortReason(reason any) any {
	if err, ok := reason.(error); ok && errors.Is(err, context.Canceled) {
		return &AbortError{}
	}
	return reason
}
