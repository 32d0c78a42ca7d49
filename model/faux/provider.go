package faux

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/internal/wait"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Options are how a provider simulates. The zero value answers at once.
type Options struct {
	// ID is the provider's id; empty is "faux".
	ID string
	// API is the protocol's name; empty is "faux".
	API string
	// Models are the provider's models, whose API and Provider are filled in; without
	// any it has faux-1.
	Models []model.Model
	// Otherwise answers a request for which no step is queued; nil fails it.
	Otherwise Step
	// TokensPerSecond is how fast pieces arrive; 0 is at once.
	TokensPerSecond float64
	// MinTokens and MaxTokens are how many tokens the pieces have, by turns; 0 is 3
	// and 5.
	MinTokens, MaxTokens int
	// PendingFetches is how often a deferred response is still pending when it is fetched.
	PendingFetches int
	// PollAfter is what a deferred response says; 0 says nothing.
	PollAfter time.Duration
	// Now is the clock; nil is the computer's.
	Now func() time.Time
	// Sleep waits, and returns the context's error when that ends first; nil waits by the
	// computer's clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Step makes a response. It is called on the goroutine that ranges over the stream. The
// message is not changed; what it lacks is filled in a copy. An error is the response's
// error message. The request's Model is the one that was asked.
type Step func(ctx context.Context, request model.Request, state State) (*message.Assistant, error)

// State is what a provider has done until now.
type State struct {
	// Calls counts the responses that were asked for, this one included.
	Calls int
	// Fetches counts how often deferred responses were fetched.
	Fetches int
	// Cancelled are the deferred responses that were cancelled.
	Cancelled []model.DeferredHandle
}

// Provider answers by script. It is a [model.Provider] and a [model.Deferrer]; its
// methods may be called by any number of goroutines.
type Provider struct {
	options Options
	models  []*model.Model
	prompts prompts

	mu       sync.Mutex
	queue    []Step
	state    State
	deferred map[string]*deferred
}

// New returns a provider.
func New(options Options) *Provider {
	if options.ID == "" {
		options.ID = "faux"
	}
	if options.API == "" {
		options.API = "faux"
	}
	if options.MinTokens <= 0 {
		options.MinTokens = 3
	}
	if options.MaxTokens <= 0 {
		options.MaxTokens = 5
	}
	options.MaxTokens = max(options.MaxTokens, options.MinTokens)
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Sleep == nil {
		options.Sleep = wait.For
	}
	if len(options.Models) == 0 {
		options.Models = []model.Model{{ID: "faux-1", Name: "Faux Model"}}
	}
	p := &Provider{options: options, deferred: make(map[string]*deferred)}
	for _, m := range options.Models {
		p.models = append(p.models, p.complete(m))
	}
	return p
}

// complete fills in what a model lacks.
func (p *Provider) complete(m model.Model) *model.Model {
	m.Provider, m.API = p.options.ID, p.options.API
	if m.Name == "" {
		m.Name = m.ID
	}
	if m.BaseURL == "" {
		m.BaseURL = "http://localhost:0"
	}
	if m.Input == nil {
		m.Input = []string{model.InputText, model.InputImage}
	}
	if m.ContextWindow == 0 {
		m.ContextWindow = 128_000
	}
	if m.MaxTokens == 0 {
		m.MaxTokens = 16_384
	}
	return &m
}

// ID implements [model.Provider].
func (p *Provider) ID() string { return p.options.ID }

// Models implements [model.Provider].
func (p *Provider) Models() []*model.Model { return slices.Clone(p.models) }

// Set puts steps in the place of those that are queued.
func (p *Provider) Set(steps ...Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = slices.Clone(steps)
}

// Append queues more steps.
func (p *Provider) Append(steps ...Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.queue = append(p.queue, steps...)
}

// Queued returns how many steps are queued.
func (p *Provider) Queued() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.queue)
}

// State returns what the provider has done until now.
func (p *Provider) State() State {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stateNow()
}

func (p *Provider) stateNow() State {
	state := p.state
	state.Cancelled = slices.Clone(state.Cancelled)
	return state
}

// next counts a request, and takes the step for it.
func (p *Provider) next() (step Step, queued bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.state.Calls++
	if len(p.queue) == 0 {
		return p.options.Otherwise, false
	}
	step = p.queue[0]
	p.queue = p.queue[1:]
	return step, true
}

// EmptyError says that there was no step for a request. Its text is that of pi-ai, which
// tests look for.
type EmptyError struct{}

func (EmptyError) Error() string { return "No more faux responses queued" }

// Stream implements [model.Provider]. Steps are taken in the order in which streams are
// begun.
func (p *Provider) Stream(ctx context.Context, request model.Request) model.Stream {
	return model.Produce(ctx, request, p.options.Now, func(w *model.Writer) error {
		step, queued := p.next()
		switch {
		case step == nil:
			w.Update(func(m *message.Assistant) { m.Usage = p.usage(request, nil) })
			return EmptyError{}
		case request.Options.Deferred.On:
			return p.postpone(ctx, w, request, step, queued)
		}
		return p.perform(ctx, w, request, step)
	})
}

// perform makes a step's message and streams it.
func (p *Provider) perform(ctx context.Context, w *model.Writer, request model.Request, step Step) error {
	m, err := step(ctx, request, p.State())
	if err != nil {
		return err
	}
	return p.stream(ctx, w, p.counted(request, m))
}

// counted returns a copy of a message as the response to a request: with its usage, and
// with ids for the calls that have none.
func (p *Provider) counted(request model.Request, m *message.Assistant) *message.Assistant {
	counted := *m
	counted.Content = slices.Clone(m.Content)
	for i, block := range counted.Content {
		if call, ok := block.(*message.ToolCall); ok && call.ID == "" {
			named := *call
			named.ID = fmt.Sprintf("call_%d_%d", len(request.Messages), i)
			counted.Content[i] = &named
		}
	}
	counted.API, counted.Provider, counted.Model = p.options.API, p.options.ID, request.Model.ID
	counted.Usage = p.usage(request, m.Content)
	counted.Usage.Cost = request.Model.CostOf(counted.Usage)
	return &counted
}
