package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
	"github.com/seed-d579e5eb/harness/model/message"
)

// noText is JSON but for a byte that no UTF-8 has.
var noText = json.RawMessage("{\"a\":\"b\xff\"}")

// spoken is a value of Go with texts everywhere.
type spoken struct {
	Text   string            `json:"text"`
	List   []string          `json:"list,omitempty"`
	Map    map[string]any    `json:"map,omitempty"`
	To     *spoken           `json:"to,omitempty"`
	Raw    json.RawMessage   `json:"raw,omitempty"`
	Own    value.String      `json:"own,omitempty"`
	Fixed  [1]string         `json:"fixed"`
	Bytes  []byte            `json:"bytes,omitempty"`
	Hidden string            `json:"-"`
	Keys   map[string]string `json:"keys,omitempty"`
}

// unsaid are values that JSON cannot say, and said are those that it can.
func unsaid() map[string]spoken {
	return map[string]spoken{
		"a text": {Text: "a\xff"}, "a list": {List: []string{"a", "\xc3"}}, "a map": {Map: map[string]any{"a": []any{"\xff"}}},
		"a key": {Keys: map[string]string{"\xff": "a"}}, "a pointer": {To: &spoken{Text: "\xed\xa0\x80"}}, "an array": {Fixed: [1]string{"\xff"}},
		"raw JSON": {Raw: json.RawMessage("\"\xff\"")},
	}
}

func said() map[string]spoken {
	return map[string]spoken{
		"a replacement": {Text: "a\ufffdb"}, "an escape": {Raw: json.RawMessage(`"\ufffd"`)}, "half a pair": {Own: value.String("\xed\xa0\x80")},
		"bytes": {Bytes: []byte("\xff")}, "what is not shown": {Hidden: "\xff"},
	}
}

// refuses makes a commit that must fail with an [*durable.InvalidError].
func (s *opened) refuses(what string, change func(tx *durable.Tx) error) {
	s.t.Helper()
	err := s.Commit(within(s.t), func(_ context.Context, tx *durable.Tx) error { return change(tx) })
	var invalid *durable.InvalidError
	if !errors.As(err, &invalid) {
		s.t.Errorf("%s: %v", what, err)
	}
}

func TestJSONThatIsNotUTF8IsRefused(t *testing.T) {
	s := begin(t)
	in := s.ID()
	of := task("one", phases{"begin": completes()})
	for what, change := range map[string]func(tx *durable.Tx) error{
		"an entry's data": func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "a", Data: noText})
			return err
		},
		"a message's details": func(tx *durable.Tx) error {
			result := &message.ToolResult{ToolCallID: "a", ToolName: "b", Details: noText}
			_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "a", Model: message.Messages{result}})
			return err
		},
		"a write": func(tx *durable.Tx) error {
			_, err := tx.Submit(in, durable.Write{Entry: durable.EntryDraft{Kind: "a", Data: noText}})
			return err
		},
		"a label": func(tx *durable.Tx) error {
			_, err := tx.Submit(in, durable.Input{Label: &durable.Label{Kind: "a", Data: noText}})
			return err
		},
		"a payload": func(tx *durable.Tx) error {
			_, err := tx.Emit(durable.EventDraft{Type: "a", Payload: noText})
			return err
		},
		"a task's input": func(tx *durable.Tx) error {
			_, err := tx.CreateTask(of.Definition, noText, own(in))
			return err
		},
		"a detail": func(tx *durable.Tx) error {
			_, err := tx.CreateSubmission(record.Submission{Conversation: in, Type: record.Input, Status: record.Unanswered, Reason: "r", Detail: noText})
			return err
		},
	} {
		s.refuses(what, change)
	}
	waits := s.submit(says("first"))
	s.refuses("a settlement", func(tx *durable.Tx) error {
		return tx.SettleSubmission(waits.ID(), durable.Settlement{Reason: "r", Detail: noText})
	})
}

// TestGoValuesAreStoredAsTheyAreOrNotAtAll writes values of Go as events, entries and
// documents.
func TestGoValuesAreStoredAsTheyAreOrNotAtAll(t *testing.T) {
	s := begin(t)
	event, entry := durable.EventType[spoken]{Name: "spoken"}, durable.EntryKind[spoken]("spoken")
	document := durable.DefineDocument(durable.DocumentSpec[spoken]{
		Kind: "test.spoken", Version: 1, Scope: record.SessionScope, Initial: func() spoken { return spoken{} },
	})
	emit := func(one spoken) func(tx *durable.Tx) error {
		return func(tx *durable.Tx) error {
			_, err := event.Emit(tx, 0, one)
			return err
		}
	}
	edit := func(one spoken) func(tx *durable.Tx) error {
		return func(tx *durable.Tx) error {
			shown, err := document.Edit(tx, durable.InSession())
			if err == nil {
				*shown = one
			}
			return err
		}
	}
	for what, one := range unsaid() {
		s.refuses(what, emit(one))
		if _, err := entry.Draft(one); err == nil {
			t.Errorf("%s makes an entry", what)
		}
		err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error { return edit(one)(tx) })
		var noJSON *durable.NotJSONError
		if !errors.As(err, &noJSON) || !strings.Contains(err.Error(), "UTF-8") {
			t.Errorf("%s in a document: %v", what, err)
		}
	}
	for what, one := range said() {
		if _, err := entry.Draft(one); err != nil {
			t.Errorf("%s: %v", what, err)
		}
		s.commit(emit(one))
		s.commit(edit(one))
	}
}

func TestNamesHaveALimit(t *testing.T) {
	s := begin(t)
	for _, name := range []string{strings.Repeat("a", 1001), "\xff"} {
		s.refuses("the kind of an entry", func(tx *durable.Tx) error {
			_, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: name})
			return err
		})
		s.refuses("the kind of a write", func(tx *durable.Tx) error {
			_, err := tx.Submit(s.ID(), durable.Write{Entry: durable.EntryDraft{Kind: name}})
			return err
		})
		s.refuses("the type of an event", func(tx *durable.Tx) error {
			_, err := tx.Emit(durable.EventDraft{Type: name})
			return err
		})
	}
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.AppendEntry(s.ID(), durable.EntryDraft{Kind: strings.Repeat("a", 1000)})
		return err
	})
}
