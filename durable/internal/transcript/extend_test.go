package transcript_test

import (
	"encoding/json"
	"reflect"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/seed-d579e5eb/harness/durable/internal/transcript"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
	"pgregory.net/rapid"
)

// whole compares everything of two views that a caller sees.
func whole(t rapid.TB, what string, want, got transcript.View) {
	t.Helper()
	same := cmp.Comparer(func(x, y message.Message) bool { return reflect.DeepEqual(x, y) })
	if diff := cmp.Diff(want, got, cmpopts.IgnoreUnexported(transcript.View{}), cmpopts.EquateEmpty(), same); diff != "" {
		t.Fatalf("%s (-want +got):\n%s", what, diff)
	}
}

var ids = rapid.SampledFrom([]string{"a", "b", "c"})

func drawMessage(t *rapid.T) message.Message {
	timestamp := rapid.Int64Range(1, 99).Draw(t, "timestamp")
	switch rapid.IntRange(0, 6).Draw(t, "message") {
	case 0:
		return &message.System{Content: message.Content{Text: "system"}, Timestamp: timestamp}
	case 1, 2:
		return message.UserText("user", timestamp)
	case 3, 4:
		return &message.ToolResult{ToolCallID: ids.Draw(t, "result of"), Timestamp: timestamp}
	}
	m := &message.Assistant{Timestamp: timestamp, StopReason: rapid.SampledFrom([]message.StopReason{
		message.StopReasonToolUse, message.StopReasonToolUse, message.StopReasonPending, message.StopReasonStop, message.StopReasonLength,
		message.StopReasonAborted, message.StopReasonError, message.StopReasonDeferred,
	}).Draw(t, "stop reason")}
	for _, id := range rapid.SliceOfN(ids, 0, 3).Draw(t, "calls") {
		m.Content = append(m.Content, &message.Text{Text: "text"}, &message.ToolCall{ID: id, Name: "tool"})
	}
	return m
}

func drawMessages(t *rapid.T) message.Messages {
	return rapid.SliceOfN(rapid.Custom(drawMessage), 0, 3).Draw(t, "messages")
}

// drawHistory draws a history in which entries refer to any other, though mostly to
// earlier ones.
func drawHistory(t *rapid.T, headless bool) []record.Entry {
	entries := make([]record.Entry, rapid.IntRange(0, 20).Draw(t, "entries"))
	id := record.EntryID(0)
	for i := range entries {
		id += record.EntryID(rapid.IntRange(1, 2).Draw(t, "gap"))
		e := &entries[i]
		*e = record.Entry{ID: id, Conversation: record.Root, Kind: "test", Model: drawMessages(t)}
		for range rapid.SampledFrom([]int{0, 0, 0, 1, 2}).Draw(t, "edits") {
			e.Edits = append(e.Edits, record.Edit{
				Target:   record.EntryID(rapid.IntRange(1, int(id)+2).Draw(t, "target")),
				Action:   rapid.SampledFrom([]record.Action{record.Omit, record.Replace}).Draw(t, "action"),
				Messages: drawMessages(t),
			})
		}
		if !headless && rapid.IntRange(0, 5).Draw(t, "head") == 0 {
			e.Head = entries[rapid.IntRange(0, i).Draw(t, "kept")].ID
		}
	}
	return entries
}

// TestDeriveFollowsTheRules holds contexts against the rules applied one by one.
func TestDeriveFollowsTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawHistory(t, false)
		whole(t, "derived", byTheRules(entries), transcript.Derive(entries))
	})
}

// TestDerivePassesOverWhatPrecedesTheRange guards the promise that a caller need not
// read what precedes the entry that the head names.
func TestDerivePassesOverWhatPrecedesTheRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawHistory(t, false)
		view := transcript.Derive(entries)
		if view.Head == nil {
			return
		}
		from := slices.IndexFunc(entries, func(e record.Entry) bool { return e.ID == view.Head.Head })
		whole(t, "derived from the range", view, transcript.Derive(entries[from:]))
	})
}

// TestExtendEqualsDerive extends a history by parts, often of one entry, now and
// then twice from one view, and keeps all views to the end: none may change
// afterwards.
func TestExtendEqualsDerive(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entries := drawHistory(t, rapid.Bool().Draw(t, "without heads"))
		stored := encode(t, entries)
		type kept struct {
			until int
			view  transcript.View
		}
		views := []kept{{}}
		for range rapid.IntRange(1, 20).Draw(t, "steps") {
			from := views[len(views)-1-rapid.SampledFrom([]int{0, 0, 0, min(1, len(views)-1), len(views) / 2}).Draw(t, "back")]
			until := min(len(entries), from.until+rapid.SampledFrom([]int{0, 1, 1, 1, 2, 5}).Draw(t, "more"))
			view, ok := from.view.Extend(entries[from.until:until])
			if !ok {
				head := byTheRules(entries[:until]).Head
				if head == nil || head.ID <= from.view.Tail() || head.Head > from.view.Tail() {
					t.Fatalf("refused to go on from entry %d to %d, with the head %v", from.view.Tail(), entries[until-1].ID, head)
				}
				view = transcript.Derive(entries[:until])
			}
			views = append(views, kept{until, view})
		}
		for _, k := range views {
			whole(t, "extended", byTheRules(entries[:k.until]), k.view)
			if k.until > 0 && k.view.Tail() != entries[k.until-1].ID {
				t.Fatalf("tail %d of a context as of %d", k.view.Tail(), entries[k.until-1].ID)
			}
		}
		if diff := cmp.Diff(stored, encode(t, entries)); diff != "" {
			t.Fatalf("the entries were changed:\n%s", diff)
		}
	})
}

