package registry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/seed-d579e5eb/harness/registry"
)

func provider(name, id string, call func(ctx context.Context, method string, args []any) (any, error)) *extension {
	return world(name, registry.Instance{Services: []registry.Service{{ID: id, Call: call}}})
}

func TestEachServiceCallReachesTheProviderThatIsCurrentThen(t *testing.T) {
	answer := func(text string) *extension {
		return provider("clock", "clock", func(_ context.Context, method string, args []any) (any, error) {
			return map[string]any{"by": text, "method": method, "args": args}, nil
		})
	}
	r := registry.New(registry.Options{})
	call := func() any {
		got, err := r.CallService(t.Context(), "clock", "now", []any{"utc"})
		if err != nil {
			return err
		}
		return got.(map[string]any)["by"]
	}
	promote(t, r, "c1", answer("first"))
	held, release := r.Acquire("tool retained")
	defer release()
	if got := call(); got != "first" {
		t.Errorf("got %v", got)
	}
	g, problems := stage(t, r, "c2", answer("second")).Validate()
	if g == nil {
		t.Fatal(problems)
	}
	if _, err := r.Promote(g); err != nil {
		t.Fatal(err)
	}
	if got := call(); got != "second" {
		t.Errorf("after a promotion got %v, while %s is held", got, held.Commit())
	}
	r.Retire()
	var missing *registry.NotProvidedError
	if _, err := r.CallService(t.Context(), "clock", "now", nil); !errors.As(err, &missing) || missing.Service != "clock" {
		t.Errorf("without a provider got %v", err)
	}
}

func TestAServiceCallHoldsItsGeneration(t *testing.T) {
	r := registry.New(registry.Options{})
	entered, leave := make(chan struct{}), make(chan struct{})
	promote(t, r, "c1", provider("slow", "slow", func(context.Context, string, []any) (any, error) {
		close(entered)
		<-leave
		return "done", nil
	}))
	done := make(chan any)
	go func() {
		got, _ := r.CallService(context.Background(), "slow", "wait", nil)
		done <- got
	}()
	<-entered
	old := r.Retire()
	if units := old.Units(); len(units) != 1 || units[0].Name != "service slow.wait" {
		t.Errorf("units = %+v", units)
	}
	if calls := old.Extension("slow").Calls(); calls != 1 {
		t.Errorf("%d calls in flight", calls)
	}
	select {
	case <-old.Drained():
		t.Error("the generation drained during the call")
	default:
	}
	close(leave)
	if got := <-done; got != "done" {
		t.Errorf("got %v", got)
	}
	<-old.Drained()
}

func TestNestedServiceCallsEndAtTheirDepth(t *testing.T) {
	r := registry.New(registry.Options{})
	deepest := 0
	promote(t, r, "c1", provider("x", "again", func(ctx context.Context, _ string, _ []any) (any, error) {
		deepest = registry.CallDepth(ctx)
		return r.CallService(ctx, "again", "and", nil)
	}))
	_, err := r.CallService(t.Context(), "again", "and", nil)
	var depth *registry.CallDepthError
	if !errors.As(err, &depth) || depth.Service != "again" || deepest != registry.MaxCallDepth {
		t.Errorf("at depth %d: %v", deepest, err)
	}
}

func TestWhatAServiceCallCanFailWith(t *testing.T) {
	refused := errors.New("refused")
	tests := []struct {
		name string
		call func(context.Context, string, []any) (any, error)
		is   func(error) bool
	}{
		{"its own error", func(context.Context, string, []any) (any, error) { return nil, refused },
			func(err error) bool { return errors.Is(err, refused) }},
		{"no such method", func(_ context.Context, method string, _ []any) (any, error) {
			return nil, &registry.NotAMethodError{Service: "s", Method: method}
		}, func(err error) bool {
			var missing *registry.NotAMethodError
			return errors.As(err, &missing) && missing.Method == "m"
		}},
		{"a panic", func(context.Context, string, []any) (any, error) { panic(refused) },
			func(err error) bool {
				var panicked *registry.PanicError
				return errors.As(err, &panicked) && errors.Is(err, refused) && len(panicked.Stack) > 0
			}},
		{"the time limit", func(ctx context.Context, _ string, _ []any) (any, error) { <-ctx.Done(); return nil, ctx.Err() },
			func(err error) bool {
				var late *registry.TimeoutError
				var failure *registry.Failure
				return errors.As(err, &late) && errors.As(err, &failure) && failure.Extension == "x"
			}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { // only what hangs runs into the limit
				r := registry.New(registry.Options{Limits: registry.Limits{Service: time.Second}})
				promote(t, r, "c1", provider("x", "s", test.call))
				if _, err := r.CallService(t.Context(), "s", "m", nil); err == nil || !test.is(err) {
					t.Errorf("error = %v", err)
				}
			})
		})
	}
}
