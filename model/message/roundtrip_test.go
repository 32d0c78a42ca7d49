package message

import (
	"encoding/json"
	"fmt"
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestWhatIsWrittenIsReadAgain makes messages of all shapes.
func TestWhatIsWrittenIsReadAgain(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		list := Messages(rapid.SliceOfN(rapid.Custom(drawMessage), 1, 4).Draw(t, "messages"))
		text, err := list.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		var read Messages
		if err := json.Unmarshal(text, &read); err != nil {
			t.Fatalf("%v in %s", err, text)
		}
		if diff := cmp.Diff(list, read); diff != "" {
			t.Fatalf("(-written +read):\n%s", diff)
		}
		again, err := read.MarshalJSON()
		if err != nil || string(again) != string(text) {
			t.Fatalf("%v: written as\n%s\nand then as\n%s", err, text, again)
		}
	})
}

// TestNumbersAreWrittenAsEncodingJSONDoes holds the form of numbers against another
// implementation of JavaScript's.
func TestNumbersAreWrittenAsEncodingJSONDoes(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		value := rapid.OneOf(rapid.Float64(), rapid.Map(rapid.IntRange(-30, 30), func(n int) float64 { return math.Pow(10, float64(n)) })).Draw(t, "number")
		want, err := json.Marshal(value)
		if err != nil {
			t.Skip("not a number of JSON")
		}
		if value == 0 {
			want = []byte("0")
		}
		got, err := (*numberCodec)(&value).write(nil)
		if err != nil || string(got) != string(want) {
			t.Fatalf("%v is %s, want %s: %v", value, got, want, err)
		}
	})
}

func drawMessage(t *rapid.T) Message {
	switch rapid.IntRange(0, 3).Draw(t, "role") {
	case 0:
		return &System{
			Content: drawContent(t, drawText), Sections: drawSections(t), ToolsAdded: drawDeclarations(t), ToolsRemoved: drawReferences(t),
			Timestamp: drawWhole(t), Extra: drawExtra(t),
		}
	case 1:
		return &User{Content: drawContent(t, drawText, drawImage), Timestamp: drawWhole(t), Extra: drawExtra(t)}
	case 2:
		return &Assistant{
			Content: drawBlocks(t, drawText, drawThinking, drawToolCall),
			API:     drawString(t), Provider: drawString(t), Model: drawString(t), ResponseModel: drawString(t), ResponseID: drawString(t),
			ThinkingLevel: drawString(t), ProviderThinkingLevel: drawString(t),
			Diagnostics: drawRaw(t, "", "[]", `[{"type":"x"}]`), Usage: drawUsage(t),
			StopReason: rapid.SampledFrom([]StopReason{
				StopReasonPending, StopReasonStop, StopReasonLength, StopReasonToolUse, StopReasonError, StopReasonAborted, StopReasonDeferred,
			}).Draw(t, "stop reason"),
			Deferred: drawRaw(t, "", "{}", `{"id":1}`), ErrorMessage: drawString(t), RawStopReason: drawString(t),
			EndTurn: drawPointer(t, rapid.Bool()), Timestamp: drawWhole(t), DurationMs: drawPointer(t, finite()), Extra: drawExtra(t),
		}
	}
	result := &ToolResult{
		ToolCallID: drawString(t), ToolName: drawString(t), Content: drawBlocks(t, drawText, drawImage),
		Details: drawRaw(t, "", "null", "0", `{"b":[1.0],"a":"\ud800"}`), NestedCalls: drawRaw(t, "", "{}"), IsError: rapid.Bool().Draw(t, "flag"),
		Timestamp: drawWhole(t), DurationMs: drawPointer(t, finite()), Extra: drawExtra(t),
	}
	if rapid.Bool().Draw(t, "usage") {
		result.Usage = new(drawUsage(t))
	}
	return result
}

func drawText(t *rapid.T) Block {
	return &Text{Text: drawString(t), TextSignature: drawString(t), Extra: drawExtra(t)}
}

func drawThinking(t *rapid.T) Block {
	return &Thinking{Thinking: drawString(t), ThinkingSignature: drawString(t), Redacted: rapid.Bool().Draw(t, "flag"), Extra: drawExtra(t)}
}

