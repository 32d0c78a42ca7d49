package model_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// golden calls check with each line of a file that pi-ai 1.6.0 made.
func golden[T any](t *testing.T, name string, check func(t *testing.T, line T)) {
	t.Helper()
	text, err := os.ReadFile("testdata/pi-ai-" + name + ".jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for n, line := range bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n")) {
		var read T
		if err := json.Unmarshal(line, &read); err != nil {
			t.Fatalf("line %d: %v", n+1, err)
		}
		t.Run(fmt.Sprintf("line %d", n+1), func(t *testing.T) { check(t, read) })
	}
}

func decode(t *testing.T, list []json.RawMessage) message.Messages {
	t.Helper()
	messages := make(message.Messages, len(list))
	for i, text := range list {
		m, err := message.Decode(text)
		if err != nil {
			t.Fatal(err)
		}
		messages[i] = m
	}
	return messages
}

// valueOf returns what a value is in JSON, for comparing.
func valueOf(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var plain any
	if err := json.Unmarshal(text, &plain); err != nil {
		t.Fatal(err)
	}
	return plain
}

func TestATranscriptAmountsToWhatItDoesInPiAI(t *testing.T) {
	golden(t, "transcripts", func(t *testing.T, line struct {
		Messages, Tools, Collapsed []json.RawMessage
		Prompt                     string
		Tokens                     []int64
		Context                    int64
	}) {
		transcript := decode(t, line.Messages)
		if diff := cmp.Diff(line.Prompt, model.SystemPrompt(transcript)); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(valueOf(t, line.Tools), valueOf(t, append([]message.ToolDeclaration{}, model.Tools(transcript)...))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(valueOf(t, line.Collapsed), valueOf(t, model.Collapse(transcript))); diff != "" {
			t.Error(diff)
		}
		for i, m := range transcript {
			if got := model.EstimateMessage(m); got != line.Tokens[i] {
				t.Errorf("message %d: %d tokens, want %d", i, got, line.Tokens[i])
			}
		}
		if got := model.EstimateContext(transcript); got != line.Context {
			t.Errorf("context: %d tokens, want %d", got, line.Context)
		}
	})
}

func TestToolsChangeAsInPiAI(t *testing.T) {
	golden(t, "tools", func(t *testing.T, line struct {
		Previous, Current, ToolsAdded []message.ToolDeclaration
		ToolsRemoved                  []message.ToolReference
	}) {
		added, removed := model.ToolChanges(line.Previous, line.Current)
		if diff := cmp.Diff(valueOf(t, line.ToolsAdded), valueOf(t, append([]message.ToolDeclaration{}, added...))); diff != "" {
			t.Error(diff)
		}
		if diff := cmp.Diff(valueOf(t, line.ToolsRemoved), valueOf(t, append([]message.ToolReference{}, removed...))); diff != "" {
			t.Error(diff)
		}
		change := &message.System{ToolsAdded: added, ToolsRemoved: removed}
		after := model.Tools(message.Messages{&message.System{ToolsAdded: line.Previous}, change})
		if rest, gone := model.ToolChanges(after, line.Current); rest != nil || gone != nil {
			t.Errorf("after the change there is more to change: %v %v", rest, gone)
		}
	})
}

func TestThinkingIsClampedAsInPiAI(t *testing.T) {
	golden(t, "thinking", func(t *testing.T, line struct {
		Model   model.Model
		Levels  []model.ThinkingLevel
		Clamped [][2]model.ThinkingLevel
	}) {
		if diff := cmp.Diff(line.Levels, append([]model.ThinkingLevel{}, line.Model.ThinkingLevels()...)); diff != "" {
			t.Error(diff)
		}
		for _, pair := range line.Clamped {
			if got := line.Model.ClampThinking(pair[0]); got != pair[1] {
				t.Errorf("%s: %s, want %s", pair[0], got, pair[1])
			}
		}
	})
}

func TestAUsageCostsWhatItDoesInPiAI(t *testing.T) {
	golden(t, "cost", func(t *testing.T, line struct {
		Model model.Model
		Usage message.Usage
		Cost  message.Cost
	}) {
		near := cmp.Comparer(func(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(a)) })
		if diff := cmp.Diff(line.Cost, line.Model.CostOf(line.Usage), near); diff != "" {
			t.Error(diff)
		}
	})
}

// TestErrorsAreJudgedAsInPiAI has one difference: throttling is no overflow, whatever it
// counts, and passes.
func TestErrorsAreJudgedAsInPiAI(t *testing.T) {
	golden(t, "errors", func(t *testing.T, line struct {
		Text, Provider      string
		Retryable, Overflow bool
	}) {
		m := &message.Assistant{StopReason: message.StopReasonError, ErrorMessage: line.Text, Provider: line.Provider}
		if strings.HasPrefix(line.Text, "Throttling") {
			line.Retryable, line.Overflow = true, false
		}
		if model.Retryable(m) != line.Retryable || model.Overflow(m, 0) != line.Overflow {
			t.Errorf("%q: retryable %v, overflow %v", line.Text, model.Retryable(m), model.Overflow(m, 0))
		}
		m.StopReason = message.StopReasonAborted
		if model.Retryable(m) || model.Overflow(m, 0) {
			t.Errorf("%q: an aborted response is judged by its text", line.Text)
		}
	})
}

func TestDelaysAreThoseOfPiAI(t *testing.T) {
	golden(t, "delays", func(t *testing.T, line struct {
		Base, Max, Delay int64
		Attempt          int
	}) {
		got := model.RetryDelay(time.Duration(line.Base)*time.Millisecond, time.Duration(line.Max)*time.Millisecond, line.Attempt)
		if got.Milliseconds() != line.Delay {
			t.Errorf("%+v: %v", line, got)
		}
	})
}

// TestArgumentsAreReadAsInPiAI has one difference: half of a surrogate pair is held back
// until the other one comes.
func TestArgumentsAreReadAsInPiAI(t *testing.T) {
	golden(t, "arguments", func(t *testing.T, line struct {
		Text               string
		Partial, Arguments any
		Wrong              bool
	}) {
		whole := cmp.Transformer("whole", func(text string) string { return strings.TrimSuffix(text, "\ufffd") })
		if diff := cmp.Diff(line.Partial, valueOf(t, model.PartialArguments(line.Text)), whole); diff != "" {
			t.Errorf("%q so far (-want +got):\n%s", line.Text, diff)
		}
		arguments, flaw := model.ParseArguments(line.Text)
		if diff := cmp.Diff(line.Arguments, valueOf(t, arguments)); diff != "" {
			t.Errorf("%q (-want +got):\n%s", line.Text, diff)
		}
		if line.Wrong != (flaw != "") {
			t.Errorf("%q: %s", line.Text, flaw)
		}
	})
}
