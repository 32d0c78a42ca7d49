package summary_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/agent/internal/summary"
	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model"
	"github.com/seed-d579e5eb/harness/model/message"
)

// context makes a context of entries that are written as words: u is a user's turn, a a
// response and a(x,y) one with calls, r(x) a result, s a system message, n an entry that
// contributes nothing, and H at the beginning the head. A number behind it is how many
// tokens it has, 1 when there is none.
func context(words string) durable.ContextView {
	var view durable.ContextView
	for i, word := range strings.Fields(words) {
		entry := record.Entry{ID: record.EntryID(i + 1)}
		said := contribution(word)
		if word[0] == 'H' {
			entry.Head = entry.ID
			view.Head = &entry
		}
		view.Entries, view.Contributions = append(view.Entries, entry), append(view.Contributions, said)
		view.Tail = entry.ID
	}
	return view
}

func contribution(word string) message.Messages {
	tokens := 1
	if at := strings.IndexByte(word, ':'); at >= 0 {
		if _, err := fmt.Sscan(word[at+1:], &tokens); err != nil {
			panic(err)
		}
		word = word[:at]
	}
	text := message.Blocks{&message.Text{Text: strings.Repeat("x", tokens*7/2)}}
	var ids []string
	if at := strings.IndexByte(word, '('); at >= 0 {
		ids = strings.Split(strings.Trim(word[at:], "()"), ",")
	}
	switch word[0] {
	case 'u', 'H':
		return message.Messages{&message.User{Content: message.Content{Blocks: text}}}
	case 's':
		return message.Messages{&message.System{Content: message.Content{Blocks: text}}}
	case 'r':
		return message.Messages{&message.ToolResult{ToolCallID: ids[0], Content: text}}
	case 'a':
		for _, id := range ids {
			text = append(text, &message.ToolCall{ID: id, Name: "t"})
		}
		return message.Messages{&message.Assistant{Content: text}}
	}
	return nil
}

func TestWhatASummaryTakesThePlaceOf(t *testing.T) {
	for name, c := range map[string]struct {
		context string
		keep    int64
		first   record.EntryID // that stays; 0 when nothing is summarized
	}{
		"the next turn from where enough is kept":             {"u a(x) r(x):30 a u a", 20, 4},
		"enough is kept by a turn itself":                     {"u a u:30 a u", 20, 3},
		"the newest turn where no turn follows":               {"u a u a(x) r(x):30", 20, 4},
		"a context that is small":                             {"u a u a", 20, 0},
		"a context without anything before what is kept":      {"n n u:30 a", 20, 0},
		"an empty context":                                    {"", 20, 0},
		"no turn at all":                                      {"s:30 n", 20, 0},
		"a summary before is no turn and is summarized again": {"H:30 u:9 a:9 u:9 a:9", 20, 3},
		"a summary alone is not summarized again":             {"H:30 u:30 a:9", 35, 0},
		"a user's turn between a response and its result":     {"u a(x,y) r(x) u:30 r(y) a u", 20, 6},
		"results of another response are another matter":      {"u a(x) r(x) a u:30 r(x) a", 20, 5},
	} {
		t.Run(name, func(t *testing.T) {
			part, any := summary.Select(context(c.context), c.keep)
			if any != (c.first != 0) || part.FirstKept != c.first || any && len(part.Entries) != int(c.first)-1 {
				t.Errorf("%d stays first, want %d; summarized are %d", part.FirstKept, c.first, len(part.Entries))
			}
			if again, _ := summary.Before(context(c.context), c.first); len(again.Messages) != len(part.Messages) {
				t.Errorf("found again it has %d messages, and had %d", len(again.Messages), len(part.Messages))
			}
		})
	}
}

