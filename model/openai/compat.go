package openai

import (
	"encoding/json"
	"errors"
)

// Compat is what is peculiar to a server or a model. A member that is left out has the
// value said here; unknown members are ignored.
type Compat struct {
	// SupportsMidConvoSystemMessages: system messages may stand anywhere. Else the prompt
	// is rewritten when it changes, and stands first. False.
	SupportsMidConvoSystemMessages bool `json:"supportsMidConvoSystemMessages"`
	// SupportsDeveloperRole: the prompt's role is developer when the model can think.
	// False.
	SupportsDeveloperRole bool `json:"supportsDeveloperRole"`
	// SupportsReasoningEffort: the request may have a reasoning_effort. True.
	SupportsReasoningEffort bool `json:"supportsReasoningEffort"`
	// SupportsUsageInStreaming: the server counts tokens when it is asked to. True.
	SupportsUsageInStreaming bool `json:"supportsUsageInStreaming"`
	// MaxTokensField is "max_tokens" or "max_completion_tokens": the latter for OpenAI,
	// else the former.
	MaxTokensField string `json:"maxTokensField"`
	// ThinkingFormat is how a request says how much to think: "openai" by
	// reasoning_effort, "openrouter" by reasoning, "deepseek" by thinking, "qwen" by
	// enable_thinking. openai.
	ThinkingFormat string `json:"thinkingFormat"`
}

// compatOf returns what the provider's and the model's objects say, the latter first.
func compatOf(provider, ofModel json.RawMessage) (Compat, error) {
	compat := Compat{SupportsReasoningEffort: true, SupportsUsageInStreaming: true, ThinkingFormat: "openai"}
	for _, text := range []json.RawMessage{provider, ofModel} {
		if len(text) == 0 {
			continue
		}
		if err := json.Unmarshal(text, &compat); err != nil {
			return compat, err
		}
	}
	switch compat.ThinkingFormat {
	case "openai", "openrouter", "deepseek", "qwen":
	default:
		return compat, errors.New("thinkingFormat: want openai, openrouter, deepseek or qwen")
	}
	switch compat.MaxTokensField {
	case "", "max_tokens", "max_completion_tokens":
	default:
		return compat, errors.New("maxTokensField: want max_tokens or max_completion_tokens")
	}
	return compat, nil
}
