package durable_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
)

// policy is a counter with a history and a fork policy.
func policy(history record.History, fork record.ForkPolicy) durable.Document[count] {
	return durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "test." + string(history) + "." + string(fork), Version: 1, Scope: record.ConversationScope, History: history, Fork: fork,
		Initial: func() count { return count{} },
	})
}

// fork makes a fork that is nobody's.
func (s *opened) fork(parent record.ConversationID, at record.EntryID) (id record.ConversationID) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		made, err := tx.ForkConversation(parent, at, durable.Ownerless())
		id = made.ID
		return err
	})
	return id
}

func TestAForkCopiesByPolicy(t *testing.T) {
	docs := map[string]durable.Document[count]{
		"latest current":     policy(record.Latest, record.ForkCurrent),
		"latest initial":     policy(record.Latest, record.ForkInitial),
		"rewindable asOf":    policy(record.Rewindable, record.ForkAsOf),
		"rewindable current": policy(record.Rewindable, record.ForkCurrent),
		"rewindable initial": policy(record.Rewindable, record.ForkInitial),
	}
	s := open(t, durable.Options{})
	parent := s.conversation()
	in := durable.InConversation(parent)
	setAll := func(n int) {
		for _, doc := range docs {
			s.set(doc, in, n)
		}
	}
	setAll(1)
	early := s.append(parent, "early")
	setAll(2)
	middle := s.append(parent, "middle")
	setAll(3)
	s.commit(func(tx *durable.Tx) error { return docs["rewindable current"].Retire(tx, in) })
	late := s.append(parent, "late")
	setAll(4)

	read := func(id record.ConversationID) map[string]int {
		found := make(map[string]int)
		for name, doc := range docs {
			found[name] = s.get(doc, durable.InConversation(id))
		}
		return found
	}
	child := s.fork(parent, middle.ID)
	want := map[string]int{
		"latest current": 4, "latest initial": -1, "rewindable asOf": 2, "rewindable current": 4, "rewindable initial": -1,
	}
	if diff := cmp.Diff(want, read(child)); diff != "" {
		t.Error("the fork:", diff)
	}
	// What the two do afterwards is their own.
	setAll(5)
	s.set(docs["rewindable asOf"], durable.InConversation(child), 20)
	own := s.append(child, "own")
	s.set(docs["latest current"], durable.InConversation(child), 21)
	if diff := cmp.Diff(map[string]int{
		"latest current": 21, "latest initial": -1, "rewindable asOf": 20, "rewindable current": 4, "rewindable initial": -1,
	}, read(child)); diff != "" {
		t.Error("the fork later:", diff)
	}
	// A fork of the fork, at an entry that it has of its parent, and at one of its own.
	inherited, last := s.fork(child, early.ID), s.fork(child, own.ID)
	want["latest current"], want["rewindable asOf"] = 21, 1
	if diff := cmp.Diff(want, read(inherited)); diff != "" {
		t.Error("at an entry of the parent:", diff)
	}
	want["rewindable asOf"] = 20
	if diff := cmp.Diff(want, read(last)); diff != "" {
		t.Error("at an entry of its own:", diff)
	}
	// The past of an entry is that of the conversation which appended it.
	asOf := docs["rewindable asOf"]
	for at, n := range map[record.EntryID]int{early.ID: 1, middle.ID: 2, own.ID: 20} {
		shown, found, err := asOf.ReadAt(within(t), s, last, at)
		if err != nil || !found || shown.N != n {
			t.Errorf("at entry %d it was %v %v (%v), not %d", at, shown, found, err, n)
		}
	}
	var unseen *durable.NotFoundError
	if _, _, err := asOf.ReadAt(within(t), s, child, late.ID); !errors.As(err, &unseen) {
		t.Errorf("an entry that the fork does not have: %v", err)
	}
	s.fails(&unseen, func(tx *durable.Tx) error {
		_, err := tx.ForkConversation(child, late.ID, durable.Ownerless())
		return err
	})
	valid(t, s.memory)
}

func TestACopyKeepsItsVersionUntilItIsEdited(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	s.set(versionOf(1, false), durable.InConversation(parent), 7)
	entry := s.append(parent, "entry")
	child := s.fork(parent, entry.ID) // nobody knows the definition
	in := durable.InConversation(child)
	if got := s.get(versionOf(1, false), in); got != 7 {
		t.Errorf("the copy is %d", got)
	}
	if got := s.get(versionOf(3, true), in); got != 27 {
		t.Errorf("the copy by version 3 is %d", got)
	}
	var refused *durable.VersionError
	if _, _, err := versionOf(3, false).Read(within(t), s, in); !errors.As(err, &refused) {
		t.Errorf("without a migration: %v", err)
	}
	// Edited in the commit that forks, it is stored once, by the version that edits it.
	var edited record.ConversationID
	before := s.rows(contentRows)
	var heard []durable.DocumentChange
	defer s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, p.Documents...) })()
	s.commit(func(tx *durable.Tx) error {
		made, err := tx.ForkConversation(parent, entry.ID, durable.Ownerless())
		if err != nil {
			return err
		}
		edited = made.ID
		shown, err := versionOf(2, true).Edit(tx, durable.InConversation(edited))
		if err != nil {
			return err
		}
		if shown.N != 17 {
			t.Errorf("the copy by version 2 is %d", shown.N)
		}
		shown.N++
		return nil
	})
	if got := s.get(versionOf(2, false), durable.InConversation(edited)); got != 18 {
		t.Errorf("the copy became %d", got)
	}
	if got := s.rows(contentRows) - before; got != 1 {
		t.Errorf("%d contents were stored", got)
	}
	if len(heard) != 1 || !heard[0].Created || heard[0].Version != 2 || heard[0].Value.String() != `{"n":18}` || len(heard[0].Ops) > 0 {
		t.Errorf("published: %+v", heard)
	}
	s.fails(&refused, func(tx *durable.Tx) error {
		made, err := tx.ForkConversation(edited, entry.ID, durable.Ownerless())
		if err != nil {
			return err
		}
		_, err = versionOf(1, false).Edit(tx, durable.InConversation(made.ID))
		return err
	})
	valid(t, s.memory)
}