func drawToolCall(t *rapid.T) Block {
	return &ToolCall{
		ID: drawString(t), Name: drawString(t), Arguments: drawRaw(t, "{}", `{"b":1,"a":{"2":[],"1":null}}`),
		ThoughtSignature: drawString(t), Namespace: drawString(t), ArgumentsError: drawString(t), Extra: drawExtra(t),
	}
}

func drawImage(t *rapid.T) Block {
	return &Image{Data: drawString(t), MimeType: drawString(t), Extra: drawExtra(t)}
}

func drawBlocks(t *rapid.T, kinds ...func(*rapid.T) Block) Blocks {
	blocks := Blocks{}
	for range rapid.IntRange(0, 3).Draw(t, "blocks") {
		blocks = append(blocks, rapid.SampledFrom(kinds).Draw(t, "block")(t))
	}
	return blocks
}

func drawContent(t *rapid.T, kinds ...func(*rapid.T) Block) Content {
	if rapid.Bool().Draw(t, "plain") {
		return Content{Text: drawString(t)}
	}
	return Content{Blocks: drawBlocks(t, kinds...)}
}

func drawSections(t *rapid.T) Sections {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	sections := Sections{}
	for _, name := range rapid.SliceOfNDistinct(rapid.String(), 0, 4, rapid.ID).Draw(t, "sections") {
		section := Section{Name: name, Removed: rapid.Bool().Draw(t, "removed")}
		if !section.Removed {
			section.Text = drawString(t)
		}
		sections = append(sections, section)
	}
	return sections
}

func drawDeclarations(t *rapid.T) []ToolDeclaration {
	var declarations []ToolDeclaration
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		declarations = append(declarations, ToolDeclaration{
			Name: drawString(t), Description: drawString(t), Parameters: drawRaw(t, "{}", `{"type":"object"}`), Extra: drawExtra(t),
		})
	}
	return declarations
}

func drawReferences(t *rapid.T) []ToolReference {
	var references []ToolReference
	for range rapid.IntRange(0, 2).Draw(t, "tools") {
		references = append(references, ToolReference{Name: drawString(t), Extra: drawExtra(t)})
	}
	return references
}

func drawUsage(t *rapid.T) Usage {
	cost := func() float64 { return rapid.Float64Range(0, 1e9).Draw(t, "cost") }
	return Usage{
		Input: drawWhole(t), Output: drawWhole(t), CacheRead: drawWhole(t), CacheWrite: drawWhole(t), TotalTokens: drawWhole(t),
		CacheWrite1h: drawPointer(t, rapid.Int64Range(0, 9)), Reasoning: drawPointer(t, rapid.Int64Range(0, 9)),
		Cost: Cost{
			Input: cost(), Output: cost(), CacheRead: cost(), CacheWrite: cost(), Total: cost(),
			TotalFromProvider: rapid.Bool().Draw(t, "flag"), Extra: drawExtra(t),
		},
		Extra: drawExtra(t),
	}
}

func drawString(t *rapid.T) string {
	return rapid.OneOf(rapid.Just(""), rapid.String()).Draw(t, "text")
}
func drawWhole(t *rapid.T) int64 { return rapid.Int64Range(-mostWhole, mostWhole).Draw(t, "whole") }

// finite are the numbers that JSON has. Negative zero is not among them, since it is
// written as 0.
func finite() *rapid.Generator[float64] {
	return rapid.Map(rapid.Float64Range(-math.MaxFloat64, math.MaxFloat64), func(n float64) float64 { return n + 0 })
}

func drawPointer[T any](t *rapid.T, values *rapid.Generator[T]) *T {
	if rapid.Bool().Draw(t, "absent") {
		return nil
	}
	return new(values.Draw(t, "value"))
}

// drawRaw draws one of some texts; the empty one is nil.
func drawRaw(t *rapid.T, texts ...string) json.RawMessage {
	if text := rapid.SampledFrom(texts).Draw(t, "raw"); text != "" {
		return json.RawMessage(text)
	}
	return nil
}

func drawExtra(t *rapid.T) Extra {
	var extra Extra
	for i := range rapid.IntRange(0, 2).Draw(t, "extra") {
		name := fmt.Sprintf("x%d%s", i, rapid.String().Draw(t, "name"))
		extra = append(extra, Member{Name: name, Value: drawRaw(t, "null", `""`, "false", `{"b":[1e400],"a":"\u0041"}`)})
	}
	return extra
}
