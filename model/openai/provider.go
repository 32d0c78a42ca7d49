package openai

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"time"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/internal/wait"
	"github.com/seed-d579e5eb/harness/model/message"
)

// Options are what a provider works with. The zero value is the computer's own.
type Options struct {
	// StateDir is where key files are.
	StateDir string
	// Getenv returns environment variables; nil is that of the process.
	Getenv func(name string) string
	// Idle is how long a response may stay silent, its beginning included; 0 is ten
	// minutes. A request's own timeout goes first.
	Idle time.Duration
	// Now is the clock for messages; nil is the computer's.
	Now func() time.Time
	// Sleep waits between attempts, and returns the context's error when that ends first;
	// nil waits by the computer's clock.
	Sleep func(ctx context.Context, d time.Duration) error
}

// Provider asks one server. It is a [model.Provider], a [model.Finder] and a
// [model.Authenticator]; its methods may be called by any number of goroutines.
type Provider struct {
	config    ProviderConfig
	options   Options
	models    []*model.Model
	transport *http.Transport
	client    *http.Client
}

// New returns the provider of a configuration, to be closed by the caller. The error is
// a [*ConfigError].
func New(config ProviderConfig, options Options) (*Provider, error) {
	if err := config.check(""); err != nil {
		return nil, err
	}
	if options.Getenv == nil {
		options.Getenv = os.Getenv
	}
	if options.Idle <= 0 {
		options.Idle = 10 * time.Minute
	}
	if options.Now == nil {
		options.Now = time.Now
	}
	if options.Sleep == nil {
		options.Sleep = wait.For
	}
	p := &Provider{config: config, options: options, transport: &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		ForceAttemptHTTP2:   true,
		MaxIdleConnsPerHost: 16,
		IdleConnTimeout:     90 * time.Second,
		TLSHandshakeTimeout: 10 * time.Second,
	}}
	p.client = &http.Client{Transport: p.transport, CheckRedirect: follow}
	for _, m := range config.Models {
		p.models = append(p.models, p.complete(m))
	}
	return p, nil
}

// New returns the providers of the configuration in their order, each to be closed by
// the caller. The error is a [*ConfigError].
func (c *Config) New(options Options) ([]*Provider, error) {
	var providers []*Provider
	for i, config := range c.Providers {
		provider, err := New(config, options)
		if err != nil {
			for _, made := range providers {
				made.Close()
			}
			return nil, fmt.Errorf("providers[%d]: %w", i, err)
		}
		providers = append(providers, provider)
	}
	return providers, nil
}

// complete fills in what a model's configuration leaves out.
func (p *Provider) complete(m model.Model) *model.Model {
	m.Provider, m.API, m.BaseURL = p.config.ID, api, p.config.BaseURL
	if m.Name == "" {
		m.Name = m.ID
	}
	if m.Input == nil {
		m.Input = []string{model.InputText}
	}
	return &m
}

// Close ends connections that no response uses. Responses that are under way go on.
func (p *Provider) Close() { p.transport.CloseIdleConnections() }

// ID implements [model.Provider].
func (p *Provider) ID() string { return p.config.ID }

// String returns the provider's id.
func (p *Provider) String() string { return p.config.ID }

// Models implements [model.Provider].
func (p *Provider) Models() []*model.Model { return append([]*model.Model(nil), p.models...) }

// FindModel implements [model.Finder]: a provider without models has each model that it
// is asked for, with text as its input and its limits unknown.
func (p *Provider) FindModel(id string) *model.Model {
	if len(p.models) > 0 || id == "" {
		return nil
	}
	return p.complete(model.Model{ID: id})
}

// CheckAuth implements [model.Authenticator]. The error is a [*KeyError].
func (p *Provider) CheckAuth(context.Context) error {
	_, err := p.key()
	return err
}

// Stream implements [model.Provider].
func (p *Provider) Stream(ctx context.Context, request model.Request) model.Stream {
	return model.Produce(ctx, request, p.options.Now, func(w *model.Writer) error {
		key, err := p.key()
		if err != nil {
			return err
		}
		if err := p.respond(ctx, w, request, key); err != nil {
			return &scrubbed{text: key.scrub(err.Error()), err: err}
		}
		return nil
	})
}

// respond makes the request and reads the response.
func (p *Provider) respond(ctx context.Context, w *model.Writer, request model.Request, key secret) error {
	compat, err := compatOf(p.config.Compat, request.Model.Compat)
	if err != nil {
		return fmt.Errorf("model %q: compat: %w", request.Model.ID, err)
	}
	call := &call{provider: p, request: request, key: key, compat: compat}
	if word := call.thinking(); word != "" {
		w.Update(func(m *message.Assistant) { m.ProviderThinkingLevel = word })
	}
	watch := newWatch(ctx, p.options.Idle)
	defer watch.stop()
	response, err := call.send(watch)
	if err != nil {
		return watch.explain(err)
	}
	defer response.Body.Close()
	if err := w.Start(); err != nil {
		return err
	}
	return watch.explain(newReader(w, request.Model).read(response))
}

// scrubbed is an error in whose text no key is.
type scrubbed struct {
	text string
	err  error
}

func (e *scrubbed) Error() string { return e.text }