func TestACommitThatForksLeavesWhatTheForkGetsAlone(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	in := durable.InConversation(parent)
	current, asOf := policy(record.Latest, record.ForkCurrent), policy(record.Rewindable, record.ForkAsOf)
	absent := policy(record.Rewindable, record.ForkCurrent)
	s.set(current, in, 1)
	s.set(asOf, in, 1)
	entry := s.append(parent, "entry")
	fork := func(tx *durable.Tx) error {
		_, err := tx.ForkConversation(parent, entry.ID, durable.Ownerless())
		return err
	}
	change := func(doc durable.Document[count], n int) func(tx *durable.Tx) error {
		return func(tx *durable.Tx) error {
			shown, err := doc.Edit(tx, in)
			if err == nil {
				shown.N = n
			}
			return err
		}
	}
	both := func(one, two func(*durable.Tx) error) func(*durable.Tx) error {
		return func(tx *durable.Tx) error { return errors.Join(one(tx), two(tx)) }
	}
	var refused *durable.InvalidError
	before := s.dump()
	for _, order := range []func(*durable.Tx) error{
		both(fork, change(current, 2)), both(change(current, 2), fork),
		both(fork, change(absent, 2)), // which the fork would not have
		both(func(tx *durable.Tx) error { return current.Retire(tx, in) }, fork),
	} {
		s.fails(&refused, order)
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Error("stored:", diff)
	}
	// Neither looking at it, nor changing what the fork gets as of an entry, matters.
	s.commit(both(fork, change(current, 1)))
	s.commit(both(change(asOf, 2), fork))
	valid(t, s.memory)
}

func TestAPolicyThatChangedCopiesOnce(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	in := durable.InConversation(parent)
	of := func(fork record.ForkPolicy) durable.Document[count] {
		d := policy(record.Rewindable, fork)
		d.Definition.Kind = "test.changed"
		return d
	}
	s.set(of(record.ForkAsOf), in, 1)
	entry := s.append(parent, "entry")
	s.commit(func(tx *durable.Tx) error { return of(record.ForkAsOf).Retire(tx, in) })
	s.set(of(record.ForkCurrent), in, 2)
	child := s.fork(parent, entry.ID)
	if got := s.get(of(record.ForkCurrent), durable.InConversation(child)); got != 2 {
		t.Errorf("the copy is %d", got)
	}
	valid(t, s.memory)
}

func TestAForkSeesItsParentUpToItsEntry(t *testing.T) {
	s := open(t, durable.Options{})
	conversations := []record.ConversationID{s.conversation()}
	var all []string
	for depth := range 6 {
		last := conversations[len(conversations)-1]
		name := fmt.Sprint(depth)
		s.append(last, name+"a")
		at := s.append(last, name+"b")
		s.append(last, name+"hidden")
		all = append(all, name+"a", name+"b")
		conversations = append(conversations, s.fork(last, at.ID))
	}
	deepest := conversations[len(conversations)-1]
	s.append(conversations[0], "later")
	if diff := cmp.Diff(all, kinds(t, s, deepest)); diff != "" {
		t.Error("oldest first:", diff)
	}
	var newest []string
	var query durable.EntryQuery
	query.Conversation = deepest
	for cursor := (*durable.Cursor)(nil); ; {
		page, err := s.EntryPage(within(t), query, 5, cursor)
		if err != nil {
			t.Fatal(err)
		}
		for _, entry := range page.Items {
			newest = append(newest, entry.Kind)
		}
		if cursor = page.Next; cursor == nil {
			break
		}
	}
	for i, j := 0, len(newest)-1; i < j; i, j = i+1, j-1 {
		newest[i], newest[j] = newest[j], newest[i]
	}
	if diff := cmp.Diff(all, newest); diff != "" {
		t.Error("newest first, in pages:", diff)
	}
}

func TestAForkThatFailsLeavesNothingInItsCommit(t *testing.T) {
	s := open(t, durable.Options{})
	parent := s.conversation()
	entry := s.append(parent, "entry")
	before := s.dump()
	s.commit(func(tx *durable.Tx) error {
		var refused *durable.InvalidError
		if _, err := tx.ForkConversation(parent, entry.ID, durable.Ownership{}); !errors.As(err, &refused) {
			t.Errorf("a fork that is of nobody known: %v", err)
		}
		var unknown *durable.NotFoundError
		if _, err := tx.ForkConversation(parent, 999, durable.Ownerless()); !errors.As(err, &unknown) {
			t.Errorf("a fork at no entry: %v", err)
		}
		made, err := tx.AppendEntry(parent, durable.EntryDraft{Kind: "new"})
		if err != nil {
			return err
		}
		if _, err := tx.ForkConversation(parent, made.ID, durable.Ownerless()); !errors.As(err, &unknown) {
			t.Errorf("a fork at an entry of its own commit: %v", err)
		}
		return nil
	})
	if got, want := len(s.dump()), len(before)+2; got != want {
		t.Errorf("%d rows are stored, not %d", got, want)
	}
	valid(t, s.memory)
}
