package durable

import (
	"context"
	"fmt"
	"sync"

	"github.com/seed-d579e5eb/harness/durable/record"
)

// HookSource finds the hooks of tasks. It is safe for concurrent use.
type HookSource interface {
	// TaskHooks returns what a task with a name asks in a conversation, in order. It
	// is called at most once a phase, outside of commits.
	TaskHooks(ctx context.Context, from DefinitionSnapshot, conversation record.ConversationID, task string) ([]Hooks, error)
}

// Hooks are what one extension wants to be asked.
type Hooks interface {
	// Hook returns the handler under a name, and whether there is one. Its type is a
	// matter between the extension and the task.
	Hook(name string) (handler any, found bool)
}

// hooks are those of one phase, once they were asked for.
type hooks struct {
	once  sync.Once
	found []Hooks
	err   error
}

// EachHook calls invoke with every handler under a name, in order. An error of one is
// reported ([Options.Report]) and the next one is called, unless the phase was
// signalled: then the error is returned. A task that wants something else does it in
// invoke. What finding the hooks returned is returned.
func (r *Runtime) EachHook(ctx context.Context, name string, invoke func(ctx context.Context, handler any) error) error {
	ctx, cancel, err := r.bound(ctx)
	if err != nil {
		return err
	}
	defer cancel()
	from, err := r.retained()
	if err != nil {
		return err
	}
	defer from.Release()
	found, err := r.found(from)
	if err != nil {
		return err
	}
	for _, one := range found {
		handler, has := one.Hook(name)
		if !has {
			continue
		}
		if err := context.Cause(ctx); err != nil {
			return err
		}
		if err := guarded(func() error { return invoke(ctx, handler) }); err != nil {
			if context.Cause(ctx) != nil {
				return err
			}
			r.Report(fmt.Errorf("hook %q of task %d: %w", name, r.TaskID(), err))
		}
	}
	return nil
}

// retained keeps what the phase was defined by while it is asked.
func (r *Runtime) retained() (*lease, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.closed {
		return nil, returned(r.TaskID())
	}
	return r.phase.from.retain(), nil
}

// found returns the hooks of the phase.
func (r *Runtime) found(from *lease) ([]Hooks, error) {
	source := r.invocation.session.options.Hooks
	if source == nil {
		return nil, nil
	}
	r.hooks.once.Do(func() {
		r.hooks.err = guarded(func() (err error) {
			r.hooks.found, err = source.TaskHooks(r.invocation.ctx, held{from}, r.Conversation(), r.phase.task.Kind)
			return err
		})
	})
	return r.hooks.found, r.hooks.err
}
