package registry

import (
	"context"
	"fmt"
)

// Service is something an extension implements for others.
type Service struct {
	ID string // not empty
	// Call calls a method. Arguments and result are plain data. The error is a
	// [*NotAMethodError] when there is no such method. It returns when ctx ends
	// and may be called by several goroutines at once.
	Call  func(ctx context.Context, method string, args []any) (any, error)
	Where Position
}

// MaxCallDepth is how deep calls between extensions nest.
const MaxCallDepth = 32

// NotProvidedError says that no extension of the current generation implements
// a service.
type NotProvidedError struct{ Service string }

func (e *NotProvidedError) Error() string {
	return fmt.Sprintf("service %q is not provided: no extension of the current generation implements it", e.Service)
}

// NotAMethodError says that a service has no callable member of a name.
type NotAMethodError struct{ Service, Method string }

func (e *NotAMethodError) Error() string {
	return fmt.Sprintf("service %q: %q is not a method", e.Service, e.Method)
}

// CallDepthError says that calls between extensions nest deeper than
// [MaxCallDepth]. A call of a function that was passed on has no service.
type CallDepthError struct{ Service, Method string }

func (e *CallDepthError) Error() string {
	if e.Service == "" {
		return fmt.Sprintf("call refused: calls between extensions nest deeper than %d", MaxCallDepth)
	}
	return fmt.Sprintf("service %q: call of %q refused: calls between extensions nest deeper than %d", e.Service, e.Method, MaxCallDepth)
}

type depthKey struct{}

// CallDepth is how many service calls ctx is nested in.
func CallDepth(ctx context.Context) int {
	depth, _ := ctx.Value(depthKey{}).(int)
	return depth
}

// WithCallDepth is ctx nested in depth service calls, for a provider that
// carries the depth across a border that a context does not cross.
func WithCallDepth(ctx context.Context, depth int) context.Context {
	return context.WithValue(ctx, depthKey{}, depth)
}
