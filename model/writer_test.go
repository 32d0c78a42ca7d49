package model_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

func produce(ctx context.Context, write func(w *model.Writer) error) model.Stream {
	return model.Produce(ctx, model.Request{Model: testModel("p", "m")}, frozen, write)
}

// say writes a text in pieces.
func say(w *model.Writer, pieces ...string) error {
	part, err := w.Text()
	if err != nil {
		return err
	}
	for _, piece := range pieces {
		if err := part.Append(piece); err != nil {
			return err
		}
	}
	return part.Close()
}

func TestAStreamTellsEachStep(t *testing.T) {
	got := told(produce(t.Context(), func(w *model.Writer) error {
		if err := say(w, "a", "", "b"); err != nil {
			return err
		}
		thought, err := w.Thinking()
		if err != nil {
			return err
		}
		call, err := w.ToolCall("1", "look")
		if err != nil {
			return err
		}
		if err := errors.Join(call.Append(`{"x":`), thought.Append("hm"), call.Append(`1}`)); err != nil {
			return err
		}
		return w.Done(message.StopReasonToolUse)
	}))
	want := []string{
		"start ", "text_start ", "text_delta a", "text_delta b", "text_end ab", "thinking_start ", "toolcall_start ",
		`toolcall_delta {"x":`, "thinking_delta hm", "toolcall_delta 1}", "thinking_end hm", `toolcall_end look{"x":1}`,
		"done toolUse ",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestEveryStreamEndsOnce(t *testing.T) {
	canceled, cancel := context.WithCancel(t.Context())
	cancel()
	huge := strings.Repeat("x", model.MaxResponse)
	for _, c := range []struct {
		name  string
		ctx   context.Context
		write func(w *model.Writer) error
		want  []string
	}{
		{"an error before anything", t.Context(), func(*model.Writer) error { return errors.New("no key") }, []string{"error error no key"}},
		{"an error within", t.Context(), func(w *model.Writer) error {
			return errors.Join(w.Start(), errors.New("broken"))
		}, []string{"start ", "error error broken"}},
		{"no end", t.Context(), func(w *model.Writer) error { return w.Start() }, []string{"start ", "error error the response ended without a stop reason"}},
		{"no stop reason", t.Context(), func(w *model.Writer) error { return w.Done("pending") }, []string{`error error the response ended with the stop reason "pending"`}},
		{"a panic", t.Context(), func(*model.Writer) error { panic("oops") }, []string{`error error provider "p" panicked: oops`}},
		{"a context that has ended", canceled, func(w *model.Writer) error { return w.Done(message.StopReasonStop) }, []string{"error aborted Request was aborted"}},
		{"a response that is too long", t.Context(), func(w *model.Writer) error {
			part, err := w.Text()
			if err != nil {
				return err
			}
			return part.Append(huge)
		}, []string{"start ", "text_start ", "error error the response of p/m is longer than 16777216 bytes: ask for less"}},
		{"an error after the end", t.Context(), func(w *model.Writer) error {
			return errors.Join(w.Done(message.StopReasonStop), errors.New("late"))
		}, []string{"start ", "done stop "}},
		{"a message that failed", t.Context(), func(w *model.Writer) error {
			return w.End(&message.Assistant{StopReason: message.StopReasonError, ErrorMessage: "429"})
		}, []string{"start ", "error error 429"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if diff := cmp.Diff(c.want, told(produce(c.ctx, c.write))); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestAPartialMessageMayBeKept(t *testing.T) {
	var kept []*message.Assistant
	var final *message.Assistant
	for event := range produce(t.Context(), func(w *model.Writer) error {
		if err := say(w, "one ", "two"); err != nil {
			return err
		}
		call, err := w.ToolCall("", "look")
		if err != nil {
			return err
		}
		call.Name("c1", "")
		if err := errors.Join(call.Append(`{"path":"a`), call.Append(`b"}`)); err != nil {
			return err
		}
		return w.Done(message.StopReasonToolUse)
	}) {
		kept = append(kept, event.Partial())
		final = event.Message
	}
	var shown []string
	for _, m := range kept {
		text := string(m.StopReason) + " " + texts(m.Content)
		for _, call := range m.ToolCalls() {
			text += " " + call.ID + string(call.Arguments)
		}
		shown = append(shown, text)
	}
	want := []string{
		"pending ", "pending ", "pending one ", "pending one two", "pending one two", "pending one two {}",
		`pending one two c1{"path":"a"}`, `pending one two c1{"path":"ab"}`, `pending one two c1{"path":"ab"}`,
		`toolUse one two c1{"path":"ab"}`,
	}
	if diff := cmp.Diff(want, shown); diff != "" {
		t.Error(diff)
	}
	if final.API != "test" || final.Provider != "p" || final.Model != "m" || final.Timestamp != 1000 || *final.DurationMs != 0 {
		t.Errorf("final message: %+v", final)
	}
}

// TestAPartialMessageIsAskedForAtAnyTime asks for it by other goroutines while the
// response is written.
func TestAPartialMessageIsAskedForAtAnyTime(t *testing.T) {
	const pieces = 2000
	var lookers sync.WaitGroup
	events := make(chan model.Event, 10)
	for range 3 {
		lookers.Go(func() {
			for event := range events {
				if m := event.Partial(); len(m.Content) > 2 {
					t.Errorf("%d blocks", len(m.Content))
				}
			}
		})
	}
	var final *message.Assistant
	for event := range produce(t.Context(), func(w *model.Writer) error {
		part, err := w.Text()
		if err != nil {
			return err
		}
		call, err := w.ToolCall("1", "x")
		if err != nil {
			return err
		}
		err = call.Append(`{"list":[0`)
		for n := 1; err == nil && n < pieces; n++ {
			err = errors.Join(part.Append("x"), call.Append(fmt.Sprintf(",%d", n)))
		}
		return errors.Join(err, call.Append("]}"), w.Done(message.StopReasonToolUse))
	}) {
		events <- event
		final = event.Message
	}
	close(events)
	lookers.Wait()
	var arguments struct{ List []int }
	if err := json.Unmarshal(final.ToolCalls()[0].Arguments, &arguments); err != nil || len(arguments.List) != pieces {
		t.Errorf("%v, %d numbers", err, len(arguments.List))
	}
}

// TestAFailedResponseKeepsAllThatCame has a long call cut off.
func TestAFailedResponseKeepsAllThatCame(t *testing.T) {
	long := strings.Repeat("x", 10_000)
	var final *message.Assistant
	for event := range produce(t.Context(), func(w *model.Writer) error {
		call, err := w.ToolCall("1", "x")
		if err != nil {
			return err
		}
		return errors.Join(call.Append(`{"text":"`), call.Append(long), call.Append("end"), errors.New("cut off"))
	}) {
		event.Partial()
		final = event.Message
	}
	if got, want := string(final.ToolCalls()[0].Arguments), `{"text":"`+long+`end"}`; got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
}

// BenchmarkLongArguments asks for the partial message at each piece of a call of half a
// megabyte.
func BenchmarkLongArguments(b *testing.B) {
	for b.Loop() {
		for event := range produce(b.Context(), func(w *model.Writer) error {
			call, err := w.ToolCall("1", "x")
			if err != nil {
				return err
			}
			err = call.Append(`{"text":"`)
			for n := 0; err == nil && n < 32_000; n++ {
				err = call.Append("sixteen letters.")
			}
			return errors.Join(err, call.Append(`"}`), w.Done(message.StopReasonToolUse))
		}) {
			event.Partial()
		}
	}
}
