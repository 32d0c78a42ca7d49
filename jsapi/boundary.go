package jsapi

import (
	"context"
	"errors"

	"github.com/dop251/goja"
)

// This file carries the host objects that have a form of their own: signals,
// contexts and streams.

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
	return export(iso, ownSignalsOf, object, nil, func() *Signal {
		signal := NewSignal()
		signal.home, signal.object = iso, object
		iso.followSignal(object, signal)
		return signal
	}), true
}

// followSignal aborts signal when the AbortSignal is.
func (iso *Isolate) followSignal(object *goja.Object, signal *Signal) {
	abort := func() {
		reason, err := iso.exportData(object.Get("reason"))
		if err != nil {
			reason = &AbortError{}
		}
		signal.Abort(reason)
	}
	if object.Get("aborted").ToBoolean() {
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
		signal.Listen(func(reason any) {
			iso.loop.post(func() {
				_ = iso.enter(act, iso.options.Callback.Running, func() error { return abort(reason) })
			})
		})
	}
	made, ok := controller.Get("signal").(*goja.Object)
	if !ok {
		return nil, errors.New("AbortController.prototype.signal was replaced")
	}
	return made, nil
}

// abortReason shows the end of a Go context as what the platform shows.
func abortReason(reason any) any {
	if err, ok := reason.(error); ok && errors.Is(err, context.Canceled) {
		return &AbortError{}
	}
	return reason
}

// contextFunction is the export of the context module that makes a context.
const contextFunction = "contextFromCall"

// importContext makes the context object of a call. Its AbortSignal is made when
// it is first read; signal is called then, on the loop.
func (iso *Isolate) importContext(signal func() *Signal) (goja.Value, error) {
	read := iso.runtime.ToValue(func(goja.FunctionCall) goja.Value {
		value, err := iso.importSignal(signal())
		if err != nil {
			iso.throw(err)
		}
		return value
	})
	if iso.options.Context == nil {
		object := iso.runtime.NewObject()
		return object, object.DefineAccessorProperty("abortSignal", read, nil, goja.FLAG_TRUE, goja.FLAG_TRUE)
	}
	if iso.makeContext == nil {
		exports, err := iso.loadSynthetic(iso.options.Context)
		if err != nil {
			return nil, err
		}
		iso.makeContext = raw(exports.Get(contextFunction))
	}
	return iso.intrinsics.call(iso.makeContext, goja.Undefined(), read)
}

// exportContext recognises the context of a call by its members, since a class
// has no identity outside its isolate.
func (iso *Isolate) exportContext(object *goja.Object) (*CallContext, bool) {
	value, _ := object.Get("value").(*goja.Object)
	if value == nil || value.ClassName() != "Function" || object.Get("abortSignal") == nil {
		return nil, false
	}
	signal, ok := object.Get("abortSignal").(*goja.Object)
	if !ok {
		return &CallContext{}, true
	}
	linked, _ := iso.exportSignal(signal)
	return &CallContext{Signal: linked}, true
}

// exportStream starts iterating over an async iterable of this isolate.
func (iso *Isolate) exportStream(object *goja.Object) (*Stream, bool) {
	begin, callable := goja.AssertFunction(object.GetSymbol(iso.intrinsics.asyncIterator))
	if !callable {
		return nil, false
	}
	begun, err := begin(object)
	iterator, ok := begun.(*goja.Object)
	if err != nil || !ok {
		return nil, false
	}
	reference := &Reference{isolate: iso, value: iterator}
	owner := iso.currentActivity().owner
	call := func(ctx context.Context, method string) (any, error) {
		job := iso.options.Callback
		job.Owner, job.Work = owner, "an iterator's "+method
		return iso.Call(ctx, job, Method{Object: reference, Name: method})
	}
	stream := &Stream{Next: func(ctx context.Context) (any, bool, error) {
		step, err := call(ctx, "next")
		if err != nil {
			return nil, false, err
		}
		result, ok := step.(*Object)
		if !ok {
			return nil, false, &DataCloneError{Path: "$", Reason: "the iterator's next() gave no object"}
		}
		item, _ := result.Get("value")
		done, _ := result.Get("done")
		return item, done == true, nil
	}}
	if _, callable := goja.AssertFunction(iterator.Get("return")); callable {
		stream.Return = func(ctx context.Context) error {
			_, err := call(ctx, "return")
			return err
		}
	}
	return stream, true
}

// importStream makes an async iterable that asks stream for its items.
func (iso *Isolate) importStream(stream *Stream) (goja.Value, error) {
	object := iso.runtime.NewObject()
	next := func(*NativeCall) (any, error) {
		return Async{Work: func(ctx context.Context) (any, error) {
			ctx, err := iso.nest(ctx)
			if err != nil {
				return nil, err
			}
			item, done, err := stream.Next(ctx)
			if err != nil {
				return nil, err
			}
			return NewObject("value", item, "done", done), nil
		}}, nil
	}
	end := func(call *NativeCall) (any, error) {
		return Async{Work: func(ctx context.Context) (any, error) {
			if stream.Return == nil {
				return NewObject("value", call.Arg(0), "done", true), nil
			}
			ctx, err := iso.nest(ctx)
			if err != nil {
				return nil, err
			}
			if err := stream.Return(ctx); err != nil {
				return nil, err
			}
			return NewObject("value", call.Arg(0), "done", true), nil
		}}, nil
	}
	hide(object, "next", iso.nativeFunction(next))
	hide(object, "return", iso.nativeFunction(end))
	self := iso.runtime.ToValue(func(call goja.FunctionCall) goja.Value { return call.This })
	return object, object.DefineDataPropertySymbol(iso.intrinsics.asyncIterator, self, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
