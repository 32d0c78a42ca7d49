package durable_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// docKind is a kind of document of the histories.
type docKind struct {
	name    string
	session bool
	family  bool
	history record.History
	fork    record.ForkPolicy
}

func docKinds() []docKind {
	return []docKind{
		{name: "session", session: true},
		{name: "session.family", session: true, family: true},
		{name: "latest.current", history: record.Latest, fork: record.ForkCurrent},
		{name: "latest.initial", history: record.Latest, fork: record.ForkInitial},
		{name: "rewindable.asOf", history: record.Rewindable, fork: record.ForkAsOf},
		{name: "rewindable.asOf.family", family: true, history: record.Rewindable, fork: record.ForkAsOf},
		{name: "rewindable.current", family: true, history: record.Rewindable, fork: record.ForkCurrent},
		{name: "rewindable.initial", history: record.Rewindable, fork: record.ForkInitial},
	}
}

// definition returns a kind in a version, with a checkpoint every so many changes, 0
// for none.
func (k docKind) definition(version, every int) *durable.DocumentDefinition {
	scope := record.ConversationScope
	if k.session {
		scope = record.SessionScope
	}
	return &durable.DocumentDefinition{
		Kind: k.name, Version: version, Scope: scope, History: k.history, Fork: k.fork, Family: k.family,
		Initial: func(seed json.RawMessage) (*value.Object, error) { return firstValue(string(seed)), nil },
		Migrate: func(old *value.Object, from int) (*value.Object, error) {
			return migratedValue(old, from, version), nil
		},
		Checkpoint: func(_ *value.Object, _ delta.Ops, deltas int) bool {
			return every > 0 && deltas >= every
		},
	}
}

func firstValue(seed string) *value.Object {
	return value.NewObject(
		value.Member{Key: "seed", Value: value.String(seed)},
		value.Member{Key: "n", Value: value.Number(0)},
		value.Member{Key: "list", Value: value.Array{}},
		value.Member{Key: "text", Value: value.String("")},
	)
}

// migratedValue is what a newer version makes of a value; some versions leave it.
func migratedValue(old *value.Object, from, to int) *value.Object {
	if from == to || to%2 == 0 {
		return old
	}
	b := old.Edit()
	before, _ := b.Get("from")
	list, _ := before.(value.Array)
	b.Set("from", append(slices.Clone(list), value.Number(from)))
	return b.Object()
}

// changed is one of many ways to change a value; some leave it as it is.
func changed(old *value.Object, how, by int) *value.Object {
	b := old.Edit()
	list, _ := old.Get("list")
	items := slices.Clone(list.(value.Array))
	text, _ := old.Get("text")
	switch how % 9 {
	case 0:
		b.Set("n", value.Number(by))
	case 1:
		b.Set("list", append(items, value.NewObject(value.Member{Key: "item", Value: value.Number(by)})))
	case 2:
		if len(items) > 0 {
			b.Set("list", slices.Delete(items, by%len(items), by%len(items)+1))
		}
	case 3:
		slices.Reverse(items)
		b.Set("list", items)
	case 4:
		b.Set("text", text.(value.String)+value.String(strings.Repeat("x", by%40)))
	case 5:
		rest, _ := text.(value.String).Cut(min(by, text.(value.String).Units()))
		b.Set("text", rest)
	case 6:
		b.Set(fmt.Sprint("k", by%3), value.Bool(by%2 == 0))
	case 7:
		b.Delete(fmt.Sprint("k", by%3))
	}
	return b.Object()
}

// place is where a document of the model is; conversation is an index, and unused for
// the session's.
type place struct {
	kind         string
	conversation int
	key          string
}

// content is what a document was from a commit on.
type content struct {
	at      int
	version int
	value   *value.Object
}

// lifetime is one life of a document; retired is 0 while it lives.
type lifetime struct {
	created, retired int
	contents         []content
}

func (l *lifetime) at(commit int) (found content, ok bool) {
	if l.created > commit || l.retired != 0 && l.retired <= commit {
		return content{}, false
	}
	for _, c := range l.contents {
		if c.at <= commit {
			found, ok = c, true
		}
	}
	return found, ok
}

// model is what a history should have left. Conversations and entries are known by
// their indices.
type model struct {
	commit        int
	conversations []modelConversation
	entries       []modelEntry
	documents     map[place][]*lifetime
	kinds         map[string]docKind
}

type modelConversation struct {
	parent int // -1 for none
	at     int // entry
}

type modelEntry struct{ conversation, commit int }

func newModel() *model {
	m := &model{documents: make(map[place][]*lifetime), kinds: make(map[string]docKind)}
	for _, kind := range docKinds() {
		m.kinds[kind.name] = kind
	}
	return m
}

func (m *model) clone() *model {
	c := &model{
		commit: m.commit, kinds: m.kinds,
		conversations: slices.Clone(m.conversations), entries: slices.Clone(m.entries), documents: make(map[place][]*lifetime),
	}
	for at, lives := range m.documents {
		for _, one := range lives {
			copied := *one
			copied.contents = slices.Clone(one.contents)
			c.documents[at] = append(c.documents[at], &copied)
		}
	}
	return c
}

