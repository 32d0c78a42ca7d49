package model

import (
	"encoding/json"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/seed-d579e5eb/harness/model/message"
)

// imageUnits is what an image counts for in an estimate, in UTF-16 units.
const imageUnits = 4800

// Units returns how many UTF-16 units a text has, which is what JavaScript calls its
// length.
func Units(text string) int {
	units := 0
	for _, r := range text {
		if n := utf16.RuneLen(r); n > 0 {
			units += n
		} else {
			units++
		}
	}
	return units
}

// EstimateTokens estimates the tokens of so many UTF-16 units of text, cautiously: a
// token for each 3.5 of them, rounded up, as pi-ai does.
func EstimateTokens(units int) int64 { return (int64(units)*2 + 6) / 7 }

// EstimateMessage estimates the tokens of a message in a prompt.
func EstimateMessage(m message.Message) int64 {
	switch m := m.(type) {
	case *message.System:
		return EstimateTokens(Units(SystemText(m))) + estimateJSON(m.ToolsAdded) + estimateJSON(m.ToolsRemoved)
	case *message.User:
		if m.Content.Blocks == nil {
			return EstimateTokens(Units(m.Content.Text))
		}
		return EstimateTokens(blockUnits(m.Content.Blocks))
	case *message.Assistant:
		return EstimateTokens(blockUnits(m.Content))
	case *message.ToolResult:
		return EstimateTokens(blockUnits(m.Content))
	}
	return 0
}

func blockUnits(blocks message.Blocks) int {
	units := 0
	for _, block := range blocks {
		switch block := block.(type) {
		case *message.Text:
			units += Units(block.Text)
		case *message.Thinking:
			units += Units(block.Thinking)
		case *message.ToolCall:
			units += Units(block.Name) + max(utf8.RuneCount(block.Arguments), len("{}"))
		case *message.Image:
			units += imageUnits
		}
	}
	return units
}

func estimateJSON[T any](list []T) int64 {
	if len(list) == 0 {
		return 0
	}
	text, err := json.Marshal(list)
	if err != nil {
		return 0
	}
	return EstimateTokens(utf8.RuneCount(text))
}

// ContextTokens returns how many tokens a usage says that prompt and answer have
// together.
func ContextTokens(usage message.Usage) int64 {
	if usage.TotalTokens != 0 {
		return usage.TotalTokens
	}
	return usage.Input + usage.Output + usage.CacheRead + usage.CacheWrite
}

// EstimateContext estimates the tokens of a transcript: what the newest usable usage
// says, and an estimate of what follows it. A usage is not usable when its response
// failed, or when a message before it is newer, such as a summary that took the place
// of older ones.
func EstimateContext(transcript message.Messages) int64 {
	at, tokens := -1, int64(0)
	newest := int64(-1 << 62)
	for i, m := range transcript {
		stamp := timestamp(m)
		if answer, ok := m.(*message.Assistant); ok && stamp >= newest && settled(answer) && ContextTokens(answer.Usage) > 0 {
			at, tokens = i, ContextTokens(answer.Usage)
		}
		newest = max(newest, stamp)
	}
	for _, m := range transcript[at+1:] {
		tokens += EstimateMessage(m)
	}
	return tokens
}

func settled(answer *message.Assistant) bool {
	return answer.StopReason != message.StopReasonAborted && answer.StopReason != message.StopReasonError
}

func timestamp(m message.Message) int64 {
	switch m := m.(type) {
	case *message.System:
		return m.Timestamp
	case *message.User:
		return m.Timestamp
	case *message.Assistant:
		return m.Timestamp
	case *message.ToolResult:
		return m.Timestamp
	}
	return 0
}
