package openai

import (
	"encoding/json"
	"net/url"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// params are the body of the request.
func (c *call) params() sdk.ChatCompletionNewParams {
	transcript := c.request.Messages
	if !c.compat.SupportsMidConvoSystemMessages {
		transcript = model.Collapse(transcript)
	}
	params := sdk.ChatCompletionNewParams{
		Model:    c.request.Model.ID,
		Messages: newConversion(c.request.Model, c.compat).messages(transcript),
		Tools:    tools(model.Tools(transcript)),
	}
	extra := map[string]any{"stream": true}
	if c.compat.SupportsUsageInStreaming {
		params.StreamOptions.IncludeUsage = param.NewOpt(true)
	}
	if most := c.request.MaxTokens; most > 0 {
		if c.maxTokensField() == "max_tokens" {
			params.MaxTokens = param.NewOpt(most)
		} else {
			params.MaxCompletionTokens = param.NewOpt(most)
		}
	}
	if c.request.Temperature != nil {
		params.Temperature = param.NewOpt(*c.request.Temperature)
	}
	if len(params.Tools) > 0 && c.request.ToolChoice != "" {
		params.ToolChoice.OfAuto = param.NewOpt(string(c.request.ToolChoice))
	}
	if retention := c.request.Options.CacheRetention; c.official() && c.request.SessionID != "" && retention != model.CacheNone {
		params.PromptCacheKey = param.NewOpt(cacheKey(c.request.SessionID))
		if retention == model.CacheLong {
			params.PromptCacheRetention = "24h"
		}
	}
	c.think(extra)
	c.sample(extra)
	params.SetExtraFields(extra)
	return params
}

// sample adds what the model's configuration has for each request.
func (c *call) sample(extra map[string]any) {
	m := c.request.Model
	for _, object := range []json.RawMessage{m.SamplingParams, m.SamplingParamsByThinkingLevel[c.level()]} {
		var members map[string]json.RawMessage
		if json.Unmarshal(object, &members) != nil {
			continue // there is none
		}
		for name, value := range members {
			extra[name] = value
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
func (c *call) think(extra map[string]any) {
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
		extra["reasoning"] = map[string]any{"effort": word}
		return
	case "deepseek":
		kind := "disabled"
		if on {
			kind = "enabled"
		}
		extra["thinking"] = map[string]any{"type": kind}
	case "qwen":
		extra["enable_thinking"] = on
	}
	if word != "" && c.compat.SupportsReasoningEffort {
		extra["reasoning_effort"] = word
	}
}

// tools are the declarations of tools; the text of their parameters stays as it is.
func tools(declared []message.ToolDeclaration) []sdk.ChatCompletionToolUnionParam {
	var list []sdk.ChatCompletionToolUnionParam
	for _, tool := range declared {
		function := sdk.FunctionDefinitionParam{Name: tool.Name, Description: param.NewOpt(tool.Description)}
		parameters := tool.Parameters
		if len(parameters) == 0 || strings.TrimSpace(string(parameters)) == "{}" {
			parameters = json.RawMessage(`{"type":"object","properties":{}}`)
		}
		function.SetExtraFields(map[string]any{"parameters": parameters})
		list = append(list, sdk.ChatCompletionFunctionTool(function))
	}
	return list
}