// visible returns the entries of a conversation, its ancestors' included.
func (m *model) visible(conversation int) (found []int) {
	last := len(m.entries)
	for conversation >= 0 {
		for i := min(last, len(m.entries)-1); i >= 0; i-- {
			if m.entries[i].conversation == conversation {
				found = append(found, i)
			}
		}
		c := m.conversations[conversation]
		conversation, last = c.parent, min(last, c.at)
	}
	slices.Sort(found)
	return found
}

// living returns the life of a document that has not ended; nil when there is none.
func (m *model) living(at place) *lifetime {
	for _, one := range m.documents[at] {
		if one.retired == 0 {
			return one
		}
	}
	return nil
}

// asOf returns what a document was after the commit of an entry.
func (m *model) asOf(at place, entry int) (content, bool) {
	at.conversation = m.entries[entry].conversation
	for _, one := range m.documents[at] {
		if found, ok := one.at(m.entries[entry].commit); ok {
			return found, true
		}
	}
	return content{}, false
}

// places returns where documents are or were, in a fixed order.
func (m *model) places() []place {
	return slices.SortedFunc(maps.Keys(m.documents), func(a, b place) int {
		return strings.Compare(a.kind+"\x00"+a.key, b.kind+"\x00"+b.key)
	})
}

// modelTx is a commit of the model.
type modelTx struct {
	*model  // as it will be
	base    *model
	edits   []*modelEdit
	live    map[place]*modelEdit
	ended   map[place]bool
	forks   []int
	version func(kind string) int
}

// modelEdit is what a commit does to one document.
type modelEdit struct {
	at       place
	life     *lifetime // nil for a new one
	before   *value.Object
	now      *value.Object
	version  int
	migrated bool
	retired  bool
}

func (m *model) begin(version func(string) int) *modelTx {
	next := m.clone()
	next.commit++
	return &modelTx{model: next, base: m, live: make(map[place]*modelEdit), ended: make(map[place]bool), version: version}
}

// document acquires a document.
func (t *modelTx) document(at place, seed string) *modelEdit {
	version := t.version(at.kind)
	if edit := t.live[at]; edit != nil {
		if edit.version != version { // a copy of a fork
			edit.now, edit.version = migratedValue(edit.now, edit.version, version), version
		}
		return edit
	}
	edit := &modelEdit{at: at, now: firstValue(seed), version: version}
	if life := t.living(at); life != nil && !t.ended[at] {
		stored := life.contents[len(life.contents)-1]
		edit.life, edit.migrated = life, stored.version != version
		edit.before = migratedValue(stored.value, stored.version, version)
		edit.now = edit.before
	}
	t.add(edit)
	return edit
}

func (t *modelTx) add(edit *modelEdit) {
	t.edits = append(t.edits, edit)
	t.live[edit.at] = edit
}

func (t *modelTx) retire(at place) {
	edit := t.live[at]
	if life := t.living(at); edit == nil && life != nil && !t.ended[at] {
		edit = &modelEdit{at: at, life: life}
		t.edits = append(t.edits, edit)
	}
	if edit == nil {
		return
	}
	edit.retired = true
	delete(t.live, at)
	t.ended[at] = true
}

func (t *modelTx) fork(parent, entry int) {
	child := len(t.conversations)
	t.conversations = append(t.conversations, modelConversation{parent, entry})
	t.forks = append(t.forks, parent)
	for _, at := range t.base.places() {
		kind := t.kinds[at.kind]
		var from content
		var found bool
		switch {
		case at.conversation == parent && kind.fork == record.ForkCurrent:
			if life := t.base.living(at); life != nil {
				from, found = life.contents[len(life.contents)-1], true
			}
		case at.conversation == t.entries[entry].conversation && kind.fork == record.ForkAsOf:
			from, found = t.base.asOf(at, entry)
		}
		if found {
			to := place{at.kind, child, at.key}
			t.add(&modelEdit{at: to, now: from.value, version: from.version})
		}
	}
}

// finish ends the commit and says whether it is allowed.
func (t *modelTx) finish() bool {
	for _, edit := range t.edits {
		wrote := true
		switch {
		case edit.life == nil && edit.retired:
			wrote = false
		case edit.retired:
			edit.life.retired = t.commit
		case edit.life == nil:
			t.documents[edit.at] = append(t.documents[edit.at], &lifetime{created: t.commit})
			edit.life = t.living(edit.at)
			fallthrough
		case edit.migrated || !value.Equal(edit.before, edit.now):
			edit.life.contents = append(edit.life.contents, content{t.commit, edit.version, edit.now})
		default:
			wrote = false
		}
		if wrote && t.kinds[edit.at.kind].fork == record.ForkCurrent && slices.Contains(t.forks, edit.at.conversation) {
			return false
		}
	}
	return true
}
