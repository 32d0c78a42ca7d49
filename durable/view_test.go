package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// viewed returns a client that watches a conversation.
func (s *opened) viewed(in record.ConversationID) *client {
	s.t.Helper()
	watch, err := s.WatchConversation(within(s.t), in)
	return attach(s.t, watch, err)
}

// view returns what there is to see of a conversation.
func (s *opened) view(in record.ConversationID) *value.Object {
	s.t.Helper()
	view, err := s.ConversationView(within(s.t), in)
	if err != nil {
		s.t.Fatal(err)
	}
	return view
}

// shownKinds returns the kinds of the entries of a view.
func shownKinds(t testing.TB, view value.Value) string {
	t.Helper()
	var shown struct{ Entries []record.Entry }
	if err := value.Decode(view, &shown); err != nil {
		t.Fatal(err)
	}
	var kinds []string
	for _, entry := range shown.Entries {
		kinds = append(kinds, entry.Kind)
	}
	return strings.Join(kinds, " ")
}

// head appends an entry that begins the context at another one; 0 is itself.
func head(tx *durable.Tx, in record.ConversationID, kind string, at record.EntryID) error {
	_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: kind, Head: at, Self: at == 0})
	return err
}

func TestTheViewOfAConversation(t *testing.T) {
	s := begin(t)
	in := s.ID()
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "note", Data: json.RawMessage(`{"a":1}`)})
		return err
	})
	view := s.view(in)
	var shown struct {
		Conversation record.Conversation
		Entries      []record.Entry
		Docs         map[string]json.RawMessage
	}
	if err := value.Decode(view, &shown); err != nil {
		t.Fatal(err)
	}
	docs, _ := view.Get("docs")
	var kinds []string
	for kind := range docs.(*value.Object).All() {
		kinds = append(kinds, kind)
	}
	if diff := cmp.Diff([]string{"pi.live", "pi.inbox", "pi.usage", "pi.provider", "pi.agent"}, kinds); diff != "" {
		t.Error(diff)
	}
	if shown.Conversation.ID != in || len(shown.Entries) != 1 || string(shown.Entries[0].Data) != `{"a":1}` {
		t.Errorf("%s", value.Marshal(view))
	}
	byHandle, err := s.View(within(t))
	if err != nil || !value.Equal(view, byHandle) {
		t.Error(err)
	}
	if _, err := s.ConversationView(within(t), 99); !missing(err) {
		t.Error(err)
	}
	if watch, err := s.WatchConversation(within(t), 99); !missing(err) || watch != nil {
		t.Error(watch, err)
	}
}

func missing(err error) bool {
	_, is := errors.AsType[*durable.NotFoundError](err)
	return is
}

func TestAViewTellsWhatACommitChanged(t *testing.T) {
	s := begin(t)
	in := s.ID()
	c := s.viewed(in)
	other := s.conversation()
	s.append(other, "elsewhere")
	if err := s.Configure(within(t), durable.AgentChange{Cwd: durable.Set("/work")}); err != nil {
		t.Fatal(err)
	}
	requireOps(t, c.next(), `[["s",["docs","pi.agent","cwd"],"/work"]]`)
	s.commit(func(tx *durable.Tx) error {
		for _, kind := range []string{"a", "b"} {
			if _, err := tx.AppendEntry(in, durable.EntryDraft{Kind: kind}); err != nil {
				return err
			}
		}
		if err := durable.Configure(tx, in, durable.AgentChange{Instructions: durable.Set("be brief")}); err != nil {
			return err
		}
		return durable.UsageDocument.Retire(tx, durable.InConversation(in))
	})
	a, b := s.entryIDs(in)[0], s.entryIDs(in)[1]
	requireOps(t, c.next(), `[["p",["entries"],0,0,[`+entryText(a, in, "a")+`,`+entryText(b, in, "b")+
		`]],["s",["docs","pi.agent"],{"instructions":"be brief","cwd":"/work"}],["d",["docs","pi.usage"]]]`)
	s.commit(func(tx *durable.Tx) error {
		_, err := durable.UsageDocument.Edit(tx, durable.InConversation(in))
		return err
	})
	requireOps(t, c.next(), `[["s",["docs","pi.usage"],{"models":{},"tools":{}}]]`)
	c.until(s.view(in))
}

func entryText(id record.EntryID, in record.ConversationID, kind string) string {
	text, _ := json.Marshal(record.Entry{ID: id, Conversation: in, Kind: kind})
	return string(text)
}

// entryIDs returns the ids of a conversation's entries, the oldest first.
func (s *opened) entryIDs(in record.ConversationID) (ids []record.EntryID) {
	s.t.Helper()
	for entry, err := range s.Entries(within(s.t), durable.EntryQuery{Conversation: in, Order: durable.Ascending}) {
		if err != nil {
			s.t.Fatal(err)
		}
		ids = append(ids, entry.ID)
	}
	return ids
}

