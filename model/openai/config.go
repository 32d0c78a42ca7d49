package openai

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/internal/strictjson"
)

// api is the name of the protocol, as pi-ai has it.
const api = "openai-completions"

// Config lists providers.
type Config struct {
	Providers []ProviderConfig `json:"providers"`
}

// ProviderConfig is one server and what it needs.
type ProviderConfig struct {
	// ID is by what models of the provider are named.
	ID string `json:"id"`
	// BaseURL is where the paths of the protocol begin, such as
	// "https://api.openai.com/v1". It holds no secrets.
	BaseURL string `json:"baseUrl"`
	// KeyEnv is the environment variable with the key. Optional.
	KeyEnv string `json:"keyEnv,omitempty"`
	// KeyFile is the file with the key, relative to the state directory. Optional.
	KeyFile string `json:"keyFile,omitempty"`
	// Headers are sent with each request. They are no place for secrets. Optional.
	Headers map[string]string `json:"headers,omitempty"`
	// Compat is a JSON object as in [Compat], for all models. Optional.
	Compat json.RawMessage `json:"compat,omitempty"`
	// Models are the models that are listed; without any, every id is taken for a model.
	// Their provider, API and base URL are filled in.
	Models []model.Model `json:"models,omitempty"`
}

// ConfigError says what of a configuration cannot be used.
type ConfigError struct {
	// File is the configuration's file; empty when it is none.
	File string
	// Where is the place, such as "providers[1].baseUrl". Empty is the whole.
	Where string
	Err   error
}

func (e *ConfigError) Error() string {
	text := "configuration of models"
	if e.File != "" {
		text += " " + e.File
	}
	if e.Where != "" {
		text += ": " + e.Where
	}
	return text + ": " + e.Err.Error()
}

func (e *ConfigError) Unwrap() error { return e.Err }

// ReadConfig reads a configuration from a file. The error is the file's, or a
// [*ConfigError].
func ReadConfig(file string) (*Config, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("configuration of models: %w", err)
	}
	config, err := ParseConfig(text)
	if flaw, ok := errors.AsType[*ConfigError](err); ok {
		flaw.File = file
	}
	return config, err
}

// ParseConfig reads a configuration from JSON. Unknown members are refused. The error is
// a [*ConfigError].
func ParseConfig(text []byte) (*Config, error) {
	var raw struct {
		Providers []json.RawMessage `json:"providers"`
	}
	if err := strictjson.Decode(text, &raw); err != nil {
		return nil, &ConfigError{Err: err}
	}
	config := new(Config)
	ids := make(map[string]bool)
	for i, text := range raw.Providers {
		var provider ProviderConfig
		where := fmt.Sprintf("providers[%d]", i)
		if err := strictjson.Decode(text, &provider); err != nil {
			return nil, &ConfigError{Where: where, Err: err}
		}
		if err := provider.check(where); err != nil {
			return nil, err
		}
		if ids[provider.ID] {
			return nil, &ConfigError{Where: where + ".id", Err: fmt.Errorf("another provider is named %q", provider.ID)}
		}
		ids[provider.ID] = true
		config.Providers = append(config.Providers, provider)
	}
	return config, nil
}

// check returns a [*ConfigError] for what no provider can be made of. The place is that
// of the provider.
func (c *ProviderConfig) check(where string) error {
	flaw := func(member, format string, values ...any) error {
		return &ConfigError{Where: strings.TrimPrefix(where+"."+member, "."), Err: fmt.Errorf(format, values...)}
	}
	if c.ID == "" || strings.ContainsAny(c.ID, "/ \t\r\n") {
		return flaw("id", "want a name without slashes and spaces, have %q", c.ID)
	}
	base, err := url.Parse(c.BaseURL)
	switch {
	case err != nil || base.Host == "" || base.Scheme != "http" && base.Scheme != "https":
		return flaw("baseUrl", "want the URL of a server, such as https://api.openai.com/v1")
	case base.User != nil || base.RawQuery != "" || base.Fragment != "":
		return flaw("baseUrl", "want no user, query or fragment: name the key by keyEnv or keyFile")
	case c.KeyEnv != "" && c.KeyFile != "":
		return flaw("keyFile", "there is a keyEnv already: want one of them")
	}
	for name := range c.Headers {
		if strings.EqualFold(name, "authorization") {
			return flaw("headers", "want no authorization: name the key by keyEnv or keyFile")
		}
	}
	if _, err := compatOf(c.Compat, nil); err != nil {
		return flaw("compat", "%w", err)
	}
	for i, m := range c.Models {
		if m.ID == "" {
			return flaw(fmt.Sprintf("models[%d].id", i), "want the provider's name for the model")
		}
		if _, err := compatOf(c.Compat, m.Compat); err != nil {
			return flaw(fmt.Sprintf("models[%d].compat", i), "%w", err)
		}
		if !object(m.SamplingParams) {
			return flaw(fmt.Sprintf("models[%d].samplingParams", i), "want an object")
		}
		for level, sampling := range m.SamplingParamsByThinkingLevel {
			if !level.Valid() || !object(sampling) {
				return flaw(fmt.Sprintf("models[%d].samplingParamsByThinkingLevel", i), "want objects for levels of thinking")
			}
		}
	}
	return nil
}

// object says whether a value is an object, or left out.
func object(value json.RawMessage) bool {
	return len(value) == 0 || json.Unmarshal(value, &map[string]json.RawMessage{}) == nil
}
