package durable_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/delta"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/value"
)

func TestADefinitionDecidesWhatIsStoredAsAWhole(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	var asked []string
	doc := latest(func(spec *durable.DocumentSpec[count]) {
		spec.Checkpoint = func(changed *value.Object, ops delta.Ops, deltas int) bool {
			asked = append(asked, fmt.Sprint(changed, len(ops), deltas))
			return deltas == 2
		}
	})
	stored := []int{}
	for n := range 8 {
		s.set(doc, in, n)
		stored = append(stored, s.rows(contentRows))
	}
	s.set(doc, in, 7) // no change
	// Made as a whole; two changes; the third as a whole, which makes what was
	// before unnecessary.
	if diff := cmp.Diff([]int{1, 2, 3, 1, 2, 3, 1, 2}, stored); diff != "" {
		t.Error("contents:", diff)
	}
	want := []string{`{"n":1} 1 0`, `{"n":2} 1 1`, `{"n":3} 1 2`, `{"n":4} 1 0`, `{"n":5} 1 1`, `{"n":6} 1 2`, `{"n":7} 1 0`}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error("asked:", diff)
	}
	s.reopen()
	if got := s.get(doc, in); got != 7 {
		t.Errorf("it is %d", got)
	}
	s.set(doc, in, 8)
	if asked[len(asked)-1] != `{"n":8} 1 1` {
		t.Errorf("after it was opened again it was asked %s", asked[len(asked)-1])
	}
	s.commit(func(tx *durable.Tx) error { // what ends is stored no more
		shown, err := doc.Edit(tx, in)
		if err != nil {
			return err
		}
		shown.N = 9
		return doc.Retire(tx, in)
	})
	if got := s.rows(contentRows); got != 0 || len(asked) != 8 {
		t.Errorf("%d contents are there after it ended, and it was asked %d times", got, len(asked))
	}
	valid(t, s.memory)
}

func TestTheContentsOfARewindableDocumentStay(t *testing.T) {
	s := open(t, durable.Options{})
	id := s.conversation()
	in := durable.InConversation(id)
	doc := counter()
	doc.Definition.Checkpoint = func(*value.Object, delta.Ops, int) bool { return true }
	var entries []record.EntryID
	for n := range 5 {
		s.set(doc, in, n)
		entries = append(entries, s.append(id, "step").ID)
	}
	s.commit(func(tx *durable.Tx) error { return doc.Retire(tx, in) })
	if got := s.rows(contentRows); got != 5 {
		t.Errorf("%d contents are stored, not 5", got)
	}
	for n, entry := range entries {
		shown, found, err := doc.ReadAt(within(t), s, id, entry)
		if err != nil || !found || shown.N != n {
			t.Errorf("at entry %d it is %v %v (%v)", entry, shown, found, err)
		}
	}
	valid(t, s.memory)
}

func TestADraftThatEndsAsItBeganStoresNothing(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	s.set(counter(), in, 1)
	before := s.dump()
	heard := 0
	defer s.SubscribeCommits(func(*durable.Publication) { heard++ })()
	s.commit(func(tx *durable.Tx) error {
		shown, err := counter().Edit(tx, in)
		if err != nil {
			return err
		}
		shown.N = 5
		if shown, err = counter().Edit(tx, in); err == nil {
			shown.N = 1
		}
		return err
	})
	if diff := cmp.Diff(before, s.dump()); diff != "" || heard > 0 {
		t.Errorf("%d publications, and stored: %s", heard, diff)
	}
}

