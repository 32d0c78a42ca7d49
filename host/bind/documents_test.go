package bind

import (
	"context"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/jsapi"
)

// TestAWatchThatHasEndedLetsGoOfItsContext ends watches that were never started.
func TestAWatchThatHasEndedLetsGoOfItsContext(t *testing.T) {
	session, err := durable.Open(t.Context(), new(memory.Storage), durable.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := session.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	for name, end := range map[string]func(t *testing.T, native *jsapi.Object){
		"by stop": func(t *testing.T, native *jsapi.Object) { ask(t, native, "stop") },
		"by a failure": func(t *testing.T, native *jsapi.Object) {
			ask(t, native, "fail")
			work, is := ask(t, native, "ended").(jsapi.Async)
			if !is {
				t.Fatal("ended does not wait")
			}
			if _, err := work.Work(t.Context()); err != nil {
				t.Error(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			in := &request{lasting: func() (context.Context, func()) { return ctx, cancel }}
			native, err := watched(in, session.WatchTasks)
			if err != nil {
				t.Fatal(err)
			}
			end(t, native.(*jsapi.Object))
			if ctx.Err() == nil {
				t.Error("the context is still held")
			}
		})
	}
}

// ask calls a native of an object.
func ask(t *testing.T, object *jsapi.Object, member string) any {
	t.Helper()
	native, _ := object.Get(member)
	result, err := native.(jsapi.Native)(&jsapi.NativeCall{Context: t.Context()})
	if err != nil {
		t.Fatal(err)
	}
	return result
}
