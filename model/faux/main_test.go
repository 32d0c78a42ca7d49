package faux_test

import (
	"context"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/faux"
	"github.com/seed-d579e5eb/harness/model/message"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// frozen is a clock that stands.
func frozen() time.Time { return time.UnixMilli(1000) }

func newProvider(options faux.Options, steps ...faux.Step) *faux.Provider {
	options.Now = frozen
	provider := faux.New(options)
	provider.Set(steps...)
	return provider
}

// ask asks the provider's first model.
func ask(ctx context.Context, provider *faux.Provider, transcript ...message.Message) model.Stream {
	return provider.Stream(ctx, model.Request{Model: provider.Models()[0], Messages: transcript})
}

func user(text string) *message.User { return message.UserText(text, 1) }

func result(tool, text string) *message.ToolResult {
	return &message.ToolResult{ToolCallID: "c", ToolName: tool, Content: message.Blocks{&message.Text{Text: text}}}
}