func TestADefinitionThatFailsChangesNothing(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	s.set(latest(nil), in, 1)
	wrong := errors.New("wrong")
	cases := map[string]func(*durable.DocumentDefinition){
		"initial fails": func(d *durable.DocumentDefinition) {
			d.Initial = func(json.RawMessage) (*value.Object, error) { return nil, wrong }
		},
		"initial is none": func(d *durable.DocumentDefinition) {
			d.Initial = func(json.RawMessage) (*value.Object, error) { return nil, nil }
		},
		"initial panics": func(d *durable.DocumentDefinition) {
			d.Initial = func(json.RawMessage) (*value.Object, error) { panic(wrong) }
		},
		"migrate fails": func(d *durable.DocumentDefinition) {
			d.Migrate = func(*value.Object, int) (*value.Object, error) { return nil, wrong }
		},
		"migrate is none": func(d *durable.DocumentDefinition) {
			d.Migrate = func(*value.Object, int) (*value.Object, error) { return nil, nil }
		},
		"migrate panics": func(d *durable.DocumentDefinition) {
			d.Migrate = func(*value.Object, int) (*value.Object, error) { panic(wrong) }
		},
		"checkpoint fails": func(d *durable.DocumentDefinition) {
			d.Checkpoint = func(*value.Object, delta.Ops, int) bool { panic(wrong) }
		},
		"initial is no JSON": func(d *durable.DocumentDefinition) {
			d.Initial = func(json.RawMessage) (*value.Object, error) {
				return value.NewObject(value.Member{Key: "n", Value: value.Number(math.NaN())}), nil
			}
		},
		"migrate is no JSON": func(d *durable.DocumentDefinition) {
			d.Migrate = func(*value.Object, int) (*value.Object, error) {
				return value.NewObject(value.Member{Key: "n", Value: value.String("\xff")}), nil
			}
		},
	}
	for name, spoil := range cases {
		doc := latest(nil)
		switch {
		case strings.HasPrefix(name, "initial"):
			doc.Definition.Kind = "test.other"
		case strings.HasPrefix(name, "migrate"):
			doc.Definition.Version = 2
		}
		spoil(doc.Definition)
		before := s.dump()
		err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			shown, err := doc.Edit(tx, in)
			if err == nil {
				shown.N++
			}
			return err
		})
		if err == nil || !strings.Contains(err.Error(), doc.Definition.Kind) {
			t.Errorf("%s: the commit returned %v, which does not name the document", name, err)
		}
		if diff := cmp.Diff(before, s.dump()); diff != "" {
			t.Errorf("%s: stored: %s", name, diff)
		}
		// Swallowed, it leaves the rest of the commit.
		if !strings.HasPrefix(name, "checkpoint") {
			s.commit(func(tx *durable.Tx) error {
				for range 2 {
					if _, err := doc.Edit(tx, in); err == nil {
						t.Errorf("%s: it was acquired", name)
					}
				}
				return nil
			})
			if diff := cmp.Diff(before, s.dump()); diff != "" {
				t.Errorf("%s: stored: %s", name, diff)
			}
		}
	}
}

// loose is a document that may hold anything.
type loose struct {
	Any any `json:"any,omitempty"`
}

// moody fails to say what it is.
type moody struct{ Mood *string }

func (m moody) MarshalJSON() ([]byte, error) {
	if m.Mood != nil {
		panic(*m.Mood)
	}
	return []byte("{}"), nil
}

func TestDocumentsAreStrictJSON(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InSession()
	doc := durable.DefineDocument(durable.DocumentSpec[loose]{
		Kind: "test.loose", Version: 1, Scope: record.SessionScope, Initial: func() loose { return loose{} },
	})
	cycle := make(map[string]any)
	cycle["again"] = cycle
	deep := any(0)
	for range value.MaxDepth {
		deep = []any{deep}
	}
	for name, wrong := range map[string]any{
		"NaN": math.NaN(), "infinity": math.Inf(1), "a cycle": cycle, "a function": func() {}, "a channel": make(chan int),
		"an integer too large": int64(1)<<53 + 1, "raw text that is no JSON": json.RawMessage("{"), "too deep": deep,
		"complex numbers": complex(1, 1), "keys that are no text": map[[2]int]int{{1, 2}: 3},
	} {
		err := s.Commit(within(t), func(_ context.Context, tx *durable.Tx) error {
			shown, err := doc.Edit(tx, in)
			if err == nil {
				shown.Any = wrong
			}
			return err
		})
		if err == nil || !strings.Contains(err.Error(), "test.loose") {
			t.Errorf("%s: the commit returned %v", name, err)
		}
	}
	object := func(v value.Value) *value.Object { return value.NewObject(value.Member{Key: "any", Value: v}) }
	nested := value.Value(value.NewObject())
	for range value.MaxDepth {
		nested = value.Array{nested}
	}
	for name, wrong := range map[string]*value.Object{
		"nothing": nil, "NaN": object(value.Number(math.NaN())), "infinity": object(value.Number(math.Inf(-1))),
		"no value": object(value.Array{nil}), "no UTF-8": object(value.String("\xff")), "too deep": object(nested),
		"a key that is no UTF-8": value.NewObject(value.Member{Key: "\xff", Value: value.Null{}}),
		"halves that are a pair": object(value.String("\xed\xa0\xbd\xed\xb8\x80")),
	} {
		s.commit(func(tx *durable.Tx) error {
			draft, err := tx.Draft(doc.Definition, in, "", nil)
			if err != nil {
				return err
			}
			var refused *durable.NotJSONError
			if err := draft.Set(wrong); !errors.As(err, &refused) || !strings.Contains(err.Error(), "test.loose") {
				t.Errorf("%s: %v", name, err)
			}
			// Half of a pair, which JavaScript strings may hold, is a value.
			return draft.Set(object(value.String("\xed\xa0\xbd")))
		})
	}
	s.reopen()
	got, err := s.ReadDocument(within(t), doc.Definition, in, "")
	if err != nil || !value.Equal(got, object(value.String("\xed\xa0\xbd"))) {
		t.Errorf("it is %v (%v)", got, err)
	}
	bad := "bad"
	mood := durable.DefineDocument(durable.DocumentSpec[moody]{
		Kind: "test.moody", Version: 1, Scope: record.SessionScope, Initial: func() moody { return moody{} },
	})
	var panicked *durable.PanicError
	s.fails(&panicked, func(tx *durable.Tx) error {
		shown, err := mood.Edit(tx, in)
		if err == nil {
			shown.Mood = &bad
		}
		return err
	})
	s.conversation() // the session lives
}

