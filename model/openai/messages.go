package openai

import (
	"fmt"
	"hash/fnv"
	"strings"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// reasoningFields are the members by which servers tell what a model thinks; a text of
// thinking has the one it came by as its signature, and goes back by it.
var reasoningFields = []string{"reasoning_content", "reasoning", "reasoning_text"}

// conversion makes the messages of a request.
type conversion struct {
	model  *model.Model
	compat Compat
	list   []sdk.ChatCompletionMessageParamUnion
	// images are those of tool results, which come after the last result in a row: a
	// tool's message has text only.
	images []*message.Image
}

func newConversion(m *model.Model, compat Compat) *conversion {
	return &conversion{model: m, compat: compat}
}

func (c *conversion) messages(transcript message.Messages) []sdk.ChatCompletionMessageParamUnion {
	for i, m := range transcript {
		if m.Role() != message.RoleToolResult {
			c.flushImages()
		}
		switch m := m.(type) {
		case *message.System:
			text := model.SystemUpdateText(m)
			if i == 0 {
				text = model.SystemText(m)
			}
			c.system(text)
		case *message.User:
			c.user(m)
		case *message.Assistant:
			c.assistant(m)
		case *message.ToolResult:
			c.result(m)
		}
	}
	c.flushImages()
	return c.list
}

func (c *conversion) system(text string) {
	switch {
	case text == "":
	case c.compat.SupportsDeveloperRole && c.model.Reasoning:
		c.list = append(c.list, sdk.DeveloperMessage(text))
	default:
		c.list = append(c.list, sdk.SystemMessage(text))
	}
}

func (c *conversion) user(m *message.User) {
	if m.Content.Blocks == nil {
		c.list = append(c.list, sdk.UserMessage(m.Content.Text))
		return
	}
	var parts []sdk.ChatCompletionContentPartUnionParam
	for _, block := range m.Content.Blocks {
		switch block := block.(type) {
		case *message.Text:
			if block.Text != "" {
				parts = append(parts, sdk.TextContentPart(block.Text))
			}
		case *message.Image:
			parts = append(parts, c.image(block))
		}
	}
	if len(parts) > 0 {
		c.list = append(c.list, sdk.UserMessage(parts))
	}
}

// image is a picture, or what stands for it when the model cannot see.
func (c *conversion) image(image *message.Image) sdk.ChatCompletionContentPartUnionParam {
	if !c.model.Reads(model.InputImage) {
		return sdk.TextContentPart("(an image of type " + image.MimeType + ", which this model cannot see)")
	}
	return sdk.ImageContentPart(sdk.ChatCompletionContentPartImageImageURLParam{
		URL: "data:" + image.MimeType + ";base64," + image.Data,
	})
}

func (c *conversion) assistant(m *message.Assistant) {
	var texts, thoughts []string
	var field string
	answer := &sdk.ChatCompletionAssistantMessageParam{}
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Text:
			if strings.TrimSpace(block.Text) != "" {
				texts = append(texts, block.Text)
			}
		case *message.Thinking:
			if name := c.field(m, block); name != "" && (field == "" || field == name) {
				field, thoughts = name, append(thoughts, block.Thinking)
			}
		case *message.ToolCall:
			answer.ToolCalls = append(answer.ToolCalls, toolCall(block))
		}
	}
	if len(texts) == 0 && len(answer.ToolCalls) == 0 {
		return // servers refuse what says nothing
	}
	if len(texts) > 0 {
		answer.Content.OfString = param.NewOpt(strings.Join(texts, ""))
	}
	if field != "" {
		answer.SetExtraFields(map[string]any{field: strings.Join(thoughts, "\n")})
	}
	c.list = append(c.list, sdk.ChatCompletionMessageParamUnion{OfAssistant: answer})
}

// field returns the member by which thinking goes back to the model that thought it;
// nothing when it does not.
func (c *conversion) field(m *message.Assistant, thinking *message.Thinking) string {
	if m.Provider != c.model.Provider || m.Model != c.model.ID || thinking.Thinking == "" {
		return ""
	}
	for _, name := range reasoningFields {
		if thinking.ThinkingSignature == name {
			return name
		}
	}
	return ""
}

func toolCall(call *message.ToolCall) sdk.ChatCompletionMessageToolCallUnionParam {
	arguments := string(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	return sdk.ChatCompletionMessageToolCallUnionParam{OfFunction: &sdk.ChatCompletionMessageFunctionToolCallParam{
		ID:       callID(call.ID),
		Function: sdk.ChatCompletionMessageFunctionToolCallFunctionParam{Name: call.Name, Arguments: arguments},
	}}
}

func (c *conversion) result(m *message.ToolResult) {
	text := m.Text()
	for _, block := range m.Content {
		if image, ok := block.(*message.Image); ok {
			c.images = append(c.images, image)
		}
	}
	if text == "" {
		text = "(no output)"
	}
	c.list = append(c.list, sdk.ToolMessage(text, callID(m.ToolCallID)))
}

// flushImages shows the images of the results before.
func (c *conversion) flushImages() {
	if len(c.images) == 0 {
		return
	}
	parts := []sdk.ChatCompletionContentPartUnionParam{sdk.TextContentPart("The images of the tool results:")}
	for _, image := range c.images {
		parts = append(parts, c.image(image))
	}
	c.images = nil
	c.list = append(c.list, sdk.UserMessage(parts))
}

// callID returns an id that servers take: OpenAI has a limit of 40 characters, and ids
// of other protocols are longer.
func callID(id string) string {
	const most = 40
	if len(id) <= most {
		return id
	}
	hash := fnv.New64a()
	hash.Write([]byte(id))
	return fmt.Sprintf("call_%016x", hash.Sum64())
}