func TestWhatStaysIsWhole(t *testing.T) {
	words := rapid.Custom(func(t *rapid.T) string {
		word := rapid.SampledFrom([]string{"u", "a", "a(x)", "a(x,y)", "r(x)", "r(y)", "s", "n"}).Draw(t, "word")
		return fmt.Sprint(word, ":", rapid.IntRange(1, 20).Draw(t, "tokens"))
	})
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(words, 0, 30).Draw(t, "words")
		if rapid.Bool().Draw(t, "headed") {
			all = append([]string{"H:5"}, all...)
		}
		view, keep := context(strings.Join(all, " ")), int64(rapid.IntRange(1, 100).Draw(t, "keep"))
		part, any := summary.Select(view, keep)
		var tokens int64
		for i, said := range view.Contributions {
			for _, m := range said {
				if view.Entries[i].Head == 0 {
					tokens += model.EstimateMessage(m)
				}
			}
		}
		if any && tokens < keep {
			t.Fatalf("a context of %d tokens is summarized, of which %d are kept", tokens, keep)
		}
		if !any {
			return
		}
		kept := view.Contributions[len(part.Entries):]
		if role := kept[0][0].Role(); role != message.RoleUser && role != message.RoleAssistant {
			t.Fatalf("what stays begins with %s", role)
		}
		// A result that stays answers a response that stays, or one that it never did.
		before := view.Contributions[:len(part.Entries)]
		if orphan, is := answersBefore(before, kept); is {
			t.Fatalf("the result of %s lost its call", orphan)
		}
	})
}

// answersBefore returns a result that belongs to the last response before it was cut off.
func answersBefore(before, kept []message.Messages) (string, bool) {
	var calls []string
	for _, said := range before {
		for _, m := range said {
			if response, is := m.(*message.Assistant); is {
				calls = nil
				for _, call := range response.ToolCalls() {
					calls = append(calls, call.ID)
				}
			}
		}
	}
	for _, said := range kept {
		for _, m := range said {
			switch m := m.(type) {
			case *message.Assistant:
				return "", false
			case *message.ToolResult:
				if slices.Contains(calls, m.ToolCallID) {
					return m.ToolCallID, true
				}
			}
		}
	}
	return "", false
}

func TestAConversationIsWrittenForAModelThatSummarizes(t *testing.T) {
	got := summary.Text(message.Messages{
		&message.System{Content: message.Content{Text: "left out"}},
		message.UserText("Look.", 0),
		&message.Assistant{Content: message.Blocks{
			&message.Thinking{Thinking: "Where?"}, &message.Text{Text: "I look."},
			&message.ToolCall{Name: "read", Arguments: json.RawMessage(`{"path":"a b","n":[1,{"x":null}]}`)}, &message.ToolCall{Name: "list"},
		}},
		&message.ToolResult{Content: message.Blocks{&message.Text{Text: "short"}, &message.Image{}}},
		&message.ToolResult{Content: message.Blocks{&message.Text{Text: strings.Repeat("ä", 2003)}}},
		&message.ToolResult{Content: message.Blocks{&message.Text{Text: strings.Repeat("ä", 2000)}}},
		&message.User{Content: message.Content{Blocks: message.Blocks{&message.Image{}}}},
	})
	want := strings.Join([]string{
		"[User]: Look.", "[Assistant thinking]: Where?", "[Assistant]: I look.",
		`[Assistant tool calls]: read(path="a b", n=[1,{"x":null}]); list()`, "[Tool result]: short",
		"[Tool result]: " + strings.Repeat("ä", 2000) + "\n(3 more characters are left out)",
		"[Tool result]: " + strings.Repeat("ä", 2000),
	}, "\n\n")
	if got != want {
		t.Errorf("written as\n%s\nwant\n%s", got, want)
	}
}

func TestARequestHasTheConversationAndWhatItIsToLookAt(t *testing.T) {
	asked := summary.Request(message.Messages{message.UserText("Hi.", 0)}, "the names", 7)
	text := asked[1].Text()
	if len(asked) != 2 || asked[0].Role() != message.RoleSystem || len(asked[0].(*message.System).ToolsAdded) > 0 {
		t.Errorf("the request is %v", asked)
	}
	if !strings.HasPrefix(text, "<conversation>\n[User]: Hi.\n</conversation>\n\n") || !strings.HasSuffix(text, "\n\nAdditional focus: the names") {
		t.Errorf("the model is asked\n%s", text)
	}
	if plain := summary.Request(nil, "", 7)[1].Text(); strings.Contains(plain, "focus") {
		t.Errorf("without a focus the model is asked\n%s", plain)
	}
}
