package openai

import (
	"fmt"
	"hash/fnv"
	"strings"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// conversion makes the messages of a request.
type conversion struct {
	model  *model.Model
	compat Compat
	list   []chatMessage
	// images are those of tool results, which come after the last result in a row: a
	// tool's message has text only.
	images []*message.Image
}

func newConversion(m *model.Model, compat Compat) *conversion {
	return &conversion{model: m, compat: compat, list: []chatMessage{}}
}

func (c *conversion) messages(transcript message.Messages) []chatMessage {
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
	if text == "" {
		return
	}
	role := "system"
	if c.compat.SupportsDeveloperRole && c.model.Reasoning {
		role = "developer"
	}
	c.list = append(c.list, chatMessage{Role: role, Content: text})
}

func (c *conversion) user(m *message.User) {
	if m.Content.Blocks == nil {
		c.list = append(c.list, chatMessage{Role: "user", Content: m.Content.Text})
		return
	}
	var parts []part
	for _, block := range m.Content.Blocks {
		switch block := block.(type) {
		case *message.Text:
			if block.Text != "" {
				parts = append(parts, textPart(block.Text))
			}
		case *message.Image:
			parts = append(parts, c.image(block))
		}
	}
	if len(parts) > 0 {
		c.list = append(c.list, chatMessage{Role: "user", Content: parts})
	}
}

func textPart(text string) part { return part{Type: "text", Text: text} }

// image is a picture, or what stands for it when the model cannot see.
func (c *conversion) image(image *message.Image) part {
	if !c.model.Reads(model.InputImage) {
		return textPart("(an image of type " + image.MimeType + ", which this model cannot see)")
	}
	return part{Type: "image_url", ImageURL: &imageURL{URL: "data:" + image.MimeType + ";base64," + image.Data}}
}

func (c *conversion) assistant(m *message.Assistant) {
	var texts, thinking []string
	var field string
	answer := chatMessage{Role: "assistant"}
	for _, block := range m.Content {
		switch block := block.(type) {
		case *message.Text:
			if strings.TrimSpace(block.Text) != "" {
				texts = append(texts, block.Text)
			}
		case *message.Thinking:
			if name := c.field(m, block); name != "" && (field == "" || field == name) {
				field, thinking = name, append(thinking, block.Thinking)
			}
		case *message.ToolCall:
			answer.ToolCalls = append(answer.ToolCalls, toolCall(block))
		}
	}
	if len(texts) == 0 && len(answer.ToolCalls) == 0 {
		return // servers refuse what says nothing
	}
	if len(texts) > 0 {
		answer.Content = strings.Join(texts, "")
	}
	if field != "" {
		*answer.by(field) = text(strings.Join(thinking, "\n"))
	}
	c.list = append(c.list, answer)
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

func toolCall(call *message.ToolCall) chatCall {
	arguments := string(call.Arguments)
	if arguments == "" {
		arguments = "{}"
	}
	return chatCall{
		ID: text(callID(call.ID)), Type: "function",
		Function: functionCall{Name: text(call.Name), Arguments: text(arguments)},
	}
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
	c.list = append(c.list, chatMessage{Role: "tool", Content: text, ToolCallID: callID(m.ToolCallID)})
}

// flushImages shows the images of the results before.
func (c *conversion) flushImages() {
	if len(c.images) == 0 {
		return
	}
	parts := []part{textPart("The images of the tool results:")}
	for _, image := range c.images {
		parts = append(parts, c.image(image))
	}
	c.images = nil
	c.list = append(c.list, chatMessage{Role: "user", Content: parts})
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
