package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// count is a document of the tests.
type count struct {
	N int `json:"n"`
}

func counter() durable.Document[count] {
	return durable.DefineDocument(durable.DocumentSpec[count]{
		Kind: "test.count", Version: 1, Scope: record.ConversationScope, History: record.Rewindable, Fork: record.ForkAsOf,
		Initial: func() count { return count{} },
	})
}

// latest is a counter whose past is not kept, changed by how.
func latest(how func(*durable.DocumentSpec[count])) durable.Document[count] {
	spec := durable.DocumentSpec[count]{
		Kind: "test.latest", Version: 1, Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkCurrent,
		Initial: func() count { return count{} },
	}
	if how != nil {
		how(&spec)
	}
	return durable.DefineDocument(spec)
}

func counters() durable.Family[count, int] {
	return durable.DefineFamily(durable.FamilySpec[count, int]{
		Kind: "test.counts", Version: 1, Scope: record.SessionScope,
		Initial: func(seed int) count { return count{seed} },
	})
}

// set makes a commit that sets a counter.
func (s *opened) set(doc durable.Document[count], in record.Scope, n int) {
	s.t.Helper()
	s.commit(func(tx *durable.Tx) error {
		shown, err := doc.Edit(tx, in)
		if err == nil {
			shown.N = n
		}
		return err
	})
}

// get reads a counter, -1 when there is none.
func (s *opened) get(doc durable.Document[count], in record.Scope) int {
	s.t.Helper()
	shown, found, err := doc.Read(within(s.t), s, in)
	if err != nil {
		s.t.Fatal(err)
	}
	if !found {
		return -1
	}
	return shown.N
}

// fails makes a commit that must fail with an error like the target, and returns it.
func (s *opened) fails(target any, change func(tx *durable.Tx) error) error {
	s.t.Helper()
	err := s.Commit(within(s.t), func(_ context.Context, tx *durable.Tx) error { return change(tx) })
	if !errors.As(err, target) {
		s.t.Errorf("got %v, want a %T", err, target)
	}
	return err
}

func TestDefinitionsThatContradictThemselvesAreRefused(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	good := func() *durable.DocumentDefinition {
		return &durable.DocumentDefinition{
			Kind: "x", Version: 1, Scope: record.ConversationScope, History: record.Latest, Fork: record.ForkInitial,
			Initial: func(json.RawMessage) (*value.Object, error) { return value.NewObject(), nil },
		}
	}
	cases := map[string]func(*durable.DocumentDefinition){
		"it has no kind":             func(d *durable.DocumentDefinition) { d.Kind = "" },
		"a positive integer":         func(d *durable.DocumentDefinition) { d.Version = 0 },
		"no initial value":           func(d *durable.DocumentDefinition) { d.Initial = nil },
		"must be session, conversat": func(d *durable.DocumentDefinition) { d.Scope = "world" },
		"must be latest or rewindab": func(d *durable.DocumentDefinition) { d.History = "" },
		"needs a rewindable history": func(d *durable.DocumentDefinition) { d.Fork = record.ForkAsOf },
		"current, initial or asOf":   func(d *durable.DocumentDefinition) { d.Fork = "" },
		"only documents of conversa": func(d *durable.DocumentDefinition) { d.Scope = record.SessionScope },
		"and was asked for in a":     func(d *durable.DocumentDefinition) { *d = *counters().Definition },
		"is not UTF-8":               func(d *durable.DocumentDefinition) { d.Kind = "\xff" },
		"and may have 1000":          func(d *durable.DocumentDefinition) { d.Kind = strings.Repeat("x", 1001) },
	}
	for want, spoil := range cases {
		d := good()
		spoil(d)
		var refused *durable.InvalidError
		err := s.fails(&refused, func(tx *durable.Tx) error {
			_, err := tx.Draft(d, durable.InConversation(id), "", nil)
			return err
		})
		if !strings.Contains(err.Error(), want) {
			t.Errorf("%q does not say %q", err, want)
		}
		if _, err := s.ReadDocument(within(t), d, durable.InConversation(id), ""); !errors.As(err, &refused) {
			t.Errorf("%s: a read says %v", want, err)
		}
	}
	var refused *durable.InvalidError
	s.fails(&refused, func(tx *durable.Tx) error {
		_, err := tx.Draft(good(), durable.InConversation(id), "key", nil)
		return err
	})
	s.fails(&refused, func(tx *durable.Tx) error {
		_, err := counters().Edit(tx, durable.InSession(), "\xff", 0)
		return err
	})
	s.fails(&refused, func(tx *durable.Tx) error {
		_, err := tx.Draft(nil, durable.InConversation(id), "", nil)
		return err
	})
	var unknown *durable.NotFoundError
	s.fails(&unknown, func(tx *durable.Tx) error {
		_, err := counter().Edit(tx, durable.InConversation(99))
		return err
	})
}

