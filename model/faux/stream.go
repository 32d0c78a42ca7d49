package faux

import (
	"context"
	"time"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// unitsPerToken is how many UTF-16 units a token has.
const unitsPerToken = 4

// stream writes a message in pieces, and ends the response with it.
func (p *Provider) stream(ctx context.Context, w *model.Writer, m *message.Assistant) error {
	if err := w.Start(); err != nil {
		return err
	}
	pieces := pieces{min: p.options.MinTokens, max: p.options.MaxTokens}
	for _, block := range m.Content {
		part, text, err := begin(w, block)
		if err != nil {
			return err
		}
		for text != "" {
			var piece string
			piece, text = pieces.cut(text)
			if err := p.pause(ctx, piece); err != nil {
				return err
			}
			if err := part.Append(piece); err != nil {
				return err
			}
		}
		if err := part.Close(); err != nil {
			return err
		}
	}
	final := *m
	final.Content = w.Message().Content
	return w.End(&final)
}

// begin begins the part for a block, and returns what is to be appended to it.
func begin(w *model.Writer, block message.Block) (part *model.Part, text string, err error) {
	switch block := block.(type) {
	case *message.Text:
		if part, err = w.Text(); err == nil {
			part.Sign(block.TextSignature)
		}
		return part, block.Text, err
	case *message.Thinking:
		if part, err = w.Thinking(); err == nil {
			part.Sign(block.ThinkingSignature)
		}
		return part, block.Thinking, err
	case *message.ToolCall:
		if part, err = w.ToolCall(block.ID, block.Name); err == nil {
			part.Sign(block.ThoughtSignature)
		}
		return part, arguments(block), err
	}
	return nil, "", &ContentError{Type: block.Type()}
}

// ContentError says that a step's message has a block that no response has.
type ContentError struct{ Type string }

func (e *ContentError) Error() string {
	return "a response has text, thinking and tool calls, and no block of type " + e.Type
}

// arguments returns the text of a call's arguments, which need not be JSON.
func arguments(call *message.ToolCall) string {
	if len(call.Arguments) == 0 {
		return "{}"
	}
	return string(call.Arguments)
}

// pause waits for as long as a piece takes.
func (p *Provider) pause(ctx context.Context, piece string) error {
	if p.options.TokensPerSecond <= 0 {
		return ctx.Err()
	}
	return p.options.Sleep(ctx, time.Duration(float64(tokens(model.Units(piece)))/p.options.TokensPerSecond*float64(time.Second)))
}

// tokens returns how many tokens so many UTF-16 units are.
func tokens(units int) int64 { return int64(units+unitsPerToken-1) / unitsPerToken }

// pieces cuts texts into pieces whose sizes go from min to max by turns.
type pieces struct {
	min, max int // in tokens
	turn     int
}

// cut returns the next piece of a text, and the rest. A character is never split.
func (p *pieces) cut(text string) (piece, rest string) {
	most := (p.min + p.turn%(p.max-p.min+1)) * unitsPerToken
	p.turn++
	units := 0
	for at, r := range text {
		units++
		if r > 0xffff {
			units++
		}
		if units > most && at > 0 {
			return text[:at], text[at:]
		}
	}
	return text, ""
}
