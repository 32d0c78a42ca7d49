package agent

import (
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// pinned is what a checkpoint keeps of a request, so that one that was cut off is made
// again as it was.
type pinned struct {
	Model    *durable.ModelRef    `json:"model,omitempty"`
	Thinking model.ThinkingLevel  `json:"thinkingLevel,omitempty"`
	Stream   *model.StreamOptions `json:"streamOptions,omitempty"`
}

// request returns the request of messages to the model, which was found by its
// reference.
func (p pinned) request(asked *model.Model, messages message.Messages, session string) model.Request {
	request := model.Request{Model: asked, Messages: messages, SessionID: session}
	if p.Thinking != model.ThinkingOff {
		request.Reasoning = p.Thinking
	}
	if p.Stream != nil {
		request.Options = *p.Stream
	}
	return request
}
