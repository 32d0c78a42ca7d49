package model

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/model/message"
)

// Request asks a model for the next message of a transcript. Nothing in it is changed
// by providers, nor kept once the stream has ended.
type Request struct {
	Model *Model
	// Messages are the transcript. Its system messages carry the prompt and the tools.
	Messages message.Messages
	// SessionID names the conversation towards the provider, which caches prompts by it.
	// Optional.
	SessionID string
	// Reasoning is how much the model shall think; empty and off are the same. A level
	// that the model does not have is clamped.
	Reasoning ThinkingLevel
	// MaxTokens is how many tokens the answer may have; 0 leaves it to the provider.
	MaxTokens int64
	// Temperature is the provider's own when it is nil.
	Temperature *float64
	ToolChoice  ToolChoice
	Options     StreamOptions
}

// ToolChoice says whether the model may call tools. Empty is the provider's default.
type ToolChoice string

// The choices of tools.
const (
	ToolChoiceAuto ToolChoice = "auto"
	ToolChoiceNone ToolChoice = "none"
)

// StreamOptions are those options of a request that settings of a harness have. The
// zero value leaves everything to the provider.
type StreamOptions struct {
	// Transport is "sse", "websocket", "websocket-cached" or "auto"; a provider with one
	// transport ignores it.
	Transport string `json:"transport,omitempty"`
	// TimeoutMs is how many milliseconds one attempt may take until the response begins;
	// 0 is the provider's default.
	TimeoutMs int64 `json:"timeoutMs,omitempty"`
	// MaxRetries is how often the provider tries again within one request. Each of those
	// attempts happens before the stream's first event.
	MaxRetries int `json:"maxRetries,omitempty"`
	// MaxRetryDelayMs is the longest delay, in milliseconds, that a server may ask for
	// between attempts; a longer one fails the request. Nil is a minute, 0 no limit.
	MaxRetryDelayMs *int64 `json:"maxRetryDelayMs,omitempty"`
	// Headers are sent with the request, in place of the provider's own of the same name;
	// null leaves such a header out.
	Headers map[string]*string `json:"headers,omitempty"`
	// Metadata is a JSON object for the provider.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// CacheRetention is how long the provider shall cache the prompt. Empty is short.
	CacheRetention CacheRetention `json:"cacheRetention,omitempty"`
	// Deferred asks for a response that is fetched later. A provider that is no [Deferrer]
	// answers at once.
	Deferred Deferral `json:"deferred,omitzero"`
}

// CacheRetention is how long a prompt is cached.
type CacheRetention string

// The retentions of prompts.
const (
	CacheNone  CacheRetention = "none"
	CacheShort CacheRetention = "short"
	CacheLong  CacheRetention = "long"
)

// Deferral is whether a response is deferred. In JSON it is a boolean, or an object
// with the window.
type Deferral struct {
	On bool
	// Window is within which time the response is made: "15m", "1h" or "24h". Empty is
	// the provider's default.
	Window string
}

// MarshalJSON implements [encoding/json.Marshaler].
func (d Deferral) MarshalJSON() ([]byte, error) {
	if d.On && d.Window != "" {
		return json.Marshal(deferralWindow{d.Window})
	}
	return json.Marshal(d.On)
}

// UnmarshalJSON implements [encoding/json.Unmarshaler].
func (d *Deferral) UnmarshalJSON(text []byte) error {
	var on bool
	if json.Unmarshal(text, &on) == nil && !bytes.Equal(text, []byte("null")) {
		*d = Deferral{On: on}
		return nil
	}
	var window deferralWindow
	if text[0] != '{' || json.Unmarshal(text, &window) != nil {
		return fmt.Errorf("deferred: want a boolean or an object with a window, have %.40s", text)
	}
	*d = Deferral{On: true, Window: window.Window}
	return nil
}

type deferralWindow struct {
	Window string `json:"window,omitempty"`
}