func TestOnlyATransactionMakesADocument(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	doc, in := counter(), durable.InConversation(id)
	entry := s.append(id, "before")
	if got := s.get(doc, in); got != -1 {
		t.Errorf("a read made %d", got)
	}
	if _, found, err := doc.ReadAt(within(t), s, id, entry.ID); found || err != nil {
		t.Errorf("a read of the past: %v %v", found, err)
	}
	if got := s.rows(contentRows); got != 0 {
		t.Errorf("the reads stored %d contents", got)
	}
	s.commit(func(tx *durable.Tx) error {
		_, err := doc.Edit(tx, in)
		return err
	})
	if got := s.get(doc, in); got != 0 {
		t.Errorf("the document that was acquired is %d", got)
	}
	if _, found, err := doc.ReadAt(within(t), s, id, entry.ID); found || err != nil {
		t.Errorf("it is there before it was made: %v %v", found, err)
	}
	if _, _, err := latest(nil).ReadAt(within(t), s, id, entry.ID); err == nil {
		t.Error("a document whose past is not kept was read in the past")
	}
}

func TestADocumentIsAcquiredOnceAndTheFirstSeedCounts(t *testing.T) {
	s := open(t, durable.Options{})
	family, in := counters(), durable.InSession()
	s.commit(func(tx *durable.Tx) error {
		first, err := family.Edit(tx, in, "a", 5)
		if err != nil {
			return err
		}
		second, err := family.Edit(tx, in, "a", 7)
		if err != nil {
			return err
		}
		if first != second || first.N != 5 {
			t.Errorf("the seeds 5 and 7 made %v and %v", first, second)
		}
		one, err := tx.Draft(family.Definition, in, "a", nil)
		if err != nil {
			return err
		}
		first.N++
		two, err := tx.Draft(family.Definition, in, "a", nil)
		if one != two {
			t.Error("a document has two drafts")
		}
		if now, err := one.Value(); err != nil || now.String() != `{"n":6}` {
			t.Errorf("the draft says %v %v", now, err)
		}
		other, err2 := family.Edit(tx, in, "", 9) // an empty key is a key
		if err2 == nil && other.N != 9 {
			t.Errorf("the member with an empty key is %v", other)
		}
		return errors.Join(err, err2)
	})
	s.commit(func(tx *durable.Tx) error {
		stored, err := family.Edit(tx, in, "a", 7)
		if err == nil && stored.N != 6 {
			t.Errorf("a seed changed what is there to %v", stored)
		}
		return err
	})
}

func TestAScopeIsTakenByItsKind(t *testing.T) {
	s := open(t, durable.Options{})
	family := counters()
	s.commit(func(tx *durable.Tx) error {
		odd := durable.InSession()
		odd.Conversation, odd.Task = 7, 8
		first, err := family.Edit(tx, odd, "a", 1)
		if err != nil {
			return err
		}
		second, err := family.Edit(tx, durable.InSession(), "a", 2)
		if first != second {
			t.Error("the session has two documents at one place")
		}
		return err
	})
	valid(t, s.memory)
}

func TestADocumentKeepsItsPolicies(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	in := durable.InConversation(id)
	plain := latest(nil)
	other := latest(func(spec *durable.DocumentSpec[count]) { spec.History = record.Rewindable })
	third := latest(func(spec *durable.DocumentSpec[count]) { spec.Fork = record.ForkInitial })
	s.set(plain, in, 1)
	entry := s.append(id, "after")
	var refused *durable.InvalidError
	for _, wrong := range []durable.Document[count]{other, third} {
		s.fails(&refused, func(tx *durable.Tx) error {
			_, err := wrong.Edit(tx, in)
			return err
		})
		s.fails(&refused, func(tx *durable.Tx) error { return wrong.Retire(tx, in) })
		s.fails(&refused, func(tx *durable.Tx) error {
			if _, err := plain.Edit(tx, in); err != nil {
				t.Error(err)
			}
			if err := wrong.Retire(tx, in); !errors.As(err, &refused) {
				t.Errorf("its end by another policy says %v", err)
			}
			_, err := wrong.Edit(tx, in)
			return err
		})
		if _, _, err := wrong.Read(within(t), s, in); !errors.As(err, &refused) {
			t.Errorf("a read says %v", err)
		}
	}
	if _, _, err := other.ReadAt(within(t), s, id, entry.ID); !errors.As(err, &refused) {
		t.Errorf("a read of the past says %v", err)
	}
	// A new document may have others.
	s.commit(func(tx *durable.Tx) error {
		if err := plain.Retire(tx, in); err != nil {
			return err
		}
		_, err := other.Edit(tx, in)
		return err
	})
	valid(t, s.memory)
}

