package model

import (
	"regexp"
	"strings"

	"github.com/seed-d579e5eb/harness/model/message"
)

// overflowing are the words by which servers say that a prompt is too long.
var overflowing = regexp.MustCompile(`(?i)` + strings.Join([]string{
	`prompt (?:is )?too long`, // Anthropic, z.ai, Ollama
	`prompt exceeds max length`,
	`request_too_large`,                             // Anthropic, by bytes
	`^(?:[\w -]+ api error \(413\):|413(?:\s|:|$))`, // by bytes, any server
	`input is too long for requested model`,         // Bedrock
	`exceeds the context window`,                    // OpenAI
	`context[ _]window[ _]exceed`,                   // LiteLLM, MiniMax, z.ai
	`context[ _]length[ _]exceeded`,                 // OpenAI's code
	`exceeds (?:the )?(?:model'?s )?maximum context length`,
	`maximum context length is [\d,]+ tokens`,                // OpenRouter, vLLM
	`exceeds (?:the )?maximum allowed input length`,          // OpenRouter
	`longer than the model'?s context length`,                // Together
	`input token count.*exceeds the maximum`,                 // Google
	`maximum prompt length is [\d,]+`,                        // xAI
	`reduce the length of the (?:messages|prompt)`,           // Groq, vLLM
	`exceeds the limit of [\d,]+`,                            // GitHub Copilot
	`exceeds the available context size`,                     // llama.cpp
	`greater than the context length`,                        // LM Studio
	`exceeded model token limit`,                             // Kimi
	`too large for model with [\d,]+ maximum context length`, // Mistral
	`but the configured context size is [\d,]+ tokens?`,      // DS4
	`range of input length should be`,                        // DashScope
	`too many tokens`, `token limit exceeded`,
}, "|"))

// throttled are words of errors about the rate of requests, which also count tokens.
var throttled = regexp.MustCompile(`(?i)^service unavailable:|throttling|rate.?limit|too many requests`)

// bodyless is the error of a server that tells no reason for an overflow.
var bodyless = regexp.MustCompile(`(?i)^4(?:00|13)\s*(?:status code)?\s*\(no body\)`)

// Overflow says whether a response shows that the prompt was longer than the model's
// context window: by its error message, by a usage beyond the window, or by an answer
// of nothing because the prompt filled it. A window of 0 is not known, and shows by
// the error message only.
func Overflow(m *message.Assistant, contextWindow int64) bool {
	prompt := m.Usage.Input + m.Usage.CacheRead
	switch m.StopReason {
	case message.StopReasonError:
		told := overflowing.MatchString(m.ErrorMessage) || m.Provider == "cerebras" && bodyless.MatchString(m.ErrorMessage)
		return told && !throttled.MatchString(m.ErrorMessage)
	case message.StopReasonStop:
		return contextWindow > 0 && prompt > contextWindow
	case message.StopReasonLength:
		return contextWindow > 0 && m.Usage.Output == 0 && prompt*100 >= contextWindow*99
	}
	return false
}

// RecoverableLength says whether a response was cut at a length below the output that
// was asked for, so that asking again with a shorter prompt may let it end.
func RecoverableLength(m *message.Assistant, maxTokens int64) bool {
	return m.StopReason == message.StopReasonLength && maxTokens > 0 && m.Usage.Output < maxTokens
}
