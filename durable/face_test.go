package durable_test

import (
	"context"
	"encoding/json"
	"testing"

	"pgregory.net/rapid"

	"github.com/seed-d579e5eb/harness/durable"
	"github.com/seed-d579e5eb/harness/durable/record"
	"github.com/seed-d579e5eb/harness/durable/storage/memory"
	"github.com/seed-d579e5eb/harness/durable/value"
)

// The views of one document: none of them knows all of it.
type (
	ageView struct {
		Age int `json:"age"`
	}
	nameView struct {
		Name string `json:"name"`
		Age  int    `json:"age"`
	}
	itemsView struct {
		Items []item `json:"items"`
	}
	item struct {
		ID   int  `json:"id"`
		Done bool `json:"done,omitempty"`
	}
	optionsView struct {
		Options struct {
			Loud bool `json:"loud"`
			Deep struct {
				N int `json:"n"`
			} `json:"deep"`
		} `json:"options"`
	}
)

func viewOf[T any]() durable.Document[T] {
	return durable.Document[T]{Definition: &durable.DocumentDefinition{
		Kind: "test.person", Version: 1, Scope: record.SessionScope,
		Initial: func(seed json.RawMessage) (*value.Object, error) {
			v, err := value.Parse(seed)
			if err != nil {
				return nil, err
			}
			return v.(*value.Object), nil
		},
	}}
}

// person opens a session with a document.
func person(t testing.TB, text string) *opened {
	s := open(t, durable.Options{})
	s.commit(func(tx *durable.Tx) error {
		_, err := tx.Draft(viewOf[ageView]().Definition, durable.InSession(), "", []byte(text))
		return err
	})
	return s
}

func (s *opened) person() string {
	s.t.Helper()
	v, err := s.ReadDocument(within(s.t), viewOf[ageView]().Definition, durable.InSession(), "")
	if err != nil {
		s.t.Fatal(err)
	}
	return v.String()
}

