package durable_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage"
	"github.com/seed-d579e5eb/harness/durable/storage/badgerdb"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// step is one thing that a commit of a history does; its numbers choose among what is
// there.
type step struct {
	Do          action
	Kind        int // of document
	In, Key     int // conversation and key of a family
	Change, By  int // of a document
	Entry, Seed int
}

type action int

const (
	editDocument action = iota
	retireDocument
	appendEntry
	forkConversation
	makeConversation
)

// historyCommit is one commit of a history.
type historyCommit struct {
	Steps []step
	// Fails has the callback return an error, and Upgrade is a kind that has a newer
	// version from this commit on.
	Fails   bool
	Upgrade int
}

// history is what happens to a database.
type history struct {
	// Every is after how many changes documents are stored as a whole, by kind.
	Every   []int
	Commits []historyCommit
}

func histories(commits int) *rapid.Generator[history] {
	steps := rapid.Custom(func(t *rapid.T) step {
		number := rapid.IntRange(0, 1000)
		return step{
			Do: rapid.SampledFrom([]action{
				editDocument, editDocument, editDocument, editDocument, retireDocument, appendEntry, appendEntry, forkConversation, makeConversation,
			}).Draw(t, "do"),
			Kind: number.Draw(t, "kind"), In: number.Draw(t, "in"), Key: number.Draw(t, "key"),
			Change: number.Draw(t, "change"), By: number.Draw(t, "by"), Entry: number.Draw(t, "entry"), Seed: number.Draw(t, "seed"),
		}
	})
	commit := rapid.Custom(func(t *rapid.T) historyCommit {
		return historyCommit{
			Steps:   rapid.SliceOfN(steps, 1, 6).Draw(t, "steps"),
			Fails:   rapid.IntRange(0, 9).Draw(t, "fails") == 9,
			Upgrade: rapid.IntRange(0, 40).Draw(t, "upgrade"),
		}
	})
	return rapid.Custom(func(t *rapid.T) history {
		return history{
			Every:   rapid.SliceOfN(rapid.IntRange(0, 3), len(docKinds()), len(docKinds())).Draw(t, "every"),
			Commits: rapid.SliceOfN(commit, 1, commits).Draw(t, "commits"),
		}
	})
}

// player plays a history on a session.
type player struct {
	t       rapid.TB
	session *durable.Session
	reopen  func(*durable.Session) *durable.Session // between commits; nil for never
	below   func() storage.Storage
	history history
	model   *model
	// versions are those of the kinds now.
	versions      []int
	conversations []record.ConversationID
	entries       []record.EntryID
	// followed is what somebody knows who applies what is published.
	followed map[record.DocumentID]durable.DocumentChange
	follow   error
}

func (p *player) play() {
	p.t.Helper()
	p.model = newModel()
	p.followed = make(map[record.DocumentID]durable.DocumentChange)
	for range docKinds() {
		p.versions = append(p.versions, 1)
	}
	stop := p.session.SubscribeCommits(p.heard)
	for i, commit := range p.history.Commits {
		if commit.Upgrade < len(p.versions) {
			p.versions[commit.Upgrade]++
		}
		p.commit(commit)
		if p.reopen != nil {
			stop()
			p.session = p.reopen(p.session)
			stop = p.session.SubscribeCommits(p.heard)
		}
		p.compareCurrent()
		if p.t.Failed() {
			p.t.Fatalf("after commit %d", i)
		}
	}
	stop()
	p.comparePast()
	p.compareFollowed()
	valid(p.t, p.below())
}

var errOnPurpose = errors.New("on purpose")

func (p *player) commit(c historyCommit) {
	p.t.Helper()
	next := p.model.begin(func(kind string) int { return p.versions[p.kindIndex(kind)] })
	conversations, entries := p.conversations, p.entries
	err := p.session.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
		for _, step := range c.Steps {
			if err := p.step(tx, next, step); err != nil {
				return err
			}
		}
		if c.Fails {
			return errOnPurpose
		}
		return nil
	})
	allowed := next.finish() // whether the engine thinks so too
	var refused *durable.InvalidError
	switch {
	case c.Fails && errors.Is(err, errOnPurpose) || !c.Fails && !allowed && errors.As(err, &refused):
		p.conversations, p.entries = conversations, entries
	case err != nil || !allowed:
		p.t.Fatalf("the commit returned %v, and is allowed: %v", err, allowed)
	default:
		p.model = next.model
	}
}