func TestAHeadBeginsTheEntriesOfAViewAnew(t *testing.T) {
	s := open(t, durable.Options{})
	in := s.conversation()
	c := s.viewed(in)
	a, b := s.append(in, "a"), s.append(in, "b")
	s.append(in, "c")
	steps := []struct {
		what   string
		change func(tx *durable.Tx) error
		want   string
	}{
		{"it keeps what it names and what follows", func(tx *durable.Tx) error { return head(tx, in, "H", b.ID) }, "H b c"},
		{"it removes the head before it", func(tx *durable.Tx) error { return head(tx, in, "I", b.ID) }, "I b c"},
		{"it reaches back to what was not shown", func(tx *durable.Tx) error { return head(tx, in, "J", a.ID) }, "J a b c"},
		{"it is alone", func(tx *durable.Tx) error { return head(tx, in, "K", 0) }, "K"},
		{"several come with entries between them", func(tx *durable.Tx) error {
			if _, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "d"}); err != nil {
				return err
			}
			if err := head(tx, in, "L", b.ID); err != nil {
				return err
			}
			e, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "e"})
			if err != nil {
				return err
			}
			if err := head(tx, in, "M", e.ID); err != nil {
				return err
			}
			_, err = tx.AppendEntry(in, durable.EntryDraft{Kind: "f"})
			return err
		}, "M e f"},
		{"it reaches back past heads", func(tx *durable.Tx) error { return head(tx, in, "N", b.ID) }, "N b c d e f"},
	}
	for _, step := range steps {
		s.commit(step.change)
		view := s.view(in)
		if got := shownKinds(t, view); got != step.want {
			t.Errorf("%s: a fresh view shows %q and not %q", step.what, got, step.want)
		}
		c.until(view)
	}
}

func TestTheViewOfAForkHasWhatItInherits(t *testing.T) {
	s := open(t, durable.Options{})
	in := s.conversation()
	s.append(in, "a")
	b := s.append(in, "b")
	s.append(in, "c")
	var fork record.Conversation
	s.commit(func(tx *durable.Tx) (err error) {
		fork, err = tx.ForkConversation(in, b.ID, durable.Ownerless())
		return err
	})
	c := s.viewed(fork.ID)
	s.append(in, "d")
	s.append(fork.ID, "e")
	s.commit(func(tx *durable.Tx) error { return head(tx, fork.ID, "H", b.ID) })
	view := s.view(fork.ID)
	if got := shownKinds(t, view); got != "H b e" {
		t.Fatal(got)
	}
	c.until(view)
}

func TestAViewShowsNumbersAsJavaScriptReadsThem(t *testing.T) {
	s := open(t, durable.Options{})
	in := s.conversation()
	c := s.viewed(in)
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "a", Data: json.RawMessage(`[9007199254740993,1e400,-1e400]`)})
		return err
	})
	c.next()
	got, _ := value.Lookup(c.value, value.Key("entries"), value.Index(0), value.Key("data"))
	if want := `[9007199254740992,1.7976931348623157e+308,-1.7976931348623157e+308]`; string(value.Marshal(got)) != want {
		t.Fatalf("%s", value.Marshal(got))
	}
	c.until(s.view(in))
}

func TestWhatIsDeepFitsIntoAView(t *testing.T) {
	s := begin(t)
	in := s.ID()
	c := s.viewed(in)
	nested := func(levels int) json.RawMessage {
		return json.RawMessage(strings.Repeat("[", levels) + strings.Repeat("]", levels))
	}
	appended := func(levels int) error {
		return s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			_, err := tx.AppendEntry(in, durable.EntryDraft{Kind: "deep", Data: nested(levels)})
			return err
		})
	}
	noted := func(levels int) error {
		return s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			live, err := durable.LiveDocument.Edit(tx, durable.InConversation(in))
			if err == nil {
				live.Tools = []durable.ToolSlot{{Details: nested(levels)}}
			}
			return err
		})
	}
	if err := appended(value.MaxDepth - 3); err != nil { // an entry is one level
		t.Fatal(err)
	}
	if err := noted(value.MaxDepth - 5); err != nil { // the slot is in three
		t.Fatal(err)
	}
	c.until(s.view(in))
	if _, is := errors.AsType[*durable.InvalidError](appended(value.MaxDepth - 2)); !is {
		t.Error("an entry is too deep for a view, and was appended")
	}
	if _, is := errors.AsType[*durable.NotJSONError](noted(value.MaxDepth - 4)); !is {
		t.Error("a document is too deep for a view, and was stored")
	}
}

func TestWhoeverWatchesAConversationSharesItsView(t *testing.T) {
	s := begin(t)
	in := s.ID()
	one, two := s.viewed(in), s.viewed(in)
	s.append(in, "a")
	if a, b := one.next(), two.next(); a.Value != b.Value {
		t.Error("two watches are told of one commit by two values")
	}
	one.watch.Stop()
	s.append(in, "b")
	two.until(s.view(in))
	two.watch.Stop()
	s.append(in, "c")
	three := s.viewed(in)
	three.shows(string(value.Marshal(s.view(in))))
	s.append(in, "d")
	three.until(s.view(in))
}
