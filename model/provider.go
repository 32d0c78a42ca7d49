package model

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Provider answers requests to its models. Its methods are called by any number of
// goroutines.
type Provider interface {
	// ID names the provider, always the same: not empty, and without a slash.
	ID() string
	// Models returns the models that are known, in their order, each with the provider's
	// id. The caller does not change them.
	Models() []*Model
	// Stream asks a model of this provider for a response. It returns at once: the
	// request is made when the stream is ranged over. [Produce] makes such a stream.
	Stream(ctx context.Context, request Request) Stream
}

// Finder is a [Provider] that also has models it does not list.
type Finder interface {
	Provider
	// FindModel returns the model of an id that is not listed, or nil.
	FindModel(id string) *Model
}

// Authenticator is a [Provider] that needs a secret.
type Authenticator interface {
	Provider
	// CheckAuth returns why requests could not be authenticated, or nil. It does not ask
	// the server. The error does not contain the secret.
	CheckAuth(ctx context.Context) error
}

// Deferrer is a [Provider] that can make responses that are fetched later.
type Deferrer interface {
	Provider
	// FetchDeferred asks for a deferred response. Its stream ends with the stop reason
	// deferred while there is none yet.
	FetchDeferred(ctx context.Context, model *Model, handle DeferredHandle) Stream
	// CancelDeferred tells the server that the response is not needed any more.
	CancelDeferred(ctx context.Context, model *Model, handle DeferredHandle) error
}

// DeferredHandle is by what a deferred response is fetched: the member deferred of an
// assistant message.
type DeferredHandle struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
	API      string `json:"api"`
	ID       string `json:"id"`
	// ExpiresAt is in milliseconds since 1970-01-01 UTC; nil when it is not known.
	ExpiresAt *int64 `json:"expiresAt,omitempty"`
	// PollAfterMs is after how many milliseconds to ask; nil leaves it to the caller.
	PollAfterMs *int64 `json:"pollAfterMs,omitempty"`
	// Data is any JSON of the provider.
	Data json.RawMessage `json:"data,omitempty"`
}

// DeferredOf returns the handle of a message whose stop reason is deferred. The error
// says that there is none, or that it cannot be read.
func DeferredOf(m *message.Assistant) (DeferredHandle, error) {
	var handle DeferredHandle
	if len(m.Deferred) == 0 {
		return handle, fmt.Errorf("the response of %s/%s is deferred and has no handle to fetch it by", m.Provider, m.Model)
	}
	if err := json.Unmarshal(m.Deferred, &handle); err != nil {
		return DeferredHandle{}, fmt.Errorf("the handle of the deferred response of %s/%s: %w", m.Provider, m.Model, err)
	}
	return handle, nil
}

// Stream is the events of one response, for one loop: a second one gets a Failed event
// alone. A stream may be left by break, which ends the request.
type Stream iter.Seq[Event]

// Result ranges over the stream and returns the final message.
func (s Stream) Result() *message.Assistant {
	var final *message.Assistant
	for event := range s {
		if event.Final() {
			final = event.Message
		}
	}
	return final
}
