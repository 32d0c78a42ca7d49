package registry

import (
	"context"
	"errors"
	"runtime/debug"
	"time"
)

// invoke calls a handler of m: counted, within its limit, its panic turned into
// an error. It runs on the caller's goroutine, so that a handler which ignores
// its context cannot be left running behind a result that was already given.
func invoke[T any](ctx context.Context, m *Member, what string, limit time.Duration, f func(context.Context) (T, error)) (result T, err error) {
	m.calls.Add(1)
	defer m.calls.Add(-1)
	defer func() {
		if v := recover(); v != nil {
			err = &Failure{Extension: m.Name(), What: what, Err: &PanicError{Value: v, Stack: debug.Stack()}}
		}
	}()
	if limit <= 0 || m.instance.Limited {
		return f(ctx)
	}
	limited, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	result, err = f(limited)
	if err != nil && ctx.Err() == nil && errors.Is(limited.Err(), context.DeadlineExceeded) {
		err = &Failure{Extension: m.Name(), What: what, Err: &TimeoutError{Limit: limit, Err: err}}
	}
	return result, err
}

// run calls a handler of m's life cycle. The error is a [*Failure].
func (m *Member) run(ctx context.Context, what string, limit time.Duration, f func(context.Context) error) error {
	_, err := invoke(ctx, m, what, limit, func(ctx context.Context) (struct{}, error) {
		return struct{}{}, f(ctx)
	})
	if err != nil {
		return attributed(m, what, err)
	}
	return nil
}