func TestMembersThatATypeDoesNotKnowStay(t *testing.T) {
	s := person(t, `{"x":[1],"age":1,"items":[{"id":1,"more":"a"},{"id":2,"more":"b"},{"id":3,"more":"c"}]}`)
	s.commit(func(tx *durable.Tx) error {
		shown, err := viewOf[ageView]().Edit(tx, durable.InSession())
		if err == nil {
			shown.Age++
		}
		return err
	})
	if got, want := s.person(), `{"x":[1],"age":2,"items":[{"id":1,"more":"a"},{"id":2,"more":"b"},{"id":3,"more":"c"}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	s.commit(func(tx *durable.Tx) error {
		shown, err := viewOf[itemsView]().Edit(tx, durable.InSession())
		if err == nil {
			shown.Items = append(shown.Items[1:], item{ID: 4})
		}
		return err
	})
	if got, want := s.person(), `{"x":[1],"age":2,"items":[{"id":2,"more":"b"},{"id":3,"more":"c"},{"id":4}]}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestItemsKeepWhatATypeDoesNotKnow(t *testing.T) {
	for name, c := range map[string]struct {
		edit func([]item) []item
		want string
	}{
		"one in its place": {func(l []item) []item { l[1].ID = 9; return l }, `[{"id":1,"m":"a"},{"id":9,"m":"b"},{"id":3,"m":"c"}]`},
		"another order":    {func(l []item) []item { l[0], l[2] = l[2], l[0]; return l }, `[{"id":3,"m":"c"},{"id":2,"m":"b"},{"id":1,"m":"a"}]`},
		"removed":          {func(l []item) []item { return l[1:] }, `[{"id":2,"m":"b"},{"id":3,"m":"c"}]`},
		"removed and added": {func(l []item) []item { return append(l[1:], item{ID: 7}) },
			`[{"id":2,"m":"b"},{"id":3,"m":"c"},{"id":7}]`},
		"inserted and changed": {func(l []item) []item { l[0].Done = true; return append([]item{{ID: 7}}, l...) },
			`[{"id":7},{"id":1,"done":true},{"id":2,"m":"b"},{"id":3,"m":"c"}]`},
		"removed, changed and added": {func(l []item) []item { l[1].Done = true; return append(l[1:], item{ID: 7}) },
			`[{"id":2,"done":true},{"id":3,"m":"c"},{"id":7}]`},
		"replaced": {func([]item) []item { return []item{{ID: 7}} }, `[{"id":7}]`},
	} {
		s := person(t, `{"items":[{"id":1,"m":"a"},{"id":2,"m":"b"},{"id":3,"m":"c"}]}`)
		s.commit(func(tx *durable.Tx) error {
			shown, err := viewOf[itemsView]().Edit(tx, durable.InSession())
			if err == nil {
				shown.Items = c.edit(shown.Items)
			}
			return err
		})
		if got := s.person(); got != `{"items":`+c.want+`}` {
			t.Errorf("%s: got %s, want %s", name, got, c.want)
		}
	}
}

func TestATypeThatKnowsMoreThanIsStoredAddsWhatItChanges(t *testing.T) {
	s := person(t, `{"age":1}`)
	s.commit(func(tx *durable.Tx) error {
		_, err := viewOf[optionsView]().Edit(tx, durable.InSession())
		return err
	})
	if got := s.person(); got != `{"age":1}` {
		t.Errorf("looking at it made it %s", got)
	}
	s.commit(func(tx *durable.Tx) error {
		shown, err := viewOf[optionsView]().Edit(tx, durable.InSession())
		if err == nil {
			shown.Options.Deep.N = 2
		}
		return err
	})
	if got, want := s.person(), `{"age":1,"options":{"loud":false,"deep":{"n":2}}}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

func TestTheFacesOfADraftAreOneDocument(t *testing.T) {
	s := person(t, `{"name":"a","age":1,"x":true}`)
	s.commit(func(tx *durable.Tx) error {
		in := durable.InSession()
		age, err := viewOf[ageView]().Edit(tx, in)
		if err != nil {
			return err
		}
		age.Age = 2
		name, err := viewOf[nameView]().Edit(tx, in)
		if err != nil {
			return err
		}
		if name.Age != 2 {
			t.Errorf("the second face shows the age %d", name.Age)
		}
		name.Name, name.Age = "b", 3
		draft, err := tx.Draft(viewOf[ageView]().Definition, in, "", nil)
		if err != nil {
			return err
		}
		now, err := draft.Value()
		if err != nil || now.String() != `{"name":"b","age":3,"x":true}` {
			t.Errorf("the draft is %v (%v)", now, err)
		}
		b := now.Edit()
		b.Set("age", value.Number(4))
		if err := draft.Set(b.Object()); err != nil {
			return err
		}
		again, err := viewOf[ageView]().Edit(tx, in)
		if err != nil {
			return err
		}
		if again != age || age.Age != 4 {
			t.Errorf("the first face is the same: %v, and shows %d", again == age, age.Age)
		}
		name.Name = "c" // a face that does not know yet that the age has changed
		return nil
	})
	if got, want := s.person(), `{"name":"c","age":4,"x":true}`; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}

// TestFacesChangeOnlyWhatTheyShow has random values edited by a view of some members.
func TestFacesChangeOnlyWhatTheyShow(t *testing.T) {
	type view struct {
		A *int           `json:"a,omitempty"`
		B []item         `json:"b"`
		C map[string]int `json:"c,omitempty"`
		D optionsView    `json:"d"`
	}
	number := rapid.IntRange(0, 3)
	views := rapid.Custom(func(t *rapid.T) (v view) {
		if rapid.Bool().Draw(t, "a") {
			n := number.Draw(t, "n")
			v.A = &n
		}
		for _, id := range rapid.SliceOfN(number, 0, 4).Draw(t, "b") {
			v.B = append(v.B, item{ID: id})
		}
		v.C = rapid.MapOfN(rapid.SampledFrom([]string{"x", "y", "z"}), number, 0, 3).Draw(t, "c")
		v.D.Options.Deep.N = number.Draw(t, "d")
		return v
	})
	rapid.Check(t, func(r *rapid.T) {
		before, after := views.Draw(r, "before"), views.Draw(r, "after")
		stored, err := value.Of(before)
		if err != nil {
			r.Fatal(err)
		}
		// The document knows more than the view, and less.
		b := stored.(*value.Object).Edit()
		b.Set("more", value.String("kept"))
		if rapid.Bool().Draw(r, "without d") {
			b.Delete("d")
			before.D = optionsView{}
		}
		s := opening(r, new(memory.Storage), durable.Options{})
		defer closing(r, s)
		commit := func(change func(tx *durable.Tx) error) {
			err := s.Commit(context.Background(), func(_ context.Context, tx *durable.Tx) error { return change(tx) })
			if err != nil {
				r.Fatal(err)
			}
		}
		edited := viewOf[view]()
		commit(func(tx *durable.Tx) error {
			_, err := tx.Draft(edited.Definition, durable.InSession(), "", value.Marshal(b.Object()))
			return err
		})
		commit(func(tx *durable.Tx) error {
			shown, err := edited.Edit(tx, durable.InSession())
			if err == nil {
				*shown = after
			}
			return err
		})
		got, err := s.ReadDocument(context.Background(), edited.Definition, durable.InSession(), "")
		if err != nil {
			r.Fatal(err)
		}
		var now view
		if err := value.Decode(got, &now); err != nil {
			r.Fatal(err)
		}
		seen, _ := value.Of(now)
		want, _ := value.Of(after)
		if more, _ := got.Get("more"); !value.Equivalent(seen, want) || more != value.String("kept") {
			r.Errorf("a document edited to %v is %v", want, got)
		}
	})
}
