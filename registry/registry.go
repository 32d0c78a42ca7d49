package registry

import (
	"context"
	"fmt"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/seed-d579e5eb/harness/durable"
)

// Options configure a [Registry]. The zero value is useful.
type Options struct {
	Limits Limits
	// Now is the clock of units of work; nil means [time.Now].
	Now func() time.Time
	// Report is told what failed in an extension without stopping what was
	// going on. It is called from any goroutine, returns soon, and may be nil:
	// then [slog.Default] gets a warning.
	Report func(*Failure)
	// ReservedCommands are the names that no extension may take, without the
	// slash; nil means [DefaultReservedCommands].
	ReservedCommands []string
}

// Registry holds the generation that serves now. Its methods may be called from
// any goroutine.
type Registry struct {
	limits   Limits
	now      func() time.Time
	report   func(*Failure)
	reserved map[string]bool
	schemas  schemaCache // of tools and manifests
	settings schemaCache // of world settings
	wrapped  schemaCache // of tools that wraps gave
	current  atomic.Pointer[Generation]

	promoting   sync.Mutex // held while a promotion swaps and tells
	mu          sync.Mutex
	subscribers []*subscriber
	draining    []*Generation
}

type subscriber struct{ promoted func(*Generation) }

// New makes a registry whose current generation is empty and of no commit.
func New(options Options) *Registry {
	r := &Registry{
		limits: options.Limits.withDefaults(),
		now:    options.Now,
		report: options.Report,
		// An extension may make up schemas of settings as it runs.
		settings: schemaCache{limit: 256},
		wrapped:  schemaCache{limit: 256},
	}
	if r.now == nil {
		r.now = time.Now
	}
	if r.report == nil {
		r.report = func(f *Failure) {
			slog.Warn("extension failed", "extension", f.Extension, "what", f.What, "error", f.Err)
		}
	}
	reserved := options.ReservedCommands
	if reserved == nil {
		reserved = DefaultReservedCommands()
	}
	r.reserved = make(map[string]bool, len(reserved))
	for _, name := range reserved {
		r.reserved[name] = true
	}
	first := r.newGeneration("")
	first.units.stage = promoted
	r.current.Store(first)
	return r
}

func (r *Registry) newGeneration(commit string) *Generation {
	return &Generation{
		commit: commit,
		limits: r.limits,
		now:    r.now,
		report: r.report,
		content: content{
			names:   map[string]*Member{},
			parts:   map[string]*contribution{},
			taskBy:  map[string]*durable.TaskDefinition{},
			hooks:   map[HookKind][]boundHook{},
			toolBy:  map[string]*BoundTool{},
			cmdBy:   map[string]Owned[Command]{},
			svcBy:   map[string]boundService{},
			wrapped: &r.wrapped,
		},
		units: units{drained: make(chan struct{})},
		onEnd: r.ended,
	}
}

// Current is the generation that serves now, never nil. A unit of work takes it
// with [Registry.Acquire] instead.
func (r *Registry) Current() *Generation { return r.current.Load() }

// Acquire takes the current generation for a unit of work, which holds it until
// release is called; more calls of release do nothing.
func (r *Registry) Acquire(unit string) (generation *Generation, release func()) {
	for {
		g := r.current.Load()
		// A generation drains only after the pointer was swapped, so a hold that
		// is refused means that a newer one is there to be read.
		if release, ok := g.Hold(unit); ok {
			return g, release
		}
	}
}

// Promote makes next, which a candidate of this registry gave, current by one
// pointer swap, tells the subscribers, and returns the generation that was
// current: it drains from now on and the caller closes it. Promotions are one
// after another. A generation that was promoted or dropped before is an error
// and changes nothing.
//
// Extensions that were installed at run time are in next too, unless they came from
// the repository; one that does not fit is left out and reported.
func (r *Registry) Promote(next *Generation) (previous *Generation, err error) {
	r.promoting.Lock()
	defer r.promoting.Unlock()
	if !next.units.move(staged, promoted) {
		return nil, fmt.Errorf("promote generation %s: it was promoted or dropped before; stage the commit again", next.commit)
	}
	r.carryInstalled(next)
	return r.swap(next), nil
}

// swap makes next current, with promoting held.
func (r *Registry) swap(next *Generation) (previous *Generation) {
	r.mu.Lock()
	previous = r.current.Load()
	r.draining = append(r.draining, previous)
	subscribers := slices.Clone(r.subscribers)
	r.mu.Unlock()
	r.current.Store(next)
	previous.units.move(promoted, retired)
	r.schemas.keep(next)
	for _, s := range subscribers {
		s.promoted(next)
	}
	return previous
}

// Subscribe has promoted called after each promotion, in order, on the
// goroutine that promotes. promoted returns soon and does not promote. cancel
// ends it; a call under way is not waited for.
func (r *Registry) Subscribe(promoted func(*Generation)) (cancel func()) {
	s := &subscriber{promoted}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.subscribers = append(r.subscribers, s)
	return func() {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.subscribers = slices.DeleteFunc(r.subscribers, func(o *subscriber) bool { return o == s })
	}
}

// Draining lists the generations that were current and are not closed, oldest
// first.
func (r *Registry) Draining() []*Generation {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.draining)
}

func (r *Registry) ended(g *Generation) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.draining = slices.DeleteFunc(r.draining, func(o *Generation) bool { return o == g })
}

// Retire replaces the current generation by an empty one of no commit and
// returns it, for a process that stops: it drains from now on, and the caller
// closes it. What was installed at run time leaves too.
func (r *Registry) Retire() *Generation {
	r.promoting.Lock()
	defer r.promoting.Unlock()
	last := r.newGeneration("")
	last.units.stage = promoted
	return r.swap(last)
}

// CallService calls a method of the service's provider that is current at this
// moment, and holds its generation for the call. Arguments and result are plain
// data. Errors: [*NotProvidedError], [*NotAMethodError], [*CallDepthError],
// a [*Failure] for a panic or the time limit, and what the provider returned.
func (r *Registry) CallService(ctx context.Context, id, method string, args []any) (any, error) {
	depth := CallDepth(ctx)
	if depth >= MaxCallDepth {
		return nil, &CallDepthError{Service: id, Method: method}
	}
	g, release := r.Acquire("service " + id + "." + method)
	defer release()
	s, ok := g.svcBy[id]
	if !ok {
		return nil, &NotProvidedError{Service: id}
	}
	what := fmt.Sprintf("service %s.%s", id, method)
	return invoke(WithCallDepth(ctx, depth+1), s.member, what, g.limits.Service, func(ctx context.Context) (any, error) {
		return s.Call(ctx, method, args)
	})
}
