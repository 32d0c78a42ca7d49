package bind

import (
	"context"
	"encoding/json"
	"fmt"

	"github.com/seed-d579e5eb/harness/jsapi"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// modelsObject is how our own modules reach the models of the harness; see
// jsapi/modules/src/internal/native.d.ts.
func (w *World) modelsObject() *jsapi.Object {
	return jsapi.NewObject(
		"list", jsapi.Native(func(*jsapi.NativeCall) (any, error) { return list(w.models().List()), nil }),
		"providers", jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			ids := &jsapi.Array{}
			for _, provider := range w.models().Providers() {
				ids.Items = append(ids.Items, provider.ID())
			}
			return ids, nil
		}),
		"checkAuth", jsapi.Native(func(call *jsapi.NativeCall) (any, error) {
			args := &arguments{function: "checkAuth", call: call}
			provider := args.text("provider")
			if args.err != nil {
				return nil, args.err
			}
			return jsapi.Async{Work: func(ctx context.Context) (any, error) {
				if err := w.models().CheckAuth(ctx, provider); err != nil {
					return err.Error(), nil
				}
				return jsapi.Undefined{}, nil
			}}, nil
		}),
		"stream", jsapi.Native(w.stream),
	)
}

func (w *World) models() *model.Models {
	if w.Models != nil {
		if models := w.Models(); models != nil {
			return models
		}
	}
	return new(model.Models)
}

// modelRequest is what JavaScript asks of a model.
type modelRequest struct {
	Provider    string              `json:"provider"`
	ModelID     string              `json:"modelId"`
	Messages    message.Messages    `json:"messages"`
	SessionID   string              `json:"sessionId"`
	Reasoning   model.ThinkingLevel `json:"reasoning"`
	MaxTokens   int64               `json:"maxTokens"`
	Temperature *float64            `json:"temperature"`
	Options     model.StreamOptions `json:"options"`
}

// stream asks a model. What it gives takes the events one after another; the response
// ends with the signal, and with what the code that asks belongs to.
func (w *World) stream(call *jsapi.NativeCall) (any, error) {
	args := &arguments{function: "stream", call: call}
	text := args.text("request")
	signal, _ := args.take().(*jsapi.Signal)
	if args.err != nil {
		return nil, args.err
	}
	var asked modelRequest
	if err := json.Unmarshal([]byte(text), &asked); err != nil {
		return nil, &TypeError{Function: "stream", Argument: "the request", Want: "a model and messages: " + err.Error()}
	}
	chosen, err := w.models().Get(model.Ref{Provider: asked.Provider, ModelID: asked.ModelID})
	if err != nil {
		return nil, jsapi.NewError(err, "ModelsError", nil)
	}
	ctx, stop := bounded(call.Owner.Context(), signal)
	events := make(chan *jsapi.Object)
	started := call.Isolate.Go(func() {
		defer stop()
		defer close(events)
		request := model.Request{
			Model: chosen, Messages: asked.Messages, SessionID: asked.SessionID, Reasoning: asked.Reasoning,
			MaxTokens: asked.MaxTokens, Temperature: asked.Temperature, Options: asked.Options,
		}
		for event := range w.models().Stream(ctx, request) {
			select {
			case events <- eventObject(event):
			case <-call.Owner.Context().Done():
				return
			}
		}
	})
	if !started {
		stop()
		return nil, fmt.Errorf("the isolate has ended")
	}
	return jsapi.NewObject(
		"next", jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			return jsapi.Async{Work: func(ctx context.Context) (any, error) {
				select {
				case event, more := <-events:
					if !more {
						return jsapi.Undefined{}, nil
					}
					return event, nil
				case <-ctx.Done():
					return nil, context.Cause(ctx)
				}
			}}, nil
		}),
		"stop", jsapi.Native(func(*jsapi.NativeCall) (any, error) {
			stop()
			return jsapi.Undefined{}, nil
		}),
	), nil
}

// eventObject is an event in the form of pi-ai. The message as far as it is written is
// in those events alone that are no delta: the module adds deltas to it.
func eventObject(event model.Event) *jsapi.Object {
	shown := jsapi.NewObject("type", string(event.Type))
	switch event.Type {
	case model.Done:
		return shown.Set("reason", string(event.Message.StopReason)).Set("message", event.Message)
	case model.Failed:
		return jsapi.NewObject("type", "error", "reason", string(event.Message.StopReason), "error", event.Message)
	case model.TextDelta, model.ThinkingDelta, model.ToolCallDelta:
		return shown.Set("contentIndex", event.ContentIndex).Set("delta", event.Delta)
	case model.TextEnd, model.ThinkingEnd:
		shown.Set("content", event.Content)
	case model.ToolCallEnd:
		shown.Set("toolCall", event.ToolCall)
	}
	if event.Type != model.Start {
		shown.Set("contentIndex", event.ContentIndex)
	}
	return shown.Set("partial", event.Partial())
}
