package model

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
)

// Models are the providers of a harness, in the order in which they were added. The
// zero value has none. Its methods may be called by any number of goroutines.
type Models struct {
	// Now is the clock for messages of requests that reach no provider; nil is the
	// computer's. It is set before the first use.
	Now func() time.Time

	mu        sync.RWMutex
	providers []*added
}

// added is a provider, and the identity of its addition.
type added struct {
	id       string
	provider Provider
}

// Set adds a provider, or replaces the one of the same id at its place. A response
// that is under way keeps the provider it began with. The function returned removes
// the provider, unless it was replaced meanwhile. The error says what is wrong with
// the provider's id or models; nothing has changed then.
func (m *Models) Set(provider Provider) (remove func(), err error) {
	id := provider.ID()
	if id == "" || strings.ContainsFunc(id, unfitForID) {
		return nil, fmt.Errorf("provider %q: an id has no slashes, spaces and control characters, and is not empty", id)
	}
	for _, model := range provider.Models() {
		if err := model.check(id); err != nil {
			return nil, err
		}
	}
	fresh := &added{id: id, provider: provider}
	m.mu.Lock()
	defer m.mu.Unlock()
	if at := m.place(id); at >= 0 {
		m.providers = slices.Clone(m.providers)
		m.providers[at] = fresh
	} else {
		m.providers = append(slices.Clip(m.providers), fresh)
	}
	return func() { m.remove(func(other *added) bool { return other == fresh }) }, nil
}

// unfitForID says whether an id of a provider may not have the character.
func unfitForID(r rune) bool { return r == '/' || r <= ' ' || r == '\x7f' }

// Delete removes the provider of an id, and says whether there was one.
func (m *Models) Delete(id string) bool {
	return m.remove(func(other *added) bool { return other.id == id })
}

func (m *Models) remove(which func(*added) bool) bool {
	m.mu.Lock()
	defer m.mu.Unlock()
	at := slices.IndexFunc(m.providers, which)
	if at < 0 {
		return false
	}
	m.providers = slices.Delete(slices.Clone(m.providers), at, at+1)
	return true
}

// place is called with the lock held.
func (m *Models) place(id string) int {
	return slices.IndexFunc(m.providers, func(other *added) bool { return other.id == id })
}

// Provider returns the provider of an id, or nil.
func (m *Models) Provider(id string) Provider {
	m.mu.RLock()
	defer m.mu.RUnlock()
	if at := m.place(id); at >= 0 {
		return m.providers[at].provider
	}
	return nil
}

// Providers returns the providers in their order.
func (m *Models) Providers() []Provider {
	m.mu.RLock()
	defer m.mu.RUnlock()
	providers := make([]Provider, len(m.providers))
	for i, other := range m.providers {
		providers[i] = other.provider
	}
	return providers
}

// List returns the models that the providers list, by provider and then in the
// provider's order.
func (m *Models) List() []*Model {
	var all []*Model
	for _, provider := range m.Providers() {
		all = append(all, provider.Models()...)
	}
	return all
}

// Get returns a model. The error is an [*UnknownError].
func (m *Models) Get(ref Ref) (*Model, error) {
	if provider := m.Provider(ref.Provider); provider != nil {
		if model := find(provider, ref.ModelID); model != nil {
			return model, nil
		}
	}
	return nil, m.unknown(ref.String())
}

// find returns the model of a provider, or nil.
func find(provider Provider, id string) *Model {
	for _, model := range provider.Models() {
		if model.ID == id {
			return model
		}
	}
	if finder, ok := provider.(Finder); ok && id != "" {
		if model := finder.FindModel(id); model.check(provider.ID()) == nil {
			return model
		}
	}
	return nil
}

// Resolve returns the model that is meant by a name: "provider/id", or an id that one
// provider alone lists. The error is an [*UnknownError] or an [*AmbiguousError].
func (m *Models) Resolve(name string) (*Model, error) {
	if provider, id, whole := strings.Cut(name, "/"); whole {
		if model, err := m.Get(Ref{Provider: provider, ModelID: id}); err == nil {
			return model, nil
		}
	}
	var found []*Model
	for _, model := range m.List() {
		if model.ID == name {
			found = append(found, model)
		}
	}
	switch len(found) {
	case 0:
		return nil, m.unknown(name)
	case 1:
		return found[0], nil
	}
	return nil, &AmbiguousError{Name: name, Models: names(found)}
}

func (m *Models) unknown(name string) error {
	flaw := &UnknownError{Name: name, Known: names(m.List())}
	for _, provider := range m.Providers() {
		if model := find(provider, name); model != nil {
			flaw.Meant = append(flaw.Meant, model.FullName())
		}
	}
	return flaw
}

func names(models []*Model) []string {
	list := make([]string, len(models))
	for i, model := range models {
		list[i] = model.FullName()
	}
	return list
}

// CheckAuth returns why requests to a provider could not be authenticated, or nil.
// Another error says that there is no such provider.
func (m *Models) CheckAuth(ctx context.Context, id string) error {
	switch provider := m.Provider(id).(type) {
	case nil:
		return fmt.Errorf("there is no provider %q", id)
	case Authenticator:
		return provider.CheckAuth(ctx)
	}
	return nil
}
