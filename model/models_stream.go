package model

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"
)

// Stream asks a model for a response, by the provider that is there when it is called.
// The stream keeps the promises of the package whatever the provider does.
func (m *Models) Stream(ctx context.Context, request Request) Stream {
	provider, err := m.asked(request.Model)
	if err != nil {
		return m.failed(ctx, request, err)
	}
	return guarded(ctx, request, m.clock(), func() Stream { return provider.Stream(ctx, request) })
}

// FetchDeferred asks for a deferred response. It ends with the stop reason deferred
// while there is none yet.
func (m *Models) FetchDeferred(ctx context.Context, model *Model, handle DeferredHandle) Stream {
	request := Request{Model: model}
	provider, err := m.deferrer(model)
	if err != nil {
		return m.failed(ctx, request, err)
	}
	return guarded(ctx, request, m.clock(), func() Stream { return provider.FetchDeferred(ctx, model, handle) })
}

// CancelDeferred tells the provider that a deferred response is not needed any more.
// The error is the provider's, or says that it has no deferred responses.
func (m *Models) CancelDeferred(ctx context.Context, model *Model, handle DeferredHandle) error {
	provider, err := m.deferrer(model)
	if err != nil {
		return err
	}
	return provider.CancelDeferred(ctx, model, handle)
}

func (m *Models) deferrer(model *Model) (Deferrer, error) {
	provider, err := m.asked(model)
	if err != nil {
		return nil, err
	}
	deferrer, ok := provider.(Deferrer)
	if !ok {
		return nil, fmt.Errorf("provider %q has no deferred responses", model.Provider)
	}
	return deferrer, nil
}

// asked returns the provider of a model.
func (m *Models) asked(model *Model) (Provider, error) {
	if model == nil {
		return nil, errors.New("a request needs a model")
	}
	if provider := m.Provider(model.Provider); provider != nil {
		return provider, nil
	}
	return nil, m.unknown(model.FullName())
}

// failed returns a stream that has failed.
func (m *Models) failed(ctx context.Context, request Request, err error) Stream {
	now := m.clock()
	return once(request, now, func(yield func(Event) bool) {
		yield(Event{Type: Failed, Message: failure(ctx, emptyMessage(request, now()), err)})
	})
}

func (m *Models) clock() func() time.Time {
	if m.Now == nil {
		return time.Now
	}
	return m.Now
}

// UnknownError says that no model has a name.
type UnknownError struct {
	Name string
	// Known are the full names of the models that are listed.
	Known []string
	// Meant are the full names of models that are not listed and may be meant.
	Meant []string
}

func (e *UnknownError) Error() string {
	text := fmt.Sprintf("unknown model %q: ", e.Name)
	switch {
	case len(e.Meant) > 0:
		return text + "name the provider, as in " + strings.Join(e.Meant, " or ")
	case len(e.Known) == 0:
		return text + "no model is configured"
	}
	return text + "there " + few(e.Known)
}

// AmbiguousError says that a name means several models.
type AmbiguousError struct {
	Name string
	// Models are the full names of those models.
	Models []string
}

func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("the model %q is ambiguous: name the provider, as in %s", e.Name, strings.Join(e.Models, " or "))
}

// few lists names, the first of them when they are many.
func few(names []string) string {
	const most = 8
	if len(names) <= most {
		return "are " + strings.Join(names, ", ")
	}
	return fmt.Sprintf("are %s and %d more", strings.Join(names[:most], ", "), len(names)-most)
}
