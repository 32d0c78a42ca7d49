package durable

import (
	"context"
	"strconv"
	"testing"

	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// watched returns how many mounts and watches a session knows.
func (s *Session) watched() (mounts, open int) {
	s.watches.mu.Lock()
	defer s.watches.mu.Unlock()
	return len(s.watches.mounts), len(s.watches.open)
}

// TestNothingIsKeptOfWatchesThatHaveEnded looks into the session: watches of one
// subject share a mount, and it goes with the last of them, however they end.
func TestNothingIsKeptOfWatchesThatHaveEnded(t *testing.T) {
	s, err := Open(t.Context(), new(memory.Storage), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close(context.Background())
	var id record.ConversationID
	commit := func(change func(tx *Tx) error) {
		t.Helper()
		if err := s.Commit(t.Context(), func(_ context.Context, tx *Tx) error { return change(tx) }); err != nil {
			t.Fatal(err)
		}
	}
	commit(func(tx *Tx) error {
		created, err := tx.CreateConversation(Ownerless())
		id = created.ID
		return err
	})
	in := InConversation(id)
	edit := func(tx *Tx) error { _, err := LiveDocument.Edit(tx, in); return err }
	retire := func(tx *Tx) error { return LiveDocument.Retire(tx, in) }
	expect := func(what string, mounts, open int) {
		t.Helper()
		if m, o := s.watched(); m != mounts || o != open {
			t.Errorf("%s there are %d mounts with %d watches, and not %d with %d", what, m, o, mounts, open)
		}
	}
	if _, found, err := LiveDocument.Watch(t.Context(), s, in); found || err != nil {
		t.Fatal(found, err)
	}
	expect("of what is not there", 0, 0)
	if _, err := s.WatchConversation(t.Context(), 99); err == nil {
		t.Fatal("an unknown conversation is watched")
	}
	expect("of what fails", 0, 0)
	commit(edit)
	ctx, cancel := context.WithCancel(t.Context())
	one, _, err := LiveDocument.Watch(ctx, s, in)
	if err != nil {
		t.Fatal(err)
	}
	two, _, err := LiveDocument.Watch(t.Context(), s, in)
	if err != nil {
		t.Fatal(err)
	}
	view, err := s.WatchConversation(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	expect("of a document and a view", 2, 3)
	view.Stop()
	view.Stop()
	expect("after a stop", 1, 2)
	cancel()
	<-one.Done()
	for _, open := s.watched(); open > 1; _, open = s.watched() {
		// It is taken out by the goroutine that has seen the end of ctx.
	}
	expect("after a cancel", 1, 1)
	commit(retire)
	expect("after the document", 0, 1)
	if _, err := two.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Next(t.Context()); err == nil {
		t.Fatal("frames follow the end")
	}
	expect("after its end was taken", 0, 0)
	commit(edit)
	if _, _, err := LiveDocument.Watch(t.Context(), s, in); err != nil {
		t.Fatal(err)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	expect("after the session", 0, 0)
}

// TestAPictureKeepsLittleOfThePast has a view change that nobody looks at.
func TestAPictureKeepsLittleOfThePast(t *testing.T) {
	now := newPicture(value.NewObject())
	want := new(value.Builder)
	for n := range 1000 {
		key := strconv.Itoa(n % 150)
		want.Set(key, value.Number(n))
		now = now.after(delta.Ops{delta.Set{Path: value.Path{value.Key(key)}, Value: value.Number(n)}})
		if err := now.settle(150); err != nil {
			t.Fatal(err)
		}
		past := 0
		for at := now.before.Load(); at != nil; at = at.before.Load() {
			past++
		}
		if past > 150 {
			t.Fatalf("after %d changes %d pictures are kept", n+1, past)
		}
	}
	got, err := now.value()
	if err != nil || !value.Equal(got, want.Object()) {
		t.Fatal(got, err)
	}
	again, err := now.after(delta.Ops{delta.Delete{Path: value.Path{value.Key("7")}}}).value()
	if _, there := again.Get("7"); there || err != nil {
		t.Fatal(again, err)
	}
	if _, err := now.after(delta.Ops{delta.Delete{Path: value.Path{value.Key("a"), value.Key("b")}}}).value(); err == nil {
		t.Fatal("a change that does not fit is shown")
	}
}
