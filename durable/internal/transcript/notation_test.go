package transcript_test

import (
	"bufio"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// history is a case of a file in testdata: the entries, one a line, and below the
// rule the context. An entry is its id and parts between semicolons:
//
//	user TEXT, system TEXT       a message
//	assistant TEXT (A B) !error  one that calls A and B and stopped for that reason
//	result A TEXT                the result of call A
//	head ID, omit ID             what the entry does
//	replace ID MESSAGE + MESSAGE
//
// A message has its entry's id as its time. The context is a line for each entry,
// with what it contributes and * before the head, then => and the messages.
type history struct {
	name    string
	entries []record.Entry
	context string
}

func histories(t *testing.T, path string) []history {
	t.Helper()
	file, err := os.Open("testdata/" + path)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var all []history
	below := false
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		line := strings.TrimSpace(lines.Text())
		name, begins := strings.CutPrefix(line, "== ")
		switch {
		case begins:
			all, below = append(all, history{name: name}), false
		case line == "--":
			below = true
		case line == "" || line[0] == '#':
		case below:
			all[len(all)-1].context += line + "\n"
		default:
			h := &all[len(all)-1]
			h.entries = append(h.entries, parseEntry(t, line))
		}
	}
	if lines.Err() != nil || len(all) == 0 {
		t.Fatalf("%s: %d histories, error %v", path, len(all), lines.Err())
	}
	return all
}

func parseEntry(t *testing.T, line string) record.Entry {
	t.Helper()
	number, rest, _ := strings.Cut(line, " ")
	entry := record.Entry{ID: parseID(t, number), Conversation: record.Root, Kind: "test"}
	for _, part := range strings.Split(rest, "; ") {
		word, rest, _ := strings.Cut(part, " ")
		switch word {
		case "note":
		case "head":
			entry.Head = parseID(t, rest)
		case "omit":
			entry.Edits = append(entry.Edits, record.Edit{Target: parseID(t, rest), Action: record.Omit})
		case "replace":
			target, rest, _ := strings.Cut(rest, " ")
			edit := record.Edit{Target: parseID(t, target), Action: record.Replace}
			for _, text := range strings.Split(rest, " + ") {
				edit.Messages = append(edit.Messages, parseMessage(t, text, int64(entry.ID)))
			}
			entry.Edits = append(entry.Edits, edit)
		default:
			entry.Model = append(entry.Model, parseMessage(t, part, int64(entry.ID)))
		}
	}
	return entry
}

func parseID(t *testing.T, text string) record.EntryID {
	t.Helper()
	id, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return record.EntryID(id)
}

func parseMessage(t *testing.T, text string, timestamp int64) message.Message {
	t.Helper()
	role, text, _ := strings.Cut(text, " ")
	switch role {
	case "user":
		return message.UserText(text, timestamp)
	case "system":
		return &message.System{Content: message.Content{Text: text}, Timestamp: timestamp}
	case "result":
		id, text, _ := strings.Cut(text, " ")
		return &message.ToolResult{ToolCallID: id, ToolName: "tool-" + id, Content: message.Blocks{&message.Text{Text: text}}, Timestamp: timestamp}
	case "assistant":
		text, stop, stopped := strings.Cut(text, " !")
		text, calls, _ := strings.Cut(text, " (")
		m := &message.Assistant{Content: message.Blocks{&message.Text{Text: text}}, StopReason: message.StopReasonStop, Timestamp: timestamp}
		for _, id := range strings.Fields(strings.TrimSuffix(calls, ")")) {
			m.Content = append(m.Content, &message.ToolCall{ID: id, Name: "tool-" + id})
		}
		if stopped {
			m.StopReason = message.StopReason(stop)
		}
		return m
	}
	t.Fatalf("no message begins with %q", role)
	return nil
}

// describe writes a view as testdata has it.
func describe(view transcript.View) string {
	var b strings.Builder
	for i, entry := range view.Entries {
		if view.Head != nil && view.Head.ID == entry.ID {
			b.WriteString("*")
		}
		var parts []string
		for _, m := range view.Contributions[i] {
			parts = append(parts, describeMessage(m))
		}
		if view.Contributions[i] == nil {
			parts = []string{"-"}
		}
		fmt.Fprintf(&b, "%d %s\n", entry.ID, strings.Join(parts, "; "))
	}
	b.WriteString("=>\n")
	for _, m := range view.Messages {
		b.WriteString(describeMessage(m) + "\n")
	}
	return b.String()
}

func describeMessage(m message.Message) string {
	switch m := m.(type) {
	case *message.ToolResult:
		if m.IsError {
			return fmt.Sprintf("result %s of %s error %s at %d", m.ToolCallID, m.ToolName, m.Details, m.Timestamp)
		}
		return fmt.Sprintf("result %s %s", m.ToolCallID, m.Text())
	case *message.Assistant:
		var calls []string
		for _, call := range m.ToolCalls() {
			calls = append(calls, call.ID)
		}
		if calls != nil {
			return fmt.Sprintf("assistant %s (%s)", m.Text(), strings.Join(calls, " "))
		}
	}
	return string(m.Role()) + " " + m.Text()
}
