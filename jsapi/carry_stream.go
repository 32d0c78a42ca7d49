package jsapi

import (
	"context"

	"github.com/dop251/goja"
)

// exportStream starts iterating over an async iterable of this isolate; ok is
// false when object is none. The error is what its iterator method threw.
func (iso *Isolate) exportStream(object *goja.Object) (stream *Stream, ok bool, err error) {
	method := object.GetSymbol(iso.intrinsics.asyncIterator)
	if method == nil || goja.IsUndefined(method) || goja.IsNull(method) {
		return nil, false, nil
	}
	iterator, err := iso.beginIteration(object, method)
	if err != nil {
		return nil, false, err
	}
	reference := iso.newReference(iterator)
	owner := iso.currentActivity().owner
	call := func(ctx context.Context, method string) (any, error) {
		job := iso.options.Callback
		job.Owner, job.Work = owner, "an iterator's "+method
		return iso.Call(ctx, job, Method{Object: reference, Name: method})
	}
	stream = &Stream{Next: func(ctx context.Context) (any, bool, error) {
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
	return stream, true, nil
}

// beginIteration calls an iterator method (ECMA-262, section 7.4.3).
func (iso *Isolate) beginIteration(object *goja.Object, method goja.Value) (*goja.Object, error) {
	refuse := func(reason string) error {
		return iso.try(func() { panic(iso.runtime.NewTypeError("the async iterator of an object cannot be had: %s", reason)) })
	}
	call, callable := goja.AssertFunction(method)
	if !callable {
		return nil, refuse("its [Symbol.asyncIterator] is no function")
	}
	begun, err := iso.invoke(method, call, object)
	if err != nil {
		return nil, err
	}
	iterator, ok := begun.(*goja.Object)
	if !ok {
		return nil, refuse("its [Symbol.asyncIterator]() returned no object")
	}
	return iterator, nil
}

// importStream makes an async iterable that asks stream for its items. Requests
// are served one after another, in the order they were made (ECMA-262, section
// 27.6.3.1).
func (iso *Isolate) importStream(stream *Stream) (goja.Value, error) {
	object := iso.runtime.NewObject()
	line := &queueLine{}
	next := func(*NativeCall) (any, error) {
		return line.async(func(ctx context.Context) (any, error) {
			ctx, err := iso.nest(ctx)
			if err != nil {
				return nil, err
			}
			item, done, err := stream.Next(ctx)
			if err != nil {
				return nil, err
			}
			return NewObject("value", item, "done", done), nil
		}), nil
	}
	end := func(call *NativeCall) (any, error) {
		return line.async(func(ctx context.Context) (any, error) {
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
		}), nil
	}
	hide(object, "next", iso.nativeFunction(next))
	hide(object, "return", iso.nativeFunction(end))
	self := iso.runtime.ToValue(func(call goja.FunctionCall) goja.Value { return call.This })
	return object, object.DefineDataPropertySymbol(iso.intrinsics.asyncIterator, self, goja.FLAG_TRUE, goja.FLAG_TRUE, goja.FLAG_FALSE)
}