// step does one step in the session and in the model.
func (p *player) step(tx *durable.Tx, next *modelTx, s step) error {
	if s.Do == makeConversation || len(p.conversations) == 0 {
		made, err := tx.CreateConversation(durable.Ownerless())
		p.conversations = append(p.conversations, made.ID)
		next.conversations = append(next.conversations, modelConversation{-1, 0})
		return err
	}
	in := s.In % len(p.conversations)
	switch s.Do {
	case appendEntry:
		made, err := tx.AppendEntry(p.conversations[in], durable.EntryDraft{Kind: "step"})
		p.entries = append(p.entries, made.ID)
		next.entries = append(next.entries, modelEntry{in, next.commit})
		return err
	case forkConversation:
		// Only what is stored can be forked.
		if in = s.In % max(1, len(next.base.conversations)); in >= len(next.base.conversations) {
			return nil
		}
		visible := next.base.visible(in)
		if len(visible) == 0 {
			return nil
		}
		entry := visible[s.Entry%len(visible)]
		made, err := tx.ForkConversation(p.conversations[in], p.entries[entry], durable.Ownerless())
		p.conversations = append(p.conversations, made.ID)
		next.fork(in, entry)
		return err
	}
	kind, at := p.place(s.Kind, in, s.Key)
	definition := p.definition(kind)
	if s.Do == retireDocument {
		next.retire(at)
		return tx.Retire(definition, p.scope(at), at.key)
	}
	seed := fmt.Sprint(s.Seed)
	draft, err := tx.Draft(definition, p.scope(at), at.key, []byte(seed))
	if err != nil {
		return err
	}
	edit := next.document(at, seed)
	now, err := draft.Value()
	if err != nil {
		return err
	}
	if !value.Equal(now, edit.now) {
		return fmt.Errorf("a draft of %v is %v, not %v", at, now, edit.now)
	}
	edit.now = changed(edit.now, s.Change, s.By)
	return draft.Set(edit.now)
}

func (p *player) place(kind, conversation, key int) (int, place) {
	kind %= len(docKinds())
	at := place{kind: docKinds()[kind].name, conversation: conversation}
	if docKinds()[kind].session {
		at.conversation = -1
	}
	if docKinds()[kind].family {
		at.key = fmt.Sprint("key", key%2)
	}
	return kind, at
}

func (p *player) kindIndex(name string) int {
	for i, kind := range docKinds() {
		if kind.name == name {
			return i
		}
	}
	return -1
}

func (p *player) definition(kind int) *durable.DocumentDefinition {
	return docKinds()[kind].definition(p.versions[kind], p.history.Every[kind])
}

func (p *player) scope(at place) record.Scope {
	if at.conversation < 0 {
		return durable.InSession()
	}
	return durable.InConversation(p.conversations[at.conversation])
}

// places visits where there can be documents.
func (p *player) places(visit func(kind int, at place)) {
	for kind := range docKinds() {
		for key := range 2 {
			if docKinds()[kind].session {
				_, at := p.place(kind, -1, key)
				visit(kind, at)
				continue
			}
			for in := range p.conversations {
				_, at := p.place(kind, in, key)
				visit(kind, at)
			}
		}
	}
}

// compareCurrent compares what documents are now with the model.
func (p *player) compareCurrent() {
	p.t.Helper()
	p.places(func(kind int, at place) {
		var want *value.Object
		if life := p.model.living(at); life != nil {
			stored := life.contents[len(life.contents)-1]
			want = migratedValue(stored.value, stored.version, p.versions[kind])
		}
		got, err := p.session.ReadDocument(context.Background(), p.definition(kind), p.scope(at), at.key)
		p.compare(fmt.Sprint(at), got, want, err)
	})
}

// comparePast compares what documents were at every entry of every conversation.
func (p *player) comparePast() {
	p.t.Helper()
	p.places(func(kind int, at place) {
		if docKinds()[kind].history != record.Rewindable {
			return
		}
		for _, entry := range p.model.visible(at.conversation) {
			var want *value.Object
			if then, found := p.model.asOf(at, entry); found {
				want = migratedValue(then.value, then.version, p.versions[kind])
			}
			got, err := p.session.ReadDocumentAt(context.Background(), p.definition(kind), p.conversations[at.conversation], at.key, p.entries[entry])
			p.compare(fmt.Sprint(at, " at entry ", entry), got, want, err)
		}
	})
}

// compareForks forks every conversation at every entry, and compares the fork's
// documents with what they were as of the entry.
func (p *player) compareForks() {
	p.t.Helper()
	forked := make(map[[2]int]record.ConversationID)
	p.places(func(kind int, at place) {
		if docKinds()[kind].fork != record.ForkAsOf {
			return
		}
		for _, entry := range p.model.visible(at.conversation) {
			fork, made := forked[[2]int{at.conversation, entry}]
			parent := p.conversations[at.conversation]
			if !made {
				err := p.session.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error {
					created, err := tx.ForkConversation(parent, p.entries[entry], durable.Ownerless())
					fork = created.ID
					return err
				})
				if err != nil {
					p.t.Fatal(err)
				}
				forked[[2]int{at.conversation, entry}] = fork
			}
			want, err := p.session.ReadDocumentAt(context.Background(), p.definition(kind), parent, at.key, p.entries[entry])
			if err != nil {
				p.t.Fatal(err)
			}
			got, err := p.session.ReadDocument(context.Background(), p.definition(kind), durable.InConversation(fork), at.key)
			p.compare(fmt.Sprint(at, " of a fork at entry ", entry), got, want, err)
		}
	})
	valid(p.t, p.below())
}

