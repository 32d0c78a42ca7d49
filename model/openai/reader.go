package openai

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"

	sdk "github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/respjson"
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

// chunk reads one event.
func (r *reader) chunk(data []byte) error {
	var failed struct{ Error json.RawMessage }
	if err := json.Unmarshal(data, &failed); err != nil {
		return fmt.Errorf("the server sent a chunk that is not JSON: %s", shown(data))
	}
	if len(failed.Error) > 0 && string(failed.Error) != "null" {
		text, code := explained(data)
		if code != "" {
			text = code + ": " + text
		}
		return fmt.Errorf("the server ended the response: %s", text)
	}
	var chunk sdk.ChatCompletionChunk
	if err := json.Unmarshal(data, &chunk); err != nil {
		return fmt.Errorf("the server sent a chunk of another form: %w: %s", err, shown(data))
	}
	r.w.Update(func(m *message.Assistant) {
		if chunk.ID != "" {
			m.ResponseID = chunk.ID
		}
		if chunk.Model != "" && chunk.Model != r.model.ID {
			m.ResponseModel = chunk.Model
		}
	})
	if chunk.JSON.Usage.Valid() {
		r.usage([]byte(chunk.JSON.Usage.Raw()))
	}
	if len(chunk.Choices) == 0 {
		return nil
	}
	choice := chunk.Choices[0]
	if usage := choice.JSON.ExtraFields["usage"]; usage.Raw() != "" {
		r.usage([]byte(usage.Raw()))
	}
	if choice.FinishReason != "" {
		r.reason = choice.FinishReason
	}
	return r.delta(choice.Delta)
}

// delta writes what a chunk adds.
func (r *reader) delta(delta sdk.ChatCompletionChunkChoiceDelta) error {
	for _, name := range reasoningFields {
		text := textOf(delta.JSON.ExtraFields[name])
		if text == "" {
			continue
		}
		if err := r.say(true, text); err != nil {
			return err
		}
		r.open.Sign(name)
		break // some servers send the same by two names
	}
	for _, text := range []string{delta.Content, delta.Refusal} {
		if err := r.say(false, text); err != nil {
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

// textOf returns the text of a member that the library does not know.
func textOf(field respjson.Field) string {
	if field.Raw() == "" {
		return ""
	}
	return word(json.RawMessage(field.Raw()))
}

// say adds to the text or to the thinking; a change from one to the other begins anew.
func (r *reader) say(thinking bool, text string) error {
	if text == "" {
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
	return r.open.Append(text)
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
func (r *reader) call(delta sdk.ChatCompletionChunkChoiceDeltaToolCall) error {
	call := r.calls[delta.Index]
	if call == nil || delta.ID != "" && call.id != "" && call.id != delta.ID {
		if err := r.closeOpen(); err != nil {
			return err
		}
		part, err := r.w.ToolCall(delta.ID, delta.Function.Name)
		if err != nil {
			return err
		}
		call = &openCall{part: part, id: delta.ID}
		r.calls[delta.Index] = call
		r.called = true
	} else {
		call.part.Name(delta.ID, delta.Function.Name)
		if delta.ID != "" {
			call.id = delta.ID
		}
	}
	arguments := delta.Function.Arguments
	if raw := delta.Function.JSON.Arguments.Raw(); arguments == "" && len(raw) > 0 && raw[0] == '{' {
		arguments = raw // an object where the text of one is due
	}
	return call.part.Append(arguments)
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
