package host

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/registry"
)

// freeReplacements is how many replacements a minute an extension gets at once;
// further ones wait, longer each time.
const freeReplacements = 3

const (
	replacementWindow = time.Minute
	maxReplaceWait    = time.Minute
)

// replacements remembers when an extension's isolate was replaced.
type replacements struct {
	turn  chan struct{} // has room for the one that replaces
	times []time.Time   // the turn's

	mu     sync.Mutex
	failed error // why the newest replacement failed; nil when it did not
}

// begin waits for the turn; the caller gives it up by end.
func (r *replacements) begin(ctx context.Context) error {
	select {
	case r.turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (r *replacements) end() { <-r.turn }

func (r *replacements) ended(err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.failed = err
}

func (r *replacements) failure() error {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.failed
}

// wait returns how long the next replacement has to wait.
func (r *replacements) wait(now time.Time) time.Duration {
	r.times = slices.DeleteFunc(r.times, func(at time.Time) bool { return now.Sub(at) >= replacementWindow })
	extra := len(r.times) - freeReplacements
	if extra < 0 {
		return 0
	}
	return min(time.Second<<min(extra, 6), maxReplaceWait)
}

// DifferentDeclarationError is a replacement that declared something else than
// the commit did when it was loaded.
type DifferentDeclarationError struct{ Extension string }

func (e *DifferentDeclarationError) Error() string {
	return fmt.Sprintf("extension %s: evaluated again, it declares something else than before; commit a version whose declaration does not depend on when it runs", e.Extension)
}

// serving returns what stands behind the extension, after replacing it when its
// isolate was lost. A draining generation's is not replaced.
func (e *extension) serving(ctx context.Context) (*incarnation, error) {
	live := e.live.Load()
	if live == nil {
		return nil, e.closedError()
	}
	if live.home.isolate.Cause() == nil {
		return live, nil
	}
	if !e.current() {
		return nil, &jsapi.ReplacedError{Extension: e.name, Cause: live.home.isolate.Cause()}
	}
	return e.replace(ctx, live)
}

// revive replaces a lost isolate that nobody may ever call: what the extension
// began in onOpen or keeps in a resource, such as a timer or a watch, is its work.
// Others wait for their next call. It returns at once; a failure is reported, and
// the next call tries again.
func (h *Host) revive(in *home) {
	if in.isolate.Cause() == nil || h.ctx.Err() != nil {
		return
	}
	own := h.servedBy(in)
	if own == nil {
		return
	}
	lost := own.live.Load()
	if lost == nil || lost.home != in || !lost.declaration.Opens() && len(in.keys()) == 0 {
		return
	}
	release, ok := h.registry.Current().Hold("replacement of extension " + own.name)
	if !ok || !own.current() {
		if ok {
			release()
		}
		return
	}
	h.work.Go(func() {
		defer release()
		if _, err := own.replace(h.ctx, lost); err != nil && h.ctx.Err() == nil && own.current() {
			h.Report(own.name, err)
		}
	})
}

// current reports whether the extension belongs to the generation that serves.
func (e *extension) current() bool {
	member := e.host.registry.Current().Extension(e.name)
	return member != nil && member.Extension() == e && !e.closed.Load()
}

// replace evaluates the extension again in a fresh isolate. Callers that come
// meanwhile wait for the same replacement, until their context or the host ends.
func (e *extension) replace(ctx context.Context, lost *incarnation) (*incarnation, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer context.AfterFunc(e.host.ctx, func() { cancel(&StoppingError{}) })()
	defer cancel(nil)
	if err := e.replacing.begin(ctx); err != nil {
		return nil, err
	}
	defer e.replacing.end()
	switch live := e.live.Load(); {
	case live == nil:
		return nil, e.closedError()
	case live != lost:
		return live, nil
	}
	clock := e.host.options.Clock
	if delay := e.replacing.wait(clock.Now()); delay > 0 && !pause(ctx, clock, delay) {
		return nil, context.Cause(ctx)
	}
	e.replacing.times = append(e.replacing.times, clock.Now())
	// The new isolate serves everybody, not only who asked first.
	renewing, end := until(context.WithoutCancel(ctx), e.host.over)
	defer end()
	made, err := e.renew(renewing, lost)
	e.replacing.ended(err)
	if err != nil {
		return nil, fmt.Errorf("extension %s: replace its isolate: %w", e.name, err)
	}
	return made, nil
}

func (e *extension) closedError() error {
	return &jsapi.ClosedError{Owner: fmt.Sprintf("extension %s at %.7s", e.name, e.commit)}
}

// renew makes the new incarnation and opens it. On failure the lost one stays, so
// that the next call tries again.
func (e *extension) renew(ctx context.Context, lost *incarnation) (*incarnation, error) {
	cause := lost.home.isolate.Cause()
	made, err := e.incarnate(ctx, nil)
	if err != nil {
		return nil, err
	}
	declaration, err := e.declare(ctx, made, e.providedBefore)
	if err == nil && (len(declaration.Problems) > 0 || !declaration.Same(e.declared)) {
		err = &DifferentDeclarationError{Extension: e.name}
	}
	if err != nil {
		made.end() // which disposes of its resources
		return nil, err
	}
	opened := e.opened.Load() // else it is opened like any that went live
	e.live.Store(made)
	e.host.homes.keep(e, made.home)
	lost.end()
	e.host.Notice(e.name, fmt.Sprintf("its isolate was replaced: %v", cause))
	if !opened {
		return made, nil
	}
	// The callbacks are called where they are: an isolate that is lost to one of
	// them is not replaced within its own replacement.
	if err := declaration.Open(ctx, made, e.host.options.Limits); err != nil {
		e.host.Report(e.name, fmt.Errorf("onOpen after a replacement: %w", err))
	}
	return made, nil
}

// providedBefore answers as it was answered when the commit was loaded: by the
// members of the generation that stand before the extension.
func (e *extension) providedBefore(service string) bool {
	for _, member := range e.host.registry.Current().Extensions() {
		if member.Extension() == e {
			return false
		}
		if slices.ContainsFunc(member.Instance().Services, func(s registry.Service) bool { return s.ID == service }) {
			return true
		}
	}
	return false
}

// describe adds what only a TypeScript extension has to its status.
func (e *extension) describe(status *ExtensionStatus) {
	live := e.live.Load()
	if live == nil {
		return
	}
	status.Resources = live.home.keys()
	if cause := live.home.isolate.Cause(); cause != nil {
		status.State, status.Error = StateReplacing, cause.Error()
	}
	var other *DifferentDeclarationError
	if failed := e.replacing.failure(); failed != nil {
		status.Error = failed.Error()
		if errors.As(failed, &other) {
			status.State = StateFailed
		}
	}
}