func (p *player) compare(what string, got, want *value.Object, err error) {
	p.t.Helper()
	if err != nil || (got == nil) != (want == nil) || got != nil && !value.Equal(got, want) {
		p.t.Errorf("%s is %v (%v), not %v", what, got, err, want)
	}
}

// heard applies a publication.
func (p *player) heard(publication *durable.Publication) {
	for _, change := range publication.Documents {
		id := change.Record.ID
		before, known := p.followed[id]
		if known == change.Created {
			p.follow = fmt.Errorf("document %d was known: %v, and created: %v", id, known, change.Created)
		}
		if change.Retired {
			delete(p.followed, id)
			continue
		}
		if !change.Created && !change.Migrated {
			now, err := delta.Apply(before.Value, change.Ops)
			if err != nil || !value.Equal(now, change.Value) || len(change.Ops) == 0 || before.Version != change.Version {
				p.follow = fmt.Errorf("document %d became %v (%v) by version %d after %d, not %v", id, now, err, change.Version, before.Version, change.Value)
			}
		}
		p.followed[id] = change
	}
}

// compareFollowed compares what was published with the model.
func (p *player) compareFollowed() {
	p.t.Helper()
	if p.follow != nil {
		p.t.Error(p.follow)
	}
	type stored struct {
		Version int
		Text    string
	}
	want, got := make(map[string]stored), make(map[string]stored)
	p.places(func(_ int, at place) {
		if life := p.model.living(at); life != nil {
			now := life.contents[len(life.contents)-1]
			want[fmt.Sprint(at.kind, p.scope(at), at.key)] = stored{now.version, now.value.String()}
		}
	})
	for _, change := range p.followed {
		at := change.Record.Address
		got[fmt.Sprint(at.Kind, at.Scope, at.Key)] = stored{change.Version, change.Value.String()}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		p.t.Error("published:", diff)
	}
}

// valid reports what is wrong in a database.
func valid(t rapid.TB, below storage.Storage) {
	t.Helper()
	for found, err := range durable.Check(context.Background(), below) {
		if err != nil {
			t.Fatal(err)
		}
		t.Error("check:", found)
	}
}

// TestDocumentsAreWhatTheirHistoryLeft plays random histories, on a session that stays
// open and on one that is opened anew after each commit.
func TestDocumentsAreWhatTheirHistoryLeft(t *testing.T) {
	rapid.Check(t, func(r *rapid.T) {
		played := histories(25).Draw(r, "history")
		for _, reopened := range []bool{false, true} {
			below := new(memory.Storage)
			p := &player{t: r, history: played, below: func() storage.Storage { return below }}
			p.session = opening(r, below, durable.Options{})
			if reopened {
				p.reopen = func(s *durable.Session) *durable.Session {
					closing(r, s)
					below = below.Clone()
					return opening(r, below, durable.Options{})
				}
			}
			p.play()
			p.compareForks()
			closing(r, p.session)
		}
	})
}

// TestDocumentsOnDiskAreWhatTheirHistoryLeft plays a few histories on a disk, opened
// anew now and then.
func TestDocumentsOnDiskAreWhatTheirHistoryLeft(t *testing.T) {
	for seed := range 3 {
		dir := t.TempDir()
		disk := func() storage.Storage {
			t.Helper()
			below, err := badgerdb.Open(dir, badgerdb.Options{})
			if err != nil {
				t.Fatal(err)
			}
			return below
		}
		below := disk()
		p := &player{t: t, history: histories(40).Example(seed), below: func() storage.Storage { return below }}
		p.session = opening(t, below, durable.Options{})
		commits := 0
		p.reopen = func(s *durable.Session) *durable.Session {
			if commits++; commits%5 != 0 {
				return s
			}
			closing(t, s)
			below = disk()
			return opening(t, below, durable.Options{})
		}
		p.play()
		closing(t, p.session)
	}
}

func opening(t rapid.TB, below storage.Storage, options durable.Options) *durable.Session {
	t.Helper()
	s, err := durable.Open(context.Background(), below, options)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func closing(t rapid.TB, s *durable.Session) {
	t.Helper()
	if err := s.Close(context.Background()); err != nil {
		t.Fatal(err)
	}
}
