package model

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Model is a language model of a provider. Its JSON is that of pi-ai 1.6.0; members
// that are not here are not kept. A model is not changed once its provider has
// returned it.
type Model struct {
	// ID is the provider's name for the model, such as "gpt-5".
	ID string `json:"id"`
	// Name is for people.
	Name string `json:"name"`
	// API is the protocol that is spoken, such as "openai-completions".
	API string `json:"api"`
	// Provider is the id of the provider.
	Provider string `json:"provider"`
	// BaseURL is where the protocol's paths begin.
	BaseURL string `json:"baseUrl"`
	// Reasoning says whether the model can think before it speaks.
	Reasoning bool `json:"reasoning"`
	// ThinkingLevelMap has the provider's words for levels of thinking; null is a level
	// that the model does not have.
	ThinkingLevelMap map[ThinkingLevel]*string `json:"thinkingLevelMap,omitempty"`
	// Input is what the model reads: [InputText], [InputImage].
	Input []string `json:"input"`
	// InputLimits is a JSON object about limits of images and requests. Optional.
	InputLimits json.RawMessage `json:"inputLimits,omitempty"`
	Cost        Prices          `json:"cost"`
	// PromptCache is a JSON object with how long a prompt is cached. Optional.
	PromptCache json.RawMessage `json:"promptCache,omitempty"`
	// ContextWindow is how many tokens prompt and answer may have together; 0 when that
	// is not known.
	ContextWindow int64 `json:"contextWindow"`
	// MaxTokens is how many tokens an answer may have; 0 when that is not known.
	MaxTokens int64 `json:"maxTokens"`
	// Headers are sent with each request. Optional.
	Headers map[string]string `json:"headers,omitempty"`
	// SamplingParams is a JSON object that is merged into each request. Optional.
	SamplingParams json.RawMessage `json:"samplingParams,omitempty"`
	// SamplingParamsByThinkingLevel are such objects for levels of thinking, which count
	// before SamplingParams. Optional.
	SamplingParamsByThinkingLevel map[ThinkingLevel]json.RawMessage `json:"samplingParamsByThinkingLevel,omitempty"`
	// Compat is a JSON object with what is peculiar to a server of the API. Optional.
	Compat json.RawMessage `json:"compat,omitempty"`
}

// The kinds of input that models read.
const (
	InputText  = "text"
	InputImage = "image"
)

// Reads says whether the model reads a kind of input.
func (m *Model) Reads(input string) bool { return slices.Contains(m.Input, input) }

// FullName returns the name by which [Models.Resolve] finds the model:
// "provider/id".
func (m *Model) FullName() string { return m.Provider + "/" + m.ID }

// Ref returns the model's reference.
func (m *Model) Ref() Ref { return Ref{Provider: m.Provider, ModelID: m.ID} }

// Ref names a model.
type Ref struct {
	Provider string `json:"provider"`
	ModelID  string `json:"modelId"`
}

// String returns "provider/id".
func (r Ref) String() string { return r.Provider + "/" + r.ModelID }

// check says what a model lacks to be offered by the provider of that id.
func (m *Model) check(provider string) error {
	switch {
	case m == nil:
		return fmt.Errorf("provider %q: a model is nil", provider)
	case m.ID == "":
		return fmt.Errorf("provider %q: a model has no id", provider)
	case m.Provider != provider:
		return fmt.Errorf("provider %q: model %q says that it is of provider %q", provider, m.ID, m.Provider)
	}
	return nil
}
