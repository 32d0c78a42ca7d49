package record_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/model/message"
)

// plain is an entry as encoding/json writes and reads one by its tags.
type plain record.Entry

// entries are entries of all shapes.
func entries() []record.Entry {
	model := message.Messages{
		message.UserText("<b> & \"c\" \u2028 é", 1),
		&message.Assistant{Content: message.Blocks{&message.ToolCall{ID: "1", Name: "n", Arguments: json.RawMessage(`{"a":"<"}`)}}, StopReason: message.StopReasonStop},
	}
	return []record.Entry{
		{},
		{ID: record.MaxID, Conversation: 1, Kind: "note"},
		{ID: 2, Conversation: 1, Kind: "\"<é\n\u2028", Data: json.RawMessage(`null`)},
		{ID: 3, Conversation: 1, Kind: "a", Data: json.RawMessage(` {"a" : [1, "<b c>"] } `)},
		{ID: 4, Conversation: 1, Kind: "a", Model: model, Head: 4, Task: 9},
		{ID: 5, Conversation: 1, Kind: "a", Edits: []record.Edit{{Target: 3, Action: record.Omit}, {Target: 4, Action: record.Replace, Messages: model}}},
		{ID: 6, Conversation: 1, Kind: "a", Model: message.Messages{}, Data: json.RawMessage{}, Edits: []record.Edit{}},
		{ID: -7, Conversation: -1, Kind: "a", Head: -1, Task: -1},
	}
}

func TestEntriesHaveTheFormOfTheirTags(t *testing.T) {
	for _, entry := range entries() {
		want, err := json.Marshal(plain(entry))
		if err != nil {
			t.Fatal(err)
		}
		if got, err := json.Marshal(entry); err != nil || string(got) != string(want) {
			t.Errorf("written as\n%s %v, want\n%s", got, err, want)
		}
		appended, err := entry.AppendJSON([]byte("before"))
		if err != nil || !strings.HasPrefix(string(appended), `before{"id":`) {
			t.Errorf("appended %q: %v", appended, err)
		}
		text := appended[len("before"):]
		var tagged plain
		if err := json.Unmarshal(text, &tagged); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		var read record.Entry
		if err := read.UnmarshalJSON(text); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		if diff := cmp.Diff(record.Entry(tagged), read); diff != "" {
			t.Errorf("%s is read as (-by tags +got):\n%s", text, diff)
		}
		given := entry.Clone()
		frozenText, frozen, err := given.Freeze([]byte("before"))
		if err != nil || string(frozenText) != string(appended) {
			t.Errorf("frozen as %s: %v", frozenText, err)
		}
		for i := range given.Data {
			given.Data[i] = 'x'
		}
		spoil(given.Model)
		if diff := cmp.Diff(read, frozen); diff != "" {
			t.Errorf("%s is frozen as (-read +frozen):\n%s", text, diff)
		}
		if _ = append(frozen.Data, "garbage"...); string(frozenText) != string(appended) {
			t.Errorf("what is appended to the data changes the text: %s", frozenText)
		}
		if diff := cmp.Diff(read, read.Clone()); diff != "" {
			t.Errorf("(-of +clone):\n%s", diff)
		}
		for i := range text {
			text[i] = 'x'
		}
		if again, err := read.AppendJSON(nil); err != nil || !json.Valid(again) {
			t.Errorf("what was read shares bytes with the text: %s %v", again, err)
		}
	}
}

func TestWhatIsFrozenIsWhatIsRead(t *testing.T) {
	text, frozen, err := record.Entry{Kind: "\xff", Data: json.RawMessage(`3`)}.Freeze(nil)
	if err != nil {
		t.Fatal(err)
	}
	var read record.Entry
	if err := json.Unmarshal(text, &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(read, frozen); diff != "" || frozen.Kind != "\ufffd" {
		t.Errorf("(-read +frozen):\n%s", diff)
	}
}

func TestEntriesAreReadFromAnyText(t *testing.T) {
	read := record.Entry{Kind: "before"}
	text := ` { "other" : [1] , "k\u0069nd" : "a" , "id" : 3 , "id" : 4 , "data" : { "b" : 1 } } `
	if err := json.Unmarshal([]byte(text), &read); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(record.Entry{ID: 4, Kind: "a", Data: json.RawMessage(`{"b":1}`)}, read); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestEntriesThatAreNoneAreRefused(t *testing.T) {
	for _, text := range []string{
		``, `1`, `null`, `[]`, `{`, `{"id":"1"}`, `{"id":1.5}`, `{"conversationId":null}`, `{"kind":1}`, `{"model":1}`, `{"model":[{}]}`,
		`{"head":{}}`, `{"edits":1}`, `{"edits":[{"messages":[1]}]}`, `{"byTaskId":9223372036854775808}`,
	} {
		read := record.Entry{Kind: "before"}
		if err := read.UnmarshalJSON([]byte(text)); err == nil || read.Kind != "before" {
			t.Errorf("%q was read as %+v: %v", text, read, err)
		}
	}
	for _, entry := range []record.Entry{
		{Data: json.RawMessage(`{`)},
		{Model: message.Messages{nil}},
		{Edits: []record.Edit{{}, {Messages: message.Messages{nil}}}},
	} {
		if text, err := entry.AppendJSON([]byte("before")); err == nil || string(text) != "before" {
			t.Errorf("%+v was written as %s", entry, text)
		}
		if text, _, err := entry.Freeze([]byte("before")); err == nil || string(text) != "before" {
			t.Errorf("%+v was frozen as %s", entry, text)
		}
	}
	var flaw *message.Error
	if _, err := (record.Entry{Model: message.Messages{nil}}).AppendJSON(nil); !errors.As(err, &flaw) {
		t.Errorf("%v", err)
	}
	var syntax *json.SyntaxError
	if _, err := (record.Entry{Data: json.RawMessage(`{`)}).AppendJSON(nil); !errors.As(err, &syntax) {
		t.Errorf("%v", err)
	}
}

func TestACloneOfAnEntryIsApart(t *testing.T) {
	for _, entry := range entries() {
		before, err := json.Marshal(entry)
		if err != nil {
			t.Fatal(err)
		}
		clone := entry.Clone()
		spoil(clone.Model)
		for i := range clone.Data {
			clone.Data[i] = 'x'
		}
		for i := range clone.Edits {
			spoil(clone.Edits[i].Messages)
			clone.Edits[i] = record.Edit{}
		}
		if after, err := json.Marshal(entry); err != nil || string(after) != string(before) {
			t.Errorf("%s became %s %v", before, after, err)
		}
	}
}

// spoil changes messages and the list of them.
func spoil(list message.Messages) {
	for i, one := range list {
		switch one := one.(type) {
		case *message.User:
			*one = message.User{}
		case *message.Assistant:
			*one = message.Assistant{}
		}
		list[i] = nil
	}
}
