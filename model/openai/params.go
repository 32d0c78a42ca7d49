package openai

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"strings"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// body returns the body of the request.
func (c *call) body() ([]byte, error) {
	var body bytes.Buffer
	encoder := json.NewEncoder(&body)
	encoder.SetEscapeHTML(false) // code has much of what would be escaped
	if err := encoder.Encode(c.params()); err != nil {
		return nil, fmt.Errorf("request to %s: %w", c.request.Model.FullName(), err)
	}
	return body.Bytes(), nil
}

// params are the members of the body.
func (c *call) params() map[string]any {
	transcript := c.request.Messages
	if !c.compat.SupportsMidConvoSystemMessages {
		transcript = model.Collapse(transcript)
	}
	params := map[string]any{
		"model":    c.request.Model.ID,
		"messages": newConversion(c.request.Model, c.compat).messages(transcript),
		"stream":   true,
	}
	if c.compat.SupportsUsageInStreaming {
		params["stream_options"] = map[string]bool{"include_usage": true}
	}
	if most := c.request.MaxTokens; most > 0 {
		params[c.maxTokensField()] = most
	}
	if c.request.Temperature != nil {
		params["temperature"] = *c.request.Temperature
	}
	if tools := tools(model.Tools(transcript)); len(tools) > 0 {
		params["tools"] = tools
		if c.request.ToolChoice != "" {
			params["tool_choice"] = c.request.ToolChoice
		}
	}
	if retention := c.request.Options.CacheRetention; c.official() && c.request.SessionID != "" && retention != model.CacheNone {
		params["prompt_cache_key"] = cacheKey(c.request.SessionID)
		if retention == model.CacheLong {
			params["prompt_cache_retention"] = "24h"
		}
	}
	c.think(params)
	c.sample(params)
	return params
}

// sample adds what the model's configuration has for each request.
func (c *call) sample(params map[string]any) {
	m := c.request.Model
	for _, object := range []json.RawMessage{m.SamplingParams, m.SamplingParamsByThinkingLevel[c.level()]} {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			continue // there is none
		}
		for name, value := range members {
			params[name] = value
		}
	}
}

// official says whether the server is OpenAI's own.
func (c *call) official() bool {
	base, err := url.Parse(c.request.Model.BaseURL)
	return err == nil && base.Hostname() == "api.openai.com"
}

func (c *call) maxTokensField() string {
	switch {
	case c.compat.MaxTokensField != "":
		return c.compat.MaxTokensField
	case c.official():
		return "max_completion_tokens"
	}
	return "max_tokens"
}

// cacheKey returns a session id as OpenAI takes it, in at most 64 characters.
func cacheKey(session string) string { return session[:min(len(session), 64)] }

// level is how much the model is to think. Off is off, also for a model that always
// thinks: what it does then is the server's matter.
func (c *call) level() model.ThinkingLevel {
	if c.request.Reasoning == "" || c.request.Reasoning == model.ThinkingOff {
		return model.ThinkingOff
	}
	return c.request.Model.ClampThinking(c.request.Reasoning)
}

// thinking returns the server's word for how much to think, or nothing when the request
// is not to say it.
func (c *call) thinking() string {
	m := c.request.Model
	if level := c.level(); level != model.ThinkingOff {
		return m.ThinkingWord(level)
	}
	if off := m.ThinkingLevelMap[model.ThinkingOff]; off != nil && m.Reasoning {
		return *off
	}
	return ""
}

// think says how much to think, in the server's way.
func (c *call) think(params map[string]any) {
	m := c.request.Model
	if !m.Reasoning {
		return
	}
	word := c.thinking()
	on := c.level() != model.ThinkingOff
	switch c.compat.ThinkingFormat {
	case "openrouter":
		if word == "" {
			word = "none"
		}
		params["reasoning"] = map[string]any{"effort": word}
		return
	case "deepseek":
		kind := "disabled"
		if on {
			kind = "enabled"
		}
		params["thinking"] = map[string]any{"type": kind}
	case "qwen":
		params["enable_thinking"] = on
	}
	if word != "" && c.compat.SupportsReasoningEffort {
		params["reasoning_effort"] = word
	}
}

// tools are the declarations of tools.
func tools(declared []message.ToolDeclaration) []tool {
	var list []tool
	for _, d := range declared {
		parameters := d.Parameters
		if len(parameters) == 0 || strings.TrimSpace(string(parameters)) == "{}" {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		list = append(list, tool{Type: "function", Function: function{Name: d.Name, Description: d.Description, Parameters: parameters}})
	}
	return list
}