func encode(t *rapid.T, entries []record.Entry) string {
	text, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestExtendIsRefusedWhenTheRangeBeginsElsewhere(t *testing.T) {
	for _, test := range []struct {
		name  string
		entry record.Entry
		want  bool
	}{
		{"no head", record.Entry{ID: 3}, true},
		{"a head of what is kept", record.Entry{ID: 3, Head: 2}, false},
		{"a head of itself", record.Entry{ID: 3, Head: 3}, true},
	} {
		view := transcript.Derive([]record.Entry{{ID: 1}, {ID: 2}})
		if _, ok := view.Extend([]record.Entry{test.entry}); ok != test.want {
			t.Errorf("%s: got %t", test.name, ok)
		}
	}
}

// TestViewsOfOneViewAreApart extends each view of a growing conversation in two
// ways, and then in the third that goes on.
func TestViewsOfOneViewAreApart(t *testing.T) {
	entry := func(id int, text string) []record.Entry {
		return []record.Entry{{ID: record.EntryID(id), Model: message.Messages{message.UserText(text, 1)}}}
	}
	extend := func(view transcript.View, more []record.Entry) transcript.View {
		next, ok := view.Extend(more)
		if !ok {
			t.Fatal("refused")
		}
		return next
	}
	var view transcript.View
	var entries []record.Entry
	for id := 1; id < 40; id++ {
		one, two := entry(id, "one"), entry(id, "two")
		first, second := extend(view, one), extend(view, two)
		whole(t, "the first", transcript.Derive(slices.Concat(entries, one)), first)
		whole(t, "the second", transcript.Derive(slices.Concat(entries, two)), second)
		entries = append(entries, one...)
		view = first
	}
}

// TestCallersSlicesStayAsTheyAre guards what lies behind the ends of the slices that
// a view is derived from.
func TestCallersSlicesStayAsTheyAre(t *testing.T) {
	messages := message.Messages{message.UserText("one", 1), message.UserText("kept", 1)}
	entries := []record.Entry{{ID: 1, Model: messages[:1]}, {ID: 2, Kind: "kept"}}
	view := transcript.Derive(entries[:1])
	_ = append(view.Contributions[0], message.UserText("stray", 1))
	if _, ok := view.Extend([]record.Entry{{ID: 3, Kind: "stray"}}); !ok {
		t.Fatal("refused")
	}
	if entries[1].Kind != "kept" || messages[1].Text() != "kept" {
		t.Errorf("now they have %v and %q", entries[1], messages[1].Text())
	}
}

// TestViewsCanBeAppendedTo guards what lies behind the ends of a view's own slices:
// an append by one who has the view shows in no other.
func TestViewsCanBeAppendedTo(t *testing.T) {
	entries := histories(t, "7-results.txt")[1].entries
	view := transcript.Derive(entries[:2])
	for i := range entries[2:] {
		next, ok := view.Extend(entries[2+i : 3+i])
		if !ok {
			t.Fatal("refused")
		}
		_ = append(view.Entries, record.Entry{Kind: "stray"})
		_ = append(view.Contributions, message.Messages{nil})
		_ = append(view.Messages, nil)
		view = next
	}
	whole(t, "extended", transcript.Derive(entries), view)
}

// TestViewsAreSharedByGoroutines extends one view from several goroutines at once,
// while others read it.
func TestViewsAreSharedByGoroutines(t *testing.T) {
	entries := histories(t, "7-results.txt")[1].entries
	want, common := describe(transcript.Derive(entries)), transcript.Derive(entries[:3])
	before := describe(common)
	var group sync.WaitGroup
	for range 8 {
		group.Go(func() {
			view := common
			for i := range entries[3:] {
				view, _ = view.Extend(entries[3+i : 4+i])
			}
			if got := describe(view); got != want {
				t.Errorf("extended: %s", cmp.Diff(want, got))
			}
			if got := describe(common); got != before {
				t.Errorf("extended from: %s", cmp.Diff(before, got))
			}
		})
	}
	group.Wait()
}
