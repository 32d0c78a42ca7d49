package jsapi

import (
	"context"

	"github.com/dop251/goja"
)

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
