package model_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frozen is a clock that stands.
func frozen() time.Time { return time.UnixMilli(1000) }

func testModel(provider, id string) *model.Model {
	return &model.Model{
		ID: id, Name: id, API: "test", Provider: provider, Input: []string{model.InputText},
		ContextWindow: 1000, MaxTokens: 100,
	}
}

// scripted is a provider whose responses are written by a function.
type scripted struct {
	id     string
	models []*model.Model
	write  func(w *model.Writer) error
}

func (p *scripted) ID() string             { return p.id }
func (p *scripted) Models() []*model.Model { return p.models }

func (p *scripted) Stream(ctx context.Context, request model.Request) model.Stream {
	return model.Produce(ctx, request, frozen, p.write)
}

// told names the events of a stream, with what they say.
func told(stream model.Stream) []string {
	var list []string
	for event := range stream {
		text := string(event.Type)
		switch {
		case event.Message != nil:
			text += " " + string(event.Message.StopReason) + " " + event.Message.ErrorMessage
		case event.ToolCall != nil:
			text += " " + event.ToolCall.Name + string(event.ToolCall.Arguments)
		default:
			text += " " + event.Delta + event.Content
		}
		list = append(list, text)
	}
	return list
}

func texts(blocks message.Blocks) string { return blocks.Text() }