// versionOf returns a counter of a version that adds 10 for each version before.
func versionOf(n int, migrate bool) durable.Document[count] {
	return latest(func(spec *durable.DocumentSpec[count]) {
		spec.Version = n
		spec.Checkpoint = func(*value.Object, delta.Ops, int) bool { panic("a new version is stored as a whole") }
		if migrate {
			spec.Migrate = func(old *value.Object, from int) (count, error) {
				var before count
				err := value.Decode(old, &before)
				return count{before.N + 10*(n-from)}, err
			}
		}
	})
}

func TestVersionsAreMigratedOrRefused(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	s.set(versionOf(2, true), in, 1)
	var refused *durable.VersionError
	for _, wrong := range []durable.Document[count]{versionOf(1, true), versionOf(3, false)} {
		s.fails(&refused, func(tx *durable.Tx) error {
			_, err := wrong.Edit(tx, in)
			return err
		})
		if _, _, err := wrong.Read(within(t), s, in); !errors.As(err, &refused) {
			t.Errorf("a read says %v", err)
		}
	}
	before := s.dump()
	if got := s.get(versionOf(4, true), in); got != 21 {
		t.Errorf("version 2 read by version 4 is %d, not 21", got)
	}
	if diff := cmp.Diff(before, s.dump()); diff != "" {
		t.Error("a read stored what it migrated:", diff)
	}
	s.commit(func(tx *durable.Tx) error { // without a change
		_, err := versionOf(4, true).Edit(tx, in)
		return err
	})
	if got := s.get(versionOf(4, false), in); got != 21 {
		t.Errorf("it is stored as %d, not 21", got)
	}
	// The newer one cannot be ended by who does not know it; an older one can, without
	// being understood.
	s.fails(&refused, func(tx *durable.Tx) error { return versionOf(3, true).Retire(tx, in) })
	s.commit(func(tx *durable.Tx) error { return versionOf(5, false).Retire(tx, in) })
	if got := s.get(versionOf(5, false), in); got != -1 {
		t.Errorf("it was ended, and is %d", got)
	}
	valid(t, s.memory)
}

func TestOneVersionEditsADocumentInACommit(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	s.set(versionOf(1, true), in, 1)
	var refused *durable.InvalidError
	s.fails(&refused, func(tx *durable.Tx) error {
		if _, err := versionOf(2, true).Edit(tx, in); err != nil {
			t.Error(err)
		}
		_, err := versionOf(3, true).Edit(tx, in)
		return err
	})
}

func TestAnEqualValueOfANewVersionIsStoredAndIsNoChange(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	of := func(version int) durable.Document[count] {
		d := counter()
		d.Definition.Version = version
		d.Definition.Migrate = func(old *value.Object, _ int) (*value.Object, error) { return old, nil }
		return d
	}
	in := durable.InConversation(id)
	s.set(of(1), in, 3)
	var heard []durable.DocumentChange
	defer s.SubscribeCommits(func(p *durable.Publication) { heard = append(heard, p.Documents...) })()
	s.commit(func(tx *durable.Tx) error {
		_, err := of(2).Edit(tx, in)
		return err
	})
	if len(heard) != 1 || !heard[0].Migrated || len(heard[0].Ops) != 0 || heard[0].Version != 2 || heard[0].Value.String() != `{"n":3}` {
		t.Errorf("published: %+v", heard)
	}
	if got := s.rows(contentRows); got != 2 {
		t.Errorf("%d contents are stored, not one of each version", got)
	}
	s.commit(func(tx *durable.Tx) error {
		_, err := of(2).Edit(tx, in)
		return err
	})
	if len(heard) != 1 || s.rows(contentRows) != 2 {
		t.Errorf("it was stored again: %+v", heard[1:])
	}
}

func TestTheSameRevisionIsReadByMany(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	s.set(counter(), in, 1)
	one, err1 := s.ReadDocument(within(t), counter().Definition, in, "")
	two, err2 := s.ReadDocument(within(t), counter().Definition, in, "")
	if one == nil || one != two {
		t.Errorf("read %v (%v) and %v (%v), which are not the same", one, err1, two, err2)
	}
	s.set(counter(), in, 2)
	if one.String() != `{"n":1}` {
		t.Errorf("what was read became %v", one)
	}
}
