package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	"github.com/openai/openai-go/v3/packages/ssestream"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// reader writes what a server streams.
type reader struct {
	w     *model.Writer
	model *model.Model
	// open is the text or the thinking that is being written.
	open         *model.Part
	openThinking bool
	calls        map[int64]*openCall
	called       bool
	reason       string
}

// openCall is a tool call that is being written.
type openCall struct {
	part *model.Part
	id   string
}

func newReader(w *model.Writer, m *model.Model) *reader {
	return &reader{w: w, model: m, calls: make(map[int64]*openCall)}
}

var errNoFinish = errors.New("the stream ended without finish_reason")

// read reads the stream to its end.
func (r *reader) read(response *http.Response) error {
	if kind, _, _ := mime.ParseMediaType(response.Header.Get("Content-Type")); kind != "" && kind != "text/event-stream" {
		return notAStream(kind, response.Body)
	}
	decoder := ssestream.NewDecoder(response)
	for decoder.Next() {
		data := bytes.TrimSpace(decoder.Event().Data)
		if bytes.HasPrefix(data, []byte("[DONE]")) {
			return r.finish(errNoFinish)
		}
		if err := r.chunk(data); err != nil {
			return err
		}
	}
	if err := decoder.Err(); err != nil {
		return r.finish(err)
	}
	return r.finish(errNoFinish)
}

// notAStream says what came instead of a stream.
func notAStream(kind string, body io.Reader) error {
	text, _ := io.ReadAll(io.LimitReader(body, mostError)) // what came tells enough
	explanation, _ := explained(text)
	return fmt.Errorf("the server answered with %s and no stream: %s", kind, explanation)
}

// chunk reads one event. A member of another type than it should have is left out.
func (r *reader) chunk(data []byte) error {
	var chunk chunk
	err := json.Unmarshal(data, &chunk)
	if flaw, ok := errors.AsType[*json.UnmarshalTypeError](err); err != nil && (!ok || flaw.Field == "") {
		return fmt.Errorf("the server sent a chunk that is not JSON: %s", shown(data))
	}
	if len(chunk.Error) > 0 && string(chunk.Error) != "null" {
		text, code := explained(data)
		if code != "" {
			text = code + ": " + text
		}
		return fmt.Errorf("the server ended the response: %s", text)
	}
	r.w.Update(func(m *message.Assistant) {
		if chunk.ID != "" {
			m.ResponseID = string(chunk.ID)
		}
		if chunk.Model != "" && string(chunk.Model) != r.model.ID {
			m.ResponseModel = string(chunk.Model)
		}
	})
	r.usage(chunk.Usage)
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	r.usage(choice.Usage)
	if choice.FinishReason != "" {
		r.reason = string(choice.FinishReason)
	}
	return r.delta(&choice.Delta)
}

// delta writes what a chunk adds.
func (r *reader) delta(delta *delta) error {
	for _, name := range reasoningFields {
		thought := *delta.by(name)
		if thought == "" {
			continue
		}
		if err := r.say(true, thought); err != nil {
			return err
		}
		r.open.Sign(name)
		break // some servers send the same by two names
	}
	for _, said := range []text{delta.Content, delta.Refusal} {
		if err := r.say(false, said); err != nil {
			return err
		}
	}
	for _, call := range delta.ToolCalls {
		if err := r.call(call); err != nil {
			return err
		}
	}
	return nil
}

// say adds to the text or to the thinking; a change from one to the other begins anew.
func (r *reader) say(thinking bool, said text) error {
	if said == "" {
		return nil
	}
	if r.open != nil && r.openThinking != thinking {
		if err := r.closeOpen(); err != nil {
			return err
		}
	}
	if r.open == nil {
		begin := r.w.Text
		if thinking {
			begin = r.w.Thinking
		}
		part, err := begin()
		if err != nil {
			return err
		}
		r.open, r.openThinking = part, thinking
	}
	return r.open.Append(string(said))
}

func (r *reader) closeOpen() error {
	if r.open == nil {
		return nil
	}
	part := r.open
	r.open = nil
	return part.Close()
}

// call adds to a tool call. Calls are told apart by their index; a server that has one
// index for all tells them by their ids.
func (r *reader) call(delta chatCall) error {
	id, name := string(delta.ID), string(delta.Function.Name)
	call := r.calls[delta.Index]
	if call == nil || id != "" && call.id != "" && call.id != id {
		if err := r.closeOpen(); err != nil {
			return err
		}
		part, err := r.w.ToolCall(id, name)
		if err != nil {
			return err
		}
		call = &openCall{part: part, id: id}
		r.calls[delta.Index] = call
		r.called = true
	} else {
		call.part.Name(id, name)
		if id != "" {
			call.id = id
		}
	}
	return call.part.Append(string(delta.Function.Arguments))
}

// finish ends the response, by err when the server did not say why it ended.
func (r *reader) finish(err error) error {
	reason := r.reason
	r.w.Update(func(m *message.Assistant) { m.RawStopReason = reason })
	switch reason {
	case "":
		return err
	case "stop", "end":
		if r.called {
			return r.w.Done(message.StopReasonToolUse) // some servers say stop for calls too
		}
		return r.w.Done(message.StopReasonStop)
	case "length":
		return r.w.Done(message.StopReasonLength)
	case "tool_calls", "function_call":
		return r.w.Done(message.StopReasonToolUse)
	}
	return fmt.Errorf("provider finish_reason: %s", reason)
}