func TestWhatADraftWasGivenIsCopied(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InSession()
	doc := durable.DefineDocument(durable.DocumentSpec[loose]{
		Kind: "test.loose", Version: 1, Scope: record.SessionScope, Initial: func() loose { return loose{} },
	})
	list := []any{"a", map[string]any{"b": 1}}
	var escaped *loose
	s.commit(func(tx *durable.Tx) (err error) {
		if escaped, err = doc.Edit(tx, in); err == nil {
			escaped.Any = list
		}
		return err
	})
	list[0], escaped.Any = "changed", "changed"
	read := func() string {
		got, err := s.ReadDocument(within(t), doc.Definition, in, "")
		if err != nil {
			t.Fatal(err)
		}
		return got.String()
	}
	if got := read(); got != `{"any":["a",{"b":1}]}` {
		t.Errorf("it is %s", got)
	}
	shown, _, err := doc.Read(within(t), s, in)
	if err != nil {
		t.Fatal(err)
	}
	shown.Any.([]any)[0] = "changed"
	if got := read(); got != `{"any":["a",{"b":1}]}` {
		t.Errorf("it is %s", got)
	}
	// A member that is left out is gone.
	s.commit(func(tx *durable.Tx) error {
		shown, err := doc.Edit(tx, in)
		if err == nil {
			shown.Any = nil
		}
		return err
	})
	if got := read(); got != `{}` {
		t.Errorf("it is %s", got)
	}
}

func TestADraftIsRevokedWithItsTransaction(t *testing.T) {
	s := open(t, durable.Options{})
	var draft *durable.Draft
	s.commit(func(tx *durable.Tx) (err error) {
		draft, err = tx.Draft(counters().Definition, durable.InSession(), "a", []byte("1"))
		return err
	})
	if _, err := draft.Value(); !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("Value says %v", err)
	}
	if err := draft.Set(value.NewObject()); !errors.Is(err, durable.ErrTxClosed) {
		t.Errorf("Set says %v", err)
	}
}

func TestWhatACommitDropsOfADocumentIsBounded(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	never := latest(nil)
	most, whole := 0, 0
	for n := range 2200 {
		s.set(never, in, n)
		if now := s.rows(contentRows); now == 1 {
			whole++
		} else {
			most = max(most, now)
		}
	}
	if most != 1001 || whole != 3 {
		t.Errorf("%d contents are there at most, and it was stored as a whole %d times", most, whole)
	}
	s.commit(func(tx *durable.Tx) error { return never.Retire(tx, in) })
	if got := s.rows(contentRows); got != 0 {
		t.Errorf("%d contents are there after it ended", got)
	}
	valid(t, s.memory)
}

func TestALiveDocumentIsStoredAsAWholeWhileAResponseIsUnderWay(t *testing.T) {
	s := open(t, durable.Options{})
	in := durable.InConversation(s.conversation())
	most := 0
	for n := range 500 {
		s.commit(func(tx *durable.Tx) error {
			live, err := durable.LiveDocument.Edit(tx, in)
			if err == nil {
				live.Generation = &durable.GenerationState{Attempt: n + 1}
			}
			return err
		})
		most = max(most, s.rows(contentRows))
	}
	if most != 201 {
		t.Errorf("%d contents are there at most", most)
	}
}
