package transcript_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// compare measures a derivation beside the decoding of the entries that it is from.
func compare(b *testing.B, decode, derive func()) {
	b.Helper()
	b.ReportAllocs()
	var floor, derived time.Duration
	for b.Loop() {
		b.StopTimer()
		started := time.Now()
		decode()
		floor += time.Since(started)
		b.StartTimer()
		started = time.Now()
		derive()
		derived += time.Since(started)
	}
	b.ReportMetric(float64(floor.Nanoseconds())/float64(b.N), "floor-ns/op")
	b.ReportMetric(float64(derived)/float64(floor), "×floor")
}

// long is a conversation of n entries in rounds of five: a response with two calls,
// their results the other way round, the answer to them, and what the user says next.
func long(n int) []record.Entry {
	text := strings.Repeat("Lorem ipsum dolor sit amet. ", 10)
	entries := make([]record.Entry, 0, n)
	for len(entries) < n {
		id := record.EntryID(len(entries) + 1)
		result := func(call string) message.Message {
			return &message.ToolResult{ToolCallID: fmt.Sprintf("%s-%d", call, id/5), ToolName: "read", Content: message.Blocks{&message.Text{Text: text}}, Timestamp: int64(id)}
		}
		var m message.Message
		switch id % 5 {
		case 0:
			m = message.UserText(text, int64(id))
		case 1, 4:
			response := &message.Assistant{Content: message.Blocks{&message.Text{Text: text}}, API: "api", Provider: "provider", Model: "model", StopReason: message.StopReasonStop, Timestamp: int64(id)}
			if id%5 == 1 {
				response.StopReason = message.StopReasonToolUse
				for _, call := range []string{"a", "b"} {
					response.Content = append(response.Content, &message.ToolCall{ID: fmt.Sprintf("%s-%d", call, id/5), Name: "read", Arguments: json.RawMessage(`{"path":"file.txt"}`)})
				}
			}
			m = response
		case 2:
			m = result("b")
		case 3:
			m = result("a")
		}
		entries = append(entries, record.Entry{ID: id, Conversation: record.Root, Kind: "test", Model: message.Messages{m}})
	}
	return entries
}

func encoded(b *testing.B, entries []record.Entry) [][]byte {
	b.Helper()
	stored := make([][]byte, len(entries))
	for i := range entries {
		text, err := json.Marshal(entries[i])
		if err != nil {
			b.Fatal(err)
		}
		stored[i] = text
	}
	return stored
}

func decoded(b *testing.B, stored [][]byte) []record.Entry {
	b.Helper()
	entries := make([]record.Entry, len(stored))
	for i := range stored {
		if err := json.Unmarshal(stored[i], &entries[i]); err != nil {
			b.Fatal(err)
		}
	}
	return entries
}

// BenchmarkDerive decodes and derives 10,000 entries; the floor is the decoding.
func BenchmarkDerive(b *testing.B) {
	stored := encoded(b, long(10_000))
	compare(b,
		func() { decoded(b, stored) },
		func() { transcript.Derive(decoded(b, stored)) })
}

// BenchmarkExtend decodes the next entries of a conversation of 10,000 and extends
// its view with each of them, again and again; the floor is the decoding.
func BenchmarkExtend(b *testing.B) {
	const n = 10_000
	entries := long(n + 3)
	edit := record.Edit{Target: 1, Action: record.Replace, Messages: message.Messages{message.UserText("edited", 1)}}
	for _, test := range []struct {
		name string
		next []record.Entry
	}{
		{"a response", entries[n : n+1]},
		{"a response and its results", entries[n : n+3]},
		{"an edit of the first entry", []record.Entry{{Kind: "test", Edits: []record.Edit{edit}}}},
	} {
		b.Run(test.name, func(b *testing.B) {
			stored := encoded(b, test.next)
			view := transcript.Derive(entries[:n])
			compare(b,
				func() { decoded(b, stored) },
				func() {
					next := decoded(b, stored)
					for i := range next {
						next[i].ID = view.Tail() + 1
						view, _ = view.Extend(next[i : i+1])
					}
				})
		})
	}
}
