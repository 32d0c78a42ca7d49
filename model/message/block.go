package message

import (
	"encoding/json"
	"strings"
)

// Block is a [*Text], [*Thinking], [*ToolCall] or [*Image].
type Block interface {
	// Type returns the block's type as JSON has it, such as "toolCall".
	Type() string

	object
}

// Text is text that is said.
type Text struct {
	Text string
	// TextSignature is the provider's mark on the text, to be sent back with it.
	// Optional: absent when empty.
	TextSignature string
	Extra         Extra
}

// Thinking is what a model thought before it spoke.
type Thinking struct {
	Thinking string
	// ThinkingSignature is the provider's mark on the thinking, to be sent back with
	// it. Optional: absent when empty.
	ThinkingSignature string
	// Redacted says that the provider withheld the text, and the signature stands
	// for it. Absent when false.
	Redacted bool
	Extra    Extra
}

// ToolCall asks for a tool to be run. Optional texts are absent when empty.
type ToolCall struct {
	// ID is unique in a response, and names the call in its result.
	ID   string
	Name string
	// Arguments is a JSON object, as the model wrote it but compact. Nil is
	// written as {}.
	Arguments json.RawMessage
	// ThoughtSignature is the provider's mark on the call, to be sent back with it.
	// Optional.
	ThoughtSignature string
	// Namespace is the provider's name for the group that the tool is in. Optional.
	Namespace string
	// ArgumentsError says what was wrong with the text that the model sent as
	// arguments; Arguments is {} then, and the call fails with it. Optional.
	ArgumentsError string
	Extra          Extra
}

// Image is a picture.
type Image struct {
	// Data is the picture's bytes in base64.
	Data string
	// MimeType is such as "image/png".
	MimeType string
	Extra    Extra
}

// Blocks are blocks in the order they were said. Nil is written as [].
type Blocks []Block

// Text returns the text blocks, joined by line feeds.
func (b Blocks) Text() string {
	var texts []string
	for _, block := range b {
		if text, ok := block.(*Text); ok {
			texts = append(texts, text.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// Type implements [Block].
func (b *Text) Type() string { return typeText }

// Type implements [Block].
func (b *Thinking) Type() string { return typeThinking }

// Type implements [Block].
func (b *ToolCall) Type() string { return typeToolCall }

// Type implements [Block].
func (b *Image) Type() string { return typeImage }

const (
	typeText     = "text"
	typeThinking = "thinking"
	typeToolCall = "toolCall"
	typeImage    = "image"
)

// newBlock returns an empty block of a type, or nil when there is no such type.
func newBlock(kind string) Block {
	switch kind {
	case typeText:
		return new(Text)
	case typeThinking:
		return new(Thinking)
	case typeToolCall:
		return new(ToolCall)
	case typeImage:
		return new(Image)
	}
	return nil
}

// Content is text alone, or blocks. JSON has a string for the one and an array for
// the other, and what was read is written as the same kind. The zero value is the
// empty text.
type Content struct {
	// Text counts while Blocks is nil; not both can be set.
	Text string
	// Blocks is an array even when it is empty but not nil.
	Blocks Blocks
}

// String returns the text, or the text blocks joined by line feeds.
func (c Content) String() string {
	if c.Blocks == nil {
		return c.Text
	}
	return c.Blocks.Text()
}
